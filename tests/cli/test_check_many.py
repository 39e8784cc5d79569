"""`seriatim check` with several traces. tests/cluster does the same on several ranks."""
import json
import unittest

from seriatim import CLEAN, CROSS, CUT, Case


class Several(Case):
    def setUp(self):
        super().setUp()
        for name, text in (("cut.std", CUT), ("clean.std", CLEAN), ("cross.std", CROSS)):
            self.write(name, text)

    def check(self, *arguments):
        return self.run_here("check", *arguments)

    def test_counts_add_up_and_equal_findings_are_one(self):
        result = self.check("--format", "json", "cut.std", "clean.std", "cut.std")
        self.assertEqual(result.status, 1)
        self.assertEqual(result.json["trace"]["events"], 15)
        self.assertEqual(result.json["violation_count"], 2)
        self.assertEqual(len({found["fingerprint"] for found in result.json["violations"]}), 1)
        self.assertEqual(result.json["violations"][0]["cause"]["count"], 2)

    def test_nothing_found_in_any_of_them(self):
        self.assertEqual(self.check("clean.std", "clean.std").status, 0)

    def test_a_file_with_names(self):
        self.write("list", "cut.std\n\nclean.std\r\n")
        listed = self.check("--format", "json", "@list").json
        named = self.check("--format", "json", "cut.std", "clean.std").json
        for result in (listed, named):
            del result["time_seconds"]
        self.assertEqual(json.dumps(listed), json.dumps(named))

    def test_a_file_with_one_name(self):
        self.write("list", "cut.std\n")
        self.assertEqual(self.check("@list").status, 1)

    def test_filters_are_for_all_of_them(self):
        baseline = self.write("baseline.json", "")
        baseline.write_bytes(self.check("--format", "json", "cut.std").out)
        self.assertEqual(self.check("--baseline", "baseline.json", "cut.std", "cut.std").status, 0)
        self.assertEqual(self.check("--baseline", "baseline.json", "cut.std", "cross.std").status, 1)

    def test_what_cannot_be_done(self):
        self.write("empty", "\n")
        self.assert_trouble(self.check("cut.std", "-"),
                            "check: standard input cannot be one of several traces")
        self.assert_trouble(self.check("@empty"), "check: there is no trace to look at")
        self.assert_trouble(self.check("@missing"), "missing: cannot open: No such file or directory")
        self.assert_trouble(self.check("--engine", "all", "cut.std", "cut.std"),
                            "check: several traces need one engine; 'seriatim compare' runs several "
                            "on each")

    def test_one_that_cannot_be_read_does_not_hide_the_others(self):
        result = self.check("--format", "json", "missing.std", "cut.std")
        self.assertEqual(result.status, 2)
        self.assertEqual(result.json["violation_count"], 1)
        self.assertEqual(result.message, "seriatim: missing.std: cannot open: No such file or directory\n"
                         "seriatim: warning: 1 of 2 traces could not be checked\n")


class Resumed(Case):
    """One process keeps a journal, too."""

    def test_what_is_done_is_not_done_again(self):
        self.write("cut.std", CUT)
        self.write("clean.std", CLEAN)
        words = ("check", "--resume", "done", "--format", "json", "cut.std", "clean.std")
        first = self.run_here(*words)
        again = self.run_here(*words)
        self.assertEqual((first.status, first.out), (again.status, again.out))  # times, too
        self.assertEqual((self.folder / "done" / "status").read_text(encoding="ascii"), "1\n")

    def test_a_trace_that_changed_is_checked_again(self):
        self.write("cut.std", CLEAN)
        self.write("clean.std", CLEAN)
        words = ("check", "--resume", "done", "cut.std", "clean.std")
        self.assertEqual(self.run_here(*words).status, 0)
        self.write("cut.std", CUT)
        self.assertEqual(self.run_here(*words).status, 1)


if __name__ == "__main__":
    unittest.main()
