// An event made from a futex, by system calls. The bug counts in two steps after it has waited, and
// another thread counts in between. Waiting is no part of it: whoever asks and waits for the
// answer is in two steps, on purpose, and the twin is silent about that.
//
// EXPECT violated: count
// EXPECT cut-by: count
// EXPECT on: total
// TWIN -DFIXED
// EXPECT-FIXED none
#define _GNU_SOURCE
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

struct event {
    atomic_int set;
};

static struct event asked, answered;
static int question, answer;
static atomic_int total;

static void set(struct event *event) {
    atomic_store(&event->set, 1);
    syscall(SYS_futex, &event->set, FUTEX_WAKE_PRIVATE, 1 << 30, NULL, NULL, 0);
}

static void await(struct event *event) {
    while (!atomic_load(&event->set))
        syscall(SYS_futex, &event->set, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static BLOCK int ask(void) {
    question = 2;
    set(&asked);
    await(&answered);
    return answer;
}

static BLOCK void count(int slow) {
#ifdef FIXED
    if (slow) {
        step(1);
        step(4);
    }
    atomic_fetch_add(&total, 1);
#else
    int old = atomic_load(&total); // @out
    if (slow) {
        step(1);
        step(4);
    }
    atomic_store(&total, old + 1); // @in
#endif
}

THREAD(asker) {
    check(ask() == 4);
    count(1);
    return NULL;
}

/* Answers only when the asker sleeps, or is about to: it must find that there is no answer yet. */
THREAD(answerer) {
    await(&asked);
    for (int i = 0; i < 100; i++)
        syscall(SYS_sched_yield);
    answer = question * 2;
    set(&answered);
    step(2);
    count(0);
    step(3);
    return NULL;
}

int main(void) {
    together(asker, answerer);
    puts("ok");
    return 0;
}
