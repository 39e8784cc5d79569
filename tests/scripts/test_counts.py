"""scripts/test counts what test programs print. A wrong count would hide a failure."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load(name):
    """Imports a script, which has no .py at its end."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


test = load("test")
Count = test.Count

CMOCKA_PASS = """\
[==========] Running 4 test(s).
[ RUN      ] a
[       OK ] a
[==========] 4 test(s) run.
[  PASSED  ] 4 test(s).
"""
CMOCKA_FAIL = """\
[==========] tests: Running 3 test(s).
[ RUN      ] a
[  FAILED  ] a
[==========] tests: 3 test(s) run.
[  PASSED  ] 2 test(s).
[  FAILED  ] tests: 1 test(s), listed below:
[  FAILED  ] a

 1 FAILED TEST(S)
"""
CMOCKA_CRASH = """\
[==========] Running 5 test(s).
[ RUN      ] a
[       OK ] a
[ RUN      ] b
"""


class Cmocka(unittest.TestCase):
    def test_every_test_counts(self):
        self.assertEqual(test.count_cmocka(CMOCKA_PASS), Count(4, 0))

    def test_a_failed_test_counts_as_failed(self):
        self.assertEqual(test.count_cmocka(CMOCKA_FAIL), Count(2, 1))

    def test_groups_are_summed(self):
        self.assertEqual(test.count_cmocka(CMOCKA_PASS + CMOCKA_FAIL), Count(6, 1))

    def test_what_a_crash_kept_from_running_has_failed(self):
        self.assertEqual(test.count_cmocka(CMOCKA_CRASH), Count(0, 5))

    def test_other_output_is_not_cmocka(self):
        self.assertIsNone(test.count_cmocka("20000 traces, 0 differences\n"))


class Ctest(unittest.TestCase):
    def junit(self, *cases):
        body = "".join(f'<testcase name="{name}" status="{status}"><system-out>{output}'
                       "</system-out></testcase>" for name, status, output in cases)
        return f'<?xml version="1.0"?><testsuite>{body}</testsuite>'

    def test_a_plain_case_counts_once(self):
        text = self.junit(("differential", "run", "fine"), ("example", "fail", "not fine"))
        self.assertEqual(test.count_junit(text), Count(1, 1))

    def test_a_cmocka_case_counts_its_tests(self):
        text = self.junit(("test_a", "run", CMOCKA_PASS), ("test_b", "fail", CMOCKA_FAIL))
        self.assertEqual(test.count_junit(text), Count(6, 1))

    def test_a_leak_after_passing_tests_is_a_failure(self):
        self.assertEqual(test.count_junit(self.junit(("a", "fail", CMOCKA_PASS))), Count(4, 1))

    def test_a_case_that_did_not_run_has_failed(self):
        text = self.junit(("a", "notrun", ""), ("b", "disabled", ""))
        self.assertEqual(test.count_junit(text), Count(0, 2))

    def test_a_broken_file_is_a_failure(self):
        self.assertEqual(test.count_junit("<testsuite>"), Count(0, 1))


class Unittest(unittest.TestCase):
    def test_all_passed(self):
        self.assertEqual(test.count_unittest("...\nRan 12 tests in 0.3s\n\nOK\n"), Count(12, 0))

    def test_failures_and_errors_are_failures(self):
        output = "Ran 12 tests in 0.3s\n\nFAILED (failures=2, errors=1, skipped=3)\n"
        self.assertEqual(test.count_unittest(output), Count(6, 3, 3))

    def test_skipped_tests_did_not_pass(self):
        self.assertEqual(test.count_unittest("Ran 1 test in 0.3s\n\nOK (skipped=1)\n"),
                         Count(0, 0, 1))

    def test_an_unexpected_success_is_a_failure(self):
        output = "Ran 3 tests in 0.3s\n\nFAILED (unexpected successes=1)\n"
        self.assertEqual(test.count_unittest(output), Count(2, 1))

    def test_no_tests_is_a_failure(self):
        self.assertEqual(test.count_unittest("Ran 0 tests in 0.0s\n\nOK\n"), Count(0, 1))

    def test_a_file_that_is_skipped_as_a_whole_is_skipped(self):
        output = "Ran 0 tests in 0.0s\n\nOK (skipped=1)\n"
        self.assertEqual(test.count_unittest(output), Count(0, 0, 1))

    def test_no_summary_is_a_failure(self):
        self.assertEqual(test.count_unittest("ImportError: ...\n"), Count(0, 1))


