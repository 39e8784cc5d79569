"""seriatim check: the JSON contract, exit status, --limit, --first and --engine all."""

import re
import unittest

from seriatim import CLEAN, CROSS, CUT, TRACES, Case, run

# The trace is read in batches; this is longer than one.
MANY = 10000


def check_json(trace, *options):
    return run("check", "--format", "json", *options, "-", input=trace).json


class Status(Case):
    def test_the_first_screen_leaves_out_where_memory_came_from_if_that_is_long(self):
        left, right = (f"{name} from folder/of/the/program.c:12 (make)" for name in ("a->x", "b->y"))
        cut = "T1|begin({0})|1\nT1|w({1})|2\nT2|r({1})|3\nT2|w({2})|4\nT1|r({2})|5\nT1|end({0})|6\n"
        self.write("t.std", cut.format("f", left, right) + cut.format("g", "p", "q"))
        lines = self.run_here("check", "t.std").text.splitlines()
        [line] = [line for line in lines if re.match(r" +\d+ +f ", line)]
        self.assertIn("  a->x and b->y  ", line)
        [line] = [line for line in lines if re.match(r" +\d+ +g ", line)]
        self.assertIn("  p and q  ", line)

    def test_0_when_nothing_was_found(self):
        result = run("check", "-", input=CLEAN)
        self.assert_clean(result)

    def test_1_when_something_was_found(self):
        for trace in (CUT, CROSS):
            self.assertEqual(run("check", "-", input=trace).status, 1)

    def test_the_same_with_every_format_and_engine(self):
        for engine in ("witness", "regiontrack", "all"):
            for form in ("text", "json"):
                for trace, status in ((CLEAN, 0), (CUT, 1), (CROSS, 1)):
                    result = run("check", "--engine", engine, "--format", form, "-", input=trace)
                    self.assertEqual(result.status, status, (engine, form, trace))


class Races(Case):
    """Which conflicts of a finding are ordered by chance only."""

    LOCKED = ("T1|begin(a)|1\nT1|acq(l)|2\nT1|w(x)|3\nT1|rel(l)|4\nT2|acq(l)|5\nT2|w(x)|6\n"
              "T2|rel(l)|7\nT2|w(y)|8\nT1|r(y)|9\nT1|end|10\n")

    @staticmethod
    def races(result):
        return {(edge["from"]["event"], edge["to"]["event"]): edge.get("race")
                for violation in result["violations"]
                for edge in [*violation["path"], violation["closing"]] if edge}

    def test_conflicts_are_marked_and_locks_are_not(self):
        (self.folder / "t.std").write_text(self.LOCKED)
        for engine in ("witness", "regiontrack", "velodrome"):
            got = self.races(self.run_here("check", "--format=json", "--engine", engine,
                                           "t.std").json)
            self.assertIs(got.pop((8, 9)), True, engine)
            self.assertLessEqual(set(got.items()), {((4, 5), None), ((3, 6), False)}, engine)

    def test_nothing_is_said_where_the_trace_cannot_be_read_again(self):
        self.assertIn((8, 9), self.races(check_json(self.LOCKED)))
        self.assertNotIn("\"race\"", run("check", "--format=json", "-", input=self.LOCKED).text)

    def test_in_a_long_trace(self):
        (self.folder / "t.std").write_text("T3|w(z)|1\n" * MANY + self.LOCKED +
                                           "T3|w(z)|1\n" * MANY)
        got = self.races(self.run_here("check", "--format=json", "t.std").json)
        self.assertIs(got[MANY + 8, MANY + 9], True)

    def test_a_repaired_trace_is_read_again_as_it_was(self):
        (self.folder / "t.std").write_text("T1|rel(l)|1\n" + self.LOCKED)
        got = self.races(self.run_here("check", "--repair", "--format=json", "t.std").json)
        self.assertIs(got[9, 10], True)

    def test_a_result_keeps_it(self):
        (self.folder / "t.std").write_text(self.LOCKED)
        first = self.run_here("check", "--format=json", "t.std")
        (self.folder / "r.json").write_bytes(first.out)
        again = self.run_here("report", "--format=json", "r.json")
        self.assertEqual(self.races(again.json), self.races(first.json))


