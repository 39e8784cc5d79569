"""Memory that a program's own allocator hands out is named after who asked for it: a slab behind a wrapper, an
arena, a pool with a list of free objects, and the same in C++; with both compilers, at each level of
optimisation, in run, record and hunt."""

import json
import re
import shutil
import subprocess
import unittest

import programs
from seriatim import BINARY, RUNTIME, Case, environment

# Each raise_* is cut by the rival. The slab is cleared before anything is handed out, the objects of the pool
# are in a list before, and one of them becomes somebody else's.
C = r"""
#include "schedule.h"
#include <stdlib.h>
#include <string.h>

struct ticket { long seat, price; pthread_mutex_t lock; };
struct visit { char who[12]; int hour; };
struct guest { struct guest *next; long room, nights; };
struct pool { struct guest *free; };

static char *slab, *arena;
static size_t used, used_of_arena;
static struct pool pool;
static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;

static BLOCK void *slab_alloc(struct pool *unused, size_t size) {
    if (!slab) {
        slab = malloc(1 << 16);
        memset(slab, 0, 1 << 16);
    }
    void *object = unused ? NULL : slab + used;
    used += (size + 15) / 16 * 16;
    return object;
}
static BLOCK void *keep(unsigned long size) { return slab_alloc(NULL, size); }
static BLOCK char *arena_alloc(size_t bytes) {
    if (!arena)
        arena = malloc(1 << 14);
    used_of_arena += (bytes + 7) / 8 * 8;
    return arena + used_of_arena;
}
static BLOCK void refill(struct pool *list) {
    struct guest *all = malloc(400 * sizeof *all);
    for (int i = 0; i < 400; i++) {
        all[i].next = list->free;
        list->free = &all[i];
    }
}
static BLOCK void *pool_take(struct pool *list) {
    if (!list->free)
        refill(list);
    struct guest *first = list->free;
    list->free = first->next;
    return first;
}
static BLOCK void pool_give(struct pool *list, struct guest *guest) {
    guest->next = list->free;
    list->free = guest;
}

static struct ticket *ticket;
static struct visit *visit;
static struct guest *guest, *second;

static BLOCK struct ticket *make_ticket(long price) {
    struct ticket *made = keep(sizeof *made);
    made->price = price;
    check(pthread_mutex_init(&made->lock, NULL) == 0);
    return made;
}
static BLOCK struct visit *make_visit(void) {
    struct visit *made = (struct visit *)arena_alloc(sizeof(struct visit));
    made->hour = 0;
    return made;
}
static BLOCK struct guest *make_guest(void) {
    struct guest *made = pool_take(&pool);
    made->nights = 1;
    return made;
}
static BLOCK struct guest *make_visitor(void) {
    struct guest *made = pool_take(&pool);
    made->nights = 0;
    return made;
}

#define CUT(what, type, member, lock, at)                                                             \
    static BLOCK void raise_##what(int slowly) {                                                      \
        pthread_mutex_lock(lock);                                                                     \
        type seen = what->member;                                                                     \
        pthread_mutex_unlock(lock);                                                                   \
        if (slowly) { step(at); step((at) + 3); }                                                     \
        pthread_mutex_lock(lock);                                                                     \
        what->member = seen + 1;                                                                      \
        pthread_mutex_unlock(lock);                                                                   \
    }
CUT(ticket, long, price, &ticket->lock, 1)
CUT(visit, int, hour, &desk, 5)
CUT(guest, long, nights, &desk, 9)
CUT(second, long, nights, &desk, 13)

static void *clerk(void *nothing) {
    raise_ticket(1); raise_visit(1); raise_guest(1); raise_second(1);
    pool_give(&pool, second);
    second = make_guest();
    return nothing;
}
static void *rival(void *nothing) {
    step(2); raise_ticket(0); step(3);
    step(6); raise_visit(0); step(7);
    step(10); raise_guest(0); step(11);
    step(14); raise_second(0); step(15);
    return nothing;
}
int main(void) {
    pthread_t one, two;
    make_ticket(1); make_visit(); make_guest();
    ticket = make_ticket(2); visit = make_visit(); guest = make_guest();
    second = make_visitor();
    check(pthread_create(&one, NULL, clerk, NULL) == 0);
    check(pthread_create(&two, NULL, rival, NULL) == 0);
    check(pthread_join(one, NULL) == 0);
    check(pthread_join(two, NULL) == 0);
    return 0;
}
"""