class OwnScripts(unittest.TestCase):
    def test_the_last_line_counts(self):
        self.assertEqual(test.count_last_line("1 passed, 9 failed\nok\n3 passed, 1 failed\n"),
                         Count(3, 1))

    def test_without_it_the_script_has_failed(self):
        self.assertEqual(test.count_last_line("Segmentation fault\n"), Count(0, 1))
        self.assertEqual(test.count_last_line(""), Count(0, 1))

    def test_success_of_the_program_counts_too(self):
        self.assertEqual(test.checked(False, Count(3, 0)), Count(3, 1))
        self.assertEqual(test.checked(False, Count(3, 2)), Count(3, 2))
        self.assertEqual(test.checked(True, Count(3, 0)), Count(3, 0))


class Failures(unittest.TestCase):
    """What is repeated at the end of the log."""

    def test_a_failed_unittest_with_the_end_of_what_it_said(self):
        line, rule = "=" * 70, "-" * 70
        output = (f"{line}\nFAIL: test_a (m.C.test_a)\n{rule}\nTraceback:\n  1 != 2\n\n"
                  f"{line}\nERROR: test_b (m.C.test_b)\n{rule}\nNameError: x\n\n"
                  f"{rule}\nRan 2 tests in 0.1s\n\nFAILED (failures=1, errors=1)\n")
        self.assertEqual(test.failures(output), [
            "FAIL: test_a (m.C.test_a)\n    Traceback:\n      1 != 2",
            "ERROR: test_b (m.C.test_b)\n    NameError: x"])

    def test_a_failed_cmocka_test_once(self):
        self.assertEqual(test.failures(CMOCKA_FAIL), ["[  FAILED  ] a"])

    def test_a_failed_ctest_case(self):
        output = "The following tests FAILED:\n\t  2 - foresee (Failed)\n\t 10 - a (SEGFAULT)\n"
        self.assertEqual(test.failures(output), ["2 - foresee (Failed)", "10 - a (SEGFAULT)"])

    def test_nothing_of_what_passed(self):
        self.assertEqual(test.failures(CMOCKA_PASS), [])


def shown(screen, *pieces):
    """What is on the screen after each piece, and at the end."""
    stream, states = io.StringIO(), []
    with contextlib.redirect_stdout(stream):
        for piece in pieces:
            screen.show(piece)
            states.append(stream.getvalue())
        screen.finish()
    return [*states, stream.getvalue()]


class Screens(unittest.TestCase):
    """What a command prints is shown while it runs."""

    def test_alone_each_piece_at_once(self):
        self.assertEqual(shown(test.Screen(), "a ... ", "ok\n", "b"),
                         ["a ... ", "a ... ok\n", "a ... ok\nb", "a ... ok\nb\n"])

    def test_side_by_side_each_line_at_once(self):
        self.assertEqual(shown(test.SharedScreen("m"), "test_a (m.C) ... ", "ok\ntest_b", " ... ok\n")[:3],
                         ["", "test_a (m.C) ... ok\n", "test_a (m.C) ... ok\ntest_b ... ok\n"])

    def test_a_description_stays_with_its_test(self):
        self.assertEqual(shown(test.SharedScreen("m"), "test_a (m.C.test_a)\nSays why. ... ", "ok\n")[:2],
                         ["", "test_a (m.C.test_a) Says why. ... ok\n"])
        self.assertEqual(shown(test.SharedScreen("m"), "test_a (m.C.test_a)\nWhy. ... ok\n", "b\n")[1],
                         "test_a (m.C.test_a) Why. ... ok\nb\n")

    def test_failures_come_in_one_piece(self):
        rule = "=" * 70 + "\n"
        *states, end = shown(test.SharedScreen("m"), "a ... FAIL\n", rule, "FAIL: a\n", "1 != 2\n")
        self.assertEqual(states, 4 * ["a ... FAIL\n"])
        self.assertEqual(end, f"a ... FAIL\nm: {rule}FAIL: a\n1 != 2\n")

    def test_success_is_one_line(self):
        output = "a ... ok\n\n" + "-" * 70 + "\nRan 1 test in 0.1s\n\nOK\n"
        self.assertEqual(shown(test.SharedScreen("m"), output)[-1],
                         "a ... ok\nm: Ran 1 test in 0.1s OK\n")

    def test_a_line_is_shown_before_the_command_ends(self):
        """It ends only when the line has been seen."""
        with tempfile.TemporaryDirectory() as folder:
            fifo = os.path.join(folder, "fifo")
            os.mkfifo(fifo)

            class Waiting(test.Screen):
                def show(self, text):
                    if "first" in text:
                        pathlib.Path(fifo).write_text("go on\n")

            with contextlib.redirect_stdout(io.StringIO()):
                done = test.run("sh", "-c", f"echo first; cat '{fifo}'", screen=Waiting())
        self.assertEqual(done, (True, "first\ngo on\n"))

    def test_a_character_in_two_pieces(self):
        reader, writer = os.pipe()
        pieces = [b"\xc3", b"\xa4\n"]

        class Feeding(test.Screen):
            def show(self, text):
                if pieces:
                    os.write(writer, pieces.pop(0))
                else:
                    os.close(writer)

        os.write(writer, pieces.pop(0))
        process = unittest.mock.Mock(stdout=os.fdopen(reader, "rb", 0))
        self.assertEqual(test.read_all(process, Feeding()), "\u00e4\n")


