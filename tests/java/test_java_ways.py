"""Compilers and collectors: nothing is claimed of programs without a bug, and scripts are judged right, whatever
executes the code and moves the objects.

All twins of tests/java/programs run in one JVM for each way, and after them the scripts of test_java_player in another.
One more JVM is recorded with the twins.
"""

import json
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
os.environ.setdefault("SERIATIM_BUILD", "build")

import brute_force  # pylint: disable=wrong-import-position
import scripts_for_java  # pylint: disable=wrong-import-position
import test_java_player  # pylint: disable=wrong-import-position
import test_java_programs  # pylint: disable=wrong-import-position

WAYS = {
    "interpreter_serial": ["-Xint", "-XX:+UseSerialGC"],
    "c1_parallel": ["-XX:TieredStopAtLevel=1", "-XX:+UseParallelGC"],
    "c2_g1": ["-XX:-TieredCompilation", "-XX:CompileThreshold=100", "-XX:+UseG1GC"],
    "usual_zgc": ["-XX:+UseZGC"],
}
FIRST_SCRIPT, SCRIPTS = 50_000, 30


def twins():
    """Those that need no options of their own."""
    return [variant for program in test_java_programs.all_programs() for variant in program.variants
            if test_java_programs.has_company(variant)]


@unittest.skipUnless(test_java_programs.AGENT.exists(), "there is no agent for Java programs")
class Ways(test_java_player.Case):
    def watch_twins(self, command, *words, flags):
        """Each of them prints that it did what it should."""
        variants = twins()
        (self.folder / "twins.spec").write_text("".join(variant.specification for variant in variants))
        done = self.call(command, "--exclude", "unwatched.*", "--spec", "twins.spec", *words, "--", "java", *flags,
                         "-Dfixed=true", "-cp", test_java_programs.classes(), "unwatched.Twins",
                         *(variant.program.path.stem for variant in variants))
        self.assertEqual(done.stdout, "ok\n" * len(variants))

    def assert_nothing_is_violated(self, text):
        result = json.loads(text)
        self.assertEqual((result["serializable"], [each["block"] for each in result["violations"]]), (True, []))

    def run_twins(self, flags):
        self.watch_twins("run", "--format", "json", "--log", "twins.json", flags=flags)
        self.assert_nothing_is_violated((self.folder / "twins.json").read_text())

    def test_a_recording_of_the_twins_has_neither_violations_nor_races(self):
        self.watch_twins("record", "-o", "twins.stt", flags=[])
        self.call("convert", "-q", "twins.stt", "twins.std")
        for trace in ("twins.stt", "twins.std"):
            self.assert_nothing_is_violated(self.call("check", "--data", "--format", "json", trace).stdout)
        races = json.loads(self.call("stats", "--format", "json", "twins.stt").stdout)["races"]
        self.assertEqual(races["accesses"], 0, races["pairs"])

    def play(self, flags, first):
        scripts = {f"s{seed}": scripts_for_java.script(seed) for seed in range(first, first + SCRIPTS)}
        truths = {name: brute_force.judge(scripts_for_java.events(lines), "--data") for name, lines in scripts.items()}
        self.compare(scripts, truths, self.run_scripts(scripts, "--data", *flags), "run --data")


def add_ways():
    for number, (name, flags) in enumerate(WAYS.items()):
        def test_twins(self, flags=flags):
            self.run_twins(flags)

        def test_scripts(self, flags=flags, first=FIRST_SCRIPT + number * SCRIPTS):
            self.play(flags, first)
        setattr(Ways, f"test_twins_{name}", test_twins)
        setattr(Ways, f"test_scripts_{name}", test_scripts)


add_ways()


def load_tests(loader, _tests, _pattern):
    """Those of the modules that this one uses are run elsewhere."""
    return loader.loadTestsFromTestCase(Ways)


if __name__ == "__main__":
    unittest.main()
