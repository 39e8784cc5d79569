"""What java.util.concurrent has, used twice where once would do: each method of Cut.java is found, and none of them where it is
used once, all in one JVM. Methods that another one cannot cut are never claimed."""

import json
import re
import unittest

from compiled import BETWEEN, all_in, compiled
from test_java_options import Case
from test_java_programs import HERE

FOLDER = HERE / "primitives"
NEVER = {"countsBoth", "otherKey", "otherText", "otherElement"}


def classes():
    return compiled(*all_in(FOLDER), BETWEEN)


def methods():
    return set(re.findall(r"void (\w+)\(boolean slowly\)", (FOLDER / "Cut.java").read_text())) - NEVER


class Primitives(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "spec").write_text("ignore thread functions\n")

    def test_each_is_found_where_it_is_used_twice(self):
        result, _ = self.run_program("--spec", "spec", "--", "java", "-cp", classes(), "Cut")
        self.assertEqual(self.violated(result), {f"Cut.{name}" for name in methods()})

    def test_nothing_is_claimed_where_it_is_used_once(self):
        trace = self.folder / "trace"
        done = self.seriatim("record", "-o", trace, "--exclude", "unwatched.*", "--spec", "spec", "--",
                             "java", "-Dfixed=true", "-cp", classes(), "Cut")
        self.assertEqual((done.returncode, done.stdout), (0, "ok\n"), done.stderr)
        result = json.loads(self.seriatim("check", "--format", "json", trace).stdout)
        self.assertEqual((result["serializable"], self.violated(result)), (True, set()))
        races = json.loads(self.seriatim("stats", "--format", "json", trace).stdout)["races"]
        self.assertEqual(races["accesses"], 0, races["pairs"])

    def test_a_run_of_it_is_silent(self):
        result, _ = self.run_program("--spec", "spec", "--", "java", "-Dfixed=true", "-cp", classes(), "Cut", status=0)
        self.assertEqual((result["serializable"], self.violated(result)), (True, set()))


if __name__ == "__main__":
    unittest.main()
