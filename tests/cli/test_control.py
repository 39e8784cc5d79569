"""Controlled runs, without the commands that plan them: `control-play` gives a program a plan, and
prints what was logged. The programs are in tests/control and tests/hunted."""

import subprocess
import tempfile
import unittest

from seriatim import BINARY, ROOT, SANITIZED

PLAY = BINARY.parent / "control-play"
STRATEGIES = ["random", "urw", "pct", "block-pct", "pos"]
SERIALIZABLE_OR_NOT = {0, 66}  # of run


@unittest.skipIf(SANITIZED, "the runtime has no sanitizers")
class Controlled(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return f"{self.folder.name}/{name}"

    def build(self, source, *flags):
        subprocess.run([BINARY, "cc", "-g", "-O1", *flags, ROOT / "tests" / source, "-o",
                        self.path("program"), "-pthread"], check=True)

    def play(self, *options):
        """Returns the status, what the program and seriatim printed, and the log."""
        command = [PLAY, *options, "--", BINARY, "run", self.path("program")]
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False, text=True)
        lines = result.stdout.splitlines()
        end = next(i for i, line in enumerate(lines) if line.startswith("ended "))
        return result.returncode, ("\n".join(lines[:end]), result.stderr), "\n".join(lines[end:])

    def learn(self):
        return self.play("--learn", "--area", self.path("learned"))

    def try_all(self, seeds, compare=lambda printed: printed):
        """Runs each strategy with each seed, plays each run again, and returns (status, log) of
        all. The same must be printed, as far as `compare` looks at it."""
        results = []
        for strategy in STRATEGIES:
            for seed in range(seeds):
                status, printed, log = self.play(
                    "--learn", "--from", self.path("learned"), "--area", self.path("area"),
                    "--strategy", strategy, "--seed", str(seed))
                again = self.play("--replay", self.path("area"))
                with self.subTest(strategy=strategy, seed=seed):
                    self.assertEqual((status, compare(printed)), (again[0], compare(again[1])),
                                     log + "\n" + again[2])
                    self.assertIn("loose 0", log)
                results.append((status, log))
        return results


class TestControl(Controlled):
    def test_a_lost_update_is_found_and_replayed(self):
        self.build("hunted/lost_incr.c")
        status, _, log = self.learn()
        self.assertEqual(status, 0)
        self.assertIn("preemptions 0", log)
        statuses = {status for status, _ in self.try_all(2)}
        self.assertEqual(statuses, {0, 1})

    def test_a_deadlock_ends_the_program_and_says_who_waits(self):
        self.build("hunted/lock_order.c")
        self.learn()
        ended = [log for status, log in self.try_all(6) if status == 97]
        self.assertTrue(ended)
        for log in ended:
            self.assertIn("ended deadlock", log)
            self.assertRegex(log, r"T1 blocked at lock of \w+, owner T2")
            self.assertRegex(log, r"T2 blocked at lock of \w+, owner T1")

    def test_nobody_waits_for_time_to_pass_or_spins_for_ever(self):
        self.build("control/waiting.c")
        status, (out, _), log = self.learn()
        self.assertEqual((status, out), (0, "timed out 1, bytes 3"))
        self.assertIn("ended by itself", log)
        self.assertEqual({status for status, _ in self.try_all(1)}, {0})

    def test_who_sleeps_again_and_again_lets_others_go_on(self):
        self.build("control/naps.c")
        status, (out, _), log = self.learn()
        self.assertEqual((status, out), (0, "looked 100 times"))
        self.assertIn("ended by itself", log)
        self.assertEqual({status for status, _ in self.try_all(2)}, {0})

    def test_threads_are_cancelled_and_signalled_where_they_wait(self):
        self.build("control/interrupted.c")
        status, (out, _), _ = self.learn()
        self.assertEqual((status, out), (0, "cancelled 3"))
        self.assertEqual({status for status, _ in self.try_all(1)}, {0})

    def test_kinds_of_locks_and_waits(self):
        self.build("control/kinds.c")
        status, (out, _), _ = self.learn()
        self.assertEqual((status, out), (0, "all"))
        for strategy in STRATEGIES:
            with self.subTest(strategy=strategy):
                status, printed, log = self.play("--learn", "--from", self.path("learned"), "--area",
                                                 self.path("area"), "--strategy", strategy,
                                                 "--early", "24")
                self.assertEqual((status, printed[0]), (0, "all"))
                self.assertIn("loose 0", log)
                for _ in range(3):  # with the same counts of events and variables
                    self.assertEqual(self.play("--replay", self.path("area"))[:2],
                                     (status, printed))

    def test_what_threads_send_each_other_is_replayed_exactly(self):
        self.build("control/outside.c")
        _, (out, _), _ = self.learn()
        self.assertEqual(out[:16], "3 3 1 1 1 0 0 0 ")
        self.assertLessEqual({status for status, _ in self.try_all(2)}, SERIALIZABLE_OR_NOT)

    def test_children_are_waited_for(self):
        """When a child does what it does cannot be said, so neither can the order of threads."""
        self.build("control/outside.c", "-DCHILDREN")
        self.learn()
        for strategy in STRATEGIES:
            with self.subTest(strategy=strategy):
                status, (out, _), log = self.play("--learn", "--from", self.path("learned"),
                                                  "--area", self.path("area"), "--strategy", strategy)
                self.assertIn(status, SERIALIZABLE_OR_NOT)
                self.assertEqual(out[:10], "3 3 1 1 1 ")
                self.assertIn("loose 0", log)

    def test_looks_at_what_a_child_does_are_replayed(self):
        """How often threads look before they find something is counted in what the program prints. The
        watcher's summary is not compared. Before there are threads, main waits for the child's first
        byte, or finds it there already. If it waits, it gives up its turn, and the runtime emits the
        blocks that are open, although nothing was done in them: they are two events more."""
        self.build("control/looks.c")
        _, (out, _), log = self.learn()
        self.assertRegex(out, r"^\d+ \d+ \d+ \d+ of \d+$", log)
        tried = self.try_all(1, compare=lambda printed: printed[0])
        self.assertEqual({status for status, _ in tried}, {0})

    def test_signals_are_handled_at_points(self):
        self.build("control/signals.c")
        _, (out, _), _ = self.learn()
        self.assertEqual(out[:10], "3 5 2 1 0;")
        self.assertLessEqual({status for status, _ in self.try_all(2)}, SERIALIZABLE_OR_NOT)

    def test_signals_of_a_child_are_replayed(self):
        self.build("control/signals.c", "-DOUTSIDE")
        _, (out, _), _ = self.learn()
        self.assertEqual(out[:10], "3 5 2 1 1;")
        self.assertLessEqual({status for status, _ in self.try_all(1)}, SERIALIZABLE_OR_NOT)


if __name__ == "__main__":
    unittest.main()
