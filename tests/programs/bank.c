// The classic: each account has its lock, and an audit adds up both accounts while a transfer has
// taken the money from one and not yet given it to the other. The small functions are atomic.
//
// EXPECT violated: transfer
// EXPECT cut-by: audit
// EXPECT on: checking
// EXPECT on: savings
// EXPECT line: transfer @out @cut @in
// EXPECT runs: transfer 1/2
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account checking = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 100};

static BLOCK void withdraw(struct account *account, long amount) {
#ifndef FIXED
    pthread_mutex_lock(&account->lock);
#endif
    account->balance -= amount; // @out
#ifndef FIXED
    pthread_mutex_unlock(&account->lock); // @out
#endif
}

static BLOCK void deposit(struct account *account, long amount) {
#ifndef FIXED
    pthread_mutex_lock(&account->lock); // @in
#endif
    account->balance += amount; // @in
#ifndef FIXED
    pthread_mutex_unlock(&account->lock);
#endif
}

static void lock_both(void) {
    pthread_mutex_lock(&checking.lock);
    pthread_mutex_lock(&savings.lock);
}

static void unlock_both(void) {
    pthread_mutex_unlock(&savings.lock);
    pthread_mutex_unlock(&checking.lock);
}

static BLOCK void transfer(long amount, int slow) {
#ifdef FIXED
    lock_both();
#endif
    withdraw(&checking, amount); // @out
    if (slow) {
        step(1);
        step(4);
    }
    deposit(&savings, amount); // @in
#ifdef FIXED
    unlock_both();
#endif
}

static BLOCK long audit(void) {
    lock_both();                                     // @cut
    long total = checking.balance + savings.balance; // @cut
    unlock_both();                                   // @cut
    return total;
}

THREAD(teller) {
    transfer(10, 0);
    transfer(10, 1);
    return NULL;
}

THREAD(auditor) {
    step(2);
    long total = audit();
    step(3);
#ifdef FIXED
    check(total == 200);
#else
    check(total == 190);
#endif
    return NULL;
}

int main(void) {
    together(teller, auditor);
    check(audit() == 200);
    puts("ok");
    return 0;
}
