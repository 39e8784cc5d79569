"""The native format as its document describes it: read_stt.py, which was written from the document,
must see in a file what seriatim sees."""

import subprocess
import sys
import unittest

from seriatim import TRACES, Case
from test_traces import long_trace

READER = [sys.executable, __file__.replace("test_native.py", "read_stt.py")]


class IndependentReader(Case):
    def read(self, name):
        result = subprocess.run(READER + [str(self.folder / name)], stdout=subprocess.PIPE)
        return result.returncode, result.stdout

    def test_it_reads_what_convert_wrote(self):
        for content in ((TRACES / "bank.std").read_bytes(), long_trace(13000)):
            self.write("a.std", content)
            self.assert_clean(self.run_here("convert", "a.std", "a.stt"))
            self.assertEqual(self.read("a.stt"), (0, content))

    def test_it_reads_the_golden_file_of_each_version_as_seriatim_does(self):
        for version, events in ((1, 19), (2, 26), (3, 26), (4, 26)):
            with self.subTest(version=version):
                self.write("golden.stt", (TRACES / f"golden-v{version}.stt").read_bytes())
                converted = self.run_here("convert", "golden.stt", "-")
                self.assert_clean(converted)
                self.assertEqual(self.read("golden.stt"), (0, converted.out))
                self.assertEqual(converted.text.count("\n"), events)

    def test_both_say_that_a_file_was_cut(self):
        for version in (1, 2, 3, 4):
            whole = (TRACES / f"golden-v{version}.stt").read_bytes()
            for size in (350, 500, len(whole) - 1):
                with self.subTest(version=version, size=size):
                    self.write("cut.stt", whole[:size])
                    status, text = self.read("cut.stt")
                    self.assertEqual(status, 3)
                    self.assertEqual(self.run_here("convert", "cut.stt", "-").out, text)

    def test_what_is_converted_is_of_the_version_that_it_takes(self):
        for version, newer in ((1, 2), (2, 2), (3, 3), (4, 4)):
            self.write("old.stt", (TRACES / f"golden-v{version}.stt").read_bytes())
            self.assert_clean(self.run_here("convert", "old.stt", "new.stt"))
            self.assertEqual((self.folder / "new.stt").read_bytes()[8:12], bytes([newer, 0, 0, 0]))
            self.assertEqual(self.read("new.stt"), self.read("old.stt"))

    def test_a_variable_after_the_end_of_its_life_is_another_one(self):
        self.write("golden.stt", (TRACES / "golden-v4.stt").read_bytes())
        text = self.run_here("convert", "golden.stt", "-").text
        self.assertEqual(text.count("(balance)"), 3)
        self.assertEqual(text.count("(balance #2)"), 2)
        self.assertIn("(balance #2)", self.run_here("dump", "golden.stt").text)
        self.assertEqual(self.run_here("stats", "golden.stt", "--format", "json").json
                         ["variables"], 2)


if __name__ == "__main__":
    unittest.main()