class Json(Case):
    """Section by section, the contract seriatim-check/1."""

    def test_a_violated_block(self):
        got = check_json(CUT)
        self.assertEqual(got["schema"], "seriatim-check/1")
        self.assertEqual(got["engine"], "witness")
        self.assertEqual(got["trace"], {"file": "-", "events": 5, "threads": 2, "variables": 1,
                                        "locks": 0, "channels": 0, "blocks": 1, "deepest": 1,
                                        "truncated": False, "cut": False})
        self.assertIs(got["serializable"], False)
        self.assertEqual(got["first_bad_event"], 4)
        self.assertEqual(got["violation_count"], 1)
        [violation] = got["violations"]
        self.assertEqual({k: violation[k] for k in ("block", "thread", "begin", "end", "depth",
                                                    "event")},
                         {"block": "a", "thread": "T1", "begin": 1, "end": 5, "depth": 0,
                          "event": 4})
        self.assertEqual(violation["proof"],
                         {"event": 4, "thread": "T1", "op": "r(x)", "loc": "4"})
        self.assertIsInstance(violation["path"], list)
        self.assertEqual(got["blocks"], [{"name": "a", "executed": 1, "violated": 1,
                                          "depth": 0}])
        self.assertEqual(got["repairs"], [])
        self.assertGreaterEqual(got["time_seconds"], 0)
        self.assertGreater(got["peak_state_bytes"], 0)

    def test_a_serializable_trace(self):
        got = check_json(CLEAN)
        self.assertIs(got["serializable"], True)
        self.assertIsNone(got["first_bad_event"])
        self.assertEqual(got["violation_count"], 0)
        self.assertEqual(got["violations"], [])
        self.assertNotIn("cycle", got)
        self.assertEqual(got["blocks"], [{"name": "a", "executed": 1, "violated": 0}])

    def test_a_cycle_without_a_violated_block(self):
        got = check_json(CROSS)
        self.assertIs(got["serializable"], False)
        self.assertEqual(got["first_bad_event"], 6)
        self.assertEqual(got["violation_count"], 0)
        self.assertEqual(got["violations"], [])
        if "cycle" in got:
            self.assertGreaterEqual(len(got["cycle"]), 2)

    def test_the_file_is_named_as_the_user_named_it(self):
        self.write("t.std", CUT)
        got = self.run_here("check", "--format", "json", "./t.std").json
        self.assertEqual(got["trace"]["file"], "./t.std")

    def test_open_blocks_and_held_locks_make_a_trace_truncated(self):
        for trace in ("T1|begin|1\nT1|w(x)|2\n", "T1|acq(l)|1\n"):
            self.assertIs(check_json(trace)["trace"]["truncated"], True)

    def test_a_violated_block_without_end(self):
        got = check_json("".join(CUT.splitlines(True)[:4]))
        self.assertIsNone(got["violations"][0]["end"])
        self.assertIs(got["trace"]["truncated"], True)

    def test_unnamed_blocks_have_the_empty_name(self):
        got = check_json(CUT.replace("(a)", ""))
        self.assertEqual(got["violations"][0]["block"], "")
        self.assertEqual(got["blocks"], [{"name": "", "executed": 1, "violated": 1,
                                          "depth": 0}])

    def test_blocks_by_surprise_then_by_executed_then_by_name(self):
        quiet = "".join(f"T1|begin({name})|1\nT1|end|1\n" for name in "zybr")
        cuts = "".join(CUT.replace("(a)", f"({name})") for name in "mr")
        got = check_json(quiet + cuts + quiet + "T1|begin|1\nT1|end(only)|1\n")
        self.assertEqual([(b["name"], b["executed"], b["violated"]) for b in got["blocks"]],
                         [("r", 3, 1), ("m", 1, 1), ("b", 2, 0), ("y", 2, 0), ("z", 2, 0),
                          ("", 1, 0)])

    def test_names_of_any_bytes_come_out_as_valid_json(self):
        name = b'q"b\\s\x01\x1b\x7f\xc3\xa9\xff\xed\xa0\x80\xf0\x9f\x98\x80\xc0\xaf'
        trace = CUT.encode().replace(b"(a)", b"(" + name + b")")
        got = check_json(trace)
        self.assertEqual(got["blocks"][0]["name"],
                         'q"b\\s\x01\x1b\x7f\u00e9\ufffd\ufffd\ufffd\ufffd\U0001f600\ufffd\ufffd')

    def test_locations_are_texts(self):
        got = check_json(CUT.replace("|4\n", "|bank.c:21\n"))
        self.assertEqual(got["violations"][0]["proof"]["loc"], "bank.c:21")
        self.assertEqual(check_json(CUT.replace("|4\n", "|\n"))["violations"][0]["proof"]["loc"],
                         "")

    def test_paths_leave_the_block_and_come_back(self):
        for name in ("bank", "server", "vector"):
            for engine in run("check", "--engine", "all", "--format", "json",
                              TRACES / f"{name}.std").json["engines"]:
                for violation in engine["violations"]:
                    self.check_path(violation)

    def test_nested_violations(self):
        got = run("check", "--engine", "witness", "--format", "json", TRACES / "server.std").json
        self.assertEqual(got["violation_count"], 4)
        self.assertEqual([(v["block"], v["depth"], v["begin"], v["event"])
                          for v in got["violations"]],
                         [("handle", 0, 3, 7), ("count", 1, 4, 7), ("handle", 0, 18, 22),
                          ("count", 1, 19, 22), ("handle", 0, 47, 64), ("lookup", 1, 52, 64),
                          ("", 0, 83, 86)])
        for violation in got["violations"]:
            self.assertTrue(violation["path"])
            self.check_path(violation)
            self.assertEqual(violation["closing"], violation["path"][-1])
        self.assertEqual([(b["name"], b["executed"], b["violated"]) for b in got["blocks"]],
                         [("lookup", 5, 1), ("count", 5, 2), ("handle", 5, 3), ("", 1, 1)])

    def check_path(self, violation):
        path = violation["path"]
        if not path:
            return
        self.assertEqual(path[0]["from"]["thread"], violation["thread"])
        self.assertGreaterEqual(path[0]["from"]["event"], violation["begin"])
        self.assertEqual(path[-1]["to"]["event"], violation["event"])
        for one, two in zip(path, path[1:]):
            self.assertEqual(one["to"]["thread"], two["from"]["thread"])
            self.assertLessEqual(one["to"]["event"], two["from"]["event"])


