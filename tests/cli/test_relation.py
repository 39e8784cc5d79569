"""The two relations: lock order counts (`locks`), or only data, fork, join and signals (`data`)."""

import json
import unittest

from seriatim import TRACES, Case, run

ENGINES = ("witness", "regiontrack", "aerodrome", "velodrome", "doublechecker")


def trace(*steps):
    """STD text of "T1 begin(a)", "T2 snd(c)", ... with the number of the line as location."""
    return "".join(f"{step.replace(' ', '|', 1)}|{i}\n" for i, step in enumerate(steps, 1))


def section(thread, lock, *steps):
    return (f"{thread} acq({lock})", *(f"{thread} {step}" for step in steps), f"{thread} rel({lock})")


# Two threads that only read, each under two locks.
READERS = trace("T1 begin(a)", *section("T1", "l", "r(x)"), "T2 begin(b)", *section("T2", "l", "r(x)"),
                *section("T2", "m", "r(y)"), "T2 end", *section("T1", "m", "r(y)"), "T1 end")

# An update that is lost between two critical sections.
UPDATES = trace("T1 begin(incr)", *section("T1", "l", "r(x)"), "T2 begin(incr)",
                *section("T2", "l", "r(x)", "w(x)"), "T2 end", *section("T1", "l", "w(x)"), "T1 end")


class Relations(Case):
    def check(self, text, *options, engine="witness"):
        return run("check", "--engine", engine, "--format=json", *options, "-", input=text).json

    def assert_bad(self, text, locks, data):
        """The first bad event by each relation, in all engines but aerodrome, which may be late."""
        for option, expected in (("--locks", locks), ("--data", data)):
            for engine in ENGINES:
                with self.subTest(option=option, engine=engine):
                    result = self.check(text, option, engine=engine)
                    self.assertEqual(result["relation"], option[2:])
                    self.assertIs(result["serializable"], expected is None)
                    if engine != "aerodrome":
                        self.assertEqual(result["first_bad_event"], expected)

    def test_readers_cut_each_other_by_lock_order_only(self):
        self.assert_bad(READERS, 13, None)

    def test_a_lost_update_is_shown_by_its_accesses(self):
        self.assert_bad(UPDATES, 11, 12)
        [violation] = self.check(UPDATES, "--data")["violations"]
        steps = [edge[end]["op"] for edge in violation["path"] for end in ("from", "to")]
        self.assertEqual(steps, ["r(x)", "w(x)", "w(x)", "w(x)"])

    def test_events_on_locks_are_events(self):
        """A fork happens before the child's acquire, and that before the join."""
        self.assert_bad(trace("T1 begin(a)", "T1 fork(T2)", "T2 acq(l)", "T2 rel(l)", "T1 join(T2)",
                              "T1 end"), 5, 5)

    def test_signals_count_and_channels_of_locks_do_not(self):
        steps = ["T1 begin(a)", "T1 snd({0})", "T2 rcv({0})", "T2 w(x)", "T1 r(x)", "T1 end"]
        for name in ("c", "c lock", "lock", "[lock]", "c[lock]", "c [lock] ", "c [Lock]"):
            self.assert_bad(trace(*(step.format(name) for step in steps)), 5, 5)
        for name in ("c [lock]", "c [read]", "c [write]", "a b [c] [lock]"):
            self.assert_bad(trace(*(step.format(name) for step in steps)), 5, None)

    def test_the_default_for_text_is_locks(self):
        self.assertEqual(self.check(READERS)["relation"], "locks")
        self.assertEqual(run("check", "-", input=READERS).status, 1)
        self.assertEqual(run("check", "--data", "-", input=READERS).status, 0)

    def test_the_default_for_a_recording_is_data(self):
        for engine in ENGINES:
            got = run("check", "--engine", engine, "--format=json", TRACES / "golden-v3.stt").json
            self.assertEqual(got["relation"], "data", engine)
        for trace_without_contexts in ("golden-v1.stt", "golden-v2.stt"):
            got = run("check", "--format=json", TRACES / trace_without_contexts).json
            self.assertEqual(got["relation"], "locks")

    def test_the_last_option_counts(self):
        self.assertEqual(self.check(READERS, "--data", "--locks")["relation"], "locks")
        self.assertEqual(self.check(READERS, "--locks", "--data")["relation"], "data")
        got = run("check", "--format=json", "-", input=READERS, env={"SERIATIM_OPTIONS": "--data"})
        self.assertEqual(got.json["relation"], "data")

    def test_all_engines_side_by_side(self):
        result = self.check(READERS, "--data", engine="all")
        self.assertEqual({engine["relation"] for engine in result["engines"]}, {"data"})
        self.assertTrue(result["agree"])

    def test_what_is_not_usual_is_said(self):
        usual = run("check", "-", input=READERS).text
        unusual = run("check", "--data", "-", input=READERS).text
        self.assertNotIn("lock order", usual)
        self.assertIn("; lock order does not count)", unusual)
        self.assertNotIn("lock order", run("check", TRACES / "golden-v3.stt").text)
        self.assertIn("; lock order counts)", run("check", "--locks", TRACES / "golden-v3.stt").text)

    def test_convert_keeps_the_answer(self):
        names = ("c [lock]", "l [write]", "l [read]", "c")
        steps = ["T1 begin(a)", "T1 snd({0})", "T2 rcv({0})", "T2 w(x)", "T1 r(x)", "T1 end"]
        for name in names:
            self.write("t.std", trace(*(step.format(name) for step in steps)))
            self.run_here("convert", "-q", "t.std", "t.stt")
            self.run_here("convert", "-q", "t.stt", "u.std")
            self.assertEqual((self.folder / "t.std").read_text(), (self.folder / "u.std").read_text())
            for option in ("--data", "--locks"):
                answers = [self.run_here("check", "-q", option, path).status
                           for path in ("t.std", "t.stt", "u.std")]
                self.assertEqual(len(set(answers)), 1, (name, option, answers))

    def test_saved_results_keep_their_relation(self):
        self.write("r.std", UPDATES)
        for option in ("--data", "--locks"):
            self.run_here("check", option, "--format=json", "-o", "r.json", "r.std")
            again = self.run_here("report", "--format=json", "r.json").json
            self.assertEqual(again["relation"], option[2:])
            self.assertEqual(self.run_here("report", option, "--format=json", "r.json").status, 1)
        refused = self.run_here("report", "--data", "--format=json", "r.json")
        self.assertEqual(refused.status, 2)
        self.assertIn("'--data' cannot change", refused.message)
        old = json.loads((self.folder / "r.json").read_text())
        del old["relation"]
        self.write("old.json", json.dumps(old))
        self.assertEqual(self.run_here("report", "--format=json", "old.json").json["relation"], "locks")
        old["relation"] = "none"
        self.write("bad.json", json.dumps(old))
        self.assertEqual(self.run_here("report", "--format=json", "bad.json").status, 2)

    def test_a_report_of_a_trace(self):
        self.write("r.std", READERS)
        for option, status in ((), 1), (("--locks",), 1), (("--data",), 0):
            self.assertEqual(self.run_here("report", *option, "--format=text", "r.std").status, status)

    def test_sarif_says_it(self):
        self.write("r.std", UPDATES)
        for option in ("--data", "--locks"):
            made = self.run_here("check", option, "--format=sarif", "r.std").json
            self.assertEqual(made["runs"][0]["properties"]["relation"], option[2:])

    def test_infer(self):
        self.write("r.std", READERS)
        by_locks = self.run_here("infer", "r.std").text
        by_data = self.run_here("infer", "--data", "r.std").text
        self.assertIn("# a: violated in 1 of 1 run", by_locks)
        self.assertIn("r.std (16 events; --data)", by_data)
        self.assertIn("atomic function a ", by_data)
        made = self.run_here("infer", "--data", "--format=json", "r.std").json
        self.assertEqual(made["traces"][0]["relation"], "data")


