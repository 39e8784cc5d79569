"""Under `run` locks make no order, so critical sections are no events. Reports say which locks were held all the same."""

import json
import subprocess
import unittest

import programs
from seriatim import BINARY, RUNTIME, Case, environment

# Each transfer reads under some locks and writes under others; `audit` comes in between. The first read is a deferred
# access of a thread that has gone on by then, in a function that it has left; the others are emitted when they happen.
PROGRAM = r"""
#include "schedule.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, again;
static pthread_rwlock_t both = PTHREAD_RWLOCK_INITIALIZER;
static long nested, crossed, twice, shared, bare;

static BLOCK void take(pthread_mutex_t *lock) { pthread_mutex_lock(lock); }
static BLOCK void give(pthread_mutex_t *lock) { pthread_mutex_unlock(lock); }

static BLOCK long get_nested(void) {
    take(&a);
    pthread_mutex_lock(&b);
    long value = nested;
    give(&b);
    give(&a);
    return value;
}
static BLOCK void set_nested(long value) {
    take(&a);
    take(&b);
    nested = value;
    give(&b);
    give(&a);
}
/* hand over hand: the lock that was taken last is the only one at the access */
static BLOCK long get_crossed(void) {
    take(&a);
    take(&b);
    give(&a);
    long value = crossed;
    give(&b);
    return value;
}
static BLOCK void set_crossed(long value) {
    take(&a);
    take(&b);
    give(&a);
    crossed = value;
    give(&b);
}
static BLOCK long get_twice(void) {
    take(&again);
    take(&again);
    long value = twice;
    give(&again);
    give(&again);
    return value;
}
static BLOCK void set_twice(long value) {
    take(&again);
    twice = value;
    give(&again);
}
static BLOCK long get_shared(void) {
    pthread_rwlock_rdlock(&both);
    long value = shared;
    pthread_rwlock_unlock(&both);
    return value;
}
static BLOCK void set_shared(long value) {
    pthread_rwlock_wrlock(&both);
    shared = value;
    pthread_rwlock_unlock(&both);
}
/* the locks have been given back, or are taken later */
static BLOCK long get_bare(void) {
    take(&a);
    give(&a);
    long value = bare;
    take(&b);
    give(&b);
    return value;
}
static BLOCK void set_bare(long value) {
    bare = value;
    take(&a);
    give(&a);
}

#ifdef FIXED
#define WHOLE(act) pthread_mutex_##act(&whole)
#else
#define WHOLE(act) (void)0
#endif
#define UPDATE(name)                                                                                   \
    static BLOCK void update_##name(int first) {                                                       \
        WHOLE(lock);                                                                                   \
        long value = get_##name();                                                                     \
        step(first);                                                                                   \
        step(first + 3);                                                                               \
        set_##name(value + 1);                                                                         \
        WHOLE(unlock);                                                                                 \
    }                                                                                                  \
    static BLOCK void audit_##name(int first) {                                                        \
        step(first + 1);                                                                               \
        WHOLE(lock);                                                                                   \
        set_##name(100);                                                                               \
        WHOLE(unlock);                                                                                 \
        step(first + 2);                                                                               \
    }
/* In the twin nobody comes in between. */
static pthread_mutex_t whole = PTHREAD_MUTEX_INITIALIZER;
UPDATE(nested)
UPDATE(crossed)
UPDATE(twice)
UPDATE(shared)
UPDATE(bare)

THREAD(updater) {
    update_nested(1);
    update_crossed(5);
    update_twice(9);
    update_shared(13);
    update_bare(17);
    return NULL;
}
THREAD(auditor) {
    audit_nested(1);
    audit_crossed(5);
    audit_twice(9);
    audit_shared(13);
    audit_bare(17);
    return NULL;
}

int main(void) {
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&again, &recursive);
    together(updater, auditor);
    return 0;
}
"""
# What the updater holds at its two accesses, the lock that it took last first.
HELD = {"nested": (["b", "a"], ["b", "a"]), "crossed": (["b"], ["b"]), "twice": (["again"], ["again"]),
        "shared": (["both (read)"], ["both"]), "bare": ([], [])}

# Threads that take locks, each its own, and share nothing but a sum at the end.
ALONE = r"""
#include <pthread.h>
enum { TURNS = 10000 };
static struct { pthread_mutex_t lock; long value; char pad[64]; } own[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static __attribute__((noinline)) void add(int i) {
    pthread_mutex_lock(&own[i].lock);
    own[i].value++;
    pthread_mutex_unlock(&own[i].lock);
}
static __attribute__((noinline)) void add_all(int i) {
    for (int turn = 0; turn < TURNS; turn++)
        add(i);
}
static void *work(void *number) {
    int i = number != NULL;
    add_all(i);
    pthread_mutex_lock(&lock);
    sum += own[i].value;
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_mutex_init(&own[i].lock, NULL);
        pthread_create(&threads[i], NULL, work, i ? &sum : NULL);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sum != 2 * TURNS;
}
"""

