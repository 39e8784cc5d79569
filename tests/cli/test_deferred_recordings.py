"""`record --reduced` defers accesses as `run` does, and leaves them out where nobody comes to them.

Random schedules are played by a real program. By both relations each engine must say of the
recording what is true of the script (tests/cli/scripts_for_player.py). docs/recordings.md has the
rule; build/placing-differential compares it on random traces.

    SERIATIM_SCRIPTS=3000 SERIATIM_FIRST_SCRIPT=100000 python3 -m unittest test_deferred_recordings
"""

import json
import re
import subprocess
import unittest

import test_killed
import test_player
from seriatim import BINARY, RUNTIME, Case, environment

RELATIONS = ("--data", "--locks")
SCHEDULES = test_player.ROOT / "tests" / "programs"
REDUCED = ("record", "--reduced")
call = test_player.call
setUpModule = test_killed.setUpModule

# T1 touches what nobody else does, and T2 nothing at all: so it has no events.
ALONE = """
#include "schedule.h"
static volatile int own;
static void *touch(void *unused) { own = 1; return unused; }
static void *rest(void *unused) { return unused; }
static BLOCK void start(void *(*routine)(void *)) {
    pthread_t thread;
    check(pthread_create(&thread, NULL, routine, NULL) == 0);
    check(pthread_join(thread, NULL) == 0);
}
static BLOCK void start_one(void) { start(touch); }
static BLOCK void start_other(void) { start(rest); }
int main(void) { start_one(); start_other(); puts("ok"); return 0; }
"""

# A function in which one writes what another changes later, and functions that concern nobody.
QUIET = """
#include "schedule.h"
static int value, other, table[4];
static BLOCK void set(int *at) { *at = 1; }
static BLOCK void quiet(void) { for (int i = 0; i < 100; i++) table[i & 3]++; }
static BLOCK void twice(void) { set(&value); quiet(); step(1); step(4); other = value; }
static BLOCK void change(void) { value = 7; }
THREAD(one) { quiet(); quiet(); twice(); return NULL; }
THREAD(two) { step(2); change(); step(3); return NULL; }
int main(void) { together(one, two); check(other == 7); puts("ok"); return 0; }
"""

# Bytes of what was written as a whole are read one by one, when the program has made much else.
BYTES = """
#include "schedule.h"
static long whole;
static unsigned char *const bytes = (unsigned char *)&whole;
static int sum, rounds;
static BLOCK void fill(void) { whole = 0x0101010101010101; step(1); step(4); whole = 0; }
static BLOCK void add(void) { for (int i = 0; i < 8; i++) sum += bytes[i]; }
static BLOCK void work(void) { for (int i = 0; i < 1000; i++) rounds++; }
THREAD(one) { for (int i = 0; i < 50; i++) work(); fill(); return NULL; }
THREAD(two) { step(2); add(); step(3); return NULL; }
int main(void) { together(one, two); check(sum == 8); puts("ok"); return 0; }
"""

# What a thread has written is read when it has made thousands of other events.
LONG_AGO = """
#include "schedule.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value, other;
static BLOCK void use_lock(void) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
static BLOCK void hold(void) {
    value = 1;
    for (int i = 0; i < 3000; i++)
        use_lock();
    step(1);
    step(4);
    other = value;
}
static BLOCK void change(void) { value = 7; }
THREAD(one) { hold(); return NULL; }
THREAD(two) { step(2); change(); step(3); return NULL; }
int main(void) { together(one, two); check(other == 7); puts("ok"); return 0; }
"""


def verdicts(trace, relation):
    """What each engine says of the trace."""
    report = json.loads(call(BINARY, "check", relation, "--engine", "all", "--limit", "0", "--format",
                             "json", trace).stdout)
    return {engine["engine"]: engine["serializable"] for engine in report["engines"]}


class Scripts(test_player.Player):
    """What the script violates, instead of what its test compares."""

    def play(self, program, script, relation="--data"):
        text, trace, truth = (self.folder / name for name in ("script", "r.stt", "truth.std"))
        text.write_text(script)
        truth.write_text(test_player.scripts_for_player.truth(script))
        spec = self.folder / "spec"
        spec.write_text("ignore thread functions\n")
        call(BINARY, *REDUCED, "-q", "--spec", spec, "-o", trace, program, text)
        for each in RELATIONS:
            expected = self.check(truth, each)
            self.assertEqual(expected, self.check(trace, each), f"{each}, script:\n{script}")
            said = verdicts(trace, each)
            self.assertEqual(set(said.values()), {expected[0]}, f"{each}, {said}, script:\n{script}")
        expected = self.check(truth, relation)
        return expected, expected, self.check(trace, relation)


