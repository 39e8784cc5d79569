"""seriatim hunt: faulty programs fail under control, and are reported with a schedule; their
repaired twins are not."""

import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import time
import unittest

import programs
from hunting import ADDS_UP, LISTENS, UNHURRIED, Hunting
from schemas import RESULT, SARIF, complaints, strict, validator
from seriatim import BINARY, RUNTIME, SANITIZED, environment, once

CRASHES = """#include <assert.h>
#include <pthread.h>
static int value, *volatile shared = &value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void use(void) {
#ifdef ASSERT
    pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock);
    assert(shared);
#else
    if (shared) {
        int *local = shared;
        *local = 1;
    }
#endif
}
static void *user(void *argument) {
    use();
    return argument;
}
static void *remover(void *argument) {
    pthread_mutex_lock(&lock);
    shared = 0;
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, user, 0);
    pthread_create(&threads[1], 0, remover, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
"""

ENDLESS = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long turns;
static void turn(void) {
    pthread_mutex_lock(&lock);
    turns++;
    pthread_mutex_unlock(&lock);
}
static void *work(void *argument) {
    for (;;)
        turn();
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    for (;;)
        turn();
}
"""

ALONE = """
#include <stdio.h>
int main(void) { puts("alone"); return 0; }
"""

# A lost update that shows in what is printed only, behind something that differs in each run.
PRINTS = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
""" + ADDS_UP + """    printf("process %d\\n", (int)getpid());
    printf("total %d\\n", total + more);
    return 0;
}
"""

# Threads print in the order in which they come, which is no harm.
ORDER = """
#include <pthread.h>
#include <stdio.h>
static void *work(void *argument) {
    printf("%s\\n", (const char *)argument);
    return argument;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, "one");
    pthread_create(&b, NULL, work, "two");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
"""

# Each worker takes steps that are atomic, one after the other, in the function that it starts with. Who did how much
# differs between schedules.
STEPS = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int next, work;
static int take(void) { return atomic_fetch_add(&next, 1); }
static void *worker(void *argument) {
    int took = 0;
    while (take() < 6) {
        atomic_fetch_add(&work, 1);
        took++;
        atomic_fetch_add(&work, 1);
    }
    printf("%s took %d\\n", (const char *)argument, took);
    return argument;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, "one");
    pthread_create(&b, NULL, worker, "two");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return work != 12;
}
"""

# A worker overwrites what another one has written, and nobody notices.
UNNOTICED = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void *adder(void *argument) {
    pthread_mutex_lock(&lock);
    int old = total;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    total = old + 1;
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, adder, NULL);
    pthread_create(&b, NULL, adder, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
"""

SERVER = """
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits;
static int get(void) {
    pthread_mutex_lock(&lock);
    int value = hits;
    pthread_mutex_unlock(&lock);
    return value;
}
static void set(int value) {
    pthread_mutex_lock(&lock);
    hits = value;
    pthread_mutex_unlock(&lock);
}
static void hit(void) { set(get() + 1); }
static void *serve(void *argument) {
    int fd = (int)(long)argument;
    char byte;
    if (read(fd, &byte, 1) == 1)
        hit();
    close(fd);
    return NULL;
}
""" + LISTENS

# What main has written before it has threads, they only read.
TABLE = """
#include <pthread.h>
#include <stdio.h>
enum { SIZE = 50000 };
static int table[SIZE];
static void *work(void *argument) {
    int *sum = argument;
    for (int i = 0; i < SIZE; i++)
        *sum += table[i];
    return NULL;
}
int main(void) {
    int sums[2] = {0, 0};
    pthread_t a, b;
    for (int i = 0; i < SIZE; i++)
        table[i] = i % 10;
    pthread_create(&a, NULL, work, &sums[0]);
    pthread_create(&b, NULL, work, &sums[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\\n", sums[0] + sums[1]);
    return 0;
}
"""

# So many points that a thread cannot be stopped at each of them.
LONG = """
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void add(int amount) {
    pthread_mutex_lock(&lock);
    total += amount;
    pthread_mutex_unlock(&lock);
}
static void *work(void *argument) {
    for (int i = 0; i < 30000; i++)
        add(1);
    return argument;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\\n", total);
    return total != 60000;
}
"""

