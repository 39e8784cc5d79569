// A signal waits for a thread that is just being created: its handler runs before anything else of
// that thread. It belongs to the thread all the same: what the handler does comes after the
// creation and before the join, so `last` is ordered. It also cuts the block of another thread, as
// any code of the new thread would. In the twin that block is over by then.
//
// EXPECT violated: measure
// EXPECT cut-by: on_tick
// EXPECT on: ticks
// EXPECT line: measure @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#define _GNU_SOURCE
#include "schedule.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int ticks;
static int last;

static void on_tick(int signal) {
    last = signal;
    atomic_fetch_add(&ticks, 1); // @cut
}

static BLOCK int measure(void) {
    int before = atomic_load(&ticks); // @out
    step(1);
#ifndef FIXED
    step(4);
#endif
    return atomic_load(&ticks) - before; // @in
}

THREAD(meter) {
    int ticked = measure();
#ifdef FIXED
    check(ticked == 0);
#else
    check(ticked == 1);
#endif
    return NULL;
}

// The handler comes first; only other tools make it wait.
THREAD(newborn) {
    while (atomic_load(&ticks) == 0)
        usleep(100);
    check(last == SIGUSR1);
    return NULL;
}

// The signal waits for the process, and all threads block it but the new one.
static void create_under_fire(pthread_t *thread) {
    sigset_t none;
    pthread_attr_t attr;
    sigemptyset(&none);
    check(pthread_attr_init(&attr) == 0);
    check(pthread_attr_setsigmask_np(&attr, &none) == 0);
    check(kill(getpid(), SIGUSR1) == 0);
    check(pthread_create(thread, &attr, newborn, NULL) == 0);
    check(pthread_attr_destroy(&attr) == 0);
}

int main(void) {
    pthread_t one, two;
    sigset_t signals;
    struct sigaction action = {.sa_handler = on_tick};
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    check(pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0);
    check(sigaction(SIGUSR1, &action, NULL) == 0);
    check(pthread_create(&one, NULL, meter, NULL) == 0);
#ifdef FIXED
    check(pthread_join(one, NULL) == 0);
#else
    step(2);
#endif
    last = 0;
    create_under_fire(&two);
    check(pthread_join(two, NULL) == 0);
    check(last == SIGUSR1);
#ifndef FIXED
    step(3);
    check(pthread_join(one, NULL) == 0);
#endif
    puts("ok");
    return 0;
}
