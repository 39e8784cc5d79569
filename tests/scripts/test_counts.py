"""scripts/test counts what test programs print. A wrong count would hide a failure."""
import importlib.machinery
import importlib.util
import pathlib
import unittest

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


if __name__ == "__main__":
    unittest.main()
