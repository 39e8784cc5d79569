"""seriatim hunt: faulty programs fail under control, and are reported with a schedule; their
repaired twins are not."""

import json
import pathlib
import subprocess
import time
import unittest

import programs
from hunting import Hunting
from schemas import RESULT, SARIF, complaints, strict, validator
from seriatim import BINARY

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
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static int get(void) {
    pthread_mutex_lock(&lock);
    int value = total;
    pthread_mutex_unlock(&lock);
    return value;
}
static void set(int value) {
    pthread_mutex_lock(&lock);
    total = value;
    pthread_mutex_unlock(&lock);
}
static void add(int amount) { set(get() + amount); }
static void *work(void *argument) {
    add(1);
    return argument;
}
int main(void) {
    int more = 0;
    pthread_t a, b;
    if (scanf("%d", &more) != 1)
        more = 0;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("process %d\\n", (int)getpid());
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
int main(int argc, char **argv) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bind(fd, (struct sockaddr *)&address, size);
    getsockname(fd, (struct sockaddr *)&address, &size);
    FILE *file = fopen(argv[1], "w");
    fprintf(file, "%d", ntohs(address.sin_port));
    fclose(file);
    listen(fd, 8);
    for (;;) {
        pthread_t thread;
        int client = accept(fd, NULL, NULL);
        pthread_create(&thread, NULL, serve, (void *)(long)client);
        pthread_detach(thread);
    }
}
"""

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

CLIENT = """
import socket, sys
port = int(open(sys.argv[1]).read())
clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(2)]
for client in clients:
    client.send(b"x")
for client in clients:
    client.recv(1)
