// A spinlock that says who holds it: compare-and-swap of 0 for the number of the thread. It is
// given back between reading and writing. In the twin the other thread waits for it: failed tries
// and spinning are no accesses, and the function that takes the lock is not cut by them.
//
// EXPECT violated: deposit
// EXPECT cut-by: deposit
// EXPECT on: account
// EXPECT line: deposit @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define _GNU_SOURCE
#include "schedule.h"

#include <sched.h>
#include <stdatomic.h>

static struct {
    atomic_long owner;
    int balance;
} account;

static void lock(void) {
    long nobody = 0;
    while (!atomic_compare_exchange_weak_explicit(&account.owner, &nobody, schedule_thread(),
                                                  memory_order_acquire, memory_order_relaxed)) {
        nobody = 0;
        sched_yield();
    }
}

static void unlock(void) {
    atomic_store_explicit(&account.owner, 0, memory_order_release);
}

static BLOCK void deposit(int slow) {
    lock();
    int old = account.balance; // @out
#ifndef FIXED
    unlock(); // @out
#endif
    if (slow) {
        step(1);
        step(4);
    }
#ifndef FIXED
    lock(); // @in
#endif
    account.balance = old + 1; // @in
    unlock();
}

THREAD(slow_teller) {
    deposit(1);
    deposit(0);
    return NULL;
}

THREAD(fast_teller) {
    step(2);
    deposit(0);
    step(3);
    deposit(0);
    return NULL;
}

int main(void) {
    together(slow_teller, fast_teller);
#ifdef FIXED
    check(account.balance == 4);
#else
    check(account.balance < 4);
#endif
    puts("ok");
    return 0;
}
