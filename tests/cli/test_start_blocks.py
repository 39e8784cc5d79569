"""The function that a thread starts with is a block, or each iteration of its outermost loop is."""

import json
import shutil
import subprocess
import unittest

from seriatim import BINARY, RUNTIME, Case, environment

# The second thread writes between two critical sections of the first, which are in one run of its
# function or in one iteration of its loop, or, in the twin, in two iterations. They take turns
# through a counter without instrumentation.
PROGRAM = r"""
#include <pthread.h>
#include <unistd.h>
#define HIDDEN __attribute__((no_sanitize("thread"), noinline))
static int turn;
HIDDEN static void wait_for(int n) {
    while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) < n)
        usleep(100);
}
HIDDEN static void next_turn(void) {
    __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST);
}
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void *once(void *argument) {
    pthread_mutex_lock(&lock);
    int value = total;
    pthread_mutex_unlock(&lock);
    next_turn();
    wait_for(2);
    pthread_mutex_lock(&lock);
    total = value + 1;
    pthread_mutex_unlock(&lock);
    return argument;
}
static void *inside(void *argument) {
    for (int i = 0; i < 3; i++) { /* inside */
        pthread_mutex_lock(&lock);
        int value = total;
        pthread_mutex_unlock(&lock);
        next_turn();
        wait_for(2);
        pthread_mutex_lock(&lock);
        total = value + 1;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}
static void *between(void *argument) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
        next_turn();
        wait_for(2);
    }
    return argument;
}
static void *other(void *argument) {
    wait_for(1);
    pthread_mutex_lock(&lock);
    total = 7;
    pthread_mutex_unlock(&lock);
    next_turn();
    return argument;
}
int main(int argc, char **argv) {
    pthread_t a, b;
    (void)argc;
    pthread_create(&a, NULL, *argv[1] == 'o' ? once : *argv[1] == 'i' ? inside : between, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
"""


# The same in C++: a lambda does nothing but call the function that the thread is for.
HANDED_ON = r"""
#include <mutex>
#include <thread>
#include <unistd.h>
#define HIDDEN __attribute__((no_sanitize("thread"), noinline))
static int turn;
HIDDEN static void wait_for(int n) {
    while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) < n)
        usleep(100);
}
HIDDEN static void next_turn() {
    __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST);
}
struct Counter {
    std::mutex lock;
    int total = 0;
    void add(int n) {
        std::lock_guard<std::mutex> guard(lock);
        total += n;
    }
    void between() {
        for (int i = 0; i < 3; i++) {
            add(1);
            next_turn();
            wait_for(2);
        }
    }
    void inside() {
        for (int i = 0; i < 3; i++) { /* inside */
            lock.lock();
            int value = total;
            lock.unlock();
            next_turn();
            wait_for(2);
            lock.lock();
            total = value + 1;
            lock.unlock();
        }
    }
};
int main(int, char **argv) {
    Counter counter;
    bool inside = *argv[1] == 'i';
    std::thread a = inside ? std::thread([&counter] { counter.inside(); })
                           : std::thread([&counter] { counter.between(); });
    std::thread b([&counter] {
        wait_for(1);
        counter.add(7);
        next_turn();
    });
    a.join();
    b.join();
}
"""

# Before the threads of HANDED_ON, others do the same for themselves and end. By then the watcher has
# told the program what threads start with.
EARLIER = r"""
    {
        Counter own;
        turn = 2;
        std::thread c([&own] { own.between(); });
        c.join();
        std::thread d([&own] { own.inside(); });
        d.join();
        usleep(200000);
        turn = 0;
    }
"""
LATER = HANDED_ON.replace("    bool inside = ", EARLIER + "    bool inside = ")

# A million calls of a function that uses memory of its own thread.
MANY_CALLS = r"""
#include <thread>
#include <unistd.h>
#define HIDDEN __attribute__((no_sanitize("thread"), noinline))
struct Worker {
    long sums[8] = {};
    __attribute__((noinline)) void leaf(int i) {
        sums[i % 8] += i;
    }
    __attribute__((noinline)) void step(int turn) {
        for (int i = 0; i < 5000; i++)
            leaf(i + turn);
    }
    HIDDEN void rest(int turn) { /* the watcher catches up */
        if (turn == 0)
            usleep(200000);
    }
    void work() {
        for (int turn = 0; turn < 200; turn++) {
            step(turn);
            rest(turn);
        }
    }
    void once() {
        for (int turn = 0; turn < 200; turn++)
            rest(turn), step(turn);
    }
};
static Worker workers[2];
int main() {
#ifdef _OPENMP
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 2; i++)
        workers[i].once();
#else
    std::thread a([] { workers[0].work(); });
    std::thread b([] { workers[1].work(); });
    a.join();
    b.join();
#endif
}
"""


