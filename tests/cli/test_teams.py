"""Hunts of programs whose threads wait in libraries: OpenMP by gcc and by clang, oneTBB, and libraries
that nobody instrumented; and of programs that wait for ever."""

import subprocess
import unittest

from hunting import Hunting
from seriatim import BINARY, ROOT, RUNTIME, SANITIZED, environment

HUNTED = ROOT / "tests" / "hunted"
CONTROL = ROOT / "tests" / "control"
COMPILERS = ("gcc", "clang")


@unittest.skipIf(SANITIZED, "the runtime has no sanitizers")
class Teams(Hunting):
    def make(self, source, *flags, compiler="gcc"):
        """Returns the program."""
        cxx = source.suffix == ".cc"
        target = self.folder / "-".join([source.stem, compiler, *flags])
        subprocess.run(
            [str(BINARY), "c++" if cxx else "cc", "-g", "-O1", "-pthread", str(source), "-o",
             str(target), *flags], check=True,
            env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME), SERIATIM_CC=compiler,
                            SERIATIM_CXX={"gcc": "g++", "clang": "clang++"}[compiler]))
        return target

    def assert_found(self, program, block):
        result = self.found(program, "--runs", "30", "--until", "first")
        self.assertEqual(result["loose"], 0)
        self.assertEqual([(one["block"], one["replayed"]) for one in result["violations"]],
                         [(block, "10/10")])

    def assert_nothing(self, program, runs):
        result = self.hunt(program, "--runs", str(runs))
        self.assertEqual((result.message, result.status), ("", 0))
        self.assertEqual((result.json["loose"], result.json["other_outputs"]), (0, 0))
        return result.json

    def harmless(self, program):
        """The result: functions that do several things are cut, and nothing comes of it."""
        result = self.hunt(program, "--runs", "10")
        self.assertEqual(result.message, "")
        self.assertEqual((result.json["loose"], result.json["other_outputs"]), (0, 0))
        self.assertEqual(result.json["failures"], [])
        for one in result.json["violations"]:
            self.assertEqual((one["outcome"], one["replayed"]), ("same", "10/10"))
        return result.json

    def test_a_bug_in_a_team_is_found_and_replayed(self):
        for compiler in COMPILERS:
            for name, block in (("omp_stock.c", "sell"), ("omp_task_seats.c", "take")):
                with self.subTest(compiler=compiler, name=name):
                    self.assert_found(self.make(HUNTED / name, "-fopenmp", compiler=compiler), block)
                    self.assert_nothing(
                        self.make(HUNTED / name, "-fopenmp", "-DFIXED", compiler=compiler), 12)

    def test_a_bug_in_tasks_of_tbb_is_found_and_replayed(self):
        self.assert_found(self.make(HUNTED / "tbb_votes.cc", "-ltbb"), "count_vote")
        self.assert_nothing(self.make(HUNTED / "tbb_votes.cc", "-ltbb", "-DFIXED"), 12)

    def test_all_that_teams_do_runs_to_its_end_in_each_schedule(self):
        programs = [self.make(CONTROL / "omp_all.c", "-fopenmp", compiler=compiler)
                    for compiler in COMPILERS]
        for program in [*programs, self.make(CONTROL / "tbb_all.cc", "-ltbb")]:
            with self.subTest(program=program.name):
                first, second = self.harmless(program), self.harmless(program)
                self.assertEqual(first["points"], second["points"])


@unittest.skipIf(SANITIZED, "the runtime has no sanitizers")
class Waits(Hunting):
    def test_waiting_in_a_library_is_no_deadlock(self):
        library = self.folder / "libquiet.so"
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", str(CONTROL / "quiet.c"), "-o", str(library),
                        "-pthread"], check=True)
        program = self.folder / "with_quiet"
        subprocess.run([str(BINARY), "cc", "-g", "-O1", "-pthread", str(CONTROL / "with_quiet.c"), "-o",
                        str(program), f"-L{self.folder}", "-lquiet", f"-Wl,-rpath,{self.folder}"],
                       check=True, env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME)))
        for way in range(3):
            with self.subTest(way=way):
                result = self.hunt(program, "--runs", "6", arguments=[str(way)])
                self.assertEqual(result.status, 0, result.text + result.message)
                self.assertEqual(result.json["other_outputs"], 0)

    def test_a_run_that_waits_for_ever_is_ended(self):
        program = self.source((CONTROL / "waits_if_late.c").read_text())
        result = self.hunt(program, "--runs", "8", "--strategy", "random", "--seed", "3",
                           limits=("--time", "1000000"))
        self.assertRegex(result.message, r"\d of 8 runs did not end within [0-9.]+ seconds")
        self.assertEqual(result.status, 0, result.text)


if __name__ == "__main__":
    unittest.main()