# Counts what it reads: with the C library, or itself. With a thread, or without one.
READS = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int bytes;
static void add(int amount) {
    pthread_mutex_lock(&lock);
    bytes += amount;
    pthread_mutex_unlock(&lock);
}
static void *reader(void *argument) {
#if defined BY_ITSELF
    char byte;
    while (read(0, &byte, 1) == 1)
        add(1);
#elif !defined NOTHING
    while (getchar() != EOF)
        add(1);
#endif
    return argument;
}
int main(void) {
    pthread_t thread;
#ifdef AT_ONCE
    if (getchar() == EOF)
        abort();
#endif
    pthread_create(&thread, NULL, reader, NULL);
    add(0);
    pthread_join(thread, NULL);
    printf("%d bytes\\n", bytes);
    return 0;
}
"""

# The library gets a null pointer if the other thread comes in between.
IN_LIBRARY = """#include <pthread.h>
#include <stdio.h>
#include <string.h>
static char hello[] = "hello, world, how are you?";
static char *text = hello;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *get(void) {
    pthread_mutex_lock(&lock);
    char *now = text;
    pthread_mutex_unlock(&lock);
    return now;
}
static __attribute__((noinline)) size_t measure(size_t length) {
    char copy[100] = "";
    if (!get())
        return 0;
    char *now = get();
#ifdef STRLEN
    length = strlen(now); /* STRLEN */
#elif defined MEMCPY
    memcpy(copy, now, length); /* MEMCPY */
#elif defined PRINTF
    snprintf(copy, sizeof copy, "%.*s %d", (int)length, now + 1, 1); /* PRINTF */
#else
    void (*volatile call)(char *) = (void (*)(char *))now;
    if (!now)
        call(copy); /* CALL */
#endif
    return length + (size_t)copy[0];
}
static void *clear(void *argument) {
    pthread_mutex_lock(&lock);
    text = NULL;
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(int argc, char **argv) {
    pthread_t thread;
    pthread_create(&thread, NULL, clear, argv);
    size_t length = measure((size_t)argc + 20);
    pthread_join(thread, NULL);
    return length > 1000;
}
"""

# Needs the terminal of whoever started it, and does nothing without.
ASKS = """
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
static void *ask(void *argument) {
    char answer[80];
#ifdef DESCRIPTOR
    int descriptor = open("/dev/tty", O_RDWR);
    FILE *terminal = descriptor >= 0 ? fdopen(descriptor, "r+") : NULL;
#else
    FILE *terminal = fopen("/dev/tty", "r+");
#endif
    if (terminal && fgets(answer, sizeof answer, terminal))
        puts(answer);
    puts(terminal ? "there is a terminal" : "there is no terminal");
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, ask, NULL);
    pthread_join(thread, NULL);
    return 0;
}
"""

# Differs from run to run, whatever its threads do.
DIFFERS = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument) {
    int times = COUNT;
    for (int i = 0; i < times; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}
/* Which run it is: a file counts them. */
static int number(void) {
    int runs = 0;
    FILE *file = fopen("runs", "r");
    if (file && fscanf(file, "%d", &runs) != 1)
        runs = 0;
    if (file)
        fclose(file);
    file = fopen("runs", "w");
    fprintf(file, "%d", runs + 1);
    fclose(file);
    return runs;
}
int main(void) {
    pthread_t thread;
    int run = number();
    pthread_create(&thread, NULL, work, &run);
    pthread_join(thread, NULL);
    printf("run %d\\n", PRINTED);
    return STATUS;
}
"""

CLIENT = """
import socket, sys
port = int(open(sys.argv[1]).read())
clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(2)]
for client in clients:
    client.send(b"x")
for client in clients:
    client.recv(1)
"""