# What takes the lock is a function of the C++ library, the same in both sections.
GUARDS = r"""
#include "schedule.h"
#include <mutex>
static std::mutex ballot;
static long yes, all;
static BLOCK void vote() {
#ifdef FIXED
    std::lock_guard<std::mutex> hold(ballot);
    yes++;
    step(3);
    step(6);
    all++;
#else
    {
        std::lock_guard<std::mutex> hold(ballot); // first
        yes++;
    }
    step(3);
    step(6);
    std::lock_guard<std::mutex> hold(ballot); // second
    all++;
#endif
}
static BLOCK void deeply(int calls) {
    if (calls)
        deeply(calls - 1);
    else
        vote();
    asm volatile("" ::: "memory"); /* no tail call */
}
static void *voter(void *) {
    step(2);
    deeply(12);
    return nullptr;
}
static void *counter(void *) {
    ballot.lock();
    yes = all = 0;
    ballot.unlock();
    step(1);
    step(4);
    ballot.lock();
    all = yes;
    ballot.unlock();
    step(5);
    return nullptr;
}
int main() {
    pthread_t one, two;
    check(pthread_create(&one, nullptr, voter, nullptr) == 0);
    check(pthread_create(&two, nullptr, counter, nullptr) == 0);
    check(pthread_join(one, nullptr) == 0);
    check(pthread_join(two, nullptr) == 0);
    return 0;
}
"""


@unittest.skipUnless(RUNTIME.exists(), "there is no runtime in this build")
class QuietLocks(Case):
    def built(self, text, *more, flags=()):
        self.write("program.c", text)
        self.command("gcc", "-O1", "-c", programs.FOLDER / "schedule.c", "-o", "schedule.o")
        self.command(BINARY, "cc", "-g", "-O1", "-I", programs.FOLDER, *flags, "program.c", *more, "-o", "program", "-pthread")

    def command(self, *words):
        subprocess.run([str(word) for word in words], cwd=self.folder, check=True,
                       env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME)))

    def watched(self, *options):
        result = self.run_here("run", "-q", "--format", "json", "--log", "result.json", *options, "--", "./program",
                               env={"SERIATIM_RUNTIME_DIR": str(RUNTIME)})
        self.assertIn(result.status, (0, 66), result.message)
        return json.loads((self.folder / "result.json").read_text())

    def assert_locks(self, report):
        cut = {}
        for violation in report["violations"]:
            if violation["block"].startswith("update_"):
                cut[violation["block"].removeprefix("update_")] = violation["path"]
        self.assertEqual(sorted(cut), sorted(HELD))
        for name, path in cut.items():
            self.assertEqual([(edge["from"]["op"], edge["to"]["op"]) for edge in path],
                             [(f"r({name})", f"w({name})"), (f"w({name})", f"w({name})")])
            self.assertEqual((path[0]["from"]["locks"], path[-1]["to"]["locks"]), HELD[name], path)
            self.assertEqual(path[0]["to"]["locks"], HELD[name][1], path)
            self.assertNotIn("locks_unknown", json.dumps(path))

    def test_reports_say_what_was_held(self):
        self.built(PROGRAM, "schedule.o")
        self.assert_locks(self.watched())

    def test_the_twin_is_clean(self):
        self.built(PROGRAM, "schedule.o", flags=["-DFIXED"])
        report = self.watched()
        self.assertEqual((report["serializable"], report["violations"]), (True, []))

    def test_recordings_say_the_same(self):
        self.built(PROGRAM, "schedule.o")
        self.run_here("record", "-q", "-o", "trace.stt", "--", "./program", env={"SERIATIM_RUNTIME_DIR": str(RUNTIME)})
        self.assert_locks(json.loads(self.run_here("check", "--format", "json", "trace.stt").text))

    def test_where_a_lock_was_taken_in_functions_of_the_library(self):
        lines = [number for number, line in enumerate(GUARDS.splitlines(), 1) if line.endswith(("// first", "// second"))]
        self.write("program.cc", GUARDS)
        self.command("gcc", "-O1", "-c", programs.FOLDER / "schedule.c", "-o", "schedule.o")
        for level in ("-O0", "-O1"):
            self.command(BINARY, "c++", "-g", level, "-I", programs.FOLDER, "program.cc", "schedule.o", "-o", "program",
                         "-pthread")
            [finding] = [one for one in self.watched()["findings"] if one["function"] == "vote"]
            self.assertRegex(finding["look_at"], rf"program\.cc:{lines[0]} and {lines[1]}$")
        self.command(BINARY, "c++", "-g", "-DFIXED", "-I", programs.FOLDER, "program.cc", "schedule.o", "-o", "program",
                     "-pthread")
        self.write("spec", "ignore thread functions\n")
        self.assertEqual(self.watched("--spec", "spec")["violations"], [])

    def test_a_section_in_which_nothing_is_shared_is_no_event(self):
        self.built(ALONE)
        quiet, heard = self.watched(), self.watched("--locks")
        self.assertLess(quiet["trace"]["events"], 100)
        self.assertGreater(heard["trace"]["events"], 40000)
        counts = [{block["name"]: block["executed"] for block in report["blocks"]} for report in (quiet, heard)]
        self.assertEqual(counts[0]["add"], 20000)
        self.assertEqual(counts[0], counts[1])

    def test_sections_that_are_blocks_are_seen(self):
        self.built(ALONE)
        self.write("spec", "atomic section\n")
        report = self.watched("--spec", "spec")
        sections = [block for block in report["blocks"] if "section" in block["name"]]
        self.assertEqual(sum(block["executed"] for block in sections), 20002)
        self.assertTrue(report["serializable"])


if __name__ == "__main__":
    unittest.main()
