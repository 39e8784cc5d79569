// A mutex from a futex whose waiters mark it by a compare-and-swap, and whose holder counts it
// down. It is given back between reading and writing. In the twin the other thread sleeps.
//
// EXPECT violated: deposit
// EXPECT cut-by: deposit
// EXPECT on: account
// EXPECT line: deposit @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define _GNU_SOURCE
#include "schedule.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    atomic_int lock;
    int balance;
} account;

static int swap(int from, int to) {
    atomic_compare_exchange_strong(&account.lock, &from, to);
    return from;
}

static void lock(void) {
    int seen = swap(0, 1);
    while (seen != 0) {
        if (seen == 2 || swap(1, 2) != 0)
            syscall(SYS_futex, &account.lock, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
        seen = swap(0, 2);
    }
}

static void unlock(void) {
    if (atomic_fetch_sub(&account.lock, 1) != 1) {
        atomic_store(&account.lock, 0);
        syscall(SYS_futex, &account.lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
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
