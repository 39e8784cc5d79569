"""`record --reduced` defers accesses as `run` does, and leaves them out where nobody comes to them.

Random schedules are played by a real program. By both relations each engine must say of the
recording what is true of the script (tests/cli/scripts_for_player.py). docs/recordings.md has the
rule; build/placing-differential compares it on random traces.

    SERIATIM_SCRIPTS=3000 SERIATIM_FIRST_SCRIPT=100000 python3 -m unittest test_deferred_recordings
"""

import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

import test_player
from seriatim import BINARY, ROOT

COUNT, FIRST = test_player.COUNT, test_player.FIRST
RELATIONS = ("--data", "--locks")
NEVER_ALL = ("aerodrome", "velodrome", "doublechecker")  # engines that do not say which blocks are violated, or not all
call = test_player.call


def verdicts(trace, relation):
    """What each engine says of the trace, and witness of each block."""
    found = {}
    done = call(BINARY, "check", relation, "--engine", "all", "--limit", "0", "--format", "json", trace)
    report = json.loads(done.stdout)
    for engine in report["engines"]:
        found[engine["engine"]] = engine["serializable"]
    return found


class Reduced(test_player.Player):
    """Instead of what the player's test compares."""

    def play(self, program, script, relation="--data"):
        text, trace, truth = (self.folder / name for name in ("script", "r.stt", "truth.std"))
        text.write_text(script)
        truth.write_text(test_player.scripts_for_player.truth(script))
        spec = self.folder / "spec"
        spec.write_text("ignore thread functions\n")
        call(BINARY, "record", "-q", "--reduced", "--spec", spec, "-o", trace, program, text)
        for each in RELATIONS:
            expected = self.check(truth, each)
            self.assertEqual(expected, self.check(trace, each), f"{each}, script:\n{script}")
            self.assertEqual({expected[0]}, set(verdicts(trace, each).values()), f"{each}, script:\n{script}")
        return (expected, expected, self.check(trace, RELATIONS[-1]))


if __name__ == "__main__":
    unittest.main()
