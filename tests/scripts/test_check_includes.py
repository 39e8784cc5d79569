"""scripts/check-includes has to find planted violations, or it guards nothing."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-includes"


class CheckIncludes(unittest.TestCase):
    def check(self, **files):
        """Runs the script on a tree of these files (__ stands for /, and .c or .h is added)."""
        with tempfile.TemporaryDirectory() as root:
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
        self.assertEqual((status, output), (0, "2 files keep the dependency rule\n"))

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
        self.assertEqual(self.check(src__check__x='#include "report/json/json.h"\n')[0], 1)

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
        self.assertEqual(self.check(docs__x="")[0], 1)


if __name__ == "__main__":
    unittest.main()
