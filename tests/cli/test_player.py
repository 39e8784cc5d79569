"""Random schedules, played by a real program: `run` finds exactly the violations that exist, and
`record` and `check` no others.

They are known from the script: tests/cli/scripts_for_player.py writes it as a trace in which each
byte is a variable, and `check` finds what is violated there.

    SERIATIM_SCRIPTS=3000 SERIATIM_FIRST_SCRIPT=100000 python3 -m unittest test_player
"""

import collections
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import scripts_for_player
from seriatim import BINARY, ROOT

SOURCES = ROOT / "tests" / "player"
RUNTIME = BINARY.parent / "runtime" / "libseriatim_rt.so"
COUNT = int(os.environ.get("SERIATIM_SCRIPTS", "30"))
FIRST = int(os.environ.get("SERIATIM_FIRST_SCRIPT", "0"))


def call(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          check=False, **more)
    if done.returncode not in (0, 1, 66):
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stderr}")
    return done


def violated(text):
    """How often each block was violated, by name and depth; and whether all is serializable."""
    report = json.loads(text)
    blocks = collections.Counter((each["block"], each["depth"]) for each in report["violations"])
    return report["serializable"], blocks


@unittest.skipUnless(RUNTIME.exists(), "this build has no runtime: it is one with sanitizers")
class Player(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="seriatim-player-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        call("gcc", "-O1", "-g", "-c", SOURCES / "script.c", "-o", cls.folder / "script.o")

    def build(self, compiler, level):
        program = self.folder / f"player-{compiler}{level}"
        wrapper = BINARY.parent / "seriatim-cc"
        call(wrapper, "-g", level, SOURCES / "player.c", self.folder / "script.o", "-o", program,
             "-pthread", env=dict(os.environ, SERIATIM_CC=compiler))
        return program

    def check(self, path, relation):
        return violated(call(BINARY, "check", relation, "--limit", "0", "--format", "json",
                             path).stdout)

    def play(self, program, script, relation="--data"):
        """What the script violates, what `run` found, and what `check` found in the recording."""
        text, trace, truth = (self.folder / name for name in ("script", "t.stt", "truth.std"))
        text.write_text(script)
        truth.write_text(scripts_for_player.truth(script))
        log, spec = (self.folder / name for name in ("run.json", "spec"))
        spec.write_text("ignore thread functions\n")  # scripts know nothing of them
        call(BINARY, "run", relation, "--spec", spec, "--limit", "0", "--format", "json",
             "--log", log, program, text)
        call(BINARY, "record", "-q", "--spec", spec, "-o", trace, program, text)
        return (self.check(truth, relation), violated(log.read_text()),
                self.check(trace, relation))

    def play_all(self, compiler, level, first):
        program = self.build(compiler, level)
        found = 0
        for seed in range(first, first + COUNT):
            script = scripts_for_player.script(seed)
            relation = ("--data", "--locks")[seed % 2]
            truth, online, offline = self.play(program, script, relation)
            found += len(truth[1])
            self.assertEqual(truth, online, f"run {relation} differs, script {seed}:\n{script}")
            self.assertFalse(offline[1] - truth[1], f"record makes it up, script {seed}:\n{script}")
        self.assertGreater(found, 0)

    def test_gcc(self):
        self.play_all("gcc", "-O1", FIRST)

    def test_gcc_O2(self):
        self.play_all("gcc", "-O2", FIRST + COUNT)

    def test_clang(self):
        self.play_all("clang", "-O1", FIRST + 2 * COUNT)

    def test_what_a_script_means(self):
        script = "0 start 1\n0 enter 2\n0 w 0 4 2\n1 add 0 4\n0 r 0 5 1\n0 leave\n"
        truth, online, offline = self.play(self.build("gcc", "-O0"), script)
        expected = (False, collections.Counter({("f2", 0): 1}))
        self.assertEqual([truth, online, offline], 3 * [expected])


# Each of these once revealed a bug.
HARD = {
    "memory that was only read is freed":
        "0 lock 0/0 start 2/0 enter 3/0 r 1 4 4/2 w 1 0 8/0 unlock 0/0 r 1 10 4/0 renew 1/2 set 1 13 18/"
        "0 leave",
    "a thread reads again what it depends on":
        "0 start 1/1 w 0 0 8/0 w 0 12 2/1 enter 2/1 w 0 4 4/1 copy 0 6 6/1 w 0 0 8/0 r 0 0 8/0 r 0 0 4/"
        "0 r 0 4 1/1 w 0 2 2/1 leave",
    "a third thread writes beside what is read again":
        "0 start 1/0 start 2/1 enter 2/1 w 0 0 8/0 r 0 0 8/0 r 0 0 4/0 r 0 4 1/1 enter 3/1 w 0 0 1/"
        "2 w 0 1 1/0 r 0 0 1/0 w 0 8 4/1 r 0 8 4/1 leave/1 leave",
    "a thread is not the one that was there before it":
        "0 start 1/0 start 3/0 enter 0/0 w 0 0 4/1 r 0 0 4/1 w 0 8 4/3 r 0 24 1/3 r 0 25 1/3 start 2/"
        "2 w 0 16 4/0 r 0 16 4/0 r 0 8 4/0 leave",
    "neighbours are loaded atomically":
        "0 start 1/0 enter 0/0 w 0 0 4/1 load 0 0/1 load 0 4/0 w 0 4 4/0 leave",
    "a range learns something in its second part":
        "0 start 1/1 copy 0 16 7/1 enter 3/1 r 0 19 8/0 copy 0 1 27/1 w 0 4 2/1 leave",
    "others have read a byte that is not written":
        "0 start 1/0 r 0 0 1/1 r 0 0 4/1 w 0 0 1/0 enter 2/0 r 0 0 1/1 copy 0 1 19/1 w 0 0 2/"
        "0 r 0 0 4/0 leave",
    "three epochs in eight bytes":
        "0 lock 0/0 load 0 4/0 start 1/0 w 0 4 4/0 w 0 4 1/0 unlock 0/1 enter 0/1 r 0 3 4/0 w 0 5 1/"
        "1 r 0 0 8/1 leave",
    "memory comes back after it was told":
        "0 start 1/0 start 2/1 enter 2/0 r 1 0 4/1 set 1 0 17/0 renew 1/2 load 1 0/2 set 0 0 10/"
        "1 copy 0 0 19/1 leave",
    "there is no room for reads of what the thread has written itself":
        "0 start 1/1 enter 2/1 w 0 8 8/1 r 0 9 1/1 enter 3/1 r 0 14 2/1 r 0 8 1/0 w 0 11 4/"
        "1 r 0 8 4/1 leave/1 leave",
    "reads that were spilled stay when all bytes were written":
        "0 start 1/1 enter 0/1 w 0 0 8/1 enter 1/1 r 0 0 1/1 enter 2/1 r 0 1 1/1 enter 3/1 r 0 2 1/"
        "1 w 0 7 1/1 leave/0 w 0 1 1/1 r 0 1 1/1 leave/1 leave/1 leave",
    "what was spilled of memory that was freed does not count":
        "0 start 1/1 enter 0/1 enter 1/1 r 1 0 1/1 enter 2/1 r 1 3 1/1 enter 3/1 r 1 1 1/1 renew 1/"
        "1 leave/1 r 1 0 1/1 enter 3/1 r 1 1 1/1 enter 0/1 r 1 2 1/0 w 1 3 1/0 w 0 0 4/1 r 0 0 4/"
        "1 leave/1 leave/1 leave/1 leave/1 leave",
    "what another thread wrote is read in many functions":
        "0 start 1/0 start 2/0 w 0 0 8/1 enter 0/1 r 0 0 8/1 enter 1/1 r 0 0 1/1 enter 2/1 r 0 1 1/"
        "1 enter 3/1 r 0 2 1/1 enter 1/1 r 0 3 1/2 w 0 1 1/2 w 0 8 4/1 leave/1 leave/1 r 0 8 4/1 leave/"
        "1 leave/1 leave",
    "one event lies between what a thread depends on and what is new":
        "0 start 1/0 start 2/0 enter 0/1 set 0 24 4/0 r 0 24 4/0 w 0 0 4/2 r 0 0 4/1 copy 0 8 4/"
        "0 r 0 8 4/0 leave",
    "several threads have read a word whose epochs become one":
        "0 start 1/0 start 2/0 w 0 5 1/0 w 0 6 2/0 r 0 0 8/2 enter 2/2 r 0 0 2/0 w 0 0 2/2 w 0 0 4",
    "a thread writes a part of what another one handed to it":
        "0 start 1/0 start 2/0 start 3/3 enter 0/3 w 0 24 4/1 r 0 24 4/1 w 0 0 8/1 w 0 16 4/2 r 0 16 4/"
        "2 w 0 0 4/3 r 0 4 4/3 leave",
    "what is read of what was handed on twice has both behind it":
        "0 start 1/0 start 2/0 start 3/3 enter 0/3 w 0 24 4/1 r 0 24 4/1 w 0 0 8/1 w 0 16 4/2 r 0 16 4/"
        "2 w 0 0 4/2 r 0 0 8/3 r 0 1 1/3 leave",
    "a thread reads a part of what another one has read":
        "0 start 1/0 start 2/0 start 3/3 enter 0/3 w 0 24 4/1 r 0 24 4/1 r 0 0 8/1 w 0 16 4/2 r 0 16 4/"
        "2 r 0 0 4/3 w 0 4 4/3 leave",
    "two threads read what a third one handed to them":
        "0 start 1/0 start 2/0 start 3/0 w 0 0 8/0 w 0 16 4/1 r 0 16 4/2 r 0 16 4/3 enter 0/3 w 0 24 4/"
        "1 r 0 24 4/1 r 0 0 8/2 r 0 0 8/3 w 0 0 8/3 leave",
    "a function that was entered since looks through another one":
        "0 start 1/1 enter 1/1 enter 0/1 load 0 8/1 leave/1 leave/1 enter 3/1 enter 0/1 load 0 8/1 leave/"
        "0 add 0 8/1 load 0 8/1 leave",
    "a function looks and then does more":
        "0 start 1/1 enter 0/1 load 0 0/1 leave/1 enter 0/1 load 0 0/0 add 0 0/1 load 0 0/1 leave",
    "two threads read in many functions what a third one handed to them":
        "0 start 1/0 start 2/0 start 3/0 w 0 0 8/0 w 0 16 4/1 r 0 16 4/2 r 0 16 4/3 enter 0/3 w 0 24 4/"
        "2 r 0 0 8/1 enter 0/1 r 0 0 8/1 enter 1/1 r 0 24 4/1 r 0 0 1/1 enter 2/1 r 0 1 1/1 enter 3/"
        "1 r 0 2 1/3 w 0 1 1/1 r 0 1 1/1 leave/1 r 0 2 1/1 leave/1 leave/1 leave/3 leave",
}


def add_hard_ones():
    for name, text in HARD.items():
        def test(self, script=text.replace("/", "\n") + "\n"):
            truth, online, offline = self.play(self.build("gcc", "-O1"), script)
            self.assertEqual(truth, online)
            self.assertFalse(offline[1] - truth[1])
        setattr(Player, "test_" + name.replace(" ", "_"), test)


add_hard_ones()

if __name__ == "__main__":
    unittest.main()
