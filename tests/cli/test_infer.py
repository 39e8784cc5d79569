"""seriatim infer: which blocks were never violated, over one or more traces (also: golden/infer.txt)."""

import os
import random
import unittest

from random_traces import random_trace
from seriatim import CLEAN, CUT, SANITIZED, TRACES, Case, run, some
from test_spec import NESTED, OUTER


class InferCase(Case):
    def infer(self, *traces, options=()):
        """Runs on these traces, as files 1.std, 2.std, ..."""
        paths = [self.write(f"{i}.std", trace).name for i, trace in enumerate(traces, 1)]
        return self.run_here("infer", *options, *paths)

    def json(self, *traces):
        result = self.infer(*traces, options=["--format", "json"])
        self.assert_clean(result)
        return result.json

    def lines(self, *traces):
        result = self.infer(*traces)
        self.assert_clean(result)
        return result.text.splitlines()


class Specification(InferCase):
    def test_the_most_executed_first_and_comments_below_each_other(self):
        trace = "".join(f"T1|begin({name})|1\nT1|end|1\n" * count
                        for name, count in (("rare", 1), ("b", 12), ("a_longer_name", 12)))
        self.assertEqual(self.lines(trace)[4:], [
            "atomic function a_longer_name  # 12 runs, never violated",
            "atomic function b              # 12 runs, never violated",
            "atomic function rare           # 1 run, never violated"])

    def test_the_most_rarely_cut_first(self):
        quiet = "T1|begin(%s)|1\nT1|end|1\n"
        trace = (CUT.replace("(a)", "(often)") + quiet % "often" +
                 CUT.replace("(a)", "(rarely)") + quiet % "rarely" * 9 +
                 CUT.replace("(a)", "(always)"))
        self.assertEqual([line.split(";")[0] for line in self.lines(trace) if "violated in" in line],
                         ["# rarely: violated in 1 of 10 runs", "# often: violated in 1 of 2 runs",
                          "# always: violated in 1 of 1 run"])

    def test_every_depth_in_one_pass(self):
        got = self.json(NESTED)
        self.assertEqual([(b["name"], b["violated"]) for b in got["refuted"]],
                         [("inner", 1), ("outer", 1)])
        got = self.json(OUTER)
        self.assertEqual([b["name"] for b in got["atomic"]], ["inner"])
        self.assertEqual([b["name"] for b in got["refuted"]], ["outer"])

    def test_nothing_left_is_not_everything(self):
        self.assertIn("ignore function *  # no block name remains", self.lines(CUT))
        self.write("s", self.infer(CUT).out)
        self.assertEqual(self.run_here("check", "--spec", "s", "1.std").status, 0)

    def test_a_trace_without_blocks(self):
        lines = self.lines("T1|w(x)|1\n")
        self.assertEqual(lines[2], "# 1 event, 0 block names: 0 never violated, 0 violated.")
        self.assertEqual(lines[4:], ["ignore function *  # no block name remains"])

    def test_unnamed_blocks_are_counted(self):
        lines = self.lines(CUT.replace("(a)", "") + CLEAN + "T1|begin|1\n")
        self.assertEqual(lines[-1], "# Blocks without a name cannot be listed: 2 runs, 1 of them "
                                    "violated.")
        self.assertEqual(self.json(CUT.replace("(a)", ""))["unnamed"],
                         {"executed": 1, "violated": 1})

    def test_names_of_any_bytes_are_written_so_that_they_match(self):
        names = [b"operator new", b"f(int, char)", b"a#b", b'say "hi"', b"p*", b"a[0]", b"b\\s",
                 b"\xc3\xa9", b"\xff\xfe", b"\x1b[2J", b"tab\tin", b"cr\rin", b"-", b"~", b" "]
        quiet = b"".join(b"T1|begin(%s)|1\nT1|end|1\n" % name for name in names)
        result = self.infer(quiet)
        self.assertNotIn(b"\x1b", result.out)
        self.write("s", result.out)
        more = quiet + b"T1|begin(px)|1\nT1|end|1\nT1|begin(a0)|1\nT1|end|1\n"
        self.write("more.std", more)
        got = self.run_here("check", "--format=json", "--spec=s", "more.std").json["blocks"]
        self.assertEqual(len(got), len(names))
        self.assertNotIn("px", [block["name"] for block in got])
        cut = b"".join(CUT.encode().replace(b"(a)", b"(" + name + b")") for name in names)
        result = self.infer(cut)
        self.assertNotIn(b"\x1b", result.out)
        self.assertEqual(result.out.count(b": violated in 1 of 1 run;"), len(names))

    def test_the_same_input_gives_the_same_text(self):
        trace = random_trace(random.Random(7))
        self.assertEqual(len({self.infer(trace).out for _ in range(3)}), 1)