# Threads are created where the stack held what other threads have written: the runtime's own variables lie there.
STACKS = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void *fill(void *argument) {
    volatile long *words = argument;
    for (int i = 0; i < 256; i++)
        words[i] = i;
    return argument;
}
static void __attribute__((noinline)) lend(void) {
    volatile long words[256];
    pthread_t thread;
    pthread_create(&thread, NULL, fill, (void *)words);
    pthread_join(thread, NULL);
    for (int i = 1; i < 256; i++)
        words[i] = words[i - 1];
}
static void *add(void *argument) {
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    return argument;
}
static void *work(void *argument) {
    pthread_t thread;
    lend();
    pthread_create(&thread, NULL, add, NULL);
    pthread_join(thread, NULL);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    return total != 2;
}
"""

NESTED = """#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 2;
static int look(void) {
    pthread_mutex_lock(&lock);
    int seen = stock;
    pthread_mutex_unlock(&lock);
    return seen;
}
static void take(int count) {
    pthread_mutex_lock(&lock);
    stock -= count;
    pthread_mutex_unlock(&lock);
}
static void sell(int count) {
    if (look() >= count)
        take(count);
}
static void deliver(int count) { sell(count); }
static void confirm(int count) { deliver(count); }
static void handle(int count) { confirm(count); }
static void serve(int count) { handle(count); }
static void *shop(void *argument) {
    serve(2);
    return argument;
}
int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, shop, 0);
    pthread_create(&threads[1], 0, shop, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return stock != 0;
}
"""

RECURSIVE = """#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
static struct { atomic_int owner; int depth; } lock;
static int stock = 2, sold;
static void enter(int me) {
    if (atomic_load_explicit(&lock.owner, memory_order_relaxed) == me) {
        lock.depth++;
        return;
    }
    for (;;) {
        int nobody = 0;
        if (atomic_compare_exchange_strong(&lock.owner, &nobody, me))
            break;
    }
    lock.depth = 1;
}
static void leave(void) {
    if (--lock.depth == 0)
        atomic_store(&lock.owner, 0);
}
static bool look(int me) {
    enter(me);
    bool left = stock > 0;
    leave();
    return left;
}
static void take(int me) {
    enter(me);
    stock--;
    sold++;
    leave();
}
static void sell(int me) {
#ifdef FIXED
    enter(me);
#endif
    if (look(me))
        take(me);
#ifdef FIXED
    leave();
#endif
}
static void *shop(void *argument) {
    for (int i = 0; i < 2; i++)
        sell(argument ? 1 : 2);
    return argument;
}
int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, shop, 0);
    pthread_create(&threads[1], 0, shop, &lock);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return stock != 0;
}
"""

TIMER_THREAD = """#include <pthread.h>
#include <signal.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t expired_one = PTHREAD_COND_INITIALIZER;
static int opened, expired, left, wrong;
static void expire(void) {
    pthread_mutex_lock(&lock);
    left--;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    expired++;
    pthread_cond_signal(&expired_one);
    pthread_mutex_unlock(&lock);
}
static void on_timer(union sigval value) {
    (void)value;
    expire();
}
static void enter(void) {
    pthread_mutex_lock(&lock);
    left++;
    opened++;
    wrong |= opened != left + expired;
    pthread_mutex_unlock(&lock);
}
int main(void) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer};
    struct itimerspec often = {.it_value.tv_nsec = 1000, .it_interval.tv_nsec = 1000}, now;
    const struct timespec moment = {.tv_nsec = 1000};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer))
        return 2;
    timer_settime(timer, 0, &often, 0);
    for (int i = 0; i < 4; i++) {
        enter();
        nanosleep(&moment, 0);
    }
    pthread_mutex_lock(&lock);
    while (expired < 2)
        pthread_cond_wait(&expired_one, &lock);
    pthread_mutex_unlock(&lock);
    if (timer_gettime(timer, &now) || now.it_interval.tv_nsec != 1000 || timer_delete(timer))
        return 2;
    return wrong;
}
"""

BOTH = """#include <pthread.h>
#include <sched.h>
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int value;
static void change(int first) {
    pthread_mutex_lock(&locks[first]);
#ifdef TRIES
    while (pthread_mutex_trylock(&locks[!first])) {
        pthread_mutex_unlock(&locks[first]);
        sched_yield();
        pthread_mutex_lock(&locks[first]);
    }
#else
    pthread_mutex_lock(&locks[!first]);
#endif
    value++;
    pthread_mutex_unlock(&locks[0]);
    pthread_mutex_unlock(&locks[1]);
}
static void *changer(void *argument) {
    change(argument != 0);
    return argument;
}
int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, changer, 0);
    pthread_create(&threads[1], 0, changer, &value);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return value != 2;
}
"""

VARIES = ("did not print the same in two runs of the same schedule: it depends on more than its threads (time, random "
          "numbers, process ids), and what differs is not compared in later runs")


class Findings(Hunting):
    def test_a_block_is_cut_and_the_program_fails(self):
        program = self.program("bank_audit.c")
        result = self.found(program)
        self.assertEqual(complaints(validator(strict(RESULT)), result), [])
        self.assertEqual((result["schema"], result["runs"]), ("seriatim-hunt/1", 100))
        self.assertFalse(result["serializable"])
        cut, = result["violations"]
        self.assertEqual((cut["block"], cut["outcome"], cut["observed"]), ("transfer", "status", True))
        self.assertEqual((cut["preemptions"], cut["minimised"], cut["replayed"]), (1, True, "10/10"))
        failure, = result["failures"]
        self.assertEqual((failure["kind"], failure["status"]), ("status", 1))
        stops, runs, goes_on = cut["course"]
        self.assertEqual((stops["does"], stops["function"]), ("stops", "transfer"))
        self.assertEqual((runs["blocks"], runs["until"]), (["audit"], "block"))
        self.assertEqual((goes_on["does"], goes_on["thread"]), ("goes on", stops["thread"]))
        self.assertTrue((self.folder / cut["schedule"]).exists())

    def test_the_course_names_the_users_functions_in_cpp(self):
        """A std::mutex is locked in the library, and a lambda that a thread starts with is no block."""
        result = self.found(self.program("put_if_absent.cc"), "--runs", "20")
        cut, = (cut for cut in result["violations"] if cut["block"] == "join_game")
        stops = [step for step in cut["course"] if step.get("does") == "stops"]
        self.assertTrue(stops)
        self.assertLessEqual({step["function"] for step in stops}, {"join_game", "Players::contains", "Players::put"})
        self.assertEqual({pathlib.Path(step["loc"].rpartition(":")[0]).name for step in stops}, {"put_if_absent.cc"})
        self.assertIn(["join_game"], [step.get("blocks") for step in cut["course"]])
        self.assertEqual([block["name"] for block in result["blocks"] if block["name"].startswith("_")], [])

    def test_the_innermost_of_the_blocks_that_are_cut_at_once_is_named(self):
        result = self.found(self.source(NESTED), "--runs", "20")
        self.assertEqual({(cut["block"], cut["outcome"]) for cut in result["violations"]}, {("sell", "status")})

    def test_a_repaired_program_has_no_findings(self):
        for name in ("bank_audit.c",) if SANITIZED else ("bank_audit.c", "dining.c", "lost_wakeup.c", "seats.c"):
            with self.subTest(name=name):
                result = self.hunt(self.program(name, "-DFIXED"), "--runs", "50")
                self.assertEqual((result.message, result.status), ("", 0))
                self.assertEqual((result.json["violations"], result.json["failures"]), ([], []))
        self.assertFalse((self.folder / "seriatim-hunt").exists())

    def test_a_timer_may_start_threads(self):
        """The C library has a thread for them that nobody sees. Who waits for them is in no deadlock."""
        found = self.found(self.source(TIMER_THREAD), "--runs", "50")
        self.assertEqual([cut["block"] for cut in found["violations"]], ["expire"])
        self.assertEqual({failure["kind"] for failure in found["failures"]} - {"status"}, set())
        result = self.hunt(self.source(TIMER_THREAD, "-DFIXED"), "--runs", "50")
        self.assertEqual((result.message, result.status), ("", 0))
        self.assertEqual((result.json["violations"], result.json["failures"]), ([], []))

    def test_a_recursive_lock_of_its_own_may_ask_who_holds_it(self):
        """At each lock's very first look nothing says yet that the word is one."""
        found = self.found(self.source(RECURSIVE), "--runs", "50")
        self.assertEqual({cut["block"] for cut in found["violations"]}, {"sell"})
        result = self.hunt(self.source(RECURSIVE, "-DFIXED"), "--runs", "50")
        self.assertEqual((result.message, result.status), ("", 0))
        self.assertEqual((result.json["violations"], result.json["failures"]), ([], []))

    def test_a_deadlock_names_threads_and_locks(self):
        failure, = self.found(self.program("dining.c"), "--runs", "20")["failures"]
        self.assertEqual((failure["kind"], failure["replayed"]), ("deadlock", "10/10"))
        waits = {thread["thread"]: thread for thread in failure["threads"]}
        one, two, three = [f"T{number} (philosopher)" for number in (1, 2, 3)]
        self.assertEqual(sorted(waits), [one, two, three, "main"])
        for name, lock, owner in ((one, "forks[1]", two), (two, "forks[2]", three), (three, "forks[0]", one)):
            self.assertEqual((waits[name]["for"], waits[name]["object"], waits[name]["owner"]),
                             ("lock", lock, owner))

    def test_who_only_tries_to_take_a_lock_does_not_wait_for_it(self):
        for flags, engines, failures in ((), ["deadlock"], ["deadlock"]), (("-DTRIES",), [], []):
            with self.subTest(flags=flags):
                result = self.hunt(self.source(BOTH, *flags), "--runs", "20").json
                foreseen = [engine for each in result["predictions"] for engine in each["engines"]]
                self.assertEqual(foreseen, engines)
                self.assertEqual([failure["kind"] for failure in result["failures"]], failures)

    def test_the_course_of_a_failure_ends_where_the_threads_were(self):
        result = self.found(self.program("dining.c"), "--runs", "20")
        self.assertEqual(complaints(validator(strict(RESULT)), result), [])
        failure, = result["failures"]
        course = failure["story"]["course"]
        self.assertEqual([step["thread"] for step in course],
                         [step["thread"] for step in failure["course"] + failure["threads"]])
        self.assertEqual([step["loc"] for step in course],
                         [step.get("loc", "") for step in failure["course"] + failure["threads"]])
        self.assertEqual(["marked" in step for step in course],
                         [False] * len(failure["course"]) + [True] * len(failure["threads"]))
        said = [f"{step['thread'].split()[0]} {step['action']}" for step in course]
        self.assertTrue(all(words in failure["story"]["introduction"]
                            for words in said[:len(failure["course"])]), said)

    def test_a_cycle_counts_beside_a_failure(self):
        program = self.source((programs.HUNTED / "overdraft.c").read_text())
        result = self.found(program, "--runs", "30")
        self.assertEqual((len(result["failures"]), result["violations"]), (1, []))
        self.assertIn("cycle_observation", result)
        self.assertRegex(result["summary"], "^1 failure and 1 cycle in 30 runs, seed 1")
        # Paths below the folder of the hunt are relative, as those of a run are.
        places = {step["loc"] for step in result["failures"][0]["course"] if "loc" in step}
        self.assertTrue(places)
        self.assertEqual({place.rpartition(":")[0] for place in places}, {"program.c"})

    def test_what_is_printed_is_compared_but_for_what_varies(self):
        program = self.source(PRINTS)
        hunted = self.hunt(program, "--runs", "30", input="40\n")
        self.assertEqual((hunted.message, hunted.status), (f"seriatim: warning: {program} {VARIES}\n", 1))
        result = hunted.json
        self.assertEqual(result["failures"], [])
        outcomes = {cut["block"]: cut for cut in result["violations"]}
        self.assertEqual(outcomes["add"]["outcome"], "output")
        self.assertEqual((outcomes["add"]["printed"], outcomes["add"]["expected"]), ("total 41", "total 42"))

    def test_the_order_of_lines_is_no_harm(self):
        result = self.hunt(self.source(ORDER), "--runs", "30")
        self.assertEqual((result.message, result.status), ("", 0))
        self.assertEqual(result.json["other_outputs"], 0)

    def test_a_thread_function_may_take_several_steps(self):
        result = self.hunt(self.source(STEPS), "--runs", "40")
        self.assertEqual((result.message, result.status), ("", 0))
        self.assertTrue(result.json["serializable"])
        self.assertGreater(result.json["other_outputs"], 0)

    def test_a_thread_function_may_not_overwrite_what_others_wrote(self):
        cut, = self.found(self.source(UNNOTICED), "--runs", "20")["violations"]
        self.assertEqual((cut["block"], cut["outcome"]), ("thread function adder", "same"))

    def test_a_chain_through_three_threads_is_found_soon(self):
        result = self.found(self.program("three_way.c"), "--runs", "40")
        self.assertEqual([cut["block"] for cut in result["violations"]], ["announce"])

    def test_formats_say_the_same(self):
        program = self.program("bank_audit.c")
        sentence = "; T2 runs audit to its end; T1 goes on."
        text = " ".join(self.run_here("hunt", *UNHURRIED, "--until", "first", program).text.split())
        self.assertIn(sentence, text)
        self.assertIn("Replay it with: seriatim replay seriatim-hunt/", text)
        sarif = self.run_here("hunt", *UNHURRIED, "--until", "first", "--format", "sarif", program).json
        self.assertEqual(complaints(validator(SARIF), sarif), [])
        results = sarif["runs"][0]["results"]
        self.assertEqual({entry["ruleId"] for entry in results}, {"failure", "atomicity-violation"})
        for entry in results:
            self.assertIn("seriatim replay seriatim-hunt/", entry["message"]["text"])
        page = self.run_here("hunt", *UNHURRIED, "--until", "first", "--format", "html", program).text
        self.assertIn(sentence[:-1], page)

    def test_a_saved_result_can_be_reported(self):
        program = self.program("dining.c")
        text = self.run_here("hunt", *UNHURRIED, "--runs", "20", program)
        saved = self.run_here("hunt", *UNHURRIED, "--runs", "20", "--format", "json", "-o", "saved.json", program)
        self.assertEqual(saved.status, 1)
        again = self.run_here("report", "--format", "text", "saved.json")
        self.assertEqual((again.text, again.status), (text.text, 1))


