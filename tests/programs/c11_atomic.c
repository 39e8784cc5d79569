// An _Atomic counter that is loaded and stored instead of being added to.
//
// EXPECT violated: increment
// EXPECT cut-by: increment
// EXPECT on: hits
// EXPECT line: increment @load @store
// EXPECT runs: increment 1/2
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <stdatomic.h>

static _Atomic int hits;

static BLOCK void increment(int slow) {
#ifdef FIXED
    if (slow) {
        step(1);
        step(4);
    }
    hits++;
#else
    int value = atomic_load(&hits); // @load
    if (slow) {
        step(1);
        step(4);
    }
    atomic_store(&hits, value + 1); // @store
#endif
}

THREAD(slow) {
    increment(1);
    return NULL;
}

THREAD(fast) {
    step(2);
    increment(0);
    step(3);
    return NULL;
}

int main(void) {
    together(slow, fast);
#ifdef FIXED
    check(atomic_load(&hits) == 2);
#else
    check(atomic_load(&hits) == 1);
#endif
    puts("ok");
    return 0;
}