@unittest.skipUnless(test_player.RUNTIME.exists(), "this build has no runtime")
class Programs(Case):
    def build(self, source):
        (self.folder / "program.c").write_text(source)
        call("gcc", "-g", "-c", SCHEDULES / "schedule.c", "-o", self.folder / "schedule.o")
        call(BINARY.parent / "seriatim-cc", "-g", "-O1", f"-I{SCHEDULES}", self.folder / "program.c",
             self.folder / "schedule.o", "-o", self.folder / "program", "-pthread")

    def record(self, *words, output="t.stt"):
        done = self.run_here(*words, "-q", "-o", output, "./program")
        self.assertEqual((done.status, done.message), (0, ""))

    def check(self, trace, *options):
        return self.run_here("check", "--limit", "0", "--format", "json", *options, trace).json

    def found(self, checked):
        """The blocks, and each step of what cut them, by its place in the code."""
        places = [[(edge["on"], *(edge[end]["location"] for end in ("from", "to"))) for edge in each["path"]]
                  for each in checked["violations"]]
        return checked["blocks"], places

    def test_threads_without_events(self):
        self.build(ALONE)
        (self.folder / "spec").write_text("atomic function start_*\n")
        self.record(*REDUCED, "--spec", "spec")
        names = [each["block"] for each in self.check("t.stt")["violations"]]
        self.assertEqual(names, ["start_one"])
        self.assertNotIn("|own|", self.run_here("dump", "t.stt").text)

    def test_calls_that_left_nothing_are_counted(self):
        self.build(QUIET)
        self.record("record", output="c.stt")
        self.record(*REDUCED)
        complete, reduced = self.check("c.stt"), self.check("t.stt")
        self.assertEqual({block["name"]: block["executed"] for block in reduced["blocks"]
                          if not block["name"].startswith("thread function")}, {"set": 1, "quiet": 3, "twice": 1, "change": 1})
        self.assertLess(reduced["trace"]["events"], complete["trace"]["events"] / 10)
        inferred = [self.run_here("infer", trace).text for trace in ("c.stt", "t.stt")]
        blocks = [[line for line in text.splitlines() if line.startswith("atomic")] for text in inferred]
        self.assertEqual(*blocks)
        self.assertEqual(len(blocks[0]), 3)

    def test_places_are_those_of_a_complete_recording(self):
        self.build(QUIET)
        self.record("record", output="c.stt")
        self.record(*REDUCED)
        stories = []
        for trace in ("c.stt", "t.stt"):
            text = self.run_here("check", trace).text
            text = re.sub(r"event \d+", "event N", text)
            stories.append([line.split()[:3] for line in text.splitlines() if line.startswith("      ")])
        self.assertEqual(len(stories[0]), len(stories[1]))
        for complete, reduced in zip(*stories):
            self.assertEqual(complete, reduced)

    def test_bytes_of_what_was_written_as_a_whole(self):
        self.build(BYTES)
        self.record(*REDUCED)
        for relation in RELATIONS:
            checked = self.check("t.stt", relation)
            self.assertEqual([each["block"] for each in checked["violations"]], ["fill"])
            self.assertEqual(set(verdicts(self.folder / "t.stt", relation).values()), {False})
        text = self.run_here("dump", "t.stt").text
        self.assertLess(text.count("(rounds)"), 20)

    def test_an_access_of_long_ago(self):
        self.build(LONG_AGO)
        self.record(*REDUCED)
        for relation in RELATIONS:
            self.assertEqual([each["block"] for each in self.check("t.stt", relation)["violations"]], ["hold"])
        events = [line.split("|")[1] for line in self.run_here("dump", "t.stt").text.splitlines()]
        self.assertEqual(events[events.index("begin(hold)") + 1], "w(value)")
        self.assertEqual(events.count("acq(lock)"), 3000)

    def test_a_pipe(self):
        self.build(QUIET)
        words = [BINARY, *REDUCED, "-q", "-o", "/dev/stdout", "./program"]
        done = subprocess.run([str(word) for word in words], cwd=self.folder, stdout=subprocess.PIPE, check=True,
                              env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME)))
        trace = done.stdout[done.stdout.index(b"\x89STT"):]  # the program prints, too
        (self.folder / "p.stt").write_bytes(trace.removesuffix(b"ok\n"))
        self.assertEqual([each["block"] for each in self.check("p.stt")["violations"]], ["twice"])

    def test_nothing_is_left_beside_the_trace(self):
        self.build(QUIET)
        self.record(*REDUCED)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["program", "program.c", "schedule.o", "t.stt"])


class KilledCase(test_killed.KillCase):
    RECORD = REDUCED


class TheProgramIsKilled(KilledCase, test_killed.TheProgramIsKilled):
    test_under_run = test_before_it_is_the_program = None

    def test_before_its_first_event(self):
        """What main does alone is in no such recording."""
        self.assertEqual(self.kill_program(*REDUCED, "-q", "-o", "t.stt", test_killed.PROGRAM, "-"), "")
        self.assert_trouble(self.run_here("stats", "t.stt"), "t.stt: holds no event")


class TheWatcherIsKilled(KilledCase, test_killed.TheWatcherIsKilled):
    """What it leaves is in the order in which it came. Each command reads it."""

    test_under_run = test_while_the_program_waits_for_it = None

    def test_each_command_reads_what_is_left(self):
        process = self.start(*REDUCED, "-q", "-o", "t.stt", test_killed.PROGRAM, test_killed.LATEST)
        self.wait_for_work(process)
        trace = self.folder / "t.stt"
        self.stop_after_something_was_written(process)
        process.kill()
        self.assert_goes_on(process)
        self.assertEqual(trace.read_bytes()[12:16], b"LATE")
        self.assertGreater(sum(self.assert_readable("t.stt", True)), 0)
        piped = self.run_here("dump", "-", input=trace.read_bytes())
        self.assertEqual(piped.text, self.run_here("dump", "t.stt").text)
        self.assertEqual(self.run_here("convert", "-q", "t.stt", "u.stt").status, 0)
        self.assertEqual((self.folder / "u.stt").read_bytes()[12:16], b"rULE")
        self.assertEqual(self.run_here("dump", "u.stt").text, piped.text)
        self.assertEqual(self.run_here("predict", "-q", "u.stt").message[:8], "seriatim")


class TheDiskIsFull(KilledCase, test_killed.TheDiskIsFull):
    pass


if __name__ == "__main__":
    unittest.main()
