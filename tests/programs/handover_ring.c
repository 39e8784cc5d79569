// A ring for one producer and one consumer, with atomic indices and no lock. In the bug, the
// producer moves its index first and fills the place afterwards.
//
// EXPECT violated: put
// EXPECT cut-by: take
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <stdatomic.h>

enum { PLACES = 8 };

static struct {
    atomic_uint head, tail;
    atomic_int places[PLACES];
} ring;

static BLOCK int put(int value, int slow) {
    unsigned head = atomic_load(&ring.head);
    if (head - atomic_load(&ring.tail) == PLACES)
        return 0;
#ifndef FIXED
    atomic_store(&ring.head, head + 1);
    if (slow) {
        step(1);
        step(4);
    }
    atomic_store(&ring.places[head % PLACES], value);
#else
    atomic_store(&ring.places[head % PLACES], value);
    atomic_store(&ring.head, head + 1);
    if (slow)
        step(1);
#endif
    return 1;
}

static BLOCK int take(int *value) {
    unsigned tail = atomic_load(&ring.tail);
    if (tail == atomic_load(&ring.head))
        return 0;
    *value = atomic_load(&ring.places[tail % PLACES]);
    atomic_store(&ring.tail, tail + 1);
    return 1;
}

THREAD(producer) {
    put(1, 1);
    put(2, 0);
    return NULL;
}

THREAD(consumer) {
    int value = 0;
    step(2);
    take(&value);
    step(3);
    return value ? NULL : NULL;
}

int main(void) {
    together(producer, consumer);
    puts("ok");
    return 0;
}
