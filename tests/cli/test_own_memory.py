"""Names for what the program's own allocators hand out, for local variables of any function, and for threads by
the functions that they start with: the same in run, record and hunt."""

import json
import re
import shutil
import subprocess
import unittest

import programs
from seriatim import BINARY, RUNTIME, Case, environment

# An allocator that cuts objects of two kinds out of one block; a pool in the frame of a function that is not main,
# at a place of the stack that another function has used before.
PROGRAM = r"""
#include "schedule.h"
#include <stdlib.h>
#include <string.h>

struct ticket {
    int seat, refcount;
    long price;
};
struct visit { char who[12]; int hour; };
struct pool {
    pthread_mutex_t lock;
    int left;
};
static char *slab;
static size_t used;
static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;
static struct ticket *shown;
static struct visit *last;

static BLOCK void *take(unsigned long size) {
    void *object = slab + used;
    used += (size + 15) / 16 * 16;
    return object;
}
static BLOCK void open_office(void) {
    slab = malloc(1 << 16);
    shown = take(sizeof *shown);
    shown->seat = 1; shown->refcount = 1; shown->price = 10;
    last = take(sizeof *last);
    last->hour = 0;
}
static BLOCK void set_price(long price) {
    pthread_mutex_lock(&desk);
    shown->price = price;
    pthread_mutex_unlock(&desk);
}
static BLOCK void raise_price(void) {
    pthread_mutex_lock(&desk);
    long price = shown->price;
    pthread_mutex_unlock(&desk);
    step(1);
    step(4);
    set_price(price + 1);
}
static BLOCK void add_hour(int more) {
    pthread_mutex_lock(&desk);
    int hour = last->hour;
    pthread_mutex_unlock(&desk);
    if (more) {
        step(5);
        step(8);
    }
    pthread_mutex_lock(&desk);
    last->hour = hour + 1;
    pthread_mutex_unlock(&desk);
}
static BLOCK void drain(struct pool *pool, int slowly) {
    pthread_mutex_lock(&pool->lock);
    int left = pool->left;
    pthread_mutex_unlock(&pool->lock);
    if (slowly) {
        step(9);
        step(12);
    }
    pthread_mutex_lock(&pool->lock);
    pool->left = left - 1;
    pthread_mutex_unlock(&pool->lock);
}
static void *clerk(void *pool) {
    raise_price();
    add_hour(1);
    drain(pool, 1);
    return NULL;
}
static void *rival(void *pool) {
    step(2);
    set_price(5);
    step(3);
    step(6);
    add_hour(0);
    step(7);
    step(10);
    drain(pool, 0);
    step(11);
    return NULL;
}
static __attribute__((noinline)) void use_stack(void) {
    char text[512];
    memset(text, 'x', sizeof text);
    check(strnlen(text, sizeof text) == sizeof text);
}
static __attribute__((noinline)) void run_all(void) {
    struct pool pool = {.left = 10};
    pthread_t one, two;
    check(pthread_mutex_init(&pool.lock, NULL) == 0);
    check(pthread_create(&one, NULL, clerk, &pool) == 0);
    check(pthread_create(&two, NULL, rival, &pool) == 0);
    check(pthread_join(one, NULL) == 0);
    check(pthread_join(two, NULL) == 0);
}
static void *manager(void *nothing) {
    (void)nothing;
    use_stack();
    run_all();
    return NULL;
}
int main(int argc, char **argv) {
    (void)argv;
    pthread_t thread;
    open_office();
    use_stack();
    if (argc == 1) {
        run_all();
        return 0;
    }
    check(pthread_create(&thread, NULL, manager, NULL) == 0);
    check(pthread_join(thread, NULL) == 0);
    return 0;
}
"""

# A lambda, a member function and an object that can be called.
CXX = r"""
#include "schedule.h"
#include <thread>
namespace shop {
static long total;
struct Till { void count() { step(2); total = 7; step(3); } };
}
int main() {
    shop::Till till;
    std::thread one([] { long seen = shop::total; step(1); step(4); shop::total = seen + 1; });
    std::thread two(&shop::Till::count, &till);
    one.join();
    two.join();
    return 0;
}
"""