class Choices(Hunting):
    @once("test_confirm compares numbers of jobs")
    def test_a_seed_has_one_result_whatever_the_number_of_jobs(self):
        program = self.program("lost_incr.c")
        results = []
        for jobs in ("1", "4"):
            result = self.found(program, "--jobs", jobs, "--runs", "24", "--seed", "7")
            for varying in ("time_seconds", "peak_state_bytes"):
                del result[varying]
            results.append(json.dumps(result, sort_keys=True))
        self.assertEqual(*results)

    def test_it_stops_at_the_first_finding(self):
        result = self.found(self.program("bank_audit.c"), "--until", "first")
        self.assertEqual(result["runs"], max(cut["run"] for cut in result["violations"]))

    def test_each_strategy_runs(self):
        program = self.program("lost_incr.c")
        strategies = ("random", "urw", "pct", "block-pct", "pos", "directed", "stall")
        for strategy in ("random", "directed") if SANITIZED else strategies:
            with self.subTest(strategy=strategy):
                result = self.found(program, "--strategy", strategy, "--runs", "15")
                self.assertLessEqual({cut["strategy"] for cut in result["violations"]}, {strategy, "pos", "pct"})

    def test_what_was_written_before_there_were_threads_is_no_point(self):
        result = self.hunt(self.source(TABLE), "--runs", "4")
        self.assertEqual((result.message, result.status), ("", 0))
        self.assertLess(result.json["points"], 4 * 100)

    def test_a_long_program_is_stopped_only_so_often(self):
        program = self.source(LONG)
        for strategy in ("random", "pos"):
            with self.subTest(strategy=strategy):
                result = self.hunt(program, "--strategy", strategy, "--runs", "4")
                self.assertEqual((result.message, result.status), ("", 0))
                self.assertGreater(result.json["points"], 4 * 200000)
                self.assertLess(result.json["switches"], 4 * 10000)

    def test_a_systematic_search_says_when_it_has_tried_all(self):
        result = self.hunt(self.program("bank_audit.c", "-DFIXED"), "--strategy", "systematic", "--runs", "5000")
        self.assertEqual((result.message, result.status), ("", 0))
        self.assertTrue(result.json["exhausted"])
        self.assertEqual(result.json["bound"], 2)
        found = self.found(self.program("bank_audit.c"), "--strategy", "systematic", "--until", "first",
                           "--runs", "5000")
        self.assertEqual(found["violations"][0]["preemptions"], 1)

    def test_a_specification_counts(self):
        self.write("spec", "ignore function *\nignore thread functions\n")
        result = self.hunt(self.program("bank_audit.c"), "--spec", "spec", "--runs", "20")
        self.assertEqual(result.status, 1)
        self.assertEqual((result.json["violations"], len(result.json["failures"])), ([], 1))

    def test_a_server_has_a_client(self):
        program = self.source(SERVER)
        self.write("client.py", CLIENT)
        result = self.hunt(program, "--client", "python3 client.py port", "--runs", "20", arguments=["port"])
        self.assertEqual(result.status, 1)
        self.assertIn("hit", [cut["block"] for cut in result.json["violations"]])