class Locks(Case):
    """Reader-writer locks and semaphores in sentences."""

    # T1 reads under l twice, and T2 writes in between; s is a semaphore that is a lock.
    TRACE = trace("T1 begin(a)", "T1 rcv(l [write])", "T1 r(x)", "T1 snd(l [read])",
                  "T2 rcv(l [write])", "T2 rcv(l [read])", "T2 w(x)", "T2 snd(l [write])",
                  "T1 rcv(l [write])", "T1 r(x)", "T1 snd(l [read])", "T1 end",
                  "T1 rcv(s [lock])", "T1 snd(s [lock])")

    def test_what_was_done_with_a_lock_is_said_of_the_lock(self):
        text = run("check", "--locks", "-", input=self.TRACE).text
        for words in ("T1  released lock l ", "T2  acquired lock l ", "2 locks, 1 variable"):
            self.assertIn(words, text)
        self.assertNotIn("channel", text)
        result = run("check", "--locks", "--format=json", "-", input=self.TRACE).json
        self.assertEqual((result["trace"]["locks"], result["trace"]["channels"]), (2, 0))
        [violation] = result["violations"]
        self.assertEqual([edge["on"] for edge in violation["path"]], ["l", "l"])
        self.assertEqual(violation["path"][0]["from"]["op"], "snd(l [read])")

    def test_by_data_the_accesses_are_shown(self):
        text = run("check", "--data", "-", input=self.TRACE).text
        self.assertIn("T2  wrote x", text)
        self.assertNotRegex(text, "released|acquired|channel")

    def test_the_golden_trace(self):
        """A native trace with channels of locks."""
        text = self.run_here("convert", "-q", TRACES / "golden-locks.stt", "t.std")
        self.assertEqual(text.status, 0)
        self.assertEqual((self.folder / "t.std").read_text(), self.TRACE)


class Repeats(Case):
    def test_what_is_not_kept_may_have_been_the_same(self):
        cut = ("T1 begin(a)", "T1 r(x)", "T2 w(x)", "T1 r(x)", "T1 end")
        for count, limit, words in ((5, "0", "happened 5 times"), (5, "1", "happened 5 times"),
                                    (20005, "1", "happened at least 20000 times")):
            text = "".join(f"{step.replace(' ', '|', 1)}|{i}\n" for _ in range(count)
                           for i, step in enumerate(cut, 1))
            found = run("check", "--limit", limit, "-", input=text).text
            self.assertIn(f"The same {words} in the same place.", found)



if __name__ == "__main__":
    unittest.main()
