"""The programs in tests/hunted: each says what is wrong with it, and its twin is right.

What `seriatim hunt` must find in them is said in comments, which tests/hunted/README.md describes.
Here one compiler must accept the program and another one builds the twin, in turns, and the twin runs
freely, with nothing to be found. How the faulty ones run freely is a matter of chance, and not tested.

    SERIATIM_HUNTED=all       both compilers build both, and twins run 20 times
    SERIATIM_HUNTED=seats.c   this program only; names and globs, separated by commas
"""

import fnmatch
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import programs
import test_programs
from seriatim import BINARY, RUNTIME, environment

COMPILERS = {"gcc": "g++", "clang": "clang++"}
WISH = os.environ.get("SERIATIM_HUNTED", "")
FLAGS = ["-g", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread"]


class Job:
    """Builds a program and its twin, and runs the twin. A program with its bug is not linked."""

    def __init__(self, program, number):
        self.program = program
        ways = [(compiler, variant) for compiler in COMPILERS for variant in program.variants]
        self.ways = ways if WISH else ways[1:3] if number % 2 else [ways[0], ways[3]]
        self.times = 20 if WISH else 1

    def run(self):
        """Returns everything that is wrong, or None."""
        problems = []
        for compiler, variant in self.ways:
            problems += self._try(compiler, variant)
        return "\n".join([str(self.program.path), *problems]) if problems else None

    def _try(self, compiler, variant):
        runs = variant.name == "fixed"
        with tempfile.TemporaryDirectory(prefix="seriatim-hunted-") as name:
            folder = pathlib.Path(name)
            standard = "-std=c++17" if self.program.is_cxx else "-std=gnu11"
            # clang does not like libraries where nothing is linked.
            flags = [flag for flag in self.program.flags if runs or not flag.startswith("-l")]
            done = self._start(
                folder, BINARY, "c++" if self.program.is_cxx else "cc", standard, *FLAGS,
                *variant.flags, self.program.path, *flags,
                *(("-o", "program") if runs else ("-fsyntax-only",)),
                SERIATIM_CC=compiler, SERIATIM_CXX=COMPILERS[compiler])
            if done.returncode or done.stdout or done.stderr:
                return [f"{compiler} {' '.join(variant.flags)}: {done.stdout}{done.stderr}"]
            return self._watch(folder, compiler) if runs else []

    def _watch(self, folder, compiler):
        problems = []
        for _ in range(self.times):
            done = self._start(folder, BINARY, "run", "--format", "json", "--log", "log", "--",
                               "./program")
            result = json.loads((folder / "log").read_text())
            if done.returncode or not result["serializable"] or programs.violated_names(result):
                problems.append(f"the twin by {compiler} ends with status {done.returncode}: "
                                f"{done.stdout}{done.stderr}{json.dumps(result, indent=1)}")
        return problems

    @staticmethod
    def _start(folder, *words, **variables):
        return subprocess.run([str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", check=False,
                              env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME), **variables))


def wanted(program):
    return WISH in ("", "all") or any(fnmatch.fnmatchcase(program.name, word)
                                      for word in WISH.split(","))


@unittest.skipUnless(RUNTIME.exists(), f"there is no runtime: {RUNTIME}")
class Hunted(unittest.TestCase):
    """A test for each program."""


ALL = programs.all_programs(programs.HUNTED)
JOBS = [Job(program, number) for number, program in enumerate(ALL) if wanted(program)]
AHEAD = test_programs.Ahead(JOBS)
for one in JOBS:
    setattr(Hunted, "test_" + one.program.name.replace(".", "_"), test_programs.make_test(AHEAD, one))


class Collection(unittest.TestCase):
    """The folder as a whole."""

    def test_every_program_says_what_is_wrong_and_has_a_twin(self):
        for program in ALL:
            with self.subTest(program=program.name):
                self.assertEqual([variant.name for variant in program.variants], ["", "fixed"])
                bug, twin = program.variants
                self.assertFalse(bug.expected.none)
                self.assertTrue(bug.expected.harm, "it does not say what harm is done")
                self.assertTrue(twin.expected.none)
                self.assertEqual(twin.flags, ["-DFIXED"])

    def test_no_program_forces_its_schedule(self):
        for program in ALL:
            with self.subTest(program=program.name):
                self.assertNotRegex(program.path.read_text(), r"sleep|yield|schedule\.h")

    def test_every_block_that_is_to_be_found_is_a_function(self):
        for program in ALL:
            expected = program.variants[0].expected
            text = program.path.read_text()
            for pattern in expected.violated + expected.maybe + expected.cycle:
                for name in pattern.split("|"):
                    with self.subTest(program=program.name, name=name):
                        function = [word for word in re.split("[?:*,]+", name) if word][-1]
                        self.assertRegex(text, rf"\b{function}\(")

    def test_the_list_has_every_program_once(self):
        text = (programs.HUNTED / "README.md").read_text()
        listed = re.findall(r"^\| `([a-z0-9_]+\.cc?)` \|", text, re.M)
        self.assertEqual(listed, sorted(listed))
        self.assertEqual(sorted(listed), [program.name for program in ALL])


if __name__ == "__main__":
    unittest.main()
