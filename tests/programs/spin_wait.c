// Two threads that wait for each other in loops of their own: one asks and spins until there is an
// answer. A function is split where it spins, so waiting cuts nobody. What it does after the wait
// is one step all the same, and the bug lets the other thread come in between there.
//
// EXPECT violated: ask
// EXPECT cut-by: count
// EXPECT on: tally
// EXPECT line: ask @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <sched.h>
#include <stdatomic.h>

static atomic_int asked, answered, tally;

static BLOCK void ask(void) {
    atomic_store(&asked, 1);
    while (!atomic_load(&answered))
        sched_yield();
#ifdef FIXED
    step(1);
    step(4);
    atomic_fetch_add(&tally, 1);
#else
    int old = atomic_load(&tally); // @out
    step(1);
    step(4);
    atomic_store(&tally, old + 1); // @in
#endif
}

static BLOCK void answer(void) {
    while (!atomic_load_explicit(&asked, memory_order_acquire))
        sched_yield();
    atomic_store_explicit(&answered, 1, memory_order_release);
}

static BLOCK void count(void) {
    atomic_fetch_add(&tally, 1); // @cut
}

THREAD(asker) {
    ask();
    return NULL;
}

THREAD(answerer) {
    answer();
    step(2);
    count();
    step(3);
    return NULL;
}

int main(void) {
    together(asker, answerer);
#ifdef FIXED
    check(atomic_load(&tally) == 2);
#else
    check(atomic_load(&tally) == 1);
#endif
    puts("ok");
    return 0;
}
