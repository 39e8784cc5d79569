"""What `record` leaves out makes no difference to `predict`, nor to `check`.

Random programs are recorded twice: with every access, and as `record` does it. All engines must say
the same of both.
docs/recordings.md has the rule; build/recording-differential compares it on random traces.

    SERIATIM_SCRIPTS=300 SERIATIM_FIRST_SCRIPT=1000 python3 -m unittest test_recordings
"""

import collections
import json
import os
import pathlib
import random
import tempfile
import unittest

import test_player
from seriatim import BINARY, ROOT

COUNT = int(os.environ.get("SERIATIM_SCRIPTS", "20"))
FIRST = int(os.environ.get("SERIATIM_FIRST_SCRIPT", "0"))
PROGRAMS = ROOT / "tests" / "programs"
ENGINES = ("reduction", "blocks", "commit-node", "tas")
call = test_player.call


# As tests/programs/look_twice.c, but who clears the pointer comes when the other one is done.
LOOK_TWICE = """
#include "schedule.h"
static int value = 7, spare;
static int *volatile where = &value;
static BLOCK int use(void) { return where ? *where : -1; }
static BLOCK void clear(void) { where = NULL; }
THREAD(one) { spare = use(); step(1); return NULL; }
THREAD(two) { step(2); clear(); return NULL; }
int main(void) { together(one, two); check(spare == 7); puts("ok"); return 0; }
"""


# The load finds what its own thread has stored, unless somebody comes between.
STORE_AND_LOAD = """
#include "schedule.h"
#include <stdatomic.h>
static atomic_int word;
static int spare;
static BLOCK int put(void) { atomic_store(&word, 7); return atomic_load(&word); }
static BLOCK void clear(void) { atomic_store(&word, 0); }
THREAD(one) { spare = put(); step(1); return NULL; }
THREAD(two) { step(2); clear(); return NULL; }
int main(void) { together(one, two); check(spare == 7); puts("ok"); return 0; }
"""


def random_program(seed):
    """Two threads that call functions with loops over a few variables, with and without locks."""
    chance = random.Random(seed)

    def steps(depth):
        lines = []
        for _ in range(chance.randint(1, 4)):
            x = chance.randrange(3)
            kind = chance.choices(["read", "write", "both", "loop", "lock", "call"],
                                  [10, 3, 1, 5 if depth < 2 else 0, 2, 1])[0]
            if kind == "loop":
                lines += [f"for (int i{depth} = 0; i{depth} < {chance.randint(2, 4)}; i{depth}++) {{",
                          *steps(depth + 1), "}"]
            elif kind == "lock":
                lines += ["pthread_mutex_lock(&lock);", f"s += x{x};", f"s += x{chance.randrange(3)};",
                          "pthread_mutex_unlock(&lock);"]
            else:
                lines.append({"read": f"s += x{x};", "write": f"x{x} = s;", "both": f"x{x}++;",
                              "call": "s += inner();"}[kind])
        return lines

    functions, calls = [], ["", ""]
    for number in range(4):
        functions += [f"static BLOCK long f{number}(void) {{", "long s = 0;", *steps(0), "return s;",
                      "}"]
        calls[number % 2] += f" f{number}();" * chance.randint(1, 2)
    return "\n".join([
        '#include "schedule.h"', "static volatile long x0, x1, x2;",
        "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;",
        "static BLOCK long inner(void) { long s = x0; s += x1; s += x0; s += x0; return s; }",
        *functions, f"THREAD(one) {{{calls[0]} inner(); step(1); return NULL; }}",
        f"THREAD(two) {{ step(2);{calls[1]} return NULL; }}",
        'int main(void) { together(one, two); puts("ok"); return 0; }', ""])


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
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="seriatim-recordings-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)

    def build(self, source):
        """A program whose threads take turns as the source says, which nobody sees."""
        program, part = self.folder / source.stem, self.folder / "part.o"
        call("gcc", "-g", "-c", PROGRAMS / "schedule.c", "-o", part)
        call(BINARY.parent / "seriatim-cc", "-g", "-O1", f"-I{PROGRAMS}", source, part, "-o", program, "-pthread")
        return program

    def build_look_twice(self):
        source = self.folder / "look_twice.c"
        source.write_text(LOOK_TWICE)
        return self.build(source)

    def record(self, options, *words):
        trace = self.folder / "t.stt"
        call(BINARY, "record", "-q", *options, "-o", trace, *words)
        return trace

    def predict(self, trace, *options):
        found = json.loads(call(BINARY, "predict", "--engine", "all", "--format", "json", "--limit",
                                0, "--timeout", 0, *options, trace).stdout)
        self.assertEqual([engine["engine"] for engine in found["engines"]], list(ENGINES))
        return [reported(engine) for engine in found["engines"]] + [found["deadlock_potential"]]

    def all_of(self, options, *words):
        """Everything that is said of a recording; and how many events it has."""
        trace = self.record(options, *words)
        checked = json.loads(call(BINARY, "check", "--limit", 0, "--format", "json", trace).stdout)
        cut = collections.Counter((each["block"], each["depth"]) for each in checked["violations"])
        said = [cut, self.predict(trace, "--all-depths"), self.predict(trace, "--notion", "view")]
        return said, checked["trace"]["events"]

    def test_random_programs(self):
        left_out = 0
        for seed in range(FIRST, FIRST + COUNT):
            source = self.folder / "random.c"
            source.write_text(random_program(seed))
            program = self.build(source)
            whole, events = self.all_of(["--every-access"], program)
            part, fewer = self.all_of([], program)
            self.assertEqual(whole, part, f"program {seed}:\n{source.read_text()}")
            left_out += events - fewer
        self.assertGreater(left_out, 0)

    def test_a_pointer_that_is_looked_at_twice(self):
        program = self.build_look_twice()
        trace = self.record([], program)
        found = json.loads(call(BINARY, "predict", "--format", "json", trace).stdout)
        self.assertEqual(found_in(found), [("use", "violation")])
        self.assertFalse(found["may_miss"])

    def test_a_load_after_a_store_of_the_same_thread(self):
        source = self.folder / "store_and_load.c"
        source.write_text(STORE_AND_LOAD)
        trace = self.record([], self.build(source))
        found = json.loads(call(BINARY, "predict", "--format", "json", trace).stdout)
        self.assertEqual(found_in(found), [("put", "violation")])

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
