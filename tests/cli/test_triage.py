"""--suppressions, --baseline and --print-suppressions: which findings count, and what is said about
the others."""

import json
import random
import re

from random_traces import random_trace
from results import cut, edge, event, result
from seriatim import CLEAN, CROSS, CUT, TRACES, Case

# Two blocks are cut, each by a different thread on a different variable.
TWO = """\
T1|begin(deposit)|bank.c:1
T1|w(x)|bank.c:2
T2|w(x)|audit.c:3
T1|r(x)|bank.c:4
T1|end(deposit)|bank.c:5
T1|begin(withdraw)|bank.c:6
T1|w(y)|bank.c:7
T3|w(y)|audit.c:8
T1|r(y)|bank.c:9
T1|end(withdraw)|bank.c:10
"""


class TriageCase(Case):
    def setUp(self):
        super().setUp()
        self.write("t.std", TWO)

    def check(self, *options, trace="t.std"):
        return self.run_here("check", *options, trace)

    def save(self, name, trace="t.std", *options):
        self.write(name, self.check("--format", "json", *options, trace=trace).out)

    def judged(self, *options, trace="t.std"):
        """The state of each listed block, and all of the JSON."""
        data = self.check("--format", "json", "--limit", "0", *options, trace=trace).json
        return {v["block"]: v["state"] for v in data["violations"]}, data

    def suppressed(self, line):
        """The blocks of TWO that the line suppresses."""
        self.write("s", line + "\n")
        states, data = self.judged("--suppressions", "s")
        names = {name for name, state in states.items() if state == "suppressed"}
        self.assertEqual(data["suppressions"][0]["matched"], len(names))
        self.assertEqual(data["states"]["suppressed"], len(names))
        return names