def many_cuts(count):
    """In each round there is one violated block of three events, and one event that cuts it."""
    return "".join("T1|begin(a)|1\nT1|w(x)|2\nT2|w(x)|3\nT1|r(x)|4\nT1|end|5\n"
                   for _ in range(count))


class Limit(Case):
    def test_100_unless_told(self):
        got = check_json(many_cuts(MANY))
        self.assertEqual(len(got["violations"]), 100)
        self.assertEqual(got["violation_count"], MANY)
        self.assertEqual(got["blocks"][0]["violated"], MANY)

    def test_a_limit(self):
        got = check_json(many_cuts(7), "--limit", "3")
        self.assertEqual([v["begin"] for v in got["violations"]], [1, 6, 11])
        self.assertEqual(got["violation_count"], 7)

    def test_0_lists_all(self):
        got = check_json(many_cuts(MANY), "--limit", "0")
        self.assertEqual(len(got["violations"]), MANY)

    def test_a_rare_block_is_listed_beside_one_that_is_cut_all_the_time(self):
        got = check_json(many_cuts(7) + CUT.replace("(a)", "(rare)"), "--limit", "3")
        self.assertEqual([(v["block"], v["begin"], v["end"]) for v in got["violations"]],
                         [("a", 1, 5), ("a", 6, 10), ("rare", 36, 40)])
        self.assertEqual(got["violation_count"], 8)

    def test_the_text_says_how_many_are_missing(self):
        three = many_cuts(7) + CUT.replace("(a)", "(b)") + CUT.replace("(a)", "(c)")
        text = run("check", "--limit", "1", "-", input=three).text
        self.assertIn("2 more findings not listed; --limit 0 lists all.\n", text)
        self.assertIn("The same happened 7 times in the same place.", text)
        text = run("check", "--limit", "3", "-", input=three).text
        self.assertNotIn("not listed", text)

    def test_the_text_joins_what_happened_in_the_same_place(self):
        text = run("check", "-", input=many_cuts(7)).text
        self.assertEqual(text.count("was not atomic"), 1)
        self.assertIn("The same happened 7 times in the same place.", text)
        text = run("check", "-", input=CUT + CUT.replace("|r(x)|4", "|r(x)|44")).text
        self.assertEqual(text.count("was not atomic"), 2)
        self.assertNotIn("The same", text)


class First(Case):
    def test_only_the_first_finding(self):
        got = check_json(many_cuts(MANY), "--first")
        self.assertEqual(got["first_bad_event"], 4)
        self.assertEqual(got["violation_count"], 1)
        self.assertEqual([v["begin"] for v in got["violations"]], [1])
        self.assertIs(got["stopped"], True)
        self.assertIs(got["serializable"], False)

    def test_one_event_can_cut_several_blocks(self):
        trace = "T1|begin(outer)|0\n" + many_cuts(3)
        got = check_json(trace, "--first", "--engine", "witness")
        self.assertEqual([(v["block"], v["depth"], v["event"]) for v in got["violations"]],
                         [("outer", 0, 5), ("a", 1, 5)])
        self.assertEqual(got["violation_count"], 1)

    def test_what_comes_behind_is_not_read(self):
        clean = "T9|r(z)|1\n" * 100000
        trace = CUT + clean + "nonsense\n"
        self.assertEqual(run("check", "-", input=trace).status, 2)
        result = run("check", "--first", "-", input=trace)
        self.assertEqual((result.status, result.message), (1, ""))

    def test_a_clean_trace_is_read_to_its_end(self):
        got = check_json(CLEAN + "T9|r(z)|1\n" * MANY, "--first")
        self.assertEqual(got["trace"]["events"], MANY + 5)
        self.assertIs(got["stopped"], False)
        self.assertIs(got["serializable"], True)

    def test_with_all_engines(self):
        got = check_json(many_cuts(MANY), "--first", "--engine", "all")
        for engine in got["engines"]:
            self.assertIs(engine["serializable"], False, engine["engine"])
            self.assertLessEqual(len(engine["violations"]), 1, engine["engine"])

    def test_the_text_says_so(self):
        text = run("check", "--first", "-", input=CUT).text
        self.assertIn("; stopped at the first finding (", text)
        self.assertNotIn("not listed", text)


