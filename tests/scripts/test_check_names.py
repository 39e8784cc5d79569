"""scripts/check-names has to find planted doubles, or it guards nothing."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-names"


class CheckNames(unittest.TestCase):
    def check(self, files):
        """Runs the script on a tree of these files: path -> text."""
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            result = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)
        self.assertEqual(result.stderr, "")
        return result.returncode, result.stdout.splitlines()

    def assert_finds(self, files, *sentences):
        self.assertEqual(self.check(files), (1, list(sentences)))

    def assert_fine(self, files):
        status, lines = self.check(files)
        self.assertEqual((status, len(lines)), (0, 1), lines)

    def test_the_tree_itself_keeps_the_rule(self):
        result = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_functions_of_the_runtime_in_another_file_than_their_header(self):
        files = {"src/runtime/core/a.h": "void rt_one(void);\nvoid rt_two(void);\n",
                 "src/runtime/core/a.c": "void rt_one(void) {\n}\n",
                 "src/runtime/core/b.c": "void rt_two(void) {\n    rt_one();\n}\n"}
        self.assert_finds(files, "src/runtime:1: 1 of 2 functions are not in the file of their header: "
                                 "rt_two of a.h is in b.c")
        files["src/runtime/core/a.c"] = "".join(f"void rt_{i}(void) {{\n}}\n" for i in ("one", "c", "d", "e"))
        files["src/runtime/core/a.h"] += "".join(f"void rt_{i}(void);\n" for i in ("c", "d", "e"))
        self.assert_fine(files)

    def test_a_tag_that_is_defined_twice(self):
        for kind in "struct", "union", "enum":
            self.assert_finds({"src/check/a.h": "struct st_place {\n    int x;\n};\n",
                               "src/watch/b.c": f"\n{kind} st_place {{\n    y,\n}};\n"},
                              "src/watch/b.c:2: the tag st_place is defined in src/check/a.h:1, too")

    def test_the_public_header_counts(self):
        self.assert_finds({"include/seriatim/seriatim.h": "struct seriatim_edge { int x; };\n",
                           "src/library/a.c": "struct seriatim_edge { int x; };\n"},
                          "src/library/a.c:1: the tag seriatim_edge is defined in "
                          "include/seriatim/seriatim.h:1, too")

    def test_a_tag_that_is_only_named_twice_is_fine(self):
        self.assert_fine({"src/check/a.h": "struct st_place { int x; };\nstruct st_place *st_get(void);\n",
                          "src/watch/b.h": "struct st_place;\nvoid st_take(const struct st_place *place);\n"})

    def test_comments_and_strings_define_nothing(self):
        self.assert_fine({"src/check/a.h": "struct st_place { int x; };\n",
                          "src/watch/b.c": "/* struct st_place {\n * #define ST_X\n */\n"
                                           "// struct st_place {\n"
                                           "const char *text = \"struct st_place {\";\n"})

    def test_tags_without_a_prefix_belong_to_their_file(self):
        self.assert_fine({"src/check/a.c": "struct run { int x; };\n",
                          "src/watch/b.c": "struct run { int x; };\n"})

    def test_a_function_with_the_name_of_a_tag(self):
        self.assert_finds({"src/trace/replay.h": "struct st_replay { int x; };\n",
                           "src/check/a.c": "\nvoid st_replay(int x,\n               int y) {\n}\n"},
                          "src/check/a.c:2: the function st_replay has the name of a tag "
                          "(src/trace/replay.h:1) and does not return one")

    def test_a_function_that_returns_the_tag_is_fine(self):
        self.assert_fine({"src/watch/sites.h": "struct st_site { int x; };\n"
                                               "const struct st_site *st_site(int number);\n"})

    def test_a_call_is_no_definition(self):
        self.assert_fine({"src/watch/sites.h": "struct st_site { int x; };\n",
                          "src/watch/sites.c": "int f(void) {\n    return st_site(1);\n}\n"})

    def test_a_macro_that_two_files_define(self):
        self.assert_finds({"src/predict/a.h": "enum { ST_NO_NAME = 1, ST_NO_VARIABLE };\n",
                           "src/watch/b.h": "#define ST_NO_VARIABLE UINT32_MAX\n"},
                          "src/watch/b.h:1: ST_NO_VARIABLE is defined in src/predict/a.h:1, too")

    def test_an_enum_constant_that_two_files_define(self):
        self.assert_finds({"src/predict/a.h": "enum st_a {\n    ST_FIRST,\n    ST_SECOND = ST_FIRST + 2,\n};\n",
                           "src/watch/b.h": "enum st_b { ST_SECOND };\n"},
                          "src/watch/b.h:1: ST_SECOND is defined in src/predict/a.h:3, too")

    def test_an_include_guard_that_was_copied(self):
        self.assert_finds({"src/a/one.h": "#ifndef GUARD\n#define GUARD\n#endif\n",
                           "src/a/two.h": "#ifndef GUARD\n#define GUARD\n#endif\n"},
                          "src/a/two.h:2: GUARD is defined in src/a/one.h:2, too")

    def test_constants_of_a_body_belong_to_it(self):
        self.assert_fine({"src/a/one.c": "enum { KEPT = 10 };\n#define COUNT(x) 1\n",
                          "src/a/two.c": "enum { KEPT = 20 };\n#define COUNT(x) 2\n"})

    def test_a_file_may_choose_between_two_definitions(self):
        self.assert_fine({"src/a/one.h": "#ifdef X\n#define ST_Y 1\n#else\n#define ST_Y 2\n#endif\n"})

    def test_two_files_of_the_same_name(self):
        self.assert_finds({"src/check/known.c": "", "src/check/known.h": "", "src/report/known.h": ""},
                          "src/report/known.h:1: the file has the name of src/check/known.c")

    def test_a_folder_with_too_many_files(self):
        files = {f"src/a/file{i}.c": "" for i in range(30)}
        self.assert_fine(files)
        self.assert_finds(files | {"src/a/page.css": ""},
                          "src/a:1: 31 files; no folder has more than 30")
        self.assert_fine(files | {"src/a/b/page.css": ""})

    def test_an_empty_tree_is_not_fine(self):
        self.assertEqual(self.check({"docs/x.md": ""})[0], 1)


if __name__ == "__main__":
    unittest.main()