class Suppressions(TriageCase):
    def test_each_clause(self):
        both = {"deposit", "withdraw"}
        for clauses, names in (("function deposit", {"deposit"}), ("function *", both),
                               ("function dep", set()), ("file bank.c", both), ("file b*", both),
                               ("file audit.c", set()), ("by T2", {"deposit"}), ("by T1", set()),
                               ("on y", {"withdraw"}), ("on [xy]", both),
                               ("function deposit on y", set()),
                               ("on x by T2 file bank.c function dep*", {"deposit"})):
            with self.subTest(clauses=clauses):
                self.assertEqual(self.suppressed(f"suppress {clauses} because it may"), names)

    def test_what_is_suppressed_is_not_told_and_does_not_count(self):
        self.write("s", "suppress function deposit because of A\n")
        answer = self.check("--suppressions", "s")
        self.assertEqual(answer.status, 1)
        self.assertNotIn("deposit was not atomic", answer.text)
        self.assertIn("withdraw was not atomic", answer.text)
        self.assertIn("; 2 violated blocks (1 new, 1 suppressed) (witness", answer.text)
        self.write("s", "suppress function * because of A\n")
        answer = self.check("--suppressions", "s")
        self.assertEqual(answer.status, 0)
        self.assertIn("; 2 violated blocks (0 new, 2 suppressed) (witness", answer.text)
        self.assertNotIn("was not atomic", answer.text)

    def test_lines_are_listed_with_what_they_matched_and_those_that_are_not_used(self):
        self.write("s", "# mine\nsuppress function dep* because of A\n\n"
                        "suppress function * because of B # 1\nsuppress file x.c because of C\n")
        text = self.check("--suppressions", "s").text
        self.assertIn("suppression  matched  because\n"
                      "s:2          1        of A\n"
                      "s:4          2        of B # 1\n"
                      "s:5          unused   of C\n", text)
        data = self.judged("--suppressions", "s")[1]
        self.assertEqual(data["suppressions"], [
            {"file": "s", "line": 2, "reason": "of A", "matched": 1},
            {"file": "s", "line": 4, "reason": "of B # 1", "matched": 2},
            {"file": "s", "line": 5, "reason": "of C", "matched": 0}])
        self.assertEqual([v["suppressed_by"] for v in data["violations"]], [0, 1])

    def test_several_files(self):
        self.write("one", "suppress function deposit because of A\n")
        self.write("two", "suppress function withdraw because of B\n")
        self.assertEqual(self.check("--suppressions", "one", "--suppressions=two").status, 0)
        self.assertEqual(self.check("--suppressions", "one").status, 1)

    def test_a_cycle_is_suppressed_by_lines_about_cycles_only(self):
        self.write("t.std", CROSS)
        for line, status in (("suppress function * because", 1), ("suppress cycle function a because", 0),
                             ("suppress cycle function b because", 0),
                             ("suppress cycle function c because", 1),
                             ("suppress cycle on y because", 0), ("suppress cycle on z because", 1),
                             ("suppress cycle by T2 because", 0)):
            with self.subTest(line=line):
                self.write("s", line + " so\n")
                answer = self.check("--suppressions", "s")
                self.assertEqual(answer.status, status)
                reported = "although no single block was cut" in answer.text
                self.assertEqual(reported, bool(status))

    def test_functions_of_the_other_side_come_from_its_calls(self):
        out = event(3, "T2", "r(x)", "b.c:3", "read_it",
                    stack=[("read_it", "b.c:3"), ("audit", "b.c:9")])
        data = result(cut(out=out))
        self.write("r.json", json.dumps(data))
        for by, status in (("read_it", 0), ("audit", 0), ("T2", 1), ("f", 1)):
            self.write("s", f"suppress by {by} because so\n")
            answer = self.run_here("report", "--format", "text", "--suppressions", "s", "r.json")
            self.assertEqual(answer.status, status, by)

    def test_what_is_malformed_is_an_error_with_its_line(self):
        for line, message in (
                ("ignore function f", "expected 'suppress', not 'ignore'"),
                ("suppress", "expected 'function', 'file', 'by' or 'on', not the end of the line"),
                ("suppress because x", "expected 'function', 'file', 'by' or 'on', not 'because'"),
                ("suppress function f", "expected 'function', 'file', 'by', 'on' or 'because', not the "
                                        "end of the line"),
                ("suppress function f g", "expected 'function', 'file', 'by', 'on' or 'because', not 'g'"),
                ("suppress function f because", "expected a reason after 'because', not the end of "
                                                "the line"),
                ("suppress function f because  ", "expected a reason after 'because', not the end of "
                                                  "the line"),
                ("suppress function f function g because x", "expected each clause once, not 'function'"),
                ('suppress function "f because x', "expected a closing '\"'"),
                ("suppress cycle because x", "expected 'function', 'file', 'by' or 'on', not 'because'"),
                ("suppress function because x", "expected 'function', 'file', 'by', 'on' or 'because', "
                                                "not 'x'"),
                ("suppress function f # because x", "expected 'function', 'file', 'by', 'on' or "
                                                    "'because', not the end of the line")):
            with self.subTest(line=line):
                self.write("s", f"# first\n{line}\n")
                self.assert_trouble(self.check("--suppressions", "s"), f"s:2: {message}")
        self.write("s", b"suppress\0function\n")
        self.assert_trouble(self.check("--suppressions", "s"),
                            "s:1: zero byte; this is no file of suppressions")
        self.assert_trouble(self.check("--suppressions", "none"),
                            "none: cannot open: No such file or directory")

    def test_a_function_may_be_called_because(self):
        self.write("t.std", CUT.replace("(a)", "(because)"))
        self.write("s", "suppress function because because it may\r\n")
        self.assertEqual(self.check("--suppressions", "s").status, 0)

    def test_standard_input_is_read_once(self):
        lines = "suppress function * because of A\n"
        answer = self.run_here("check", "--suppressions", "-", "t.std", input=lines)
        self.assertEqual(answer.status, 0)
        self.assertIn("standard input:1  2", answer.text)
        for options in (["--suppressions", "-", "-"], ["--suppressions", "-", "--baseline", "-", "t.std"],
                        ["--suppressions", "-", "--suppressions", "-", "t.std"]):
            self.assert_trouble(self.run_here("check", *options, input=TWO),
                                "check: standard input cannot be read for two purposes at once")

    def test_it_is_not_written_over(self):
        self.write("s", "suppress function * because of A\n")
        answer = self.check("--suppressions", "s", "--print-suppressions", "-o", "s")
        self.assertEqual(answer.status, 2)
        self.assertEqual((self.folder / "s").read_text(), "suppress function * because of A\n")

    def test_with_all_engines(self):
        self.write("s", "suppress function * because of A\nsuppress cycle function * because of B\n")
        answer = self.check("--engine", "all", "--suppressions", "s")
        self.assertEqual(answer.status, 0)
        self.assertRegex(answer.text, r"\ns:1 +\d+ +of A\n")

    def test_a_mere_verdict_cannot_be_suppressed(self):
        self.write("s", "suppress function * because of A\nsuppress cycle function * because of B\n")
        self.assertEqual(self.check("--engine", "aerodrome", "--suppressions", "s").status, 1)

    def test_not_with_first(self):
        self.write("s", "")
        answer = self.check("--first", "--suppressions", "s")
        self.assertEqual(answer.status, 2)
        self.assertIn("--first cannot be used with --suppressions", answer.message)


