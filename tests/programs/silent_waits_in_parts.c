// Threads that wait for each other in loops whose conditions have several parts: for two words, for
// one of two words, for a lock that looks free and can be taken, and by Peterson's algorithm.
//
// EXPECT none
#include "schedule.h"

#include <sched.h>
#include <stdatomic.h>

enum { ROUNDS = 20, LOCKS = 50 };

static struct {
    atomic_int ping, pong, open, stopped, tellers, arrived;
    int data;
} shared;

struct account {
    atomic_int lock, wants[2], turn;
    int balance;
};
static struct account accounts[LOCKS];

/* Both functions run through all rounds, in step with the other one. */
static BLOCK void play(void) {
    for (int i = 1; i <= ROUNDS; i++) {
        shared.data++;
        atomic_store(&shared.ping, i);
        while (atomic_load(&shared.pong) < i || !atomic_load(&shared.open))
            sched_yield();
    }
}

static BLOCK void reply(void) {
    for (int i = 1; i <= ROUNDS; i++) {
        while (!(atomic_load(&shared.ping) >= i || atomic_load(&shared.stopped)))
            sched_yield();
        shared.data++;
        atomic_store(&shared.open, 1);
        atomic_store(&shared.pong, i);
    }
}

static int is_locked(atomic_int *lock) {
    return atomic_load_explicit(lock, memory_order_relaxed);
}

static int try_lock(atomic_int *lock) {
    return !atomic_exchange(lock, 1);
}

static BLOCK void deposit(struct account *account) {
    while (is_locked(&account->lock) || !try_lock(&account->lock))
        sched_yield();
    int old = account->balance;
    sched_yield();
    account->balance = old + 1;
    atomic_store(&account->lock, 0);
}

/* Peterson: whoever wants to come in lets the other one go first. */
static BLOCK void withdraw(struct account *account, int me) {
    atomic_store(&account->wants[me], 1);
    atomic_store(&account->turn, !me);
    while (atomic_load(&account->wants[!me]) && atomic_load(&account->turn) == !me)
        sched_yield();
    int old = account->balance;
    sched_yield();
    account->balance = old - 1;
    atomic_store(&account->wants[me], 0);
}

/* They leave at the same moment, or nearly so. */
static void meet(int times) {
    atomic_fetch_add(&shared.arrived, 1);
    while (atomic_load(&shared.arrived) < 2 * times)
        sched_yield();
}

THREAD(teller) {
    int me = atomic_fetch_add(&shared.tellers, 1);
    if (me)
        reply();
    else
        play();
    for (int i = 0; i < LOCKS; i++) {
        meet(2 * i + 1);
        deposit(&accounts[i]);
        deposit(&accounts[i]);
        meet(2 * i + 2);
        withdraw(&accounts[i], me);
    }
    return NULL;
}

int main(void) {
    together(teller, teller);
    check(shared.data == 2 * ROUNDS);
    for (int i = 0; i < LOCKS; i++)
        check(accounts[i].balance == 2);
    puts("ok");
    return 0;
}
