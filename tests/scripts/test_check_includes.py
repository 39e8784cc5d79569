"""scripts/check-includes has to find planted violations, or it guards nothing."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "check-includes"

# A few rows, as they are in CONTRIBUTING.md.
TABLE = """
| folder | what is in it | may include |
|---|---|---|
| `src/base/` | memory | – |
| `src/trace/` | events | base |
| `src/trace/native/` | a format | trace, base |
| `src/check/` | engines \\| clocks | trace, base |
| `src/check/races/` | races | check, trace, base |
| `src/session/` | sessions | check/*, trace |
| `src/cli/` | commands | all |
"""
FOLDERS = ["base", "trace", "trace/native", "check", "check/races", "session", "cli"]


class CheckIncludes(unittest.TestCase):
    def check(self, table=TABLE, folders=FOLDERS, **files):
        """Runs the script on a tree of these files (__ stands for /, and .c or .h is added), with an
        empty file in each of the folders."""
        with tempfile.TemporaryDirectory() as root:
            if table is not None:
                pathlib.Path(root, "CONTRIBUTING.md").write_text(table)
            files = {f"src/{folder}/empty": "" for folder in folders} | files
            for name, text in files.items():
                kind = ".h" if name.startswith("include") else ".c"
                path = pathlib.Path(root, name.replace("__", "/") + kind)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            result = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)
        self.assertEqual(result.stderr, "")
        return result.returncode, result.stdout

    def test_the_tree_itself_keeps_the_rule(self):
        result = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_what_the_table_allows_is_fine(self):
        status, output = self.check(src__check__x='#include "trace/event.h"\n#include "check/y.h"\n',
                                    src__cli__main='#include "check/engine.h"\n#include <stdio.h>\n')
        self.assertEqual((status, output), (0, "9 files keep the dependency rule\n"))

    def test_a_folder_does_not_stand_for_those_in_it(self):
        status, output = self.check(src__check__x='#include "check/races/y.h"\n')
        self.assertEqual(status, 1)
        self.assertIn("src/check/x.c:1: check must not include check/races", output)
        self.assertEqual(self.check(src__check__races__x='#include "check/y.h"\n')[0], 0)

    def test_a_star_stands_for_them(self):
        self.assertEqual(self.check(src__session__x='#include "check/races/y.h"\n')[0], 0)
        self.assertEqual(self.check(src__session__x='#include "check/y.h"\n')[0], 0)
        self.assertEqual(self.check(src__session__x='#include "trace/native/y.h"\n')[0], 1)

    def test_a_folder_without_a_row_is_refused(self):
        status, output = self.check(src__check__new__x="")
        self.assertEqual(status, 1)
        self.assertIn("src/check/new/x.c:1: the folder src/check/new has no row", output)

    def test_a_row_without_a_folder_is_refused(self):
        status, output = self.check(folders=[name for name in FOLDERS if name != "check/races"])
        self.assertEqual((status, output), (1, "CONTRIBUTING.md:8: src/check/races has no source files\n"))

    def test_a_row_that_allows_what_is_not_there_is_refused(self):
        status, output = self.check(table=TABLE.replace("trace, base |", "trace, bass |", 1))
        self.assertEqual((status, output),
                         (1, "CONTRIBUTING.md:6: src/trace/native may include bass, which has no row\n"))

    def test_without_the_table_there_is_no_rule(self):
        self.assertEqual(self.check(table=None)[0], 1)

    def test_a_planted_violation_is_found_with_its_place(self):
        status, output = self.check(src__trace__x='\n#include "base/error.h"\n#include "check/engine.h"\n')
        self.assertEqual(status, 1)
        self.assertIn("src/trace/x.c:3: trace must not include check", output)
        self.assertEqual(len(output.splitlines()), 1)

    def test_the_lowest_folder_includes_no_other(self):
        status, output = self.check(src__base__x='  #  include "trace/event.h"\n')
        self.assertEqual(status, 1)
        self.assertIn("no other folder", output)

    def test_engines_do_not_see_reports(self):
        self.assertEqual(self.check(src__check__x='#include "report/json/json_report.h"\n')[0], 1)

    def test_a_path_without_its_folder_is_refused(self):
        self.assertEqual(self.check(src__base__x='#include "error.h"\n')[0], 1)
        self.assertEqual(self.check(src__base__x='#include "../trace/event.h"\n')[0], 1)

    def test_an_unknown_folder_is_refused(self):
        self.assertEqual(self.check(src__new__x="\n")[0], 1)

    def test_public_headers_include_standard_headers_only(self):
        self.assertEqual(self.check(include__seriatim__a="#include <stdint.h>\n")[0], 0)
        self.assertEqual(self.check(include__seriatim__a='#include "base/error.h"\n')[0], 1)
        self.assertEqual(self.check(include__seriatim__a="#include <zstd.h>\n")[0], 1)

    def test_an_empty_tree_is_not_fine(self):
        self.assertEqual(self.check(folders=[], docs__x="")[0], 1)


if __name__ == "__main__":
    unittest.main()