"""


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

    def test_a_repaired_program_has_no_findings(self):
        for name in ("bank_audit.c", "dining.c", "lost_wakeup.c", "seats.c"):
            with self.subTest(name=name):
                result = self.hunt(self.program(name, "-DFIXED"))
                self.assertEqual((result.message, result.status), ("", 0))
                self.assertEqual((result.json["violations"], result.json["failures"]), ([], []))
        self.assertFalse((self.folder / "seriatim-hunt").exists())

    def test_a_deadlock_names_threads_and_locks(self):
        failure, = self.found(self.program("dining.c"))["failures"]
        self.assertEqual((failure["kind"], failure["replayed"]), ("deadlock", "10/10"))
        waits = {thread["thread"]: thread for thread in failure["threads"]}
        self.assertEqual(sorted(waits), ["T1", "T2", "T3", "main"])
        for name, lock, owner in (("T1", "forks[1]", "T2"), ("T2", "forks[2]", "T3"), ("T3", "forks[0]", "T1")):
            self.assertEqual((waits[name]["for"], waits[name]["object"], waits[name]["owner"]),
                             ("lock", lock, owner))

    def test_the_course_of_a_failure_ends_where_the_threads_were(self):
        result = self.found(self.program("dining.c"))
        self.assertEqual(complaints(validator(strict(RESULT)), result), [])
        failure, = result["failures"]
        course = failure["story"]["course"]
        self.assertEqual([step["thread"] for step in course],
                         [step["thread"] for step in failure["course"] + failure["threads"]])
        self.assertEqual([step["loc"] for step in course],
                         [step.get("loc", "") for step in failure["course"] + failure["threads"]])
        self.assertEqual(["marked" in step for step in course],
                         [False] * len(failure["course"]) + [True] * len(failure["threads"]))
        said = [f"{step['thread']} {step['action']}" for step in course]
        self.assertTrue(all(words in failure["story"]["introduction"]
                            for words in said[:len(failure["course"])]), said)

    def test_a_cycle_counts_beside_a_failure(self):
        program = self.source((programs.HUNTED / "overdraft.c").read_text())
        result = self.found(program)
        self.assertEqual((len(result["failures"]), result["violations"]), (1, []))
        self.assertIn("cycle_observation", result)
        self.assertRegex(result["summary"], "^1 failure and 1 cycle in 100 runs, seed 1")
        # Paths below the folder of the hunt are relative, as those of a run are.
        places = {step["loc"] for step in result["failures"][0]["course"] if "loc" in step}
        self.assertTrue(places)
        self.assertEqual({place.rpartition(":")[0] for place in places}, {"program.c"})

    def test_what_is_printed_is_compared_but_for_what_varies(self):
        program = self.source(PRINTS)
        result = self.found(program, input="40\n")
        self.assertEqual(result["failures"], [])
        outcomes = {cut["block"]: cut for cut in result["violations"]}
        self.assertEqual(outcomes["add"]["outcome"], "output")
        self.assertEqual((outcomes["add"]["printed"], outcomes["add"]["expected"]), ("total 41", "total 42"))

    def test_the_order_of_lines_is_no_harm(self):
        result = self.hunt(self.source(ORDER), "--runs", "30")
        self.assertEqual((result.message, result.status), ("", 0))
        self.assertEqual(result.json["other_outputs"], 0)

    def test_a_thread_function_may_take_several_steps(self):
        result = self.hunt(self.source(STEPS))
        self.assertEqual((result.message, result.status), ("", 0))
        self.assertTrue(result.json["serializable"])
        self.assertGreater(result.json["other_outputs"], 0)

    def test_a_thread_function_may_not_overwrite_what_others_wrote(self):
        cut, = self.found(self.source(UNNOTICED))["violations"]
        self.assertEqual((cut["block"], cut["outcome"]), ("thread function adder", "same"))

    def test_a_chain_through_three_threads_is_found_soon(self):
        result = self.found(self.program("three_way.c"), "--runs", "40")
        self.assertEqual([cut["block"] for cut in result["violations"]], ["announce"])

    def test_formats_say_the_same(self):
        program = self.program("bank_audit.c")
        sentence = "; T2 runs audit to its end; T1 goes on."
        text = " ".join(self.run_here("hunt", "--until", "first", program).text.split())
        self.assertIn(sentence, text)
        self.assertIn("Replay it with: seriatim replay seriatim-hunt/", text)
        sarif = self.run_here("hunt", "--until", "first", "--format", "sarif", program).json
        self.assertEqual(complaints(validator(SARIF), sarif), [])
        results = sarif["runs"][0]["results"]
        self.assertEqual({entry["ruleId"] for entry in results}, {"failure", "atomicity-violation"})
        for entry in results:
            self.assertIn("seriatim replay seriatim-hunt/", entry["message"]["text"])
        page = self.run_here("hunt", "--until", "first", "--format", "html", program).text
        self.assertIn(sentence[:-1], page)

    def test_a_saved_result_can_be_reported(self):
        program = self.program("dining.c")
        text = self.run_here("hunt", "--runs", "20", program)
        saved = self.run_here("hunt", "--runs", "20", "--format", "json", "-o", "saved.json", program)
        self.assertEqual(saved.status, 1)
        again = self.run_here("report", "--format", "text", "saved.json")
        self.assertEqual((again.text, again.status), (text.text, 1))


class Choices(Hunting):
    def test_a_seed_has_one_result_whatever_the_number_of_jobs(self):
        program = self.program("lost_incr.c")
        results = []
        for jobs in ("1", "4"):
            result = self.found(program, "--jobs", jobs, "--runs", "40", "--seed", "7")
            for varying in ("time_seconds", "peak_state_bytes"):
                del result[varying]
            results.append(json.dumps(result, sort_keys=True))
        self.assertEqual(*results)

    def test_it_stops_at_the_first_finding(self):
        result = self.found(self.program("bank_audit.c"), "--until", "first")
        self.assertEqual(result["runs"], max(cut["run"] for cut in result["violations"]))

    def test_each_strategy_runs(self):
        program = self.program("lost_incr.c")
        for strategy in ("random", "urw", "pct", "block-pct", "pos", "directed", "stall"):
            with self.subTest(strategy=strategy):
                result = self.found(program, "--strategy", strategy)
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
        result = self.hunt(self.program("bank_audit.c"), "--spec", "spec")
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

    def test_a_failed_assertion_has_its_place(self):
        failure, = self.found(self.source(CRASHES, "-DASSERT"), "--until", "first", "--runs", "40")["failures"]
        self.assertEqual((failure["kind"], failure["where"], failure["exact"]), ("assert", "program.c:8", True))
        self.assertRegex(failure["story"]["headline"], r"^An assertion failed: .*failed$")

    @unittest.skipUnless(pathlib.Path("/dev/shm").is_dir(), "there is no /dev/shm")
    def test_a_hunt_that_is_killed_leaves_nothing(self):
        program = self.source(ENDLESS)
        hunt = subprocess.Popen([BINARY, "hunt", "--points", "100000000", "--run-time", "1000", "--", program],
                                cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                stdin=subprocess.DEVNULL)

        def children():
            path = pathlib.Path(f"/proc/{hunt.pid}/task/{hunt.pid}/children")
            return [int(child) for child in path.read_text().split()]

        while len(children()) < 2:  # the cleaner, and a watcher
            time.sleep(0.01)
        left = children()
        hunt.kill()
        hunt.wait()
        for child in left:
            while pathlib.Path(f"/proc/{child}").exists():
                time.sleep(0.01)

    def test_a_program_that_does_not_end(self):
        program = self.source(ENDLESS)
        result = self.hunt(program, "--points", "500", "--runs", "10")
        self.assertEqual((result.message, result.status), ("", 0))
        self.assertGreater(result.json["points"], 4500)

    def test_a_single_thread(self):
        result = self.hunt(self.source(ALONE), "--runs", "4")
        self.assertEqual(result.status, 0)
        self.assertIn("ran with a single thread", result.message)
        self.assertIn("unchecked", result.json)

    def test_options_that_make_no_sense(self):
        self.assert_trouble(self.hunt("/bin/true", "--runs", "2"),
                            "hunt: option '--runs' needs a number above 2: the first runs are for learning")


if __name__ == "__main__":
    unittest.main()