class Limits(TriageCase):
    def test_new_findings_come_first_and_all_are_counted(self):
        self.write("t.std", "".join(CUT for _ in range(30)) + CUT.replace("(a)", "(rare)"))
        self.write("s", "suppress function a because of A\n")
        data = self.check("--format", "json", "--limit", "2", "--suppressions", "s").json
        self.assertEqual([(v["block"], v["state"]) for v in data["violations"]],
                         [("a", "suppressed"), ("rare", "new")])
        self.assertEqual(data["states"], {"new": 1, "known": 0, "suppressed": 30, "unjudged": 0})
        answer = self.check("--limit", "1", "--suppressions", "s")
        self.assertIn("rare was not atomic", answer.text)
        self.assertNotIn("not listed", answer.text)

    def test_names_share_the_places(self):
        self.write("t.std", "".join(CUT for _ in range(5)) + CUT.replace("(a)", "(rare)"))
        self.write("s", "")
        answer = self.check("--limit", "2", "--suppressions", "s")
        self.assertIn("rare was not atomic", answer.text)
        self.assertIn("The same happened 5 times in the same place.", answer.text)

    def test_what_was_not_saved_counts_as_new(self):
        self.write("t.std", "".join(CUT for _ in range(3)))
        self.save("r.json", "t.std", "--limit", "1")
        self.write("s", "suppress function a because of A\n")
        answer = self.run_here("report", "--suppressions", "s", "--format", "json", "r.json")
        self.assertEqual(answer.json["states"], {"new": 0, "known": 0, "suppressed": 1, "unjudged": 2})
        self.assertEqual(answer.status, 1)