class Trouble(Hunting):
    def test_not_instrumented(self):
        self.assert_trouble(self.hunt("/bin/true"),
                            "/bin/true: could not be watched: build it with seriatim-cc or seriatim-c++ (or link "
                            "it dynamically with gcc -fsanitize=thread)")

    def test_not_there(self):
        self.assert_trouble(self.hunt("./missing"), "./missing: cannot run: No such file or directory")

    def test_a_script(self):
        path = self.write("script", "#!/bin/sh\necho hello\n")
        path.chmod(0o755)
        self.assert_trouble(self.hunt("./script"),
                            "./script: is a script, and started no program that can be watched: name the program "
                            "itself, built with seriatim-cc or seriatim-c++")

    def test_another_version_of_the_runtime(self):
        """One that knows nothing of this seriatim stands for it."""
        self.write("empty.c", "")
        self.write("program.c", ALONE)
        for command in (["-shared", "-Wl,-soname,libseriatim_rt.so.0", "-o", "libseriatim_rt.so.0", "empty.c"],
                        ["-o", "program", "program.c", "-pthread", "-Wl,--no-as-needed", "./libseriatim_rt.so.0",
                         "-Wl,-rpath,$ORIGIN"]):
            subprocess.run(["cc", *command], cwd=self.folder, check=True)
        result = self.hunt("./program")
        self.assert_trouble(result, "./program: could not be watched: it was built with another version of seriatim, or "
                                    "its runtime library was not found; build it again with seriatim-cc or "
                                    "seriatim-c++")

    def test_the_place_of_a_crash_is_that_of_the_instruction(self):
        found = self.found(self.source(CRASHES), "--until", "first", "--runs", "40")
        failure, = found["failures"]
        self.assertEqual((failure["kind"], failure["function"], failure["where"], failure["exact"]),
                         ("crash", "use", "program.c:12", True))
        self.assertGreater(found["time_seconds"], 0.01)

    def test_a_crash_in_a_library_is_where_it_was_called(self):
        lines = IN_LIBRARY.splitlines()
        ways = (("-O0", ("STRLEN", "MEMCPY")), ("-O2", ("STRLEN", "MEMCPY", "PRINTF", "CALL")))
        for compiler in ("gcc",) if SANITIZED else ("gcc", "clang"):
            for level, calls in (("-O2", ("STRLEN", "CALL")),) if SANITIZED else ways:
                for what in calls:
                    with self.subTest(compiler=compiler, level=level, what=what):
                        found = self.found(self.source(IN_LIBRARY, level, f"-D{what}", compiler=compiler),
                                           "--runs", "20")
                        failure, = found["failures"]
                        line = next(i for i, text in enumerate(lines, 1) if f"/* {what} */" in text)
                        self.assertEqual((failure["kind"], failure["function"], failure["where"], failure["exact"]),
                                         ("crash", "measure", f"program.c:{line}", True))

    def test_a_failed_assertion_has_its_place(self):
        failure, = self.found(self.source(CRASHES, "-DASSERT"), "--until", "first", "--runs", "40")["failures"]
        self.assertEqual((failure["kind"], failure["where"], failure["exact"]), ("assert", "program.c:8", True))
        self.assertRegex(failure["story"]["headline"], r"^An assertion failed: .*failed$")

    @unittest.skipUnless(pathlib.Path("/dev/shm").is_dir(), "there is no /dev/shm")
    def test_a_hunt_that_is_killed_leaves_nothing(self):
        program = self.source(ENDLESS)
        hunt = subprocess.Popen([BINARY, "hunt", "--points", "100000000", "--run-time", "1000", "--", program],
                                cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                stdin=subprocess.DEVNULL,
                                env=environment(TMPDIR=str(self.folder), SERIATIM_RUNTIME_DIR=str(RUNTIME)))

        def children(process):
            """None, if it has come to its end since somebody saw it."""
            try:
                text = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text()
            except (FileNotFoundError, ProcessLookupError):
                return []
            return [int(child) for child in text.split()]

        def scratch():
            """The folder, by a file in it that the hunt and the program share."""
            maps = pathlib.Path(f"/proc/{hunt.pid}/maps").read_text()
            return re.search(r" (/\S*/seriatim-hunt\.\w+)/\S+\.area$", maps, re.MULTILINE)

        def programs():
            return [child for watcher in children(hunt.pid) for child in children(watcher)]

        # There are the cleaner and a watcher, and the program runs.
        while len(children(hunt.pid)) < 2 or not scratch() or not programs():
            self.assertIsNone(hunt.poll())
            time.sleep(0.01)
        left = children(hunt.pid) + programs()
        folder = pathlib.Path(scratch()[1])
        self.assertTrue(folder.is_dir())
        self.assertEqual(folder.parent, pathlib.Path("/dev/shm"))
        hunt.kill()
        hunt.wait()
        for child in left:
            while pathlib.Path(f"/proc/{child}").exists():
                time.sleep(0.01)
        self.assertFalse(folder.exists())
        self.assertEqual(list(self.folder.glob("seriatim-*")), [])

    def test_a_program_that_does_not_end(self):
        program = self.source(ENDLESS)
        result = self.hunt(program, "--points", "500", "--runs", "10")
        self.assertEqual((result.message, result.status), ("", 0))
        self.assertGreater(result.json["points"], 4500)

    def test_nobody_makes_way_for_a_thread_before_it_is_created(self):
        result = self.hunt(self.source(STACKS), "--runs", "8", "--strategy", "random")
        self.assertEqual((result.message, result.status), ("", 0))

    def test_a_single_thread(self):
        result = self.hunt(self.source(ALONE), "--runs", "4")
        self.assertEqual(result.status, 0)
        self.assertIn("ran with a single thread", result.message)
        self.assertIn("unchecked", result.json)

    def test_a_program_that_differs_from_run_to_run(self):
        more = "it depends on more than its threads"
        for flags, sentence in (
                (("-DCOUNT=1", "-DPRINTED=run", "-DSTATUS=0"), VARIES),
                (("-DCOUNT=*(int*)argument*10", "-DPRINTED=1", "-DSTATUS=0"),
                 f"did not do the same in two runs of the same schedule: {more} (time, random numbers, other "
                 "processes), and findings may not be repeatable"),
                (("-DCOUNT=1", "-DPRINTED=1", "-DSTATUS=run%2"),
                 f"ended with status 0 and then with status 1 in the same schedule: {more}, and findings may not be "
                 "repeatable"),
                (("-DCOUNT=1", "-DPRINTED=1", "-DSTATUS=0"), None)):
            with self.subTest(flags=flags):
                (self.folder / "runs").unlink(missing_ok=True)
                program = self.source(DIFFERS, *flags)
                result = self.hunt(program, "--runs", "3")
                self.assertEqual(result.message, f"seriatim: warning: {program} {sentence}\n" if sentence else "")

    def test_what_was_found_is_reported_although_its_schedule_cannot_be_written(self):
        self.write("taken", "a file\n")
        for keep, message in (("taken", "taken/program-seed1-run3.schedule: cannot write: Not a directory"),
                              ("away/from/here", "away/from/here: cannot create the folder for schedules: No such file "
                                                 "or directory")):
            with self.subTest(keep=keep):
                result = self.hunt(self.source(NESTED), "--runs", "8", "--keep", keep)
                self.assertEqual((result.message, result.status), (f"seriatim: {message}\n", 2))
                cut, = result.json["violations"]
                self.assertEqual((cut["block"], cut["schedule"], cut["replayed"]), ("sell", None, "10/10"))

    def test_not_executable(self):
        self.write("program.c", ALONE)
        self.assert_trouble(self.hunt("./program.c"), "./program.c: cannot run: Permission denied")
        self.assert_trouble(self.hunt("."), ".: cannot run: Permission denied")

    def test_options_that_make_no_sense(self):
        self.assert_trouble(self.hunt("/bin/true", "--runs", "2"),
                            "hunt: option '--runs' needs a number above 2: the first runs are for learning")


