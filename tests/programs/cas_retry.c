// A compare-and-swap loop is the right way to write this, and yet: when the swap fails and is tried
// again, the block has seen two values, and no serial order of reads and writes explains that. The
// definition says "violated", so does seriatim; the twin succeeds at the first try.
//
// EXPECT violated: double_it
// EXPECT cut-by: add
// EXPECT on: value
// EXPECT line: double_it @load @cut @swap
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <stdatomic.h>

static atomic_int value = 1;

static BLOCK void double_it(void) {
#ifdef FIXED
    step(1);
    step(4);
#endif
    int old = atomic_load(&value); // @load
#ifndef FIXED
    step(1);
    step(4);
#endif
    while (!atomic_compare_exchange_strong(&value, &old, 2 * old)) // @swap
        continue;
}

static BLOCK void add(void) {
    atomic_fetch_add(&value, 1); // @cut
}

THREAD(doubler) {
    double_it();
    return NULL;
}

THREAD(adder) {
    step(2);
    add();
    step(3);
    return NULL;
}

int main(void) {
    together(doubler, adder);
    check(atomic_load(&value) == 4);
    puts("ok");
    return 0;
}
