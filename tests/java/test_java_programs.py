"""Java programs: compiled, run, recorded, and compared with what they expect.

Each program in tests/java/programs says what seriatim must find in it, in the comments that
tests/programs/README.md describes; its twin is the same class, run with -Dfixed=true. One runs in
all ways: with the interpreter, with each compiler and each collector; each of the others in one.
test_java_ways.py runs and records the twins, many in one JVM and in all ways; those that need options
of their own are left to this file.

    SERIATIM_PROGRAMS=all            every program and its twin, in all ways
    SERIATIM_PROGRAMS=Monitor.java   this one in all ways; names and globs, separated by commas
"""

import fnmatch
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
sys.path.insert(0, str(HERE))
os.environ.setdefault("SERIATIM_BUILD", "build")

import programs  # pylint: disable=wrong-import-position
import test_programs  # pylint: disable=wrong-import-position
from compiled import all_in, compiled  # pylint: disable=wrong-import-position
from seriatim import BINARY  # pylint: disable=wrong-import-position

FOLDER = HERE / "programs"
AGENT = BINARY.parent / "runtime" / "seriatim-java.jar"

WAYS = {
    "usual": [],
    "interpreter": ["-Xint"],
    "c1": ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"],
    "c2": ["-XX:-TieredCompilation", "-XX:+UseParallelGC"],
    "g1": ["-XX:+UseG1GC"],
    "zgc": ["-XX:+UseZGC"],
}
IN_ALL_WAYS = {"Monitor.java"}


def classes():
    """All programs, compiled."""
    return compiled(*all_in(FOLDER))


class Job(test_programs.Job):
    """A variant of a program, run in one of the ways."""

    def __init__(self, variant, way):
        super().__init__(variant, "java", way)

    def _build(self):
        self._note("javac", "-g", "-d", "classes", *sorted(FOLDER.rglob("*.java")))
        (self.folder / "classes").symlink_to(classes())

    def _program(self):
        return ["java", *WAYS[self.optimize], *self.variant.flags, "-cp", "classes", self.program.path.stem]

    def _watching(self):
        return ["--exclude", "unwatched.*", *self.program.flags, *self._specify()]


def all_programs():
    return [programs.Program(path) for path in sorted(FOLDER.glob("*.java"))]


def has_company(variant):
    """Is this a twin that test_java_ways.py runs together with others?"""
    return variant.name == "fixed" and not variant.program.flags


def select(wish):
    jobs = []
    wishes = [word for word in wish.split(",") if word]
    for number, program in enumerate(all_programs()):
        if wishes not in ([], ["all"]) and not any(
                fnmatch.fnmatchcase(program.name, word) for word in wishes):
            continue
        every = wishes or program.name in IN_ALL_WAYS
        ways = list(WAYS) if every else [list(WAYS)[number % len(WAYS)]]
        jobs += [Job(variant, way) for way in ways for variant in program.variants
                 if wishes or not has_company(variant)]
    return jobs


@unittest.skipUnless(AGENT.exists(), "there is no agent for Java programs: install a JDK and ASM "
                     "(scripts/setup test), and build again")
class JavaPrograms(unittest.TestCase):
    """A test for each job; see the top of the file."""


JOBS = sorted(select(os.environ.get("SERIATIM_PROGRAMS", "")), key=lambda job: job.name)
AHEAD = test_programs.Ahead(JOBS)
for one in JOBS:
    setattr(JavaPrograms, f"test_{one.name}", test_programs.make_test(AHEAD, one))


def load_tests(loader, _tests, _pattern):
    """Those of test_programs are run elsewhere."""
    return loader.loadTestsFromTestCase(JavaPrograms)


