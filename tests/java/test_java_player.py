"""Random schedules, played by real Java threads: `run`, and `record` with `check`, find exactly what is violated.

What is violated, tests/java/brute_force.py says of the script (scripts_for_java.py). One JVM plays many scripts, one after
the other; the names of threads tell to which of them a violation belongs. So that also the verdict of each script
counts, those that are serializable are played together.

    SERIATIM_SCRIPTS=5000 SERIATIM_FIRST_SCRIPT=100000 python3 -m unittest test_java_player
    SERIATIM_JAVA_FLAGS="-Xint -XX:+UseZGC"    options for all JVMs, instead of those below
"""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
sys.path.insert(0, str(HERE))
os.environ.setdefault("SERIATIM_BUILD", "build")

import brute_force  # pylint: disable=wrong-import-position
import scripts_for_java  # pylint: disable=wrong-import-position
from seriatim import BINARY, environment  # pylint: disable=wrong-import-position
from test_java_programs import AGENT  # pylint: disable=wrong-import-position

COUNT = int(os.environ.get("SERIATIM_SCRIPTS", "200"))
FIRST = int(os.environ.get("SERIATIM_FIRST_SCRIPT", "0"))
FLAGS = os.environ.get("SERIATIM_JAVA_FLAGS", "").split()
ALONE = 2  # so many of those whose verdict nothing but a JVM of their own can show

# Scripts say nothing of what plays them.
SPECIFICATION = """ignore thread functions
ignore function Player.*
ignore function Functions.call
ignore function Functions.<init>
ignore function Functions$1.<init>
ignore function Base.*
ignore function Thing.*
"""


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="seriatim-java-player-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run(["javac", "-Xlint:all", "-Werror", "-g", "-d", cls.folder / "classes",
                        *sorted((HERE / "player").rglob("*.java"))], check=True)
        (cls.folder / "spec").write_text(SPECIFICATION)

    def call(self, *words):
        done = subprocess.run([BINARY, *words], cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (0, 1, 66), f"{words}\n{done.stderr}")
        return done

    def write(self, scripts):
        """A file for the player: scripts by their names."""
        text = "".join(f"script {name}\n" + "".join(line + "\n" for line in lines) for name, lines in scripts.items())
        (self.folder / "scripts").write_text(text)

    def program(self, flags):
        return ["--exclude", "unwatched.*", "--spec", "spec", "--", "java", *(FLAGS or flags), "-Xmx256m", "-cp",
                "classes", "unwatched.Main", "scripts"]

    @staticmethod
    def judge(text):
        """Whether all was serializable, and what was violated in each script."""
        result = json.loads(text)
        violated = collections.defaultdict(collections.Counter)
        for each in result["violations"]:
            name, _, thread = each["thread"].rpartition(".")
            violated[name][int(thread), each["block"], each["depth"]] += 1
        return result["serializable"], violated

    def run_scripts(self, scripts, relation, *flags):
        self.write(scripts)
        self.call("run", relation, "--limit", "0", "--format", "json", "--log", "run.json", *self.program(flags))
        return self.judge((self.folder / "run.json").read_text())

    def record_scripts(self, scripts, *flags, options=()):
        self.write(scripts)
        self.call("record", "-q", *options, "-o", "t.stt", *self.program(flags))

    def check_recording(self, relation):
        return self.judge(self.call("check", relation, "--limit", "0", "--format", "json", "t.stt").stdout)

    def compare(self, scripts, truths, found, how):
        """What was found in a batch with what is true of each of its scripts."""
        serializable, violated = found
        for name, (_, expected) in truths.items():
            if violated[name] != expected:
                self.fail(f"{how} differs, script {name}: too much {violated[name] - expected}, too little "
                          f"{expected - violated[name]}\n" + "\n".join(scripts[name]))
        self.assertEqual(serializable, all(truth[0] for truth in truths.values()),
                         f"verdict of {how}, scripts {list(truths)}")


@unittest.skipUnless(AGENT.exists(), "there is no agent for Java programs")
class RandomScripts(Case):
    @staticmethod
    def batches(relation, first):
        """Scripts and what is true of them: the serializable ones, all others, and some of those alone."""
        scripts = {f"s{seed}": scripts_for_java.script(seed) for seed in range(first, first + COUNT)}
        truths = {name: brute_force.judge(scripts_for_java.events(lines), relation)
                  for name, lines in scripts.items()}
        good = [name for name in truths if truths[name][0]]
        bad = [name for name in truths if not truths[name][0]]
        odd = [name for name in bad if not truths[name][1]]
        for names in [good, bad] + [[name] for name in odd[:ALONE]]:
            yield {name: scripts[name] for name in names}, {name: truths[name] for name in names}

    def play_all(self, relation, first, flags):
        for scripts, truths in self.batches(relation, first):
            self.compare(scripts, truths, self.run_scripts(scripts, relation, *flags), f"run {relation}")

    def record_all(self, first, flags, options=()):
        for scripts, truths in self.batches("--data", first):
            self.record_scripts(scripts, *flags, options=options)
            self.compare(scripts, truths, self.check_recording("--data"), "check --data of a recording")
            truths = {name: brute_force.judge(scripts_for_java.events(lines), "--locks")
                      for name, lines in scripts.items()}
            self.compare(scripts, truths, self.check_recording("--locks"), "check --locks of a recording")

    def test_run_data(self):
        self.play_all("--data", FIRST, ["-XX:+UseSerialGC"])

    def test_run_locks(self):
        self.play_all("--locks", FIRST + COUNT, ["-XX:+UseParallelGC", "-XX:TieredStopAtLevel=1"])

    def test_record(self):
        self.record_all(FIRST + 2 * COUNT, ["-XX:+UseSerialGC"])

    def test_record_reduced(self):
        """Accesses are deferred, and put at their places in the end."""
        self.record_all(FIRST + 3 * COUNT, ["-XX:+UseSerialGC"], ["--reduced"])


if __name__ == "__main__":
    unittest.main()
