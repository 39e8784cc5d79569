// A ticket lock: who comes draws a number and waits for its turn. It is given back between reading
// and writing.
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
    atomic_uint next, serving;
    int balance;
} account;

static void lock(void) {
    unsigned mine = atomic_fetch_add_explicit(&account.next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&account.serving, memory_order_acquire) != mine)
        sched_yield();
}

static void unlock(void) {
    atomic_fetch_add_explicit(&account.serving, 1, memory_order_release);
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
