/* A program in C that knows its own names; bank [LIBRARY]. */
#define _GNU_SOURCE
#include "probe.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct account {
    int id;
    long balance;
    pthread_mutex_t lock;
};

struct account account[10];
static long total;
int matrix[3][4];
const char *const greeting = "good morning";
struct {
    char name[8];
    struct {
        volatile int min, max;
    } limits;
    unsigned open : 1, frozen : 1;
    union {
        long number;
        char text[8];
    } key;
    struct {
        int hidden;
    };
} config;

#ifdef __OPTIMIZE__
#define WHEN_OPTIMISED(caller) caller
#else
#define WHEN_OPTIMISED(caller) NULL
#endif

INLINED void inner(const struct site *caller) {
    enum { DEFINITION = __LINE__ - 1 };
    PROBE("inner", DEFINITION, caller);
}

INLINED void middle(const struct site *caller) {
    enum { DEFINITION = __LINE__ - 1 };
    const struct site here = {"middle", __LINE__ + 1, DEFINITION, caller};
    inner(&here);
    PROBE("middle", DEFINITION, caller);
}

/* By the attribute it is part of its caller. With link-time optimisation gcc forgets that. */
#ifdef LINK_TIME
#define probe_within probe_call
#else
INLINED __attribute__((artificial)) void probe_within(const struct site *site) {
    probe_call(site);
    __asm__ volatile("");
}
#endif

NOT_INLINED void outer(void) {
    enum { DEFINITION = __LINE__ - 1 };
    static int calls;
    static struct account spare[2];
    PROBE("outer", DEFINITION, NULL);
    PROBE_THROUGH(probe_within, "outer", DEFINITION, NULL);
    const struct site first = {"outer", __LINE__ + 1, DEFINITION, NULL};
    middle(&first);
    for (int i = 0; i < 2; i++) {
        const struct site again = {"outer", __LINE__ + 1, DEFINITION, NULL};
        inner(&again);
    }
    DATA_AS(calls, "outer::calls");
    DATA_AS(spare[1].balance, "outer::spare[1].balance");
    calls++;
    spare[calls & 1].balance++;
}

/* Static, called from one place: optimisers inline it unasked. */
static void once(const struct site *caller) {
    enum { DEFINITION = __LINE__ - 1 };
    PROBE("once", DEFINITION, caller);
}

NOT_INLINED void user_of_once(void) {
    enum { DEFINITION = __LINE__ - 1 };
    const struct site here = {"user_of_once", __LINE__ + 1, DEFINITION, NULL};
    once(WHEN_OPTIMISED(&here));
    (void)here;
}

/* What gcc calls scaled.constprop.0 or scaled.isra.0 when it optimises. */
static NOT_INLINED long scaled(const struct account *of, long factor) {
    enum { DEFINITION = __LINE__ - 1 };
    PROBE("scaled", DEFINITION, NULL);
    return of->balance * factor;
}

__attribute__((cold, noinline)) void complain(void) {
    puts("note cold");
}

/* What gcc splits into checked and checked.cold when it optimises. */
NOT_INLINED long checked(long amount) {
    enum { DEFINITION = __LINE__ - 1 };
    if (amount > 5) {
        complain();
        PROBE("checked", DEFINITION, NULL);
        complain();
    }
    PROBE("checked", DEFINITION, NULL);
    return amount + 1;
}

#ifdef LINKED
/* The library's, which the linker puts into this program. */
extern struct entry { int from, to; } ledger_entries[4];
#endif

static void name_data(void) {
#ifdef LINKED
    DATA(ledger_entries[3].from);
#endif
    DATA(total);
    DATA(account[0].id);
    DATA(account[3].balance);
    DATA(account[9].lock);
    DATA(matrix[2][1]);
    DATA(config.name[5]);
    DATA(config.limits.max);
    DATA(config.hidden);
    DATA(greeting);
    DATA_AS(((char *)&account[3].balance)[2], "account[3].balance+0x2");
    DATA_AS(config.key, "config.key.number|text");
    DATA_AS((&config.limits.max)[1], "config.open|frozen");
}

typedef void tell(void (*)(const struct site *), void (*)(const volatile void *, const char *));

/* Loads the library, lets it tell its names, and unloads it. What takes its place then makes sure
 * that it is loaded elsewhere the next time. */
static void use_library(const char *path) {
    Dl_info info;
    void *library = dlopen(path, RTLD_NOW);
    tell *ledger_tell = library ? (tell *)dlsym(library, "ledger_tell") : NULL;
    if (!ledger_tell || !dladdr((void *)ledger_tell, &info)) {
        printf("note %s\n", dlerror());
        exit(1);
    }
    probe_modules();
    ledger_tell(probe_call, probe_data);
    dlclose(library);
    mmap(info.dli_fbase, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

int main(int argc, char **argv) {
    probe_modules();
    total = argc;
    outer();
    user_of_once();
    total += scaled(&account[1], 3) + scaled(&account[2], 3);
    total += checked(total + 7);
    name_data();
    for (int i = 0; argc > 1 && i < 2; i++)
        use_library(argv[1]);
    return total == 0;
}