CXX = r"""
#include "schedule.h"
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>

class Arena {
public:
    BLOCK char *Allocate(std::size_t bytes) {
        if (!block) block = static_cast<char *>(std::malloc(1 << 15));
        at += (bytes + 15) / 16 * 16;
        return block + at;
    }
private:
    char *block = nullptr;
    std::size_t at = 0;
};
static Arena arena;

template <class T> class Pool {
public:
    BLOCK void *take() {
        if (!block) block = static_cast<char *>(std::malloc(512 * sizeof(T)));
        return block + sizeof(T) * next++;
    }
private:
    char *block = nullptr;
    int next = 0;
};

namespace bank {
struct Account { long id, balance; long history[4]; };
struct Session { long user, hits; };
struct Node {
    Node *next; long value;
    BLOCK void *operator new(std::size_t size) { return arena.Allocate(size); }
};
}
static Pool<bank::Account> accounts;
static std::mutex guard;
static bank::Account *account;
static bank::Session *session;
static bank::Node *node;

static BLOCK bank::Account *open_account() { return new (accounts.take()) bank::Account(); }
static BLOCK bank::Session *begin_session() { return new (arena.Allocate(sizeof(bank::Session))) bank::Session(); }
static BLOCK bank::Node *add_node() { return new bank::Node(); }

#define CUT(what, member, at)                                                                         \
    static BLOCK void raise_##what(bool slowly) {                                                     \
        long seen;                                                                                    \
        { std::lock_guard<std::mutex> held(guard); seen = what->member; }                             \
        if (slowly) { step(at); step((at) + 3); }                                                     \
        { std::lock_guard<std::mutex> held(guard); what->member = seen + 1; }                         \
    }
CUT(account, balance, 1)
CUT(session, hits, 5)
CUT(node, value, 9)

int main() {
    open_account(); begin_session(); add_node();
    account = open_account(); session = begin_session(); node = add_node();
    std::thread one([] { raise_account(true); raise_session(true); raise_node(true); });
    std::thread two([] {
        step(2); raise_account(false); step(3);
        step(6); raise_session(false); step(7);
        step(10); raise_node(false); step(11);
    });
    one.join();
    two.join();
    return 0;
}
"""

LEVELS = ("-O0", "-O1", "-O2")
COMPILERS = [pair for pair in (("gcc", "g++"), ("clang", "clang++")) if shutil.which(pair[1])]


@unittest.skipUnless(RUNTIME.exists() and COMPILERS, "there is no runtime in this build, or no compiler")
class HandedOut(Case):
    def build(self, compiler, source, level):
        cxx = source is CXX
        name = "program.cc" if cxx else "program.c"
        self.write(name, source)
        self.command("gcc", "-O1", "-c", programs.FOLDER / "schedule.c", "-o", "schedule.o")
        self.command(BINARY, "c++" if cxx else "cc", "-g", level, f"-I{programs.FOLDER}", name, "schedule.o",
                     "-o", "program", "-pthread", SERIATIM_CC=compiler[0], SERIATIM_CXX=compiler[1])

    def command(self, *words, **variables):
        subprocess.run(words, cwd=self.folder, check=True,
                       env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME), **variables))

    def run_it(self, *words):
        return self.run_here(*words, env={"SERIATIM_RUNTIME_DIR": str(RUNTIME)})

    def watched(self, *options):
        self.run_it("run", "--format", "json", "--log", "result.json", *options, "./program")
        return json.loads((self.folder / "result.json").read_text())

    def recorded(self, *options):
        self.run_it("record", "-q", "-o", "trace.stt", *options, "./program")
        return json.loads(self.run_here("check", "--format", "json", "trace.stt").out)

    def names(self, result, block):
        """What the steps of the block's finding are about."""
        [cut] = [cut for cut in result["violations"] if cut["block"] == block]
        actions = [step["action"] for step in cut["story"]["steps"] if "action" in step][1:]
        return {re.sub(r"^(read|wrote) ", "", re.sub(r":\d+ \(", " (", action)) for action in actions}

    def check_names(self, source, expected, *options):
        """By block, with both compilers, at each level, in both kinds of run."""
        for compiler in COMPILERS:
            for level in LEVELS:
                self.build(compiler, source, level)
                for way in (self.watched, self.recorded):
                    with self.subTest(compiler=compiler, level=level, way=way.__name__):
                        result = way(*options)
                        self.assertEqual({block: self.names(result, block) for block in expected},
                                         {block: {name} for block, name in expected.items()})

    def test_slabs_and_arenas(self):
        self.check_names(C, {"raise_ticket": "ticket->price from program.c (make_ticket)",
                             "raise_visit": "visit->hour from program.c (make_visit)",
                             "raise_guest": "guest[398].nights from program.c (refill)"})

    def test_a_pool_that_is_named_with_an_option(self):
        self.check_names(C, {"raise_ticket": "ticket->price from program.c (make_ticket)",
                             "raise_guest": "guest->nights from program.c (make_guest)"}, "--allocator", "pool_*")

    def test_memory_that_two_have_used_is_named_after_the_block(self):
        self.build(COMPILERS[0], C, "-O1")
        self.assertEqual(self.names(self.watched("--allocator", "pool_take"), "raise_second"),
                         {"guest[397].nights from program.c (refill)"})

    def test_cxx(self):
        self.check_names(CXX, {"raise_account": "bank::Account->balance from program.cc (open_account)",
                               "raise_session": "bank::Session->hits from program.cc (begin_session)",
                               "raise_node": "bank::Node->value from program.cc (add_node)"},
                         "--allocator", "Pool<*>::take")

    def test_locks_in_what_was_handed_out(self):
        self.build(COMPILERS[0], C, "-O1")
        [cut] = [cut for cut in self.watched()["violations"] if cut["block"] == "raise_ticket"]
        self.assertRegex(json.dumps(cut["story"]), r"ticket->lock from program\.c:\d+ \(make_ticket\)")

    def test_a_hunt_has_the_same_names(self):
        self.build(COMPILERS[0], C, "-O1")
        done = self.run_it("hunt", "--runs", "3", "./program")
        self.assertRegex((done.out + done.err).decode(), r"ticket->price from program\.c:\d+ \(make_ticket\)")


if __name__ == "__main__":
    unittest.main()