class AllEngines(Case):
    def names(self):
        message = run("check", "--engine", "nonesuch", "-").message
        names = re.split(r", | or ", re.search(r"must be (.*)\n", message).group(1))[:-1]
        return [name for name in names if "-" not in name]  # those are not in `all`

    def test_json_has_the_full_object_of_each_engine(self):
        got = check_json(CUT, "--engine", "all")
        self.assertEqual(got["schema"], "seriatim-check/1")
        self.assertEqual(got["trace"]["events"], 5)
        self.assertIs(got["agree"], True)
        self.assertEqual([e["engine"] for e in got["engines"]], self.names())
        for one in got["engines"]:
            alone = check_json(CUT, "--engine", one["engine"])
            for volatile in ("time_seconds", "peak_state_bytes"):
                del alone[volatile], one[volatile]
            self.assertEqual(one, alone)

    def test_an_engine_that_does_not_name_blocks_says_null(self):
        unnamed = [e for e in check_json(CUT, "--engine", "all")["engines"]
                   if e["violation_count"] is None]
        for engine in unnamed:
            self.assertEqual(engine["violations"], [])
            self.assertIsNone(engine["blocks"][0]["violated"])
        self.assertTrue({e["engine"] for e in unnamed} <= {"aerodrome"}, unnamed)

    def test_the_table_is_aligned_and_has_a_row_for_each(self):
        for trace in (CUT, CLEAN):
            lines = run("check", "--engine", "all", "-", input=trace).text.splitlines()
            self.assertEqual(lines[0], "-: 5 events, 2 threads, 0 locks, 1 variable, 1 block")
            self.assertEqual(lines[1], "")
            self.assertRegex(lines[2], r"^engine +verdict +first bad event +violated blocks +time"
                                       r" +peak state$")
            self.assertEqual(lines[-2:], [
                "", '"Serializable" means that some order of whole blocks explains the run.'])
            rows = lines[3:-2]
            self.assertEqual([row.split()[0] for row in rows], self.names())
            for row in rows:
                self.assertEqual(len(row), len(lines[2]))
                self.assertRegex(row, r" (serializable +-|not serializable +\d+) +(\d+|-) +"
                                      r"[\d.]+ (us|ms|s) +[\d.]+ ([KM]i)?B$")

    def test_the_verdicts_agree(self):
        for trace in (CUT, CLEAN, CROSS):
            self.assertNotIn("DISAGREE", run("check", "--engine", "all", "-", input=trace).text)


class Text(Case):
    def test_quiet_is_the_summary_only(self):
        text = run("check", "--quiet", "-", input=CUT).text
        self.assertEqual(text, "-: not serializable, first bad event 4; 1 violated block "
                               "(witness: 5 events, 2 threads, 0 locks, 1 variable, 1 block)\n")
        summary = text.replace(",", " (no order of whole blocks explains this run),", 1)
        full = run("check", "-", input=CUT).text
        self.assertTrue(full.endswith(summary) and len(full) > len(summary))

    def test_terminal_escapes_in_names_are_disarmed(self):
        result = run("check", "-", input=CUT.encode().replace(b"(a)", b"(\x1b[2J)"))
        self.assertNotIn(b"\x1b", result.out)
        self.assertIn(b"\\x1b[2J was not atomic in thread T1", result.out)

    def test_color_only_when_asked_for(self):
        self.assertNotIn(b"\x1b", run("check", "-", input=CUT).out)
        self.assertNotIn(b"\x1b", run("check", "--color=never", "-", input=CUT).out)
        colored = run("check", "--color=always", "-", input=CUT, env={"NO_COLOR": "1"}).out
        self.assertIn(b"\x1b[1;31m", colored)
        self.assertEqual(re.sub(rb"\x1b\[[\d;]*m", b"", colored), run("check", "-", input=CUT).out)

    def test_json_is_never_colored(self):
        self.assertNotIn(b"\x1b", run("check", "--color=always", "--format=json", "-",
                                      input=CUT).out)

    def test_truncated_traces_say_so(self):
        text = run("check", "-", input="T1|begin|1\n").text
        self.assertIn("1 block; truncated)", text)

    def test_the_same_input_gives_the_same_text(self):
        self.assertEqual(len({run("check", "-", input=many_cuts(50)).out for _ in range(5)}), 1)


if __name__ == "__main__":
    unittest.main()