class Baselines(TriageCase):
    def test_known_findings_do_not_count(self):
        self.save("old.json")
        answer = self.check("--baseline", "old.json")
        self.assertEqual(answer.status, 0)
        self.assertIn("Compared with old.json: 0 new findings, 2 known, 0 gone.\n", answer.text)
        self.assertIn("; 2 violated blocks (0 new, 2 known) (witness", answer.text)
        self.assertNotIn("was not atomic", answer.text)

    def test_new_ones_do_and_others_are_gone(self):
        self.save("old.json")
        self.write("t.std", TWO.replace("deposit", "refund"))
        answer = self.check("--baseline", "old.json")
        self.assertEqual(answer.status, 1)
        self.assertIn("refund was not atomic", answer.text)
        self.assertNotIn("withdraw was not atomic", answer.text)
        self.assertRegex(answer.text, r"Compared with old\.json: 1 new finding, 1 known, 1 gone\.\n"
                                      r"  gone: deposit \([0-9a-f]{32}\)\n")
        data = self.judged("--baseline", "old.json")[1]
        self.assertEqual([gone["block"] for gone in data["baseline"]["gone"]], ["deposit"])
        self.assertEqual((data["baseline"]["new"], data["baseline"]["known"]), (1, 1))

    def test_a_clean_trace_against_an_old_finding(self):
        self.save("old.json")
        self.write("t.std", CLEAN)
        answer = self.check("--baseline", "old.json")
        self.assertEqual(answer.status, 0)
        self.assertIn("0 new findings, 0 known, 2 gone.", answer.text)

    def test_a_cycle_can_be_known(self):
        self.write("cross.std", CROSS)
        self.save("old.json", "cross.std")
        answer = self.check("--baseline", "old.json", trace="cross.std")
        self.assertEqual(answer.status, 0)
        self.assertIn("; no violated block (the cycle is known)", answer.text)
        self.write("cross.std", CROSS.replace("(b)", "(c)"))
        self.assertEqual(self.check("--baseline", "old.json", trace="cross.std").status, 1)

    def test_several_runs_make_a_baseline(self):
        first = "".join(TWO.splitlines(True)[:5])
        for name, trace in (("one", first), ("two", TWO[len(first):])):
            self.write("part.std", trace)
            self.save(f"{name}.json", "part.std")
        self.assertEqual(self.check("--baseline", "one.json").status, 1)
        answer = self.check("--baseline", "one.json", "--baseline", "two.json")
        self.assertEqual(answer.status, 0)
        self.assertIn("Compared with one.json and two.json: 0 new findings, 2 known", answer.text)

    def test_suppressed_findings_are_neither_new_nor_gone(self):
        self.save("old.json")
        self.write("s", "suppress function deposit because of A\n")
        data = self.judged("--baseline", "old.json", "--suppressions", "s")[1]
        self.assertEqual((data["baseline"]["new"], data["baseline"]["known"], data["baseline"]["gone"]),
                         (0, 1, []))

    def test_a_result_with_suppressed_and_known_findings_is_a_baseline_for_all_of_them(self):
        self.save("old.json")
        self.write("s", "suppress function deposit because of A\n")
        self.save("next.json", "t.std", "--baseline", "old.json", "--suppressions", "s")
        self.assertEqual(self.check("--baseline", "next.json").status, 0)

    def test_it_can_be_written_anew(self):
        self.save("old.json")
        self.write("t.std", TWO.replace("deposit", "refund"))
        answer = self.check("--baseline", "old.json", "--format", "json", "-o", "old.json")
        self.assertEqual((answer.status, answer.message), (1, ""))
        self.assertEqual(self.check("--baseline", "old.json").status, 0)

    def test_what_is_no_result_is_an_error(self):
        self.write("bad.json", "{\n")
        self.assert_trouble_like(self.check("--baseline", "bad.json"), r"bad\.json:\d+: .*")
        self.assert_trouble_like(self.check("--baseline", "t.std"), r"t\.std:\d+: .*")
        self.assert_trouble_like(self.check("--baseline", "none"), r"none: cannot open: .*")

    def test_all_engines(self):
        self.save("all.json", "t.std", "--engine", "all")
        self.assertEqual(self.check("--engine", "all", "--baseline", "all.json").status, 0)
        self.save("one.json")
        self.assertEqual(self.check("--engine", "velodrome", "--baseline", "one.json").status, 0)


