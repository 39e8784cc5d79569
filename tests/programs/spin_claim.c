// A place is free when its word is 0. Who wants it spins until it is, and then stores its own
// number: between the look that ends the wait and the store another thread can do the same. A wait
// that the thread acts on by a store to the same word is a check, and the check is part of the
// function. The twin swaps.
//
// EXPECT violated: claim
// EXPECT cut-by: claim
// EXPECT on: owner
// EXPECT line: claim @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <sched.h>
#include <stdatomic.h>

static atomic_int owner;

static BLOCK void claim(int me, int slow) {
#ifdef FIXED
    int nobody = 0;
    while (!atomic_compare_exchange_strong(&owner, &nobody, me)) {
        nobody = 0;
        sched_yield();
    }
    if (slow) {
        step(1);
        step(4);
    }
#else
    while (atomic_load(&owner) != 0) // @out
        sched_yield();
    if (slow) {
        step(1);
        step(4);
    }
    atomic_store(&owner, me); // @out @in
#endif
}

static BLOCK void leave(void) {
    atomic_store(&owner, 0);
}

THREAD(slow) {
    claim(1, 1);
    leave();
    return NULL;
}

THREAD(fast) {
    step(2);
    claim(2, 0);
    step(3);
    leave();
    return NULL;
}

int main(void) {
    together(slow, fast);
    puts("ok");
    return 0;
}
