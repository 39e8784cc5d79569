"""Ways to hand something to another thread, each with its bug and without: what is handed over in the right order has no
data race, and what is written after that has one."""

import json
import unittest

from compiled import compiled
from test_java_options import Case
from test_java_programs import HERE

WAYS = ("transfer", "ends", "timedends", "linked", "delayed", "drained", "array", "typedarray", "removedif",
        "visited", "streamed", "seen", "worker", "ended", "often", "periodic", "invoke", "both",
        "list", "combined", "failed", "failedtask", "failedjoin", "dependent", "parts", "terminated", "barrier", "phaser", "got", "counted", "values", "entries", "each", "identity", "updated",
        "computed")


def classes():
    return compiled(HERE / "handovers" / "Handovers.java")


class Handovers(Case):
    def recorded(self, *words):
        trace = self.folder / "trace"
        done = self.seriatim("record", "-o", trace, "--", "java", *words)
        self.assertEqual((done.returncode, done.stdout), (0, "ok\n"), done.stderr)
        return trace

    def races(self, way, *flags):
        trace = self.recorded(*flags, "-cp", classes(), "Handovers", way)
        stats = json.loads(self.seriatim("stats", "--format=json", trace).stdout)
        return {pair["variable"] for pair in stats["races"]["pairs"]} if stats["races"] else set()


def make(way):
    def right(self):
        self.assertEqual(self.races(way), set())

    def late(self):
        self.assertEqual({name.split("@")[0] for name in self.races(way, "-Dlate=true")}, {"Handovers$Box"})

    return right, late


for one in WAYS:
    setattr(Handovers, f"test_{one}", make(one)[0])
    setattr(Handovers, f"test_{one}_late", make(one)[1])


if __name__ == "__main__":
    unittest.main()
