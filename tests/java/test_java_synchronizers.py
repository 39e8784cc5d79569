"""Locks that a program makes itself, of AbstractQueuedSynchronizer, of atomics and of LockSupport: each method of
synchronizers/Own.java that uses one twice is found, in a run and by prediction, and none of them where it is used once."""

import json
import unittest

from compiled import BETWEEN, all_in, compiled
from test_java_options import Case
from test_java_programs import HERE

FOLDER = HERE / "synchronizers"
PROPER = {"mutex", "tried", "reentrant", "barging", "wide", "permit", "fifo", "readWrite"}
ALL = PROPER | {"tickets", "queued"}


def classes():
    return compiled(*all_in(FOLDER), BETWEEN)


def methods(names):
    return {f"Own.{name}" for name in names}


class Synchronizers(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "spec").write_text("ignore thread functions\n")

    def own(self, *words, fixed=False):
        return ["--spec", "spec", "--", "java", *(["-Dfixed=true"] if fixed else []), "-cp", classes(), "Own", *words]

    def record(self, *words, fixed=False):
        trace = self.folder / "trace"
        done = self.seriatim("record", "-o", trace, "--exclude", "unwatched.*", *self.own(*words, fixed=fixed))
        self.assertEqual((done.returncode, done.stdout), (0, "ok\n"), done.stderr)
        return trace

    def analyse(self, command, trace):
        return json.loads(self.seriatim(command, "--format", "json", trace).stdout)

    def may_be_cut(self, trace):
        return {block["block"] for block in self.analyse("predict", trace)["blocks"] if block["verdict"] != "atomic"}

    def test_each_is_found_where_it_is_used_twice(self):
        result, _ = self.run_program(*self.own())
        self.assertEqual(self.violated(result) - {"Own$Guarded.addLate"}, methods(ALL))

    def test_a_run_is_silent_where_it_is_used_once(self):
        result, _ = self.run_program(*self.own(fixed=True), status=0)
        self.assertEqual((result["serializable"], self.violated(result)), (True, set()))

    def test_nor_does_a_recording_claim_anything(self):
        trace = self.record("proper", fixed=True)
        result = self.analyse("check", trace)
        self.assertEqual((result["serializable"], self.violated(result)), (True, set()))
        self.assertEqual(self.analyse("stats", trace)["races"]["pairs"], [])
        self.assertEqual(self.may_be_cut(trace), set())

    def test_what_did_not_happen_is_foreseen(self):
        trace = self.record("apart", "proper")
        self.assertTrue(self.analyse("check", trace)["serializable"])
        self.assertEqual(self.may_be_cut(trace) - {"Own$Guarded.addLate"}, methods(PROPER))


if __name__ == "__main__":
    unittest.main()
