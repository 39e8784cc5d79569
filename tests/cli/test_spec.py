"""seriatim check --spec: which blocks of a trace count."""

import os
import random
import re
import unittest

from random_traces import random_trace
from seriatim import CLEAN, CROSS, CUT, SANITIZED, TRACES, Case, run

# T2 cuts both blocks of T1, which are nested.
NESTED = """\
T1|begin(outer)|app.c:1
T1|begin(inner)|lib/in.c:2
T1|w(x)|lib/in.c:3
T2|w(x)|app.c:9
T1|r(x)|lib/in.c:4
T1|end(inner)|lib/in.c:5
T1|end(outer)|app.c:6
"""

# Only the outer block is cut: T2 comes in after the inner one.
OUTER = """\
T1|begin(outer)|1
T1|begin(inner)|2
T1|w(x)|3
T1|end(inner)|4
T2|w(x)|5
T1|r(x)|6
T1|end(outer)|7
"""

# As the papers print them: some err on these traces.
PUBLISHED = {"aerodrome-basic", "aerodrome-reads", "regiontrack-printed", "velodrome-rapid"}
ENGINES = [line.split()[0]
           for line in run("help", "check").text.split("engines:\n")[1].splitlines()]


class SpecCase(Case):
    def check(self, trace, spec, *options, form="json"):
        self.write("t.std", trace)
        self.write("s", spec)
        return self.run_here("check", "--format", form, "--limit=0", "--spec", "s", *options,
                             "t.std")

    def assert_blocks(self, trace, spec, expected):
        """These blocks count: their names, how often they ran and how often they were cut."""
        result = self.check(trace, spec, "--engine", "regiontrack")
        self.assertEqual(result.message, "")
        got = {block["name"]: (block["executed"], block["violated"])
               for block in result.json["blocks"]}
        self.assertEqual(got, expected, spec)

    def assert_refused(self, spec, message):
        self.assert_trouble(self.check(CUT, spec), message)
        self.assertEqual(sorted(os.listdir(self.folder)), ["s", "t.std"])


class Lines(SpecCase):
    def test_without_lines_every_block_counts(self):
        for spec in ("", "\n", "# nothing here\n", "\r\n"):
            self.assert_blocks(CUT, spec, {"a": (1, 1)})

    def test_ignore_takes_away(self):
        self.assert_blocks(CUT + CROSS, "ignore function a\n", {"b": (1, 0)})

    def test_atomic_lists_all_there_is(self):
        self.assert_blocks(CUT + CROSS, "atomic function a\n", {"a": (2, 1)})
        self.assert_blocks(CUT + CROSS, "atomic function b\n", {"b": (1, 0)})

    def test_a_verdict_without_the_block_that_was_cut(self):
        result = self.check(CUT, "ignore function a\natomic function b\n")
        self.assertEqual(result.status, 0)
        self.assertIs(result.json["serializable"], True)
        self.assertEqual(self.check(CUT, "ignore function b\n").status, 1)

    def test_globs(self):
        trace = "".join(f"T1|begin({name})|1\nT1|end|1\n"
                        for name in ("acct_add", "acct_sub", "acct", "log", "lag"))
        self.assert_blocks(trace, "atomic function acct_*\n",
                           {"acct_add": (1, 0), "acct_sub": (1, 0)})
        self.assert_blocks(trace, "ignore function acct*\nignore function l[!a]g\n",
                           {"lag": (1, 0)})
        self.assert_blocks(trace, "atomic function l?g\n", {"log": (1, 0), "lag": (1, 0)})

    def test_later_lines_win(self):
        trace = "".join(f"T1|begin({name})|1\nT1|end|1\n" for name in ("f1", "f2", "f3"))
        self.assert_blocks(trace, "ignore function *\natomic function f2\n", {"f2": (1, 0)})
        self.assert_blocks(trace, "atomic function f*\nignore function f2\n",
                           {"f1": (1, 0), "f3": (1, 0)})
        self.assert_blocks(trace, "atomic function f*\nignore function ?2\natomic function f2\n",
                           {"f1": (1, 0), "f2": (1, 0), "f3": (1, 0)})

    def test_names_with_blanks_quotes_and_globs(self):
        names = {"operator new": '"operator new"', "f(int, char)": '"f(int, char)"',
                 "a#b": '"a#b"', 'say "hi"': r'"say \"hi\""', "p*": r"p\*", "a[0]": r"a\[0]",
                 "back\\slash": r"back\\slash", "tab\tin": r"tab\x09in", "é": "é"}
        trace = "".join(f"T1|begin({name})|1\nT1|end|1\n" for name in [*names, "px", "a0"])
        for name, pattern in names.items():
            self.assert_blocks(trace, f"atomic function {pattern} # only\n", {name: (1, 0)})

    def test_crlf_blanks_and_a_missing_last_newline(self):
        self.assert_blocks(CUT, "\r\n  ignore\tfunction  b\t# x\r\natomic function a", {"a": (1, 1)})

    def test_unnamed_blocks_have_the_empty_name(self):
        trace = CUT.replace("(a)", "")
        self.assert_blocks(trace, "atomic function *\n", {"": (1, 1)})
        self.assert_blocks(trace, "ignore function ?*\n", {"": (1, 1)})
        self.assert_blocks(trace + CUT, "atomic function a\n", {"a": (1, 1)})