@unittest.skipUnless(RUNTIME.exists() and shutil.which("gcc"), "needs the runtime and gcc")
class StartBlocks(Case):
    def violated(self, *words, level="-O1", spec=None, compiler="cc", text=PROGRAM):
        """The blocks that run found violated; check of a recording must find the same."""
        source = "program.c" if compiler == "cc" else "program.cc"
        self.write(source, text)
        env = {"SERIATIM_RUNTIME_DIR": str(RUNTIME)}
        subprocess.run([str(BINARY), compiler, "-g", level, source, "-o", "program", "-pthread"],
                       cwd=self.folder, check=True, capture_output=True, env=environment(**env))
        options = []
        if spec:
            self.write("s", spec)
            options = ["--spec", "s"]
        ran = self.run_here("run", *options, "--format", "json", "./program", *words, env=env)
        self.run_here("record", *options, "-o", "t.stt", "./program", *words, env=env)
        names = {v["block"] for v in json.loads(ran.message)["violations"]}
        checked = self.run_here("check", "--format", "json", "t.stt").json
        self.assertEqual({v["block"] for v in checked["violations"]}, names)
        self.run_here("record", "--reduced", *options, "-o", "r.stt", "./program", *words, env=env)
        reduced = self.run_here("check", "--format", "json", "r.stt").json
        self.assertEqual({v["block"] for v in reduced["violations"]}, names)
        for result in (json.loads(ran.message), reduced):
            self.assertEqual([(block["name"], block["executed"], block["violated"]) for block in result["blocks"]],
                             [(block["name"], block["executed"], block["violated"]) for block in checked["blocks"]])
        self.assertEqual(ran.status, 66 if names else 0)
        return names

    def assert_handed_on(self, text):
        line = text[:text.index("/* inside */")].count("\n") + 1
        for level in ("-O0", "-O1", "-O2"):
            self.assertEqual(self.violated("between", level=level, compiler="c++", text=text),
                             set())
            self.assertEqual(self.violated("inside", level=level, compiler="c++", text=text),
                             {f"one iteration of the loop at Counter::inside, program.cc:{line}"})

    def test_a_function_without_a_loop(self):
        for level in ("-O0", "-O1", "-O2"):
            self.assertEqual(self.violated("once", level=level), {"thread function once"})

    def test_an_iteration(self):
        line = PROGRAM[:PROGRAM.index("/* inside */")].count("\n") + 1
        for level in ("-O0", "-O1", "-O2"):
            self.assertEqual(self.violated("inside", level=level),
                             {f"one iteration of the loop at inside, program.c:{line}"})

    def test_between_iterations(self):
        for level in ("-O0", "-O1", "-O2"):
            self.assertEqual(self.violated("between", level=level), set())

    def test_a_function_that_a_lambda_hands_on_to(self):
        self.assert_handed_on(HANDED_ON)

    def test_a_function_of_which_the_program_has_been_told(self):
        self.assert_handed_on(LATER)

    def test_calls_deeper_than_what_is_started_with_are_no_events(self):
        self.write("program.cc", MANY_CALLS)
        env = {"SERIATIM_RUNTIME_DIR": str(RUNTIME)}
        for flags in ((), ("-fopenmp",)):
            subprocess.run([str(BINARY), "c++", "-g", "-O1", *flags, "program.cc", "-o", "program",
                            "-pthread"],
                           cwd=self.folder, check=True, capture_output=True, env=environment(**env))
            ran = self.run_here("run", "--format", "json", "./program", env=env)
            result = json.loads(ran.message)
            calls = {block["name"]: block["executed"] for block in result["blocks"]}
            self.assertEqual((calls["Worker::leaf"], calls["Worker::step"]), (2000000, 400))
            self.assertLess(result["trace"]["events"], 2000000, flags)

    def test_all_engines_agree_about_a_recording_as_text(self):
        self.violated("inside")
        self.run_here("convert", "t.stt", "t.std")
        for trace in ("t.stt", "t.std"):
            result = self.run_here("check", "--engine", "all", "--data", "--format", "json", trace)
            verdicts = {engine["serializable"] for engine in result.json["engines"]}
            self.assertEqual(verdicts, {True}, trace)  # without what threads start with

    def test_a_specification_switches_them_off(self):
        self.assertEqual(self.violated("once", spec="ignore function once\n"), set())
        self.assertEqual(self.violated("inside", spec="ignore thread functions\n"), set())
        self.assertEqual(self.violated("once", spec="atomic function once\n"), {"once"})


if __name__ == "__main__":
    unittest.main()
