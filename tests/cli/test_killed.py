"""Programs and watchers that are killed in the middle of their work, and disks that are full.

The program says when it has made so many steps, and goes on; then comes the kill. How many steps is
drawn from a seed; SERIATIM_KILLS has the number of rounds of each kind, and SERIATIM_KILL_SEED the
first seed."""

import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from seriatim import BINARY, RUNTIME, SANITIZED, Case, environment

ROUNDS = int(os.environ.get("SERIATIM_KILLS", "4" if SANITIZED else "12"))
SEED = int(os.environ.get("SERIATIM_KILL_SEED", "1"))

# Threads that do all there is to watch, each in an order that is known: one with atomics (T1), a
# worker (T2) that counts, a producer (T3) and a consumer (T4) with a condition, and one (T5) that
# makes threads.
#
#     busy N    After N steps of all but T1 it prints "at work", its process and the thread T1, and
#               goes on for ever, or until a line with a number comes: then for so many steps more.
#               With 0 it prints that before it has any thread, and waits for another line first.
#     busy N ahead   The same, but T1 does not wait for the others.
#     busy -    It prints the same, and stays there, before its first event.
BUSY = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What is not watched, and has no order with what is. */
#define HIDDEN __attribute__((no_sanitize("thread"), noinline))
static long steps, hits_made, wanted, limit = -1;
static int hammering, arrived, ahead;

HIDDEN static void announce(void) {
    char line[80];
    int length = snprintf(line, sizeof line, "at work %d %d\n", (int)getpid(),
                          __atomic_load_n(&hammering, __ATOMIC_SEQ_CST));
    syscall(SYS_write, 1, line, length);
}

HIDDEN static void stepped(void) {
    if (__atomic_add_fetch(&steps, 1, __ATOMIC_SEQ_CST) == wanted)
        announce();
}

HIDDEN static int goes_on(void) {
    return __atomic_load_n(&steps, __ATOMIC_SEQ_CST) <
           (unsigned long)__atomic_load_n(&limit, __ATOMIC_SEQ_CST);
}

HIDDEN static long read_number(void) {
    char line[80] = "";
    if (syscall(SYS_read, 0, line, sizeof line - 1) < 0)
        _exit(9);
    return atol(line);
}

HIDDEN static void read_limit(void) {
    long more = read_number();
    __atomic_store_n(&limit, __atomic_load_n(&steps, __ATOMIC_SEQ_CST) + more, __ATOMIC_SEQ_CST);
}

/* All threads begin together; otherwise the first would make most of the steps alone. */
HIDDEN static void begin(void) {
    __atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < 5)
        syscall(SYS_sched_yield);
}

/* T1 is faster than the others. It gets ahead of them by more than fits into one of its chunks, but
 * no further, unless it may. It never sleeps. */
HIDDEN static void begin_to_hammer(void) {
    __atomic_store_n(&hammering, (int)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
    begin();
}

HIDDEN static void hammered(void) {
    for (hits_made++; goes_on(); syscall(SYS_sched_yield))
        if (ahead || hits_made < __atomic_load_n(&steps, __ATOMIC_SEQ_CST) + 5000)
            break;
}

HIDDEN __attribute__((constructor)) static void before_main(int argc, char **argv) {
    wanted = argc > 1 ? atol(argv[1]) : 0;
    ahead = argc > 2;
    if (argc > 1 && strcmp(argv[1], "-") == 0) {
        announce();
        for (;;)
            pause();
    }
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int total, queue, taken;
static atomic_int hits;
static int rounds[5]; /* of each thread */

static void count(int n) {
    pthread_mutex_lock(&lock);
    total += n;
    pthread_mutex_unlock(&lock);
}

static void hit(void) { atomic_fetch_add(&hits, 1); }
static void *hammer(void *unused) {
    for (begin_to_hammer(); goes_on(); rounds[0]++) {
        hit();
        hammered();
    }
    return unused;
}

static void step_a(void) { count(1); }
static void step_b(void) { count(2); }
static void step_c(void) {
    int *memory = malloc(sizeof *memory);
    *memory = 3;
    count(*memory);
    free(memory);
}

static void *work(void *unused) {
    for (begin(); goes_on(); rounds[1]++) {
        step_a();
        stepped();
        step_b();
        stepped();
        step_c();
        stepped();
    }
    return unused;
}

static void put(int value) {
    pthread_mutex_lock(&queue_lock);
    while (queue)
        pthread_cond_wait(&changed, &queue_lock);
    queue = value;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&queue_lock);
}

static int take(void) {
    pthread_mutex_lock(&queue_lock);
    while (!queue)
        pthread_cond_wait(&changed, &queue_lock);
    int value = queue;
    queue = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&queue_lock);
    return value;
}

