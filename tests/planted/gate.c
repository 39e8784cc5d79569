#define _GNU_SOURCE
#include "gate.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Of each bug: 0 nobody was there, 1 somebody is in the gap, 2 others were there, too. */
static int states[BUGS];
static unsigned chance = 1;

static void set(int bug, int state) {
    __atomic_store_n(&states[bug], state, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &states[bug], FUTEX_WAKE, 1000, NULL, NULL, 0);
}

static void wait_until(int bug, int wanted) {
    int state;
    while ((state = __atomic_load_n(&states[bug], __ATOMIC_SEQ_CST)) < wanted)
        syscall(SYS_futex, &states[bug], FUTEX_WAIT, state, NULL, NULL, 0);
}

void gap(int bug) {
    int nobody = 0;
    if (__atomic_compare_exchange_n(&states[bug], &nobody, 1, 0, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST)) {
        syscall(SYS_futex, &states[bug], FUTEX_WAKE, 1000, NULL, NULL, 0);
        wait_until(bug, 2);
        return;
    }
    unsigned drawn = __atomic_fetch_add(&chance, 2654435761u, __ATOMIC_RELAXED) >> 16;
    struct timespec moment = {0, (long)(drawn % 3) * 100000};
    if (moment.tv_nsec)
        syscall(SYS_nanosleep, &moment, NULL);
}

void wait_for_gap(int bug) {
    wait_until(bug, 1);
}

void close_gap(int bug) {
    set(bug, 2);
}