# Two files of tests that need each other: both have to run at the same time.
SIDE_BY_SIDE = """\
import os, unittest
class C(unittest.TestCase):
    def test_{me}(self):
        for name in {order}:
            os.close(os.open(name, os.O_WRONLY if name == "{me}" else os.O_RDONLY))
"""


class Running(unittest.TestCase):
    """scripts/test itself, with a tree of its own."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name)
        (self.root / "t").mkdir()
        patch = unittest.mock.patch.multiple(test, ROOT=self.root, FAILURES=[], JOBS="2", COSTS=[],
                                             TEST_COSTS=[])
        patch.start()
        self.addCleanup(patch.stop)

    def unittest(self, **options):
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            count = test.unittest("t", **options)
        return count, stream.getvalue()

    def test_files_run_side_by_side(self):
        for name in ("a", "b"):
            os.mkfifo(self.root / name)
            (self.root / "t" / f"test_{name}.py").write_text(
                SIDE_BY_SIDE.format(me=name, order=["a", "b"]))
        count, output = self.unittest()
        self.assertEqual(count, Count(2, 0), output)

    def test_counts_and_failures_of_all_files(self):
        for name, body in (("a", "pass"), ("b", "self.fail('no')"), ("c", "self.skipTest('no')")):
            (self.root / "t" / f"test_{name}.py").write_text(
                "import unittest\nclass C(unittest.TestCase):\n"
                f"    def test_it(self):\n        {body}\n")
        (self.root / "t" / "test_d.py").write_text("nonsense\n")
        count, output = self.unittest()
        self.assertEqual(count, Count(1, 2, 1), output)
        crashed, failed = sorted(test.FAILURES, key=lambda text: text.startswith("FAIL"))
        self.assertRegex(crashed, r" test_d ended with 1\Z")
        self.assertRegex(failed, r"\AFAIL: test_it \(test_b\.")

    def test_the_processor_time_of_what_a_test_starts_is_its_own(self):
        busy = "import time\nwhile time.process_time() < 0.2: pass"
        (self.root / "t" / "test_a.py").write_text(
            "import subprocess, sys, unittest\nclass C(unittest.TestCase):\n"
            f"    def test_it(self):\n        subprocess.run([sys.executable, '-c', {busy!r}], check=True)\n")
        count, output = self.unittest()
        self.assertEqual(count, Count(1, 0), output)
        [cost] = test.COSTS
        self.assertEqual(cost.name, "test_a")
        costs = {one.name: one for one in test.TEST_COSTS}
        self.assertEqual(set(costs), {"before test_a.C.test_it", "test_a.C.test_it"})
        self.assertGreaterEqual(costs["test_a.C.test_it"].processor, 0.2)
        self.assertGreaterEqual(cost.processor, costs["test_a.C.test_it"].processor)
        self.assertRegex(output, r"\ntest_a: [0-9.]+ s of processor time\n")

    def test_the_dearest_come_first(self):
        costs = [test.costs.Cost(1, 2, "a"), test.costs.Cost(3, 4, "b"), test.costs.Cost(2, 9, "c")]
        self.assertEqual(test.costs.table("tests", costs, 2),
                         ["tests (seconds of processor time and on the clock):",
                          "     3.0     4.0   b", "     2.0     9.0   c"])

    def test_files_can_be_left_out_and_none_is_a_failure(self):
        (self.root / "t" / "test_a.py").write_text("")
        self.assertEqual(self.unittest(without=["test_a"])[0], Count(0, 1))

    def test_a_command_that_cannot_be_started_has_failed(self):
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(test.run("./nonesuch"), (False, ""))
        self.assertEqual(len(test.FAILURES), 1)


class Stages(unittest.TestCase):
    """Side by side, but for the build."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = pathlib.Path(holder.name)

    def run_stages(self, jobs, **scripts):
        """Stages that run a line of shell each; what each of them gave, and what was printed."""
        def stage(script):
            def function():
                """words"""
                return test.one(test.run("sh", "-c", script)[0])
            return function

        stream = io.StringIO()
        with unittest.mock.patch.multiple(test, ROOT=self.root, FAILURES=[], JOBS=jobs, COSTS=[], STAGE_COSTS={},
                                          PLACES=test.Places(), CURRENT=test.Current(), FIRST=["last"],
                                          STAGES={name: stage(script) for name, script in scripts.items()}), \
                contextlib.redirect_stdout(stream):
            results = test.run_stages(list(scripts))
            self.failures = test.FAILURES
        return [(name, count) for name, count, _ in results], stream.getvalue()

    def test_two_that_need_each_other(self):
        for name in ("a", "b"):
            os.mkfifo(self.root / name)
        found, output = self.run_stages("2", one="echo 1 >a; cat b", two="cat a; echo 2 >b")
        self.assertEqual(found, [("one", Count(1, 0)), ("two", Count(1, 0))])
        self.assertIn("\ntwo: 1\n", output)
        self.assertIn("\none: 2\n", output)

    def test_only_so_many_commands_at_a_time(self):
        script = "mkdir alone && sleep 0.01 && rmdir alone"
        found, output = self.run_stages("1", **{name: script for name in "abcd"})
        self.assertEqual(found, [(name, Count(1, 0)) for name in "abcd"], output)

    def test_who_waits_anyway_takes_no_place(self):
        for name in "abc":
            os.mkfifo(self.root / name)
        with unittest.mock.patch.object(test, "WAITING", {"waits"}):
            found, output = self.run_stages("2", waits="cat c", one="echo 1 >a; cat b", two="cat a; echo 2 >b; echo 3 >c")
        self.assertEqual([count for _, count in found], 3 * [Count(1, 0)], output)

    def test_the_others_know_whether_there_is_a_build(self):
        with unittest.mock.patch.object(test, "NEED_BUILD", {"needs"}):
            found, output = self.run_stages("2", build="exit 1", needs="true", other="true")
            self.assertEqual([count for _, count in found], [Count(0, 1), Count(0, 1), Count(1, 0)])
            self.assertIn("did not run: the build failed", output)
            self.assertEqual(self.run_stages("2", build="true", needs="true")[0][1][1], Count(1, 0))

    def test_a_failure_names_its_stage(self):
        self.run_stages("2", a="true", b="exit 3")
        self.assertEqual(self.failures, ["b: sh -c 'exit 3' ended with 3"])


