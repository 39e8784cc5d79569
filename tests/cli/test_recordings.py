"""What `record` leaves out makes no difference to `predict`, nor to `check`.

Random scripts, played by a real program, and the programs of tests/programs are recorded twice:
with every access, and as `record` does it. All engines must say the same of both.
docs/recordings.md has the rule; build/recording-differential compares it on random traces.

    SERIATIM_SCRIPTS=3000 SERIATIM_FIRST_SCRIPT=100000 python3 -m unittest test_recordings
"""

import collections
import json
import os
import pathlib
import tempfile
import unittest

import scripts_for_player
import test_player
from seriatim import BINARY, ROOT

COUNT = int(os.environ.get("SERIATIM_SCRIPTS", "40"))
FIRST = int(os.environ.get("SERIATIM_FIRST_SCRIPT", "500000"))
PROGRAMS = ROOT / "tests" / "programs"
ENGINES = ("reduction", "blocks", "commit-node", "tas")
call = test_player.call


def tidy(line):
    """An access to a whole word, and to the last one if it is atomic: how memory is divided into
    variables depends on the order of threads that nothing orders, if they differ in size."""
    thread, kind, *rest = line.split()
    if kind in ("r", "w", "set", "copy"):
        word = int(rest[1]) // 8 % 3
        return f"{thread} {'r' if kind == 'r' else 'w'} {rest[0]} {8 * word} 8"
    if kind in ("add", "load"):
        return f"{thread} {kind} {rest[0]} 24"
    return line


def loops(script):
    """The script with accesses repeated, of which there is then something to leave out."""
    lines = [tidy(line) for line in script.splitlines()]
    for number in range(len(lines) // 3):
        at = (number * 7919 + len(lines)) % len(lines)
        words = lines[at].split()
        if words[1] in ("r", "w", "load"):
            kinds = ("r", "w") if number % 4 == 0 and words[1] != "load" else (words[1],)
            lines[at:at + 1] = [" ".join([words[0], kinds[i % len(kinds)], *words[2:]])
                                for i in range(1 + number % 4)]
    return "".join(line + "\n" for line in lines)


def reported(engine):
    """The blocks that an engine reports, each thread's in order, and all its counts."""
    return (engine["verdicts"], engine["may_miss"],
            [(block["block"], block["thread"], block["verdict"])
             for block in sorted(engine["blocks"],
                                 key=lambda block: (block["thread"], block["begin"]))
             if block["verdict"] != "atomic"])


def found_in(result):
    return [(block["block"], block["verdict"]) for block in result["blocks"]
            if block["verdict"] != "atomic"]


@unittest.skipUnless(test_player.RUNTIME.exists(), "this build has no runtime")
class Recordings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="seriatim-recordings-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)

    def build(self, source, hidden):
        """A program of a file that is watched, and one that nobody sees."""
        program, part = self.folder / source.stem, self.folder / "part.o"
        call("gcc", "-g", "-c", hidden, "-o", part)
        call(BINARY.parent / "seriatim-cc", "-g", "-O1", source, part, "-o", program, "-pthread")
        return program

    def build_look_twice(self):
        return self.build(PROGRAMS / "look_twice.c", PROGRAMS / "serial.c")

    def record(self, options, *words):
        trace = self.folder / "t.stt"
        call(BINARY, "record", "-q", *options, "-o", trace, *words)
        return trace

    def predict(self, trace, *options):
        found = json.loads(call(BINARY, "predict", "--engine", "all", "--format", "json", "--limit",
                                0, "--timeout", 5, *options, trace).stdout)
        self.assertEqual([engine["engine"] for engine in found["engines"]], list(ENGINES))
        return [reported(engine) for engine in found["engines"]] + [found["deadlock_potential"]]

    def all_of(self, options, *words):
        """Everything that is said of a recording; and how many events it has."""
        trace = self.record(options, *words)
        checked = json.loads(call(BINARY, "check", "--limit", 0, "--format", "json", trace).stdout)
        cut = collections.Counter((each["block"], each["depth"]) for each in checked["violations"])
        said = [cut, self.predict(trace, "--all-depths"), self.predict(trace, "--notion", "view")]
        return said, checked["trace"]["events"]

    def test_random_scripts(self):
        program = self.build(test_player.SOURCES / "player.c", test_player.SOURCES / "script.c")
        text, spec = self.folder / "script", self.folder / "spec"
        spec.write_text("ignore thread functions\n")
        left_out = 0
        for seed in range(FIRST, FIRST + COUNT):
            script = loops(scripts_for_player.script(seed))
            text.write_text(script)
            whole, events = self.all_of(["--every-access", "--spec", spec], program, text)
            part, fewer = self.all_of(["--spec", spec], program, text)
            self.assertEqual(whole, part, f"script {seed}:\n{script}")
            left_out += events - fewer
        self.assertGreater(left_out, 0)

    def test_a_pointer_that_is_looked_at_twice(self):
        program = self.build_look_twice()
        trace = self.record([], program)
        found = json.loads(call(BINARY, "predict", "--format", "json", trace).stdout)
        self.assertEqual(found_in(found), [("use", "violation")])
        self.assertFalse(found["may_miss"])

    def test_a_reduced_recording_says_so(self):
        program = self.build_look_twice()
        trace = self.record(["--reduced"], program)
        found = json.loads(call(BINARY, "predict", "--format", "json", trace).stdout)
        self.assertEqual((found_in(found), found["may_miss"]), ([], True))
        text = call(BINARY, "predict", trace).stdout
        self.assertIn("no block was found that another schedule could cut", text)
        self.assertIn("Record the program anew, without --reduced.", " ".join(text.split()))
        for engine in self.predict(trace)[:-1]:
            self.assertTrue(engine[1])

    def test_converting_keeps_the_rule(self):
        program = self.build_look_twice()
        copy = self.folder / "copy.stt"
        for options, may_miss in (([], False), (["--reduced"], True)):
            call(BINARY, "convert", self.record(options, program), copy)
            found = json.loads(call(BINARY, "predict", "--format", "json", copy).stdout)
            self.assertEqual(found["may_miss"], may_miss)


if __name__ == "__main__":
    unittest.main()
