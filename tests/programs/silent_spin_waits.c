// Threads that wait for each other in loops of their own, of all kinds: with and without yields,
// sleeps, pauses and limits, in functions of their own, at words that pointers lead to, by loads
// and by swaps. Where they wait they are split, whether they had to wait or not, and what they see
// in vain cuts nobody: not a function that publishes how far it is, nor one that is busy for a
// while.
//
// EXPECT none
#define _GNU_SOURCE
#include "schedule.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 20 };

static struct {
    atomic_int ping, pong, stage, busy, turn, many, signal, state;
    int data;
} shared;

struct gate {
    struct gate *inner;
    atomic_int open;
};
static struct gate inner_gate, outer_gate = {.inner = &inner_gate};

static BLOCK int is_at(atomic_int *word, int value) {
    return atomic_load_explicit(word, memory_order_acquire) >= value;
}

static BLOCK void relax(void) {
    __asm__ volatile("pause");
}

/* Both functions run through all rounds, in step with the other one. */
static BLOCK void play(void) {
    for (int i = 1; i <= ROUNDS; i++) {
        shared.data++;
        atomic_store(&shared.ping, i);
        while (atomic_load(&shared.pong) < i)
            relax();
    }
}

static BLOCK void reply(void) {
    for (int i = 1; i <= ROUNDS; i++) {
        while (!is_at(&shared.ping, i))
            sched_yield();
        shared.data++;
        atomic_store(&shared.pong, i);
    }
}

/* All of it is one function: nobody who waits sees it half done. */
static BLOCK void publish(void) {
    for (int i = 1; i <= ROUNDS; i++)
        atomic_store_explicit(&shared.stage, i, memory_order_release);
}

static BLOCK void follow(void) {
    for (int i = 1; i <= ROUNDS; i += 3)
        while (atomic_load_explicit(&shared.stage, memory_order_acquire) < i) {
            struct timespec moment = {0, 1000};
            nanosleep(&moment, NULL);
        }
}

static BLOCK void be_busy(void) {
    atomic_store(&shared.busy, 1);
    step(1);
    step(4);
    shared.data++;
    atomic_store(&shared.busy, 2);
}

static BLOCK void wait_until_done(void) {
    struct timespec now;
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (atomic_load(&shared.busy) != 2);
}

/* One word goes back and forth. */
static BLOCK void take_turns(int me) {
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load(&shared.turn) != me)
            usleep(1);
        atomic_store(&shared.turn, !me);
    }
}

/* A signal that who waits for it takes away, by an exchange. */
static BLOCK void consume(void) {
    for (int i = 0; i < ROUNDS; i++)
        while (!atomic_exchange(&shared.signal, 0))
            sched_yield();
}

static BLOCK void produce(void) {
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load(&shared.signal))
            sched_yield();
        atomic_store(&shared.signal, 1);
    }
}

/* A state that each of two threads swaps on, when it has come to be what the thread waits for. */
static BLOCK void swap_on(int from, int to) {
    for (int i = 0; i < ROUNDS; i++) {
        int expected = from;
        while (!atomic_compare_exchange_strong(&shared.state, &expected, to)) {
            expected = from;
            sched_yield();
        }
        shared.data++;
        atomic_store(&shared.state, to + 1);
    }
}

static BLOCK void open_gate(struct gate *gate) {
    atomic_store(&gate->inner->open, 1);
}

static BLOCK void pass_gate(struct gate *gate) {
    for (int tries = 0; !atomic_load(&gate->inner->open); tries++)
        if (tries % 100 == 99)
            sched_yield();
}

/* A barrier of their own: who comes last lets the others go. */
static BLOCK void meet(int count) {
    if (atomic_fetch_add(&shared.many, 1) + 1 == count)
        return;
    while (atomic_load(&shared.many) < count)
        sched_yield();
}

THREAD(first) {
    play();
    publish();
    be_busy();
    take_turns(0);
    produce();
    swap_on(0, 1);
    open_gate(&outer_gate);
    meet(2);
    return NULL;
}

THREAD(second) {
    reply();
    follow();
    step(2);
    step(3);
    wait_until_done();
    take_turns(1);
    consume();
    swap_on(2, -1);
    pass_gate(&outer_gate);
    meet(2);
    return NULL;
}

int main(void) {
    together(first, second);
    check(shared.data == 4 * ROUNDS + 1);
    puts("ok");
    return 0;
}