# A list that functions make which call themselves and read before they allocate; then its last item is changed.
DEEP = r"""
#include "schedule.h"
#include <stdlib.h>
struct item { long price; struct item *next; };
static long sizes[8];
static struct item *last;
static BLOCK void *get(unsigned long size) {
    sizes[size % 8]++;
    return malloc(size);
}
static BLOCK struct item *make(long price) {
    sizes[1] += price;
    struct item *made = get(sizeof *made);
    made->price = price;
    return last = made;
}
static BLOCK struct item *grow(int depth) {
    struct item *first = sizes[0] < 0 ? NULL : make(depth);
    first->next = depth ? grow(depth - 1) : NULL;
    return first;
}
#ifdef FIXED
static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;
#define ALONE(action) (pthread_mutex_lock(&desk), action, pthread_mutex_unlock(&desk))
#else
#define ALONE(action) action
#endif
static BLOCK void raise_price_alone(void) {
    long price = last->price;
    step(1);
    step(4);
    last->price = price + 1;
}
static BLOCK void raise_price(void) {
    ALONE(raise_price_alone());
}
static BLOCK void set_price(void) {
    step(2);
    ALONE(last->price = 5);
    step(3);
}
static void *clerk(void *nothing) {
    ALONE(grow(10));
    raise_price();
    return nothing;
}
static void *rival(void *nothing) {
    set_price();
    return nothing;
}
int main(void) {
    pthread_t one, two;
    for (int i = 0; i < 100; i++)
        grow(100);
    check(pthread_create(&one, NULL, clerk, NULL) == 0);
    check(pthread_create(&two, NULL, rival, NULL) == 0);
    check(pthread_join(one, NULL) == 0);
    check(pthread_join(two, NULL) == 0);
    return 0;
}
"""


