// A spinlock that holds a pointer to what its owner is, NULL if it is free. It is given back
// between reading and writing. In the twin the other thread waits for it: failed tries and spinning
// are no accesses, and the function that takes the lock is not cut by them.
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

struct teller {
    int number;
};
static __thread struct teller self;

static struct {
    _Atomic(struct teller *) owner;
    int balance;
} account;

static void lock(void) {
    struct teller *nobody = NULL;
    while (!atomic_compare_exchange_weak(&account.owner, &nobody, &self)) {
        nobody = NULL;
        sched_yield();
    }
}

static void unlock(void) {
    check(atomic_load(&account.owner) == &self);
    atomic_store(&account.owner, NULL);
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
