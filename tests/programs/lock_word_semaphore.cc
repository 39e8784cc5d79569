// A binary semaphore as a lock, of C++20. It is given back between reading and writing. In the twin
// the other thread waits for it, as for any lock: blocks are not split there.
//
// FLAGS -std=c++20
// EXPECT violated: deposit
// EXPECT cut-by: deposit
// EXPECT on: account
// EXPECT line: deposit @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <semaphore>

static struct {
    std::binary_semaphore lock{1};
    int balance;
} account;

static void lock() {
    account.lock.acquire();
}

static void unlock() {
    account.lock.release();
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
    deposit(0); // after a few times it is known that the semaphore is a lock
    step(3);
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