class AtTerminal(Hunting):
    """With a terminal where a user would have one."""

    def setUp(self):
        super().setUp()
        self.terminal, self.theirs = pty.openpty()
        self.addCleanup(os.close, self.terminal)
        self.addCleanup(os.close, self.theirs)

    def hunt_at_terminal(self, program, *options):
        """With nothing to type, and the terminal as standard input only."""
        return subprocess.run([BINARY, "hunt", *UNHURRIED, "--format", "json", "--runs", "3", *options, "--", program],
                              cwd=self.folder, stdin=self.theirs, capture_output=True, check=False,
                              preexec_fn=self.take_terminal,
                              env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME)))

    def take_terminal(self):
        """It is that of the process, as that of a shell is: Ctrl-C and /dev/tty are for it."""
        os.setsid()
        os.close(os.open(os.ttyname(self.theirs), os.O_RDWR))

    def test_a_program_that_reads_gets_no_input(self):
        for flags in ((), ("-DBY_ITSELF",), ("-DAT_ONCE",)):
            with self.subTest(flags=flags):
                program = self.source(READS, *flags)
                result = self.hunt_at_terminal(program)
                self.assertIn(f"seriatim: warning: {program} read from standard input, which is empty, since runs under "
                              "control have no terminal: give it its input with < FILE\n", result.stderr.decode())
                self.assertEqual(result.stderr.count(b"standard input"), 1)
                self.assertEqual(result.returncode, 1 if "-DAT_ONCE" in flags else 0)
                self.assertEqual(self.hunt(program, "--runs", "3", input="some").message, "")

    def test_a_program_that_does_not_read_needs_no_input(self):
        result = self.hunt_at_terminal(self.source(READS, "-DNOTHING"))
        self.assertEqual((result.stderr, result.returncode), (b"", 0))

    def test_there_is_no_terminal_to_ask(self):
        for flags in ([], ["-DDESCRIPTOR"]):
            with self.subTest(flags=flags):
                program = self.source(ASKS, *flags)
                result = self.hunt_at_terminal(program)
                self.assertEqual((result.stderr.decode(), result.returncode),
                                 (f"seriatim: warning: {program} tried to open its terminal (/dev/tty), and programs "
                                  "that are hunted have none: let it take its input from arguments, files or standard "
                                  "input\n", 0))

    def interrupt(self, stop):
        """Hunts without end, and stops that when it shows that something was found."""
        program = self.program("bank_audit.c")
        hunt = subprocess.Popen([BINARY, "hunt", "--format", "json", "-o", "result.json", "--runs", "1000000",
                                 "--time", "1000000", "--", program], cwd=self.folder, stdin=self.theirs,
                                stdout=subprocess.DEVNULL, stderr=self.theirs, preexec_fn=self.take_terminal,
                                env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME)))
        shown = b""
        while not re.search(rb" [1-9]\d* findings", shown):
            shown += os.read(self.terminal, 4096)
        stop(hunt)
        while hunt.poll() is None:  # what it shows must be read, or it would wait
            os.set_blocking(self.terminal, False)
            try:
                shown += os.read(self.terminal, 4096)
            except BlockingIOError:
                time.sleep(0.01)
        return hunt.returncode, json.loads((self.folder / "result.json").read_text())

    def test_what_was_found_is_reported_when_it_is_interrupted(self):
        for name, stop in (("SIGINT", lambda hunt: hunt.send_signal(signal.SIGINT)),
                           ("SIGTERM", lambda hunt: hunt.send_signal(signal.SIGTERM)),
                           ("Ctrl-C", lambda hunt: os.write(self.terminal, b"\x03"))):
            with self.subTest(name=name):
                os.set_blocking(self.terminal, True)
                status, result = self.interrupt(stop)
                self.assertEqual((status, result["interrupted"]), (1, True))
                self.assertEqual(complaints(validator(strict(RESULT)), result), [])
                self.assertEqual({cut["block"] for cut in result["violations"]}, {"transfer"})
                # That the program was ended is no crash.
                self.assertLessEqual({failure["kind"] for failure in result["failures"]}, {"status"})
                text = self.run_here("report", "--format", "text", "result.json").text
                self.assertIn("; interrupted", text)
                self.assertTrue((self.folder / result["violations"][0]["schedule"]).exists())


if __name__ == "__main__":
    unittest.main()