class Files(SpecCase):
    def test_the_file_of_the_begin_counts(self):
        self.assert_blocks(NESTED, "ignore file lib/*\n", {"outer": (1, 1)})
        self.assert_blocks(NESTED, "atomic file lib/*\n", {"inner": (1, 1)})
        self.assert_blocks(NESTED, "ignore file *.c\natomic function inner\n", {"inner": (1, 1)})

    def test_runs_of_one_name_may_differ(self):
        trace = ("T1|begin(f)|a.c:1\nT1|end|a.c:2\nT1|begin(f)|b.c:1:20\nT1|end|b.c:2\n"
                 "T1|begin(f)|b.c:3\nT1|end|b.c:2\n")
        self.assert_blocks(trace, "ignore file a.c\n", {"f": (2, 0)})
        self.assert_blocks(trace, "ignore file b.c\n", {"f": (1, 0)})

    def test_a_location_without_a_line_is_a_file(self):
        self.assert_blocks("T1|begin(f)|x y\nT1|end|1\n", "atomic file \"x y\"\n", {"f": (1, 0)})

    def test_a_mere_number_is_no_file(self):
        trace = "T1|begin(f)|12\nT1|end|12\n"
        self.assert_blocks(trace, "ignore file ?*\n", {"f": (1, 0)})
        self.assert_blocks(trace + "T1|begin(g)|a.c:1\n", "ignore file \"\"\n", {"g": (1, 0)})


class NestedBlocks(SpecCase):
    def violations(self, trace, spec):
        return [(v["block"], v["begin"], v["end"], v["depth"], v["event"])
                for v in self.check(trace, spec, "--engine", "regiontrack").json["violations"]]

    def test_only_the_inner_one_atomic(self):
        self.assertEqual(self.violations(NESTED, "atomic function inner\n"),
                         [("inner", 2, 6, 0, 5)])
        self.assertEqual(self.violations(NESTED, "ignore function outer\n"),
                         [("inner", 2, 6, 0, 5)])

    def test_only_the_outer_one_atomic(self):
        self.assertEqual(self.violations(NESTED, "ignore function inner\n"),
                         [("outer", 1, 7, 0, 5)])

    def test_an_ignored_end_does_not_end_the_block_around_it(self):
        self.assertEqual(self.violations(OUTER, "ignore function inner\n"),
                         [("outer", 1, 7, 0, 6)])

    def test_an_inner_block_that_was_not_cut(self):
        result = self.check(OUTER, "ignore function outer\n")
        self.assertEqual((result.status, result.json["violations"]), (0, []))

    def test_recursion(self):
        trace = "T1|begin(f)|1\nT1|begin(g)|1\nT1|begin(f)|1\nT1|end|1\nT1|end|1\nT1|end|1\n"
        self.assert_blocks(trace + OUTER, "ignore function f\n",
                           {"g": (1, 0), "outer": (1, 1), "inner": (1, 0)})

    def test_a_trace_that_ends_inside_blocks(self):
        for end in range(1, 8):
            trace = "".join(NESTED.splitlines(True)[:end])
            for spec in ("ignore function outer\n", "ignore function inner\n"):
                result = self.check(trace, spec)
                self.assertEqual(result.status, end >= 5, trace)
                self.assertIs(result.json["trace"]["truncated"], end < 7)

    def test_dropped_ends_do_not_end_ignored_blocks(self):
        trace = "T1|begin(f)|1\nT1|end|2\nT1|end|3\n" + OUTER
        result = self.check(trace, "ignore function f\n", "--repair", "--engine", "regiontrack")
        self.assertIn("an end without a begin; event dropped", result.message)
        self.assertEqual([v["begin"] for v in result.json["violations"]], [4])


