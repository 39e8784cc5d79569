// Two threads meet at one spinlock after the other: the first few critical sections of a word show
// whether it is a lock. A thread may see that the word is free, and find it taken again when it
// tries. Neither is an access, so nobody is cut, however the lock is written.
//
// EXPECT none
#include "schedule.h"

#include <sched.h>
#include <stdatomic.h>

enum { THREADS = 2, LOCKS = 150, KINDS = 2 };

typedef void locks(atomic_int *lock);

static struct account {
    atomic_int lock;
    int balance;
} accounts[KINDS][LOCKS];
static atomic_int arrived;

static int try_exchange(atomic_int *lock) {
    return atomic_exchange(lock, 1) == 0;
}

static int try_swap(atomic_int *lock) {
    int unlocked = 0;
    return atomic_compare_exchange_strong(lock, &unlocked, 1);
}

static int is_locked(atomic_int *lock) {
    return atomic_load(lock);
}

static void lock_by_exchange(atomic_int *lock) {
    while (!try_exchange(lock))
        while (atomic_load_explicit(lock, memory_order_relaxed))
            sched_yield();
}

static void lock_by_swap(atomic_int *lock) {
    while (!try_swap(lock))
        for (int turns = 0; is_locked(lock); turns++)
            if (turns > 10)
                sched_yield();
}

static locks *const kinds[KINDS] = {lock_by_exchange, lock_by_swap};

static BLOCK void deposit(struct account *account, locks *lock) {
    lock(&account->lock);
    int old = account->balance;
    sched_yield();
    account->balance = old + 1;
    atomic_store(&account->lock, 0);
}

/* They leave at the same moment, or nearly so. */
static void meet(int times) {
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < THREADS * times)
        sched_yield();
}

THREAD(teller) {
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < LOCKS; i++) {
            meet(kind * LOCKS + i + 1);
            deposit(&accounts[kind][i], kinds[kind]);
            deposit(&accounts[kind][i], kinds[kind]);
        }
    return NULL;
}

int main(void) {
    together(teller, teller);
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < LOCKS; i++)
            check(accounts[kind][i].balance == 2 * THREADS);
    puts("ok");
    return 0;
}