@unittest.skipUnless(RUNTIME.exists() and shutil.which("gcc"), "there is no runtime in this build, or no gcc")
class OwnMemory(Case):
    def build(self, compiler, source, *options):
        self.write("program" + (".cc" if compiler == "c++" else ".c"), source)
        self.command("gcc", "-O1", "-c", programs.FOLDER / "schedule.c", "-o", "schedule.o")
        self.command(BINARY, compiler, "-g", *options, f"-I{programs.FOLDER}",
                     "program" + (".cc" if compiler == "c++" else ".c"), "schedule.o", "-o", "program", "-pthread")

    def command(self, *words):
        subprocess.run(words, cwd=self.folder, check=True, env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME)))

    def run_it(self, *words):
        return self.run_here(*words, env={"SERIATIM_RUNTIME_DIR": str(RUNTIME)})

    def watched(self, *arguments):
        self.run_it("run", "--format", "json", "--log", "result.json", "./program", *arguments)
        return json.loads((self.folder / "result.json").read_text())

    def recorded(self, *arguments):
        self.run_it("record", "-q", "-o", "trace.stt", "./program", *arguments)
        return json.loads(self.run_here("check", "--format", "json", "trace.stt").out)

    def actions(self, result, block):
        [cut] = [cut for cut in result["violations"] if cut["block"] == block]
        return [step["action"] for step in cut["story"]["steps"] if "action" in step][1:]

    def test_objects_of_a_slab_are_named_by_who_uses_them(self):
        for options in (["-O0"], ["-O1"], ["-O2"]):
            self.build("cc", PROGRAM, *options)
            for result in (self.watched(), self.recorded()):
                for action in self.actions(result, "raise_price"):
                    self.assertRegex(action, r"^(read|wrote) ticket->price from program\.c:\d+ \(open_office\)$")
                for action in self.actions(result, "add_hour"):
                    self.assertRegex(action, r"^(read|wrote) visit->hour from program\.c:\d+ \(open_office\)$")

    def test_functions_that_allocate_are_no_events(self):
        """Though the watcher is told of the memory, and names it after the one that is no allocator."""
        for options in (["-O0"], ["-O2"]):
            self.build("cc", DEEP, *options)
            watched = self.watched()
            for result in (watched, self.recorded()):
                for action in self.actions(result, "raise_price_alone"):
                    self.assertRegex(action, r"^(read|wrote) item->price from program\.c:\d+ \(make\)$")
            calls = {block["name"]: block["executed"] for block in watched["blocks"]}
            self.assertEqual((calls["grow"], calls["make"]), (10111, 10111))
            self.assertLess(watched["trace"]["events"], 1000)
        self.build("cc", DEEP, "-DFIXED")
        self.assertEqual(self.watched()["violations"], [])

    def test_locals_of_any_function_have_names(self):
        """Also in recordings, which know variables from before the thread was created."""
        self.build("cc", PROGRAM, "-O1")
        for arguments in ([], ["in another thread"]):
            for result in (self.watched(*arguments), self.recorded(*arguments)):
                for action in self.actions(result, "drain"):
                    self.assertRegex(action, r"^(read|wrote) pool\.left in run_all$")

    def test_threads_are_called_by_their_functions(self):
        self.build("cc", PROGRAM, "-O1")
        for result in (self.watched(), self.recorded()):
            [cut] = [cut for cut in result["violations"] if cut["block"] == "drain"]
            story = cut["story"]
            self.assertIn("in thread T1 (clerk): T2 (rival) came in between", story["headline"])
            self.assertEqual({step["thread"] for step in story["steps"]}, {"T1 (clerk)", "T2 (rival)"})
            self.assertIn("T2's work", story["conclusion"])
            self.assertEqual(cut["thread"], "T1 (clerk)")

    def test_the_names_stay_in_a_copy_of_a_trace_and_in_other_formats(self):
        self.build("cc", PROGRAM, "-O1")
        self.recorded()
        self.run_here("convert", "-q", "trace.stt", "copy.stt")
        text = self.run_here("check", "copy.stt").out.decode()
        self.assertIn("in thread T1 (clerk): T2 (rival) came in between", text)
        self.assertRegex(text, r"event \d+ +T2 +wrote")
        [run] = json.loads(self.run_here("check", "--format", "sarif", "copy.stt").out)["runs"]
        flows = {flow["id"] for found in run["results"] for flow in found["codeFlows"][0]["threadFlows"]}
        self.assertEqual(flows, {"T1 (clerk)", "T2 (rival)"})
        self.assertIn("T1 (clerk)", self.run_here("report", "copy.stt").out.decode())

    def test_names_do_not_change_fingerprints(self):
        self.build("cc", PROGRAM, "-O1")
        before = {cut["fingerprint"] for cut in self.watched()["violations"]}
        self.build("cc", PROGRAM.replace("clerk", "seller").replace("*rival", "*thief").replace("NULL, rival",
                                                                                              "NULL, thief"), "-O1")
        self.assertEqual(before, {cut["fingerprint"] for cut in self.watched()["violations"]})

    def test_a_hunt_uses_the_same_names(self):
        self.build("cc", re.sub(r"\bstep\(\d+\);", "", PROGRAM), "-O1")
        found = json.loads(self.run_it("hunt", "--format", "json", "--runs", "20", "./program").out)
        for cut in found["violations"]:
            course = {step["thread"] for step in cut["course"] if "thread" in step}
            self.assertLessEqual(course | {cut["thread"]}, {"main", "T1 (clerk)", "T2 (rival)"})
        self.assertRegex(json.dumps([cut["story"]["headline"] for cut in found["violations"]]),
                         r"in thread T\d \((clerk|rival)\): T\d \((clerk|rival)\) came in between")

    def test_lambdas_and_member_functions(self):
        self.build("c++", CXX, "-O1")
        for result in (self.watched(), self.recorded()):
            threads = {event["thread"] for cut in result["violations"] for edge in cut["path"]
                       for event in (edge["from"], edge["to"])}
            self.assertEqual(threads, {"T1 (lambda at program.cc:10)", "T2 (shop::Till::count)"})
