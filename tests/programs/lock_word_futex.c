// A mutex from a futex, with three states as in GLib: free, taken, and taken while others wait.
// It is given back between reading and writing. In the twin the other thread sleeps until it gets
// the lock. That is no wait on purpose: blocks are not split there.
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

static void lock(void) {
    int unlocked = 0;
    if (atomic_compare_exchange_strong(&account.lock, &unlocked, 1))
        return;
    while (atomic_exchange(&account.lock, 2) != 0)
        syscall(SYS_futex, &account.lock, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void unlock(void) {
    if (atomic_exchange(&account.lock, 0) == 2)
        syscall(SYS_futex, &account.lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
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