class Examples(InferCase):
    def example(self, trace):
        [line] = [line for line in self.lines(trace) if "first in" in line]
        return line.split("first in ")[1]

    def test_a_variable(self):
        self.assertEqual(self.example(CUT), "1.std, T1, events 1 to 5 (location 1): "
                         "T2 came in between at location 3, variable x")

    def test_a_block_without_end(self):
        self.assertEqual(self.example("".join(CUT.splitlines(True)[:4])),
                         "1.std, T1, from event 1 to the end (location 1): "
                         "T2 came in between at location 3, variable x")

    def test_no_location(self):
        trace = "".join(line.rsplit("|", 1)[0] + "|\n" for line in CUT.splitlines())
        self.assertEqual(self.example(trace),
                         "1.std, T1, events 1 to 5: T2 came in between, variable x")

    def test_a_join(self):
        trace = "T1|begin(f)|1\nT1|fork(T2)|2\nT2|w(x)|3\nT1|join(T2)|4\nT1|end|5\n"
        self.assertEqual(self.example(trace), "1.std, T1, events 1 to 5 (location 1): "
                         "T2 came in between at location 3, join of T2")

    def test_the_first_of_many(self):
        self.assertEqual(self.example(CLEAN + CUT + CUT.replace("T2", "T3")),
                         "1.std, T1, events 6 to 10 (location 1): "
                         "T2 came in between at location 3, variable x")

    def test_memory_does_not_grow_with_what_is_found(self):
        """A hundred thousand violations, and one example."""
        got = self.json(CUT * 100000)
        [block] = got["refuted"]
        self.assertEqual((block["executed"], block["violated"]), (100000, 100000))
        self.assertEqual(block["example"]["begin"], 1)

    def test_names_of_several_traces_do_not_mix(self):
        """Each trace numbers its names from 0; an example must keep the names of its own trace."""
        first = "A|begin(p)|one.c:1\nA|w(u)|one.c:2\nB|w(v)|one.c:3\nA|end|one.c:4\n"
        second = CUT.replace("(a)", "(q)").replace("|2\n", "|two.c:2\n")
        got = self.json(first, second)
        [block] = got["refuted"]
        self.assertEqual(block["example"]["trace"], "2.std")
        self.assertEqual(block["example"]["thread"], "T1")
        self.assertEqual(block["example"]["closing"],
                         {"from": {"event": 3, "thread": "T2", "op": "w(x)", "loc": "3"},
                          "to": {"event": 4, "thread": "T1", "op": "r(x)", "loc": "4"},
                          "kind": "conflict", "on": "x"})


class Json(InferCase):
    def test_all_of_it(self):
        self.assertEqual(self.json(CUT, CLEAN + "T2|begin(b)|1\n"), {
            "schema": "seriatim-infer/1",
            "traces": [{"file": "1.std", "events": 5, "cut": False, "relation": "locks"},
                       {"file": "2.std", "events": 6, "cut": False, "relation": "locks"}],
            "atomic": [{"name": "b", "executed": 1}],
            "refuted": [{"name": "a", "executed": 2, "violated": 1, "example": {
                "trace": "1.std", "thread": "T1", "begin": 1, "end": 5, "event": 4,
                "begin_loc": "1", "closing": {
                    "from": {"event": 3, "thread": "T2", "op": "w(x)", "loc": "3"},
                    "to": {"event": 4, "thread": "T1", "op": "r(x)", "loc": "4"},
                    "kind": "conflict", "on": "x"}}}],
            "unnamed": {"executed": 0, "violated": 0}})

    def test_it_says_what_the_text_says(self):
        rng = random.Random(11)
        for _ in range(10):
            traces = [random_trace(rng), random_trace(rng)]
            got = self.json(*traces)
            lines = self.lines(*traces)
            self.assertEqual([line.split()[2] for line in lines if line.startswith("atomic")],
                             [block["name"] for block in got["atomic"]])
            self.assertEqual([line.split(";")[0] for line in lines if "violated in" in line],
                             [f"# {b['name']}: violated in {b['violated']} of {b['executed']} run"
                              + "s" * (b["executed"] != 1) for b in got["refuted"]])