class SavedAndWrittenAgain(TriageCase):
    def test_what_was_said_of_findings_stays(self):
        self.save("old.json", TRACES / "bank.std")
        self.write("s", "suppress function handle because of A\nsuppress file x because of B\n")
        for trace in (TRACES / "server.std", TRACES / "bank.std", TRACES / "cross.std"):
            for engine in ("witness", "all"):
                options = ["--baseline", "old.json", "--suppressions", "s", "--engine", engine]
                saved = self.check("--format", "json", *options, trace=trace)
                self.write("r.json", saved.out)
                again = self.run_here("report", "--format", "json", "r.json")
                self.assertEqual((again.text, again.status), (saved.text, saved.status))
                if engine == "witness":
                    words = self.check(*options, trace=trace)
                    again = self.run_here("report", "--format", "text", "r.json")
                    self.assertEqual((again.text, again.status), (words.text, words.status))

    def test_files_given_later_decide_anew(self):
        self.write("s", "suppress function deposit because of A\n")
        self.save("r.json", "t.std", "--suppressions", "s")
        self.write("s", "suppress function withdraw because of B\n")
        data = self.run_here("report", "--format", "json", "--suppressions", "s", "r.json").json
        self.assertEqual([v["state"] for v in data["violations"]], ["new", "suppressed"])

    def test_what_cannot_be_is_an_error(self):
        self.write("s", "suppress function deposit because of A\n")
        good = self.judged("--suppressions", "s")[1]

        def wrong(change):
            data = json.loads(json.dumps(good))
            change(data)
            self.write("r.json", json.dumps(data))
            return self.run_here("report", "r.json")
        for change, message in (
                (lambda d: d["violations"][0].update(state="lost"),
                 r"violations\[0\]\.state must be new, known or suppressed"),
                (lambda d: d["violations"][0].pop("state"), r"violations\[0\]\.state must be a text"),
                (lambda d: d["violations"][0].update(suppressed_by=1),
                 r"violations\[0\]\.suppressed_by must be the index of a suppression"),
                (lambda d: d["states"].update(new=0), r"violations\[1\] is not counted in states"),
                (lambda d: d.pop("states"), r"states must be an object"),
                (lambda d: d["suppressions"][0].pop("line"), r"suppressions\[0\]\.line must be .*"),
                (lambda d: d.update(baseline={"files": ["a"], "new": 0, "known": 0,
                                              "gone": [{"fingerprint": "x", "block": ""}]}),
                 r"baseline\.gone\[0\]\.fingerprint must be 32 hexadecimal digits")):
            self.assert_trouble_like(wrong(change), rf"r\.json:\d+: {message}")


class Fingerprints(TriageCase):
    def prints(self, trace, *options):
        self.write("f.std", trace)
        data = self.check("--format", "json", "--limit", "0", *options, trace="f.std").json
        return [v["fingerprint"] for v in data["violations"]]

    def test_other_lines_threads_and_event_numbers_do_not_matter(self):
        shifted = re.sub(r"\.c:(\d+)", lambda m: f".c:{int(m[1]) + 100}", TWO)
        renamed = re.sub(r"^T(\d)", r"worker-\1", TWO, flags=re.M)
        later = "T9|w(z)|z.c:1\n" * 7 + TWO
        elsewhere = TWO.replace("bank.c", "/home/me/src/bank.c").replace("audit.c", "lib/audit.c")
        other_cutter = TWO.replace("audit.c:3", "other.c:7")
        for other in (shifted, renamed, later, elsewhere, other_cutter):
            self.assertEqual(self.prints(other), self.prints(TWO))

    def test_other_blocks_variables_files_and_operations_do(self):
        known = set(self.prints(TWO))
        self.assertEqual(len(known), 2)
        for old, new in (("(deposit)", "(refund)"), ("(x)", "(z)"), ("bank.c", "shop.c"),
                         ("T1|r(x)", "T1|w(x)")):
            self.assertTrue(set(self.prints(TWO.replace(old, new))) - known, (old, new))

    def test_addresses_and_indices_do_not_matter(self):
        def named(name):
            return self.prints(TWO.replace("(x)", f"({name})"))
        for one, other in (("0x7ffe10", "0x5501ab"), ("count[3].n", "count[17].n"),
                           ("heap block of 8 bytes from a/b.c:12 (make)+4",
                            "heap block of 8 bytes from /x/b.c:99 (make)+16"),
                           ("lock #2", "lock #31"), ("lib.so+0x12", "lib.so+0x99")):
            self.assertEqual(named(one), named(other), one)
            self.assertNotEqual(named(one), named("y" + one), one)
        self.assertNotEqual(named("x1"), named("x2"))

    def test_they_survive_in_a_saved_result(self):
        self.write("odd.std", CUT.encode().replace(b"(a)", b"(a\xff\xc3\xbc)").replace(b"x", b"x\xfe"))
        for trace in ("odd.std", *sorted(TRACES.glob("*.std"))):
            self.save("r.json", trace)
            self.assertEqual(self.check("--baseline", "r.json", trace=trace).status, 0)

    def test_a_cycle_is_the_same_wherever_it_begins(self):
        def fingerprint(trace):
            self.write("f.std", trace)
            return self.check("--format", "json", trace="f.std").json["cycle_fingerprint"]
        swapped = CROSS.replace("T1", "T0").replace("T2", "T1").replace("T0", "T2")
        lines = CROSS.splitlines(True)
        turned = "".join([lines[1], lines[0], lines[3], lines[2], lines[5], lines[4], *lines[6:]])
        self.assertEqual(fingerprint(CROSS), fingerprint(swapped))
        self.assertEqual(fingerprint(CROSS), fingerprint(turned))
        self.assertNotEqual(fingerprint(CROSS), fingerprint(CROSS.replace("(b)", "(c)")))

    def test_who_came_in_between_does_not_matter(self):
        def fingerprint(function, line):
            out = event(3, "T2", "r(x)", f"b.c:{line}", function, stack=[(function, f"b.c:{line}")])
            self.write("r.json", json.dumps(result(cut(out=out))))
            return self.run_here("report", "--format", "json", "r.json").json["violations"][0]["fingerprint"]
        self.assertEqual(fingerprint("audit", 3), fingerprint("audit", 77))
        self.assertEqual(fingerprint("audit", 3), fingerprint("count", 3))