class Engines(SpecCase):
    def test_every_engine_sees_the_same_blocks(self):
        self.assertIn("all", ENGINES)
        self.assertLess(PUBLISHED, set(ENGINES))
        for engine in set(ENGINES) - PUBLISHED:
            for trace, spec, status in ((CUT, "ignore function b\n", 1),
                                        (CUT, "ignore function a\natomic function b\n", 0),
                                        (OUTER, "atomic function outer\n", 1),
                                        (OUTER, "atomic function inner\n", 0),
                                        (CROSS, "atomic function [ab]\n", 1),
                                        (CROSS, "atomic function a\n", 0),
                                        (CROSS, "ignore function a\n", 0)):
                for first in ([], ["--first"]):
                    result = self.check(trace, spec, "--engine", engine, *first)
                    self.assertEqual(result.status, status, (engine, trace, spec, first))

    def test_a_spec_that_says_nothing_changes_nothing(self):
        for path in sorted(TRACES.glob("*.st[dt]")):
            plain = run("check", "--engine=all", "--format=json", path).json
            got = run("check", "--engine=all", "--format=json", "--spec=-", path,
                      input="atomic function *\n").json
            for engine in plain["engines"] + got["engines"]:
                del engine["time_seconds"], engine["peak_state_bytes"]
            self.assertEqual(got, plain, path.name)

    def test_a_long_trace_in_many_batches(self):
        rounds = 5000
        trace = NESTED * rounds
        self.assert_blocks(trace, "ignore function outer\n", {"inner": (rounds, rounds)})
        self.write("t.std", trace)
        self.assert_clean(self.run_here("convert", "t.std", "t.stt"))
        got = [self.run_here("check", "--format=json", "--limit=0", "--engine=regiontrack",
                             "--spec=s", path).json["violations"] for path in ("t.std", "t.stt")]
        self.assertEqual(len(got[0]), rounds)
        self.assertEqual(got[0], got[1])


def without_marks(trace, names):
    """The trace without begin and end of these blocks, and the numbers of the events that stay."""
    stacks, lines, numbers = {}, [], []
    for number, line in enumerate(trace.splitlines(True), 1):
        thread, op, _ = line.split("|")
        stack = stacks.setdefault(thread, [])
        if op.startswith("begin"):
            stack.append(op[6:-1])
        if not ((op.startswith("begin") or op == "end") and stack[-1] in names):
            lines.append(line)
            numbers.append(number)
        if op == "end":
            stack.pop()
    return "".join(lines), numbers


class RandomTraces(SpecCase):
    """Ignoring a block is the same as removing its begin and end from the trace by hand."""

    def answers(self, result, number):
        """What each engine says, with number(n) for event n."""
        return [(engine["engine"], engine["serializable"], number(engine["first_bad_event"]),
                 [(v["block"], v["thread"], v["depth"], number(v["begin"]), number(v["end"]),
                   number(v["event"])) for v in engine["violations"]], engine["blocks"])
                for engine in result.json["engines"]]

    def test_vanished_marks_are_like_no_marks(self):
        rng = random.Random(12)
        seen = set()
        for _ in range(60):
            trace = random_trace(rng)
            names = sorted(set(re.findall(r"begin\((\w+)\)", trace)))
            ignored = rng.sample(names, rng.randint(1, len(names) - 1))
            shorter, numbers = without_marks(trace, ignored)
            got = self.check(trace, "".join(f"ignore function {name}\n" for name in ignored),
                             "--engine=all")
            expected = self.check(shorter, "", "--engine=all")
            self.assertIs(got.json["agree"], True, trace)
            self.assertEqual(self.answers(got, lambda n: n),
                             self.answers(expected, lambda n: n and numbers[n - 1]), trace)
            seen.add(got.status)
        self.assertEqual(seen, {0, 1})


