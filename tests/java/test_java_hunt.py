"""Hunting in Java programs: those of tests/java/hunted, with their bug and without.

    SERIATIM_PROGRAMS=all    the programs that take longer, too
"""

import json
import os
import unittest

from compiled import all_in, compiled
from test_java_options import Case
from test_java_programs import HERE

FOLDER = HERE / "hunted"
ALL = os.environ.get("SERIATIM_PROGRAMS") == "all"

# One thread runs at a time, and not for long: what compiles and collects at leisure is in the way.
JAVA = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]


def classes():
    return compiled(*all_in(FOLDER))


class Hunting(Case):
    def command(self, name, *flags):
        return [*JAVA, *flags, "-cp", classes(), name]

    def hunt(self, name, *flags, runs=40, options=(), status=1):
        done = self.seriatim("hunt", "--runs", str(runs), "--time", "1000000", "--until", "first",
                             "--format", "json", *options, "--", *self.command(name, *flags))
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def assert_silent(self, name, *flags, runs=4, options=()):
        result = self.hunt(name, *flags, runs=runs, options=options, status=0)
        self.assertEqual((result["violations"], result["failures"]), ([], []))
        return result

    def replay(self, *words):
        done = self.seriatim("replay", "--format", "json", "-o", self.folder / "replay.json", *words)
        return done, json.loads((self.folder / "replay.json").read_text())


class Findings(Hunting):
    def test_a_block_is_cut_and_the_schedule_repeats_that(self):
        result = self.hunt("Audit", options=("--source-root", FOLDER))
        cut = result["violations"][0]
        self.assertIn(cut["block"], ("Audit.transfer", "Audit.audit"))
        self.assertEqual(cut["replayed"], "10/10")
        self.assertEqual(result["loose"], 0)
        self.assertEqual(cut["begin_loc"].split(":")[0], str(FOLDER / "Audit.java"))
        done, again = self.replay("--source-root", FOLDER, cut["schedule"])
        self.assertEqual(again["violations"][0]["begin_loc"], cut["begin_loc"])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(cut["block"], self.violated(again))
        self.assertEqual(done.stdout, "money is missing\n")
        refused = self.seriatim("replay", "--gdb", cut["schedule"])
        self.assertEqual(refused.returncode, 2)
        self.assertIn("replay it without --gdb", refused.stderr)

    def test_a_monitor_and_a_lock_in_opposite_order(self):
        result = self.hunt("Philosophers")
        failure = result["failures"][0]
        self.assertEqual((failure["kind"], failure["replayed"]), ("deadlock", "10/10"))

    def test_locks_that_the_program_makes_itself(self):
        result = self.hunt("OwnLocks")
        self.assertEqual(result["violations"][0]["block"], "OwnLocks.withdraw")
        self.assertEqual((result["violations"][0]["replayed"], result["loose"]), ("10/10", 0))

    def test_what_is_done_behind_many_waits_at_a_monitor(self):
        result = self.hunt("Shelf", options=("--run-time", "1000000"))
        self.assertEqual(result["violations"][0]["block"], "Shelf.offer")
        self.assertEqual((result["violations"][0]["replayed"], result["loose"]), ("10/10", 0))

    @unittest.skipUnless(ALL, "takes longer")
    def test_who_was_woken_does_not_look_again(self):
        self.assertEqual(self.hunt("Buffer")["failures"][0]["replayed"], "10/10")

    @unittest.skipUnless(ALL, "takes longer")
    def test_tasks_of_a_pool(self):
        self.assertEqual(self.hunt("Pool")["violations"][0]["replayed"], "10/10")

    @unittest.skipUnless(ALL, "takes longer")
    def test_a_timeout_that_nobody_lives_to_see(self):
        self.assertEqual(self.hunt("Timeout")["violations"][0]["replayed"], "10/10")


class Limits(Hunting):
    def test_a_jvm_that_has_not_even_started_in_time(self):
        done = self.seriatim("hunt", "--runs", "3", "--run-time", "0.01", "--", *self.command("Audit"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("java: did not end within 0.01 seconds under control", done.stderr)


class Silence(Hunting):
    def test_of_the_twins(self):
        for name in ("Audit", "Philosophers", "OwnLocks", *(("Buffer", "Pool", "Timeout") if ALL else ())):
            with self.subTest(name):
                self.assertEqual(self.assert_silent(name, "-Dfixed=true")["loose"], 0)

    def test_of_threads_that_wait_for_a_while_and_notify_each_other(self):
        """The program's notification and the scheduler may wake a thread at once. If they get in each other's way,
        this does not end."""
        result = self.assert_silent("Shelf", "-Dfixed=true", runs=16, options=("--run-time", "1000000"))
        self.assertEqual((result["runs"], result["loose"]), (16, 0))

    def test_of_all_means_to_wait(self):
        self.assertEqual(self.assert_silent("Clean")["loose"], 0)

    def test_of_monitors_that_the_jdk_enters_itself(self):
        self.assertEqual(self.assert_silent("Unseen")["loose"], 0)


if __name__ == "__main__":
    unittest.main()