class SeveralTraces(InferCase):
    def test_counts_are_added_by_name(self):
        quiet = "T1|begin(a)|1\nT1|end|1\nT1|begin(b)|1\nT1|end|1\n"
        other_order = "T1|begin(b)|1\nT1|end|1\nT1|begin(a)|1\nT1|end|1\n"
        got = self.json(quiet * 3, CUT, other_order * 2)
        self.assertEqual([(b["name"], b["executed"]) for b in got["atomic"]], [("b", 5)])
        self.assertEqual([(b["name"], b["executed"], b["violated"]) for b in got["refuted"]],
                         [("a", 6, 1)])
        self.assertEqual(got["refuted"][0]["example"]["trace"], "2.std")

    def test_text_and_native_mix(self):
        self.write("a.std", CUT)
        self.assert_clean(self.run_here("convert", "a.std", "a.stt"))
        got = self.run_here("infer", "--format=json", "a.std", "a.stt").json
        self.assertEqual([(b["executed"], b["violated"]) for b in got["refuted"]], [(2, 2)])

    def test_standard_input(self):
        result = run("infer", "-", input=CLEAN)
        self.assert_clean(result)
        self.assertIn("#   - (5 events)\n", result.text)
        self.assertIn("atomic function a  # 1 run, never violated\n", result.text)


class Trouble(InferCase):
    def test_a_malformed_trace_anywhere_leaves_nothing(self):
        self.write("good.std", CLEAN)
        self.write("bad.std", CLEAN + "T1|end|1\n")
        message = "bad.std:6: thread 'T1' ends a block, but none is open"
        for order in (["good.std", "bad.std"], ["bad.std", "good.std"]):
            self.assert_trouble(self.run_here("infer", *order), message)
            self.assert_trouble(self.run_here("infer", "-o", "out", *order), message)
            self.assertEqual(sorted(os.listdir(self.folder)), ["bad.std", "good.std"])

    def test_an_old_output_stays_then(self):
        self.write("good.std", CLEAN)
        self.write("out", "old")
        self.assert_trouble(self.run_here("infer", "-o", "out", "good.std", "none"),
                            "none: cannot open: No such file or directory")
        self.assertEqual((self.folder / "out").read_text(), "old")

    def test_repair(self):
        result = self.infer(CUT + "T1|end|1\n", options=["--repair"])
        self.assertEqual(result.status, 0)
        self.assertEqual(result.message,
                         "seriatim: warning: 1.std:6: an end without a begin; event dropped\n")

    def test_no_trace_is_written_over(self):
        self.write("a.std", CLEAN)
        self.write("b.std", CUT)
        for name in ("a.std", "b.std"):
            self.assert_trouble(self.run_here("infer", "-o", name, "a.std", "b.std"),
                                f"{name}: is the input itself; write to another file")
        self.assertEqual((self.folder / "b.std").read_text(), CUT)

    def test_a_trace_that_is_cut_off(self):
        whole = self.run_here("convert", "--to=native", "-", "-", input=CLEAN * 100000).out
        self.write("t.stt", whole[:-20])
        result = self.run_here("infer", "t.stt")
        self.assertEqual(result.status, 0)
        self.assertRegex(result.message, r"\Aseriatim: warning: t\.stt: is truncated; only its "
                                         r"first \d+ events could be read\n\Z")
        self.assertRegex(result.text, r"(?m)^#   t\.stt \(\d+ events; truncated\)$")

    def test_without_operands(self):
        self.assert_trouble(run("infer"), "infer: TRACE is missing; "
                            "usage: seriatim infer [OPTIONS] TRACE...")

    def test_output_file(self):
        expected = self.infer(CUT, CLEAN).out
        result = self.infer(CUT, CLEAN, options=["-o", "s"])
        self.assertEqual((result.status, result.out, result.message), (0, b"", ""))
        self.assertEqual((self.folder / "s").read_bytes(), expected)