class Trouble(SpecCase):
    def test_malformed_lines_are_errors_with_their_line(self):
        self.assert_refused("atomic function a\nfrob b\n",
                            "s:2: expected 'atomic' or 'ignore', not 'frob'")
        self.assert_refused("# x\r\n\r\nignore\r\n", "s:3: expected 'function', 'file', 'elements' or 'thread' after "
                            "'ignore', not the end of the line")
        self.assert_refused("atomic function operator new\n", "s:1: expected nothing after the "
                            "pattern (one with blanks goes in double quotes), not 'new'")
        self.assert_refused('ignore file "a\n', "s:1: expected a closing '\"'")

    def test_a_trace_is_no_specification(self):
        self.assert_refused(CUT, "s:1: expected 'atomic' or 'ignore', not 'T1|begin(a)|1'")
        self.assert_refused(b"\0\0", "s:1: zero byte; this is no specification")

    def test_escapes_in_messages_are_disarmed(self):
        self.assertNotIn(b"\x1b", self.check(CUT, b"\x1b[2J\n").err)

    def test_a_missing_file_and_a_directory(self):
        self.write("t.std", CUT)
        self.assert_trouble(self.run_here("check", "--spec", "none", "t.std"),
                            "none: cannot open: No such file or directory")
        self.assert_trouble(self.run_here("check", "--spec", ".", "t.std"),
                            ".: cannot read: Is a directory")

    def test_a_specification_from_standard_input(self):
        self.write("t.std", CUT)
        result = self.run_here("check", "--spec=-", "t.std", input="ignore function b\n")
        self.assertEqual(result.status, 1)
        self.assert_trouble(self.run_here("check", "--spec=-", "t.std", input="x\n"),
                            "standard input:1: expected 'atomic' or 'ignore', not 'x'")
        self.assert_trouble(self.run_here("check", "--spec=-", "-", input=CUT),
                            "check: standard input cannot be the trace and the specification at "
                            "once")

    def test_a_specification_is_not_written_over(self):
        self.assert_trouble(self.check(CUT, "ignore function a\n", "-o", "s"),
                            "s: is the input itself; write to another file")
        self.assertEqual((self.folder / "s").read_text(), "ignore function a\n")

    def test_a_malformed_trace_is_still_one(self):
        result = self.check(CUT + "T1|end|1\n", "ignore function a\n")
        self.assert_trouble(result, "t.std:6: thread 'T1' ends a block, but none is open")


def with_sections(trace):
    """The trace with each outermost critical section of a thread as a block, by the definition: from the first lock
    that it takes to the last that it gives back, or to the end of the block that the section began in."""
    lines, held, depth, began = [], {}, {}, {}
    for line in trace.splitlines():
        thread, op, loc = line.split("|")
        word = op.split("(")[0]
        locks = held.setdefault(thread, [])
        depth[thread] = depth.get(thread, 0) + (word == "begin")
        if word == "end" and began.get(thread) == depth[thread]:
            lines.append(f"{thread}|end|{loc}")
            began[thread] = None
        depth[thread] -= word == "end"
        if word == "acq" and not locks:
            lines.append(f"{thread}|begin|{loc}")
            began[thread] = depth[thread]
        lines.append(line)
        if word == "acq":
            locks.append(op)
        elif word == "rel":
            locks.remove(op.replace("rel", "acq"))
            if not locks and began[thread] is not None:
                lines.append(f"{thread}|end|{loc}")
                began[thread] = None
    return "".join(line + "\n" for line in lines)


