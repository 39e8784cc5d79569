"""Barriers of java.util.concurrent order all schedules: `predict` says nothing of what they keep apart."""

import json
import unittest

from compiled import all_in, compiled
from test_java_options import HERE, Case


class Barriers(Case):
    def predicted(self, *words):
        classes = compiled(*all_in(HERE / "rounds"))
        done = self.seriatim("record", "-q", "-o", "t.stt", "--", "java", "-cp", classes, "Rounds", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.seriatim("predict", "--format", "json", "t.stt")
        return {block["block"] for block in json.loads(done.stdout)["blocks"] if block["verdict"] != "atomic"}

    def test_what_barriers_keep_apart_is_not_cut(self):
        for kind in ("barrier", "phaser"):
            with self.subTest(kind):
                self.assertEqual(self.predicted(kind), set())

    def test_what_they_do_not_keep_apart_may_be_cut(self):
        for kind in ("barrier", "phaser"):
            with self.subTest(kind):
                self.assertIn("Rounds.look", self.predicted(kind, "late"))


if __name__ == "__main__":
    unittest.main()