# ---- Against iterative refinement ---------------------------------------------------------------


class Refinement(InferCase):
    """The papers check a trace, remove the names of violated outermost blocks from the
    specification, and check again, until nothing new is found. infer must arrive at the same
    result."""

    def violated(self, path, names):
        spec = "ignore function *\n" + "".join(f"atomic function {name}\n" for name in names)
        result = self.run_here("check", "--engine=regiontrack", "--format=json", "--limit=0",
                               "--spec=-", path, input=spec)
        self.assertIn(result.status, (0, 1), result.message)
        return {violation["block"] for violation in result.json["violations"]}

    def names_in(self, path):
        """Without what threads start with, which infer leaves out."""
        blocks = run("check", "--format=json", path, cwd=self.folder).json["blocks"]
        starts = ("thread function ", "one iteration of the loop at ")
        return {block["name"] for block in blocks if not block["name"].startswith(starts)} - {""}

    def refine(self, paths):
        """What survives, and what each round refuted."""
        names = set().union(*map(self.names_in, paths))
        rounds = []
        while True:
            refuted = set().union(*(self.violated(path, names) for path in paths))
            if not refuted:
                return names, rounds
            rounds.append(refuted)
            names -= refuted

    def compare(self, paths):
        survivors, rounds = self.refine(paths)
        result = self.run_here("infer", *paths)
        self.assertEqual(result.status, 0)
        got = self.run_here("infer", "--format=json", *paths).json
        content = b"\n".join(path.read_bytes() for path in paths).decode(errors="replace")
        self.assertEqual({block["name"] for block in got["atomic"]}, survivors, content)
        self.assertEqual({block["name"] for block in got["refuted"]}, set().union(*rounds), content)
        for path in paths:
            for engine in ("witness", "regiontrack"):
                checked = self.run_here("check", "--engine", engine, "--format=json", "--spec=-",
                                        path, input=result.out).json
                self.assertEqual(checked["violations"], [], content)
        return survivors, rounds

    def test_the_traces_of_the_tests(self):
        paths = sorted(TRACES.glob("*.st[dt]"))
        self.assertGreater(len(paths), 10)
        for path in some(paths, 0):
            with self.subTest(path.name):
                self.compare([path])
        self.compare(paths)

    def test_random_nested_traces(self):
        rng = random.Random(2026)
        count = 20 if SANITIZED else 60
        late = mixed = 0
        for i in range(count):
            trace = self.write(f"{i}.std", random_trace(rng))
            survivors, rounds = self.compare([trace])
            late += len(rounds) > 1
            mixed += bool(survivors) and bool(rounds)
        # Otherwise there was nothing to compare.
        self.assertGreater(late, count / 2)
        self.assertGreater(mixed, count / 3)

    def test_random_groups_of_traces(self):
        rng = random.Random(4711)
        late = 0
        for i in range(8):
            paths = [self.write(f"{i}-{j}.std", random_trace(rng)) for j in range(3)]
            _, rounds = self.compare(paths)
            late += len(rounds) > 1
        self.assertGreater(late, 2)

    def test_a_thread_that_has_nothing_but_marks(self):
        """T1 carries the dependence from the fork to the join even if x is not a block."""
        path = self.write("t.std", """\
T0|begin(outer)|1
T0|begin(inner)|2
T0|fork(T1)|3
T1|begin(x)|4
T1|end(x)|5
T2|join(T1)|6
T2|w(z)|7
T0|r(z)|8
T0|end(inner)|9
T0|end(outer)|10
T3|begin(x)|11
T3|w(q)|12
T4|w(q)|13
T3|r(q)|14
T3|end(x)|15
""")
        survivors, rounds = self.compare([path])
        self.assertEqual((survivors, rounds), (set(), [{"outer", "x"}, {"inner"}]))


if __name__ == "__main__":
    unittest.main()
