"""What costs no events under `run`: locks that order nothing, and looks that find nothing new. Reports say which locks were
held all the same, and what is cut is found."""

import json
import re
import unittest

from compiled import all_in, compiled
from test_java_options import FOUND, HERE, Case
from test_java_programs import FOLDER

# What the updater holds at its two accesses, the lock that it took last first.
HELD = {"Nested": (["Held$Inner@1", "Held$Outer@1"], ["Held$Inner@1", "Held$Outer@1"]),
        "Crossed": (["ReentrantLock@2"], ["ReentrantLock@2"]),
        "Twice": (["class Held"], ["class Held"]),
        "Shared": (["ReentrantReadWriteLock@1 (read)"], ["ReentrantReadWriteLock@1"]),
        "Bare": ([], []),
        "Thrown": (["Held$Outer@1"], ["Held$Outer@1"])}


class Quiet(Case):
    def java(self, *words):
        classes = compiled(*all_in(HERE / "quiet"), *all_in(FOLDER / "unwatched"))
        return ["--", "java", "-cp", classes, *words]

    def watched(self, *words, options=(), status=FOUND):
        return self.run_program("-q", *options, *self.java(*words), status=status)[0]


class Held(Quiet):
    def assert_locks(self, report):
        cut = {violation["block"].removeprefix("Held.update"): violation["path"] for violation in report["violations"]
               if violation["block"].startswith("Held.update") and violation["block"] != "Held.update"}
        cut.pop("All", None)
        self.assertEqual(sorted(cut), sorted(HELD))
        for name, path in cut.items():
            self.assertEqual((path[0]["from"]["locks"], path[-1]["to"]["locks"]), HELD[name], (name, path))
            self.assertEqual(path[0]["to"]["locks"], HELD[name][1], (name, path))
            self.assertNotIn("locks_unknown", json.dumps(path))

    def test_reports_say_what_was_held(self):
        self.assert_locks(self.watched("Held"))

    def test_so_they_do_with_the_interpreter(self):
        self.assert_locks(self.watched("-Xint", "Held"))

    def test_the_twin_is_clean(self):
        self.assertTrue(self.watched("-Dfixed=true", "Held", status=0)["serializable"])

    def test_recordings_say_the_same(self):
        done = self.seriatim("record", "-q", "-o", "t.stt", "--exclude", "unwatched.*", *self.java("Held"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_locks(json.loads(self.seriatim("check", "--format", "json", "t.stt").stdout))


class Crowd(Quiet):
    def test_what_is_accessed_under_its_lock_is_said_to_be(self):
        """Threads meet in another order each time, and some accesses are emitted by others long after."""
        for flags in ([], ["-Xint"], ["-XX:TieredStopAtLevel=1"]):
            result = self.watched(*flags, "Crowd", options=["--limit", "0"])
            ends = [end for violation in result["violations"] for edge in violation["path"]
                    for end in (edge["from"], edge["to"])]
            accesses = [(re.fullmatch(r"[rw]\((Crowd@\d+)\.value\)", end["op"]), end) for end in ends]
            self.assertTrue(any(op for op, _ in accesses))
            for op, end in accesses:
                if op and not end.get("locks_unknown"):
                    self.assertIn(op[1], end["locks"], end)
                    if end["function"] in ("Crowd.get", "Crowd.set"):
                        self.assertEqual(end["locks"], [op[1]], end)


class Alone(Quiet):
    def test_a_section_in_which_nothing_is_shared_is_no_event(self):
        quiet = self.watched("Alone", status=0)
        heard = self.watched("Alone", options=["--locks"], status=0)
        self.assertLess(quiet["trace"]["events"], 200)
        self.assertGreater(heard["trace"]["events"], 40000)
        counts = [{block["name"]: block["executed"] for block in report["blocks"]} for report in (quiet, heard)]
        self.assertEqual(counts[0]["Alone.add"], 20000)
        self.assertEqual(counts[0], counts[1])

    def test_sections_that_are_blocks_are_seen(self):
        (self.folder / "spec").write_text("atomic section\n")
        report = self.watched("Alone", options=["--spec", "spec"], status=0)
        sections = [block for block in report["blocks"] if "section" in block["name"]]
        self.assertEqual(sum(block["executed"] for block in sections), 20002)


class Looking(Quiet):
    def test_looks_that_find_nothing_new_are_no_events(self):
        result = self.watched("-Dfixed=true", "Looking", status=0)
        self.assertLess(result["trace"]["events"], 1000)

    def test_who_goes_on_behind_the_last_look_is_cut(self):
        result = self.watched("Looking")
        self.assertIn("Looking.step", self.violated(result))
        self.assertLess(result["trace"]["events"], 1000)


if __name__ == "__main__":
    unittest.main()
