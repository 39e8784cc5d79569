// A lock from std::atomic_flag, whose wait() sleeps until it is free. It is given back between
// reading and writing. In the twin the other thread sleeps; that is no wait on purpose.
//
// FLAGS -std=c++20
// EXPECT violated: deposit
// EXPECT cut-by: deposit
// EXPECT on: account
// EXPECT line: deposit @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <atomic>

static struct {
    std::atomic_flag taken;
    int balance;
} account;

static void lock() {
    while (account.taken.test_and_set(std::memory_order_acquire))
        account.taken.wait(true, std::memory_order_relaxed);
}

static void unlock() {
    account.taken.clear(std::memory_order_release);
    account.taken.notify_one();
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