# Starts a program that waits for ever, says so, and stays with it.
STUCK = """\
import importlib.machinery, importlib.util, sys
loader = importlib.machinery.SourceFileLoader("test", sys.argv[1])
test = importlib.util.module_from_spec(importlib.util.spec_from_loader("test", loader))
loader.exec_module(test)
test.surroundings.settle()
test.listen()
test.run("sh", "-c", "trap '' TERM; echo $$; read -r word <fifo; echo $word")
"""


class Interrupted(unittest.TestCase):
    def start(self, folder, *before):
        os.mkfifo(folder / "fifo")
        script = str(ROOT / "scripts" / "test")
        text = STUCK.replace("<fifo", f"<'{folder}/fifo'")
        return subprocess.Popen([*before, sys.executable, "-c", text, script],
                                stdout=subprocess.PIPE, text=True)

    def begin(self, process):
        """Until the command runs; its process."""
        self.assertRegex(process.stdout.readline(), r"\A\$ sh ")
        return int(process.stdout.readline())

    def test_what_runs_is_ended_and_named(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number), tempfile.TemporaryDirectory() as folder, \
                    self.start(pathlib.Path(folder), "env", "--default-signal") as process:
                self.begin(process)
                process.send_signal(number)
                # The command has the other end of the pipe: it is closed when both are gone.
                self.assertRegex(process.stdout.read(), r"\nended: sh -c .*read -r word")
                self.assertEqual(process.wait(), 128 + number)

    def test_a_signal_that_we_are_not_to_hear(self):
        """As by nohup. The command is to hear it, though."""
        with tempfile.TemporaryDirectory() as folder, \
                self.start(pathlib.Path(folder), "env", "--ignore-signal=HUP") as process:
            command = self.begin(process)
            process.send_signal(signal.SIGHUP)
            status = pathlib.Path(f"/proc/{command}/status").read_text()
            ignored = int(re.search(r"SigIgn:\s*(\w+)", status).group(1), 16)
            self.assertEqual(ignored & 1 << signal.SIGHUP - 1, 0)
            pathlib.Path(folder, "fifo").write_text("fine\n")
            self.assertEqual(process.stdout.read(), "fine\n")
            self.assertEqual(process.wait(), 0)


if __name__ == "__main__":
    unittest.main()
