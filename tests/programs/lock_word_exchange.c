// A spinlock that exchanges when it has seen that the word is free, and that has a function of its
// own for one try. It is given back between reading and writing.
// In the twin the other thread waits for it: failed tries and spinning are no accesses, and the
// function that takes the lock is not cut by them.
//
// EXPECT violated: deposit
// EXPECT cut-by: deposit
// EXPECT on: account
// EXPECT line: deposit @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <sched.h>
#include <stdatomic.h>

static struct {
    atomic_int lock;
    int balance;
} account;

static int try_lock(void) {
    return atomic_exchange(&account.lock, 1) == 0;
}

static void lock(void) {
    while (!try_lock())
        while (atomic_load_explicit(&account.lock, memory_order_relaxed))
            sched_yield();
}

static void unlock(void) {
    atomic_store(&account.lock, 0);
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