static void made(void) { count(0); }
static void used(int value) { taken += value; count(0); }

static void *produce(void *unused) {
    for (begin(); goes_on(); rounds[2]++) {
        made();
        stepped();
        put(1);
    }
    put(-1); /* that was all */
    return unused;
}

static void *consume(void *unused) {
    begin();
    for (int value; (value = take()) > 0; rounds[3]++) {
        used(value);
        stepped();
    }
    return unused;
}

static void born(void) { count(1); }
static void *live(void *unused) {
    born();
    return unused;
}
static void joined(void) { count(1); }
static void *raise_children(void *unused) {
    for (begin(); goes_on(); rounds[4]++) {
        pthread_t child;
        pthread_create(&child, NULL, live, NULL);
        pthread_join(child, NULL);
        joined();
        stepped();
    }
    return unused;
}

int main(void) {
    void *(*const routines[])(void *) = {hammer, work, produce, consume, raise_children};
    pthread_t threads[5];
    if (!wanted) {
        announce();
        read_number();
    }
    for (int i = 0; i < 5; i++)
        pthread_create(&threads[i], NULL, routines[i], NULL);
    read_limit();
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d %d of %d %d %d %d %d\n", total, taken, hits, rounds[0], rounds[1], rounds[2],
           rounds[3], rounds[4]);
    return 0;
}
"""
LATEST, MORE = 8000, 20000
STEPS = {"T1": ["hit"], "T2": ["step_a", "step_b", "step_c"], "T3": ["made"], "T4": ["used"],
         "T5": ["joined"]}
PROGRAM = None


def setUpModule():
    global PROGRAM
    if not RUNTIME.exists() or not shutil.which("gcc"):
        raise unittest.SkipTest("there is no runtime in this build, or no gcc")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="seriatim-test-killed-"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    (folder / "busy.c").write_text(BUSY)
    subprocess.run([BINARY, "cc", "-O1", "busy.c", "-o", "busy", "-pthread"], cwd=folder, check=True,
                   env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME)))
    PROGRAM = folder / "busy"


def draws():
    """For each round its seed, and after how many steps the kill comes: often soon."""
    return [(seed, int(LATEST ** random.Random(seed).random()))
            for seed in range(SEED, SEED + ROUNDS)]


class KillCase(Case):
    RECORD = ("record",)

    def start(self, *words):
        process = subprocess.Popen([str(BINARY), *map(str, words)], cwd=self.folder, text=True,
                                   env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME)),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(process.__exit__, None, None, None)
        return process

    def wait_for_work(self, process):
        """Until the program has made the steps that it was started for. Its process, and the thread
        that never waits for another."""
        line = process.stdout.readline()
        self.assertRegex(line, r"\Aat work \d+ \d+\n\Z")
        return tuple(map(int, line.split()[2:]))

    def go_on_for(self, process, steps):
        """So many more steps, and then an end. Of a program that has not begun: that it may."""
        process.stdin.write(f"{steps}\n")
        process.stdin.flush()

    def assert_came_to_its_end(self, output):
        """It did what it says that it did. How often each thread made its steps."""
        self.assertRegex(output, r"\A\d+ \d+ \d+ of( \d+){5}\n\Z")
        sums, rounds = (list(map(int, part.split())) for part in output.split(" of "))
        self.assertEqual(sums, [6 * rounds[1] + 2 * rounds[4], rounds[2], rounds[0]])
        self.assertEqual(rounds[2], rounds[3])
        return rounds

    def assert_readable(self, path, cut):
        """Its events are what the program did, in each thread up to some point. Returns how many
        steps each has."""
        stats = self.run_here("stats", path, "--format", "json")
        self.assertEqual(stats.status, 0, stats.message)
        checked = self.run_here("check", path, "--format", "json")
        self.assertIn(checked.status, (0, 1), checked.message)
        trace = checked.json["trace"]
        if cut is not None:
            self.assertEqual(trace["cut"], cut)
        self.assertEqual(stats.message, f"seriatim: warning: {path}: is truncated; only its first "
                         f"{trace['events']} events could be read\n" if trace["cut"] else "")
        dump = self.run_here("dump", path)
        self.assertEqual(dump.status, 0, dump.message)
        begun = {}
        for thread, name in re.findall(r"^(\S+)\|begin\((\w+)\)\|", dump.text, re.M):
            begun.setdefault(thread, []).append(name)
        counts = []
        for thread, steps in STEPS.items():
            found = [name for name in begun.pop(thread, []) if name in steps]
            self.assertEqual(found, (steps * len(found))[:len(found)], thread)
            counts.append(len(found))
        begun.pop("main", None)
        for thread, names in begun.items():
            self.assertIn(names, (["born"], ["born", "count"]), thread)
        return counts

    def stop_after_something_was_written(self, process):
        """A file that grows cannot be read to its end: the watcher stands still meanwhile."""
        while True:
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED)
            if (self.folder / "t.stt").exists() and self.run_here("stats", "t.stt").status == 0:
                return
            process.send_signal(signal.SIGCONT)
            time.sleep(0.01)


class NobodyIsKilled(KillCase):
    """The program itself, before the moment of its death matters."""

    def test_all_that_it_did_is_in_the_trace(self):
        process = self.start(*self.RECORD, "-q", "-o", "t.stt", PROGRAM, LATEST)
        self.wait_for_work(process)
        self.go_on_for(process, MORE)
        out, err = process.communicate()
        self.assertEqual((process.returncode, err), (0, ""))
        rounds = self.assert_came_to_its_end(out)
        self.assertEqual(self.assert_readable("t.stt", False),
                         [rounds[0], 3 * rounds[1], *rounds[2:]])


class TheProgramIsKilled(KillCase):
    def kill_program(self, *words):
        """Starts seriatim, kills its program when that is at work, and returns what seriatim says."""
        process = self.start(*words)
        program, _ = self.wait_for_work(process)
        os.kill(program, signal.SIGKILL)
        out, err = process.communicate()
        self.assertEqual((process.returncode, out), (128 + signal.SIGKILL, ""), err)
        return err

    def test_under_record(self):
        for seed, steps in draws():
            with self.subTest(seed=seed, steps=steps):
                err = self.kill_program(*self.RECORD, "-q", "-o", "t.stt", PROGRAM, steps)
                self.assertRegex(err, r"\A(seriatim: warning: \d+ events? (is|are) missing \(.*\)\n)?\Z")
                self.assertGreaterEqual(sum(self.assert_readable("t.stt", False)[1:]), steps)

    def test_under_run(self):
        for seed, steps in draws():
            with self.subTest(seed=seed, steps=steps):
                self.kill_program("run", "--log", "log", "--format", "json", PROGRAM, steps)
                report = json.loads((self.folder / "log").read_text())
                names = sum(list(STEPS.values())[1:], [])
                self.assertGreaterEqual(sum(block["executed"] for block in report["blocks"]
                                            if block["name"] in names), steps)

    def test_before_its_first_event(self):
        self.assertEqual(self.kill_program("run", "--log", "log", "--format", "json", PROGRAM, "-"),
                         "")
        self.assertEqual(json.loads((self.folder / "log").read_text())["trace"]["events"], 0)
        self.assertEqual(self.kill_program(*self.RECORD, "-q", "-o", "t.stt", PROGRAM, "-"), "")
        self.assertEqual(self.assert_readable("t.stt", False), [0] * 5)

    def test_before_it_is_the_program(self):
        shell = f"echo at work $$ 0; read -r line; exec '{PROGRAM}' 1"
        for command in ("run", "record"):
            self.assertRegex(self.kill_program(command, "sh", "-c", shell),
                             r"\Aseriatim: warning: sh could not be watched, so there is nothing to check.*\n\Z")


class TheWatcherIsKilled(KillCase):
    """The program goes on to its end."""

    def kill_watcher(self, *words):
        process = self.start(*words)
        self.wait_for_work(process)
        process.kill()
        self.assert_goes_on(process)

    def assert_goes_on(self, process):
        """Until its parent, which we are, has asked how it ended, the watcher is neither alive nor
        gone; the program must not wait for it."""
        self.go_on_for(process, MORE)
        self.assert_came_to_its_end(process.stdout.read())
        process.communicate()

    def test_under_record(self):
        for seed, steps in draws():
            with self.subTest(seed=seed, steps=steps):
                (self.folder / "t.stt").unlink(missing_ok=True)
                self.kill_watcher(*self.RECORD, "-q", "-o", "t.stt", PROGRAM, steps)
                if not (self.folder / "t.stt").exists():
                    continue
                result = self.run_here("stats", "t.stt")
                if result.status == 2:
                    self.assert_trouble_like(result, "t.stt: .*")
                else:
                    self.assert_readable("t.stt", None)

    def test_under_run(self):
        for seed, steps in draws():
            with self.subTest(seed=seed, steps=steps):
                self.kill_watcher("run", "-q", PROGRAM, steps)

    def wait_until_it_sleeps(self, program, thread):
        """Until a thread that waits for nobody but the watcher waits."""
        state = None
        while state != "S":
            status = pathlib.Path(f"/proc/{program}/task/{thread}/stat").read_text()
            state = status.rpartition(")")[2].split()[0]
            time.sleep(0.001)

    def test_while_the_program_waits_for_it(self):
        """It has filled the memory between them, and waits until there is room again. T1 fills the rest
        when the others wait already."""
        for command in ("record", "run"):
            process = self.start(command, "-q", *(["-o", "t.stt"] if command == "record" else []),
                                 PROGRAM, LATEST, "ahead")
            program, thread = self.wait_for_work(process)
            process.send_signal(signal.SIGSTOP)
            self.wait_until_it_sleeps(program, thread)
            process.kill()
            self.assert_goes_on(process)


class TheDiskIsFull(KillCase):
    def limit_size(self, process, limit):
        """The file may not grow beyond that. The memory that is shared with the program counts as a
        file too, but is there by now."""
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (limit, limit))

    def assert_told(self, process):
        """The watcher says so; the program goes on to its end."""
        said = process.stderr.readline() + process.stderr.readline()
        self.assertEqual(said, "seriatim: t.stt: cannot write: File too large\n"
                         "seriatim: warning: recording stops here; the program continues\n")
        self.go_on_for(process, MORE)
        out, _ = process.communicate()
        self.assert_came_to_its_end(out)
        self.assertEqual(process.returncode, 2)

    def test_from_the_beginning(self):
        for seed in range(SEED, SEED + ROUNDS):
            limit = int(4000 * random.Random(seed).random())
            with self.subTest(seed=seed, limit=limit):
                process = self.start(*self.RECORD, "-o", "t.stt", PROGRAM, 0)
                self.wait_for_work(process)
                self.limit_size(process, limit)
                self.go_on_for(process, MORE)
                self.assert_told(process)
                self.assertEqual((self.folder / "t.stt").stat().st_size, limit)
                result = self.run_here("stats", "t.stt")
                if result.status == 2:
                    self.assert_trouble_like(result, "t.stt: .*")
                else:
                    self.assert_readable("t.stt", True)

    def test_after_something_was_written(self):
        for seed in range(SEED, SEED + ROUNDS):
            process = self.start(*self.RECORD, "-o", "t.stt", PROGRAM, 1)
            self.wait_for_work(process)
            self.stop_after_something_was_written(process)
            size = (self.folder / "t.stt").stat().st_size
            limit = size + random.Random(seed).randrange(size)
            with self.subTest(seed=seed, limit=limit):
                self.limit_size(process, limit)
                process.send_signal(signal.SIGCONT)
                self.assert_told(process)
                self.assertEqual((self.folder / "t.stt").stat().st_size, limit)
                self.assertGreater(sum(self.assert_readable("t.stt", True)), 0)
            (self.folder / "t.stt").unlink()


if __name__ == "__main__":
    unittest.main()
