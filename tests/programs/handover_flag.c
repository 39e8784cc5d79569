// A record is filled and handed over by an atomic flag. In the bug, the flag goes up before the
// record is complete.
//
// EXPECT violated: publish
// EXPECT cut-by: use
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <stdatomic.h>

static struct {
    atomic_int ready;
    atomic_int name, value;
} record;

static BLOCK void publish(void) {
    atomic_store(&record.name, 1);
#ifndef FIXED
    atomic_store(&record.ready, 1);
    step(1);
    step(4);
#endif
    atomic_store(&record.value, 2);
#ifdef FIXED
    atomic_store(&record.ready, 1);
    step(1);
#endif
}

static BLOCK int use(void) {
    return atomic_load(&record.name) + atomic_load(&record.value);
}

THREAD(producer) {
    publish();
    return NULL;
}

THREAD(consumer) {
    step(2);
    while (!atomic_load(&record.ready))
        sched_yield();
    int sum = use();
    step(3);
    return sum ? NULL : NULL;
}

int main(void) {
    together(producer, consumer);
    puts("ok");
    return 0;
}
