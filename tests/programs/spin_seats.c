// A counter of free seats: who wants one spins until there is one, and then takes one off, whatever
// has happened in between. The counter is no semaphore, since nothing depends on what the
// subtraction found, but data that is checked first. The twin swaps.
//
// EXPECT violated: reserve
// EXPECT cut-by: reserve
// EXPECT on: seats
// EXPECT line: reserve @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <sched.h>
#include <stdatomic.h>

static atomic_int seats = 1;

static BLOCK void reserve(int slow) {
#ifdef FIXED
    for (;;) {
        int left = atomic_load(&seats);
        if (left > 0 && atomic_compare_exchange_strong(&seats, &left, left - 1))
            break;
        sched_yield();
    }
    (void)slow;
#else
    while (atomic_load(&seats) <= 0) // @out
        sched_yield();
    if (slow) {
        step(1);
        step(4);
    }
    atomic_fetch_sub(&seats, 1); // @in
#endif
}

static BLOCK void give_back(void) {
    atomic_fetch_add(&seats, 1);
}

THREAD(slow) {
    reserve(1);
    give_back();
    return NULL;
}

THREAD(fast) {
#ifndef FIXED
    step(2);
#endif
    reserve(0);
#ifndef FIXED
    step(3);
#endif
    give_back();
    return NULL;
}

int main(void) {
    together(slow, fast);
    puts("ok");
    return 0;
}
