"""Values of accesses: what `record --values` knows of them, and what `predict` makes of that.

docs/recordings.md says which values are certain. tests/unit/test_values.c is about the format.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import test_player
from seriatim import BINARY, ROOT, TRACES

PROGRAMS = ROOT / "tests" / "programs"
READER = ROOT / "tests" / "cli" / "read_stt.py"
call = test_player.call

# Whoever finds the flag down may put it up. Each look and each change is under the lock, but not both.
FLAG = """
#include "schedule.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int busy;
static BLOCK void set(int to) { pthread_mutex_lock(&lock); busy = to; pthread_mutex_unlock(&lock); }
static BLOCK int get(void) { pthread_mutex_lock(&lock); int is = busy; pthread_mutex_unlock(&lock); return is; }
static BLOCK void use(void) { if (!get()) { set(1); set(UP); } }
THREAD(one) { use(); step(1); return NULL; }
THREAD(two) { step(2); use(); return NULL; }
int main(void) { together(one, two); puts("ok"); return 0; }
"""

# What each access finds and leaves is plain to see. The threads hand over through a mutex: without one it would be
# chance whether the first thread's last write counts as done.
SIZES = """
#include "schedule.h"
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
static _Alignas(8) volatile uint8_t small = 1;
static _Alignas(8) volatile uint16_t middle = 0x1234;
static _Alignas(8) volatile uint32_t large;
static _Alignas(8) volatile uint64_t huge = 0xfedcba9876543210;
static _Alignas(8) atomic_int counter = 5;
static _Atomic uint64_t wide = 0xffffffffffffffff;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static BLOCK void synchronise(void) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
static BLOCK void work(void) {
    (void)small; small = 2; (void)small;
    middle = 7; (void)middle;
    large = 0xffffffff; (void)large; large = 0;
    huge = 1; (void)huge;
    atomic_fetch_add(&counter, 3);
    atomic_store(&counter, 1);
    atomic_store(&wide, 3);
    atomic_store(&wide, 2);
    huge = atomic_load(&wide) - 1;
}
THREAD(one) { work(); synchronise(); step(1); return NULL; }
THREAD(two) { step(2); synchronise(); work(); return NULL; }
int main(void) { together(one, two); puts("ok"); return 0; }
"""

# Two threads write without anything that orders them: nobody knows when such a write is done.
RACING = """
#include <pthread.h>
static volatile int raced, calm;
static pthread_barrier_t start;
static void write_it(int value) { raced = value; }
static void *work(void *value) {
    pthread_barrier_wait(&start);
    for (int i = 0; i < 1000; i++)
        write_it((int)(long)value);
    return 0;
}
int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&start, 0, 2);
    calm = 3;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return calm - 3 + raced * 0;
}
"""


@unittest.skipUnless(test_player.RUNTIME.exists(), "this build has no runtime")
class Values(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="seriatim-values-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def record(self, text, *options):
        source, program, part = (self.folder / name for name in ("p.c", "p", "part.o"))
        source.write_text(text)
        call("gcc", "-g", "-c", PROGRAMS / "schedule.c", "-o", part)
        call(BINARY.parent / "seriatim-cc", "-g", "-O1", f"-I{PROGRAMS}", source, part, "-o", program, "-pthread")
        trace = self.folder / "t.stt"
        call(BINARY, "record", "-q", *options, "-o", trace, program)
        return trace

    def dump(self, trace):
        """For each event its value and its text."""
        lines = call(BINARY, "dump", "--values", trace).stdout.splitlines()
        return [tuple(line.split("\t")) for line in lines]

    def of_variable(self, trace, name):
        """Operations and values of the variable."""
        return [(event.split("|")[1][0], value) for value, event in self.dump(trace)
                if f"({name})|" in event]

    def proven(self, trace):
        found = json.loads(call(BINARY, "predict", "--engine", "tas", "--all-depths", "--format", "json",
                                "--limit", 0, trace).stdout)
        return sorted({block["block"] for block in found["blocks"] if block["verdict"] == "violation"})

    def test_a_flag_that_is_taken_and_given_back_frees_its_reads(self):
        text = FLAG.replace("UP", "0")
        self.assertEqual(self.proven(self.record(text)), [])
        self.assertEqual(self.proven(self.record(text, "--values")), ["use"])

    def test_a_flag_that_stays_up_does_not(self):
        self.assertEqual(self.proven(self.record(FLAG.replace("UP", "2"), "--values")), [])

    def test_values_of_every_size(self):
        trace = self.record(SIZES, "--values")
        first = {name: self.of_variable(trace, name) for name in
                 ("small", "middle", "large", "huge", "counter", "wide")}
        self.assertEqual(first["small"][1:], [("w", "1 -> ?"), ("r", "2"), ("r", "2"), ("w", "2 -> ?"), ("r", "2")])
        self.assertEqual(first["middle"][1:], [("r", "7"), ("w", "7 -> ?"), ("r", "7")])
        self.assertEqual(first["large"][1:], [("r", "4294967295"), ("w", "4294967295 -> ?"), ("w", "0 -> ?"),
                                              ("r", "4294967295"), ("w", "4294967295 -> ?")])
        self.assertEqual(first["huge"][1:], [("r", "1"), ("w", "1 -> ?"), ("w", "1 -> ?"), ("r", "1"),
                                             ("w", "1 -> ?")])
        self.assertEqual(first["counter"][1:], [("w", "5 -> 8"), ("w", "? -> 1"), ("r", "1"), ("w", "1 -> 4"),
                                                ("w", "? -> 1")])
        self.assertEqual(first["wide"][1:], [("w", "? -> 2"), ("r", "2"), ("w", "? -> 3"), ("w", "? -> 2"), ("r", "2")])

    def test_what_races_has_no_values(self):
        """Once two threads have written it at a time, nobody knows the rest either. If they never
        did, all of it is known, and the last look finds one of the two."""
        trace = self.record(RACING, "--values")
        raced = self.of_variable(trace, "raced")
        self.assertEqual(len(raced), 2001)
        unknown = [value in ("? -> ?", "?") for _, value in raced]
        first = unknown.index(True, 1) if True in unknown[1:] else len(raced)
        self.assertTrue(all(unknown[first:]), raced[first:first + 20])
        self.assertTrue(all(value in ("0 -> ?", "1 -> ?", "0", "1") for _, value in raced[1:first]))
        self.assertEqual(self.of_variable(trace, "calm")[-1], ("r", "3"))

    def test_they_survive_converting_to_the_same_format_and_not_to_text(self):
        trace, other, text = self.record(FLAG.replace("UP", "0"), "--values"), self.folder / "o.stt", self.folder / "o.std"
        call(BINARY, "convert", trace, other)
        call(BINARY, "convert", trace, text)
        self.assertEqual(self.dump(other), self.dump(trace))
        self.assertEqual(self.proven(other), ["use"])
        self.assertEqual({value for value, event in self.dump(text) if "|r(" in event}, {"?"})

    def test_reduced_recordings_have_none(self):
        done = subprocess.run([BINARY, "record", "--reduced", "--values", "true"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("'--reduced' and '--values' exclude each other", done.stderr)


class Golden(unittest.TestCase):
    TRACE = TRACES / "golden-values.stt"

    def test_an_independent_reader_reads_the_same(self):
        mine = subprocess.run([sys.executable, READER, "--values", self.TRACE], capture_output=True, check=True)
        ours = subprocess.run([BINARY, "dump", "--values", self.TRACE], capture_output=True, check=True)
        self.assertEqual(mine.stdout, ours.stdout)
        self.assertIn(b"\n0 -> ?\tT1|w(busy)|flag.c:12\n", ours.stdout)

    def test_stats_counts_them(self):
        stats = json.loads(call(BINARY, "stats", "--format", "json", self.TRACE).stdout)
        self.assertEqual(stats["accesses_with_values"], 30)

    def test_check_and_dump_do_without(self):
        self.assertNotIn("\t", call(BINARY, "dump", self.TRACE).stdout)
        call(BINARY, "check", "-q", self.TRACE)


if __name__ == "__main__":
    unittest.main()
