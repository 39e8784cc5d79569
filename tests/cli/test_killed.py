"""Programs and watchers that are killed at any moment, and disks that are full.

Moments are drawn from a seed; SERIATIM_KILLS has the number of rounds of each kind, and
SERIATIM_KILL_SEED the first seed."""

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

from seriatim import BINARY, Case, environment
from test_run import RUNTIME

ROUNDS = int(os.environ.get("SERIATIM_KILLS", "12"))
SEED = int(os.environ.get("SERIATIM_KILL_SEED", "1"))

# Threads that do everything that can be recorded, each in a known order: a worker (T1) that counts,
# a producer (T2) and a consumer (T3) with a condition, one with atomics (T4), and one (T5) that
# makes threads. The argument says how often.
BUSY = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static int rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int total, queue, taken;
static atomic_int hits;

static void count(int n) {
    pthread_mutex_lock(&lock);
    total += n;
    pthread_mutex_unlock(&lock);
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
    for (int i = 0; i < rounds; i++) {
        step_a();
        step_b();
        step_c();
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
    for (int i = 0; i < rounds / 4; i++) {
        made();
        put(1);
    }
    return unused;
}

static void *consume(void *unused) {
    for (int i = 0; i < rounds / 4; i++)
        used(take());
    return unused;
}

static void hit(void) { atomic_fetch_add(&hits, 1); }
static void *hammer(void *unused) {
    for (int i = 0; i < rounds; i++)
        hit();
    return unused;
}

static void born(void) { count(1); }
static void *live(void *unused) {
    born();
    return unused;
}
static void joined(void) { count(1); }
static void *raise_children(void *unused) {
    for (int i = 0; i < rounds / 16; i++) {
        pthread_t child;
        pthread_create(&child, NULL, live, NULL);
        pthread_join(child, NULL);
        joined();
    }
    return unused;
}

int main(int argc, char **argv) {
    void *(*const routines[])(void *) = {work, produce, consume, hammer, raise_children};
    pthread_t threads[5];
    rounds = argc > 1 ? atoi(argv[1]) : 1600;
    if (argc > 2) /* wait for a word */
        getchar();
    for (int i = 0; i < 5; i++)
        pthread_create(&threads[i], NULL, routines[i], NULL);
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d %d\n", total, taken, hits);
    return 0;
}
"""
# LARGE emits more than the memory between program and watcher holds.
NORMAL, LONGER, LARGE = 1600, 8000, 160000
STEPS = {"T1": ["step_a", "step_b", "step_c"], "T2": ["made"], "T3": ["used"], "T4": ["hit"],
         "T5": ["joined"]}
PROGRAM = None


def output_of(rounds):
    children = rounds // 16
    return f"{6 * rounds + 2 * children} {rounds // 4} {rounds}\n"


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


class KillCase(Case):
    def start(self, *words, **more):
        return subprocess.Popen([str(BINARY), *map(str, words)], cwd=self.folder,
                                env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME)),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                start_new_session=True, **more)

    def whole_run(self, *words):
        """How long it takes when nobody is killed."""
        begin = time.monotonic()
        process = self.start(*words)
        out, err = process.communicate()
        self.assertEqual((out, process.returncode in (0, 66)), (output_of(NORMAL), True), err)
        return time.monotonic() - begin

    def moments(self, longest):
        """For each round its seed, and how long to wait in it."""
        return [(seed, random.Random(seed).uniform(0, longest))
                for seed in range(SEED, SEED + ROUNDS)]

    def child_of(self, process):
        """The program that seriatim runs, if it is there already."""
        try:
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        except FileNotFoundError:
            children = ""
        return [int(child) for child in children.split()]

    def is_watched(self, child):
        """Not when seriatim has just made it and it is not the program yet."""
        try:
            return pathlib.Path(f"/proc/{child}/exe").resolve() == PROGRAM.resolve()
        except (FileNotFoundError, PermissionError):
            return False

    def assert_readable(self, path, cut):
        """Its events are what each thread of the program did, up to some point. Returns how many
        there are."""
        stats = self.run_here("stats", path, "--format", "json")
        self.assertEqual(stats.status, 0, stats.message)
        checked = self.run_here("check", path, "--format", "json")
        self.assertIn(checked.status, (0, 1), checked.message)
        trace = checked.json["trace"]
        if cut is not None:
            self.assertEqual(trace["cut"], cut)
        self.assertEqual(stats.message, f"seriatim: warning: {path}: is cut off; only its first "
                         f"{trace['events']} events could be read\n" if trace["cut"] else "")
        dump = self.run_here("dump", path)
        self.assertEqual(dump.status, 0, dump.message)
        begun = {}
        for thread, name in re.findall(r"^(\S+)\|begin\((\w+)\)\|", dump.text, re.M):
            begun.setdefault(thread, []).append(name)
        for thread, steps in STEPS.items():
            found = [name for name in begun.get(thread, []) if name in steps]
            self.assertEqual(found, (steps * len(found))[:len(found)], thread)
        for thread, names in begun.items():
            if thread not in STEPS:
                self.assertIn(names, (["born"], ["born", "count"]), thread)
        return trace["events"]


class TheProgramIsKilled(KillCase):
    def kill_program(self, *words, wait):
        """Starts seriatim, kills its program after a time, and returns what seriatim says; None if
        the program was not there or had ended."""
        process = self.start(*words)
        time.sleep(wait)
        killed = [child for child in self.child_of(process) if self.is_watched(child)]
        for child in killed:
            os.kill(child, signal.SIGKILL)
        out, err = process.communicate()
        if not killed or process.returncode != 128 + signal.SIGKILL:
            self.assertEqual((out, process.returncode in (0, 66)), (output_of(NORMAL), True), err)
            return None
        self.assertEqual(out, "")
        return err

    def record(self, wait):
        """The number of events in the trace that is left; None where there is none."""
        (self.folder / "t.stt").unlink(missing_ok=True)
        err = self.kill_program("record", "-q", "-o", "t.stt", PROGRAM, wait=wait)
        if err is None:
            return None
        self.assertRegex(err, r"\A(seriatim: warning: .* told nothing, so nothing was checked.*\n|"
                         r"seriatim: warning: \d+ events are missing \(.*\)\n)?\Z")
        if not (self.folder / "t.stt").exists():
            return None
        return self.assert_readable("t.stt", False)

    def test_under_record(self):
        longest = self.whole_run("record", "-q", "-o", "t.stt", PROGRAM)
        self.assert_readable("t.stt", False)
        some = []
        for seed, wait in self.moments(longest):
            with self.subTest(seed=seed):
                some.append(self.record(wait) is not None)
        self.assertIn(True, some, "no moment was one at which the program was at work")

    def test_under_run(self):
        longest = self.whole_run("run", "--log", "log", "--format", "json", PROGRAM)
        for seed, wait in self.moments(longest):
            with self.subTest(seed=seed):
                err = self.kill_program("run", "--log", "log", "--format", "json", PROGRAM,
                                        wait=wait)
                if err is not None and "told nothing" not in err:
                    report = json.loads((self.folder / "log").read_text())
                    # It may have been killed between saying that it is there and its first event.
                    trace = report["trace"]
                    self.assertTrue(trace["threads"] > 0 or trace["events"] == 0, trace)


class TheWatcherIsKilled(KillCase):
    """The program goes on to its end."""

    def kill_watcher(self, *words, wait):
        process = self.start(*words)
        time.sleep(wait)
        started = any(map(self.is_watched, self.child_of(process)))
        process.kill()
        # Until its parent, which we are, has asked how it ended, it is neither alive nor gone; the
        # program must not wait for it.
        out = process.stdout.read()
        process.communicate()
        if started:
            self.assertEqual(out, output_of(int(words[-1])))
        return started

    def record(self, wait):
        (self.folder / "t.stt").unlink(missing_ok=True)
        self.kill_watcher("record", "-q", "-o", "t.stt", PROGRAM, NORMAL, wait=wait)
        if not (self.folder / "t.stt").exists():
            return
        result = self.run_here("stats", "t.stt")
        if result.status == 2:
            self.assert_trouble_like(result, "t.stt: .*")
        else:
            self.assert_readable("t.stt", None)

    def test_under_record(self):
        longest = self.whole_run("record", "-q", "-o", "t.stt", PROGRAM, NORMAL)
        for seed, wait in self.moments(longest):
            with self.subTest(seed=seed):
                self.record(wait)

    def test_under_run(self):
        longest = self.whole_run("run", "-q", PROGRAM, NORMAL)
        for seed, wait in self.moments(longest):
            with self.subTest(seed=seed):
                self.kill_watcher("run", "-q", PROGRAM, NORMAL, wait=wait)

    def test_while_the_program_waits_for_it(self):
        """It has filled the memory between them, and waits until there is room again."""
        for command in ("record", "run"):
            process = self.start(command, "-q", *(["-o", "t.stt"] if command == "record" else []),
                                 PROGRAM, LARGE)
            while not any(map(self.is_watched, self.child_of(process))):
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(signal.SIGSTOP)
            time.sleep(1)
            process.kill()
            self.assertEqual(process.stdout.read(), output_of(LARGE))
            process.communicate()


class TheDiskIsFull(KillCase):
    def record_within(self, limit):
        """In a file that may not grow beyond that."""
        (self.folder / "t.stt").unlink(missing_ok=True)
        process = self.start("record", "-o", "t.stt", PROGRAM, LONGER, "wait", stdin=subprocess.PIPE)
        while not any(map(self.is_watched, self.child_of(process))):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        # The memory that it shares with the program is there by now; it counts as a file too.
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (limit, limit))
        out, err = process.communicate("\n")
        self.assertEqual(out, output_of(LONGER))
        return process.returncode, err

    def record_and_read(self, limit):
        """The number of events that can be read from a file that became full; 0 if there are none,
        or if all of it had room: another schedule makes a trace of another size."""
        status, err = self.record_within(limit)
        size = (self.folder / "t.stt").stat().st_size
        if status == 0:
            self.assertLessEqual(size, limit)
            self.assert_readable("t.stt", False)
            return 0
        self.assertEqual((status, size), (2, limit), err)
        self.assertIn("t.stt: cannot write: File too large", err)
        self.assertIn("recording stops here; the program goes on", err)
        result = self.run_here("stats", "t.stt")
        if result.status == 0:
            return self.assert_readable("t.stt", True)
        self.assert_trouble_like(result, "t.stt: .*")
        return 0

    def test_at_any_size(self):
        self.record_and_read(1 << 40)
        size = (self.folder / "t.stt").stat().st_size
        some = 0
        for seed in range(SEED, SEED + ROUNDS):
            limit = random.Random(seed).randrange(size)
            with self.subTest(seed=seed, limit=limit):
                some += self.record_and_read(limit)
        self.assertGreater(some, 0, "no file had something in it")


if __name__ == "__main__":
    unittest.main()
