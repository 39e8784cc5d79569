"""A thread that looks at a word again and again, in functions, costs nothing under `seriatim run`
while nothing changes; and what is cut is found all the same."""

import json
import unittest

from seriatim import RUNTIME, Case

# A thread looks a hundred thousand times; then, if there is a second argument, main writes the word,
# in turns that are not instrumented; then the thread goes on.
PROGRAM = r"""
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
enum { MANY = 100000 };
static atomic_int tokens, words[2];
static volatile int turn;
static __attribute__((no_sanitize("thread"), noinline)) void pass(int from, int to) {
    while (turn != from)
        sched_yield();
    turn = to;
}
static void others_turn(void) {
    pass(0, 1);
    pass(2, 0);
}
static __attribute__((noinline)) int peek(atomic_int *word) { return atomic_load(word); }

/* The last one of many calls does more than look. */
static __attribute__((noinline)) void step(int is_last) {
    int n = atomic_load(&tokens);
    if (is_last) {
        others_turn();
        atomic_store(&tokens, n + 1);
    }
}
static void *first(void *unused) {
    (void)unused;
    for (int i = 1; i <= MANY; i++)
        step(i == MANY);
    return NULL;
}
static __attribute__((noinline)) void steps(void) {
    for (int i = 1; i <= MANY; i++)
        step(i == MANY);
}
static void *deeper(void *unused) {
    (void)unused;
    steps();
    return NULL;
}

/* Two looks find different things. */
static __attribute__((noinline)) int look_twice(void) {
    int sum = 0;
    for (int i = 0; i < MANY; i++)
        sum += peek(&tokens) + peek(&words[0]) + peek(&words[1]);
    others_turn();
    return sum + peek(&tokens);
}
static void *around(void *unused) {
    (void)unused;
    return (void *)(ptrdiff_t)look_twice();
}

/* It waits: the same, on purpose. */
static __attribute__((noinline)) void await(void) {
    for (int i = 0; !peek(&tokens); i++)
        if (i == MANY)
            others_turn();
}
static void *waits(void *unused) {
    (void)unused;
    await();
    return NULL;
}

int main(int argc, char **argv) {
    static const struct { const char *name; void *(*start)(void *); } starts[] = {
        {"first", first}, {"deeper", deeper}, {"around", around}, {"waits", waits}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        pthread_t thread;
        if (argc < 2 || strcmp(argv[1], starts[i].name))
            continue;
        pthread_create(&thread, NULL, starts[i].start, NULL);
        pass(1, 3);
        if (argc > 2)
            atomic_store(&tokens, 1);
        turn = 2;
        pthread_join(thread, NULL);
    }
    return 0;
}
"""


@unittest.skipUnless(RUNTIME.exists(), "this build has no runtime: it is one with sanitizers")
class Looks(Case):
    def build(self, compiler):
        self.write("looks.c", PROGRAM)
        self.seriatim("cc", "-g", "-O2", "looks.c", "-o", "looks", "-pthread",
                      env={"SERIATIM_CC": compiler})

    def seriatim(self, *arguments, env=None):
        return self.run_here(*arguments, env=dict(env or {}, SERIATIM_RUNTIME_DIR=str(RUNTIME)))

    def watch(self, *words):
        result = self.seriatim("run", "--format", "json", self.folder / "looks", *words)
        report = json.loads(result.message)
        self.assertLess(report["trace"]["events"], 100, words)
        return report

    def test_what_is_cut(self):
        for compiler in ("gcc", "clang"):
            self.build(compiler)
            for start, cut in (("first", ["step"]), ("deeper", ["step", "steps"]),
                               ("around", ["look_twice"])):
                with self.subTest(compiler=compiler, start=start):
                    violations = self.watch(start, "write")["violations"]
                    self.assertEqual(sorted({each["block"] for each in violations}), cut)
                    self.assertEqual(self.watch(start)["violations"], [])

    def test_a_wait(self):
        for compiler in ("gcc", "clang"):
            self.build(compiler)
            with self.subTest(compiler):
                self.assertEqual(self.watch("waits", "write")["violations"], [])

    def test_calls_are_counted(self):
        self.build("gcc")
        runs = {block["name"]: block["executed"] for block in self.watch("deeper")["blocks"]}
        self.assertEqual(runs["step"], 100000)


if __name__ == "__main__":
    unittest.main()
