// Tokens are taken in a loop that goes on quietly when there is none left. That does not make the
// look at them a wait: the function acts on what it saw by a store, so the check is a part of it.
// Another thread takes a token in between, and one token is taken twice. The twin takes it with one
// swap.
//
// EXPECT violated: try_take
// EXPECT cut-by: try_take
// EXPECT on: tokens
// EXPECT line: try_take @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <stdatomic.h>

enum { TRIES = 3 };

static atomic_int tokens = 2;
static atomic_int taken[2];

static BLOCK int try_take(int slow) {
#ifdef FIXED
    int left = atomic_load(&tokens);
    int got = left > 0 && atomic_compare_exchange_strong(&tokens, &left, left - 1);
    if (slow) {
        step(1);
        step(4);
    }
    return got;
#else
    int left = atomic_load(&tokens); // @out
    if (left <= 0)
        return 0;
    if (slow) {
        step(1);
        step(4);
    }
    atomic_store(&tokens, left - 1); // @out @in
    return 1;
#endif
}

THREAD(slow) {
    for (int i = 0; i < TRIES; i++)
        if (try_take(i == 0))
            atomic_fetch_add(&taken[0], 1);
    return NULL;
}

THREAD(fast) {
    step(2);
    for (int i = 0; i < TRIES; i++)
        if (try_take(0))
            atomic_fetch_add(&taken[1], 1);
    step(3);
    return NULL;
}

int main(void) {
    together(slow, fast);
#ifdef FIXED
    check(taken[0] + taken[1] == 2);
#else
    check(taken[0] + taken[1] > 2);
#endif
    puts("ok");
    return 0;
}