class Sections(SpecCase):
    SECTION = "T1|acq(l)|1\nT1|r(x)|2\nT2|w(x)|3\nT1|r(x)|4\nT1|rel(l)|5\n"

    def test_critical_sections_are_blocks(self):
        self.assertEqual(self.check(self.SECTION, "ignore function f\n").status, 0)
        result = self.check(self.SECTION, "atomic section\n")
        self.assertEqual((result.status, result.json["violation_count"], result.message), (1, 1, ""))
        [violation] = result.json["violations"]
        self.assertEqual(violation["block"], "")
        clean = self.SECTION.replace("T2|w(x)|3\n", "") + "T2|w(x)|3\n"
        result = self.check(clean, "atomic section\n")
        self.assertEqual((result.status, result.json["trace"]["blocks"]), (0, 1))

    def test_outermost_ones_and_only_to_the_end_of_their_block(self):
        trace = ("T1|begin(f)|1\nT1|acq(l)|2\nT1|acq(m)|3\nT1|r(x)|4\nT1|rel(m)|5\nT1|end|6\nT2|w(x)|7\nT1|r(x)|8\n"
                 "T1|rel(l)|9\n")
        self.assertEqual(self.check(trace, "ignore function f\natomic section\n").json["violation_count"], 1)
        self.assertEqual(self.check(trace, "atomic section\n").json["violation_count"], 0)

    def test_locks_that_are_channels(self):
        read = "T1|rcv(l [write])|1\nT1|r(x)|2\nT2|w(x)|3\nT1|r(x)|4\nT1|snd(l [read])|5\n"
        write = "T1|rcv(l [write])|1\nT1|rcv(l [read])|1\nT1|r(x)|2\nT2|w(x)|3\nT1|r(x)|4\nT1|snd(l [write])|5\n"
        semaphore = "T1|rcv(s [lock])|1\nT1|r(x)|2\nT2|w(x)|3\nT1|r(x)|4\nT1|snd(s [lock])|5\n"
        signal = "T1|rcv(s [signal])|1\nT1|rcv(s [lock])|1\nT1|r(x)|2\nT2|w(x)|3\nT1|r(x)|4\nT1|snd(s [lock])|5\n"
        for trace, found in ((read, 1), (write, 1), (semaphore, 1), (signal, 0)):
            self.assertEqual(self.check(trace, "atomic section\n").json["violation_count"], found, trace)

    def test_random_traces(self):
        """As if the trace had these blocks, for engines and for prediction; from a file and from memory."""
        keys = ("serializable", "first_bad_event", "violation_count")
        for seed in range(8 if SANITIZED else 80):
            trace = random_trace(random.Random(seed))
            marked = self.write("marked.std", with_sections(trace))
            for engine in ("witness", "regiontrack"):
                got = self.check(trace, "atomic section\n", "--engine", engine).json
                wanted = self.run_here("check", "--engine", engine, "--format=json", marked).json
                self.assertEqual([got[key] for key in keys], [wanted[key] for key in keys], (seed, engine))
                self.assertEqual(got["trace"]["blocks"], wanted["trace"]["blocks"])
            got = self.run_here("predict", "--engine=all", "--spec=s", "--format=json", "t.std").json["engines"]
            wanted = self.run_here("predict", "--engine=all", "--format=json", marked).json["engines"]
            self.assertEqual([engine["verdicts"] for engine in got], [engine["verdicts"] for engine in wanted], seed)


class Elements(SpecCase):
    TRACE = "T1|begin(f)|1\nT1|r(NAME)|2\nT2|w(NAME)|3\nT1|r(NAME)|4\nT1|end|5\n"

    def test_only_the_first_elements_count(self):
        for name, found in (("a[2]", 1), ("a[3]", 0), ("a[0][7]", 0), ("a[2][2]", 1), ("a", 1), ("a[x]", 1), ("a[17]->b", 0),
                            ("a[]", 1), ("a[-1]", 1)):
            trace = self.TRACE.replace("NAME", name)
            self.assertEqual(self.check(trace, "ignore elements from 3\n").json["violation_count"], found, name)
            self.assertEqual(self.check(trace, "ignore file x\n").json["violation_count"], 1, name)

    def test_native_traces_and_prediction(self):
        self.write("t.std", self.TRACE.replace("NAME", "a[5]"))
        self.write("s", "ignore elements from 3\n")
        self.run_here("convert", "t.std", "t.stt")
        self.assertEqual(self.run_here("check", "--spec=s", "t.stt").status, 0)
        self.assertEqual(self.run_here("predict", "--spec=s", "--engine=all", "t.stt").status, 0)
        self.assertEqual(self.run_here("predict", "--engine=all", "t.stt").status, 1)

    def test_trouble(self):
        for line, message in (("ignore elements\n", "'from' and a number after 'elements'"),
                              ("ignore elements from x\n", "a number after 'from'"),
                              ("ignore elements from 3 4\n", "nothing after the number"),
                              ("atomic elements from 3\n", "'function', 'file', 'section' or 'thread' after 'atomic'")):
            result = self.check(CUT, line)
            self.assertEqual(result.status, 2)
            self.assertIn(message, result.message)


class Warnings(SpecCase):
    def test_a_specification_that_leaves_nothing_to_check(self):
        result = self.check(CUT, "atomic function aa\n")
        self.assertEqual(result.message,
                         "seriatim: warning: s: selects no block of t.std\n")
        self.assertEqual((result.status, result.json["blocks"]), (0, []))

    def test_a_trace_without_blocks_needs_no_warning(self):
        self.assert_clean(self.check("T1|w(x)|1\n", "atomic function aa\n"))
        self.assert_clean(self.check(CLEAN, "atomic function a\n"))


if __name__ == "__main__":
    unittest.main()