class PrintedSuppressions(TriageCase):
    def printed(self, *options, trace="t.std"):
        return self.check("--print-suppressions", *options, trace=trace)

    def test_lines_for_what_was_found(self):
        answer = self.printed()
        self.assertEqual(answer.status, 1)
        self.assertEqual(answer.text,
                         "suppress function deposit file bank.c by T2 because TODO: say why this is all "
                         "right\n"
                         "suppress function withdraw file bank.c by T3 because TODO: say why this is all "
                         "right\n")

    def test_they_match_all_of_it_and_each_is_used(self):
        traces = [*sorted(TRACES.glob("*.std"))]
        for seed in range(20):
            traces.append(self.write(f"random-{seed}.std", random_trace(random.Random(seed))))
        for trace in traces:
            with self.subTest(trace=trace.name):
                self.write("s", self.printed("--limit", "0", trace=trace).text)
                answer = self.check("--suppressions", "s", "--format", "json", trace=trace)
                self.assertEqual(answer.status, 0)
                self.assertEqual([line for line in answer.json["suppressions"] if not line["matched"]],
                                 [])

    def test_only_for_what_is_new(self):
        self.write("s", "suppress function deposit because of A\n")
        text = self.printed("--suppressions", "s").text
        self.assertNotIn("deposit", text)
        self.assertIn("withdraw", text)

    def test_names_are_written_so_that_they_match_themselves_only(self):
        self.write("t.std", CUT.replace("(a)", "(operator* [x] \"#\")"))
        self.write("s", self.printed().text)
        self.assertEqual(self.check("--suppressions", "s").status, 0)
        self.write("t.std", CUT.replace("(a)", "(operator+ x \"#\")"))
        self.assertEqual(self.check("--suppressions", "s").status, 1)

    def test_from_a_saved_result(self):
        self.save("r.json")
        answer = self.run_here("report", "--print-suppressions", "r.json")
        self.assertEqual(answer.text, self.printed().text)

    def test_nothing_for_a_clean_trace(self):
        self.write("t.std", CLEAN)
        self.assertEqual((self.printed().text, self.printed().status), ("", 0))
