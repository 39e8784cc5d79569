// A signal handler runs in the middle of a block. On another thread it cuts the block like anything
// else; on the block's own thread, in the twin, it is a part of it.
//
// EXPECT violated: measure
// EXPECT cut-by: on_tick
// EXPECT on: ticks
// EXPECT line: measure @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <signal.h>
#include <stdatomic.h>

static atomic_int ticks;

static void on_tick(int signal) {
    (void)signal;
    atomic_fetch_add(&ticks, 1); // @cut
}

static BLOCK int measure(void) {
    int before = atomic_load(&ticks); // @out
#ifdef FIXED
    raise(SIGUSR1);
#else
    step(1);
    step(4);
#endif
    return atomic_load(&ticks) - before; // @in
}

THREAD(meter) {
    check(measure() == 1);
    return NULL;
}

THREAD(clock_thread) {
#ifndef FIXED
    step(2);
    raise(SIGUSR1);
    step(3);
#endif
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_tick};
    check(sigaction(SIGUSR1, &action, NULL) == 0);
    together(meter, clock_thread);
    puts("ok");
    return 0;
}
