// A part of a function is marked as a block by hand. The start routine around it is no block, so
// only the marked one can be cut: the second of the two here.
//
// EXPECT violated: withdraw
// EXPECT cut-by: credit
// EXPECT on: account
// EXPECT line: withdraw @out @cut @in
// EXPECT runs: deposit 0/1
// EXPECT runs: withdraw 1/1
// TWIN -DFIXED
// EXPECT-FIXED none
// EXPECT-FIXED runs: withdraw 0/1
#include "schedule.h"

#include <seriatim/annotate.h>

static struct {
    pthread_mutex_t lock;
    int balance;
} account = {.lock = PTHREAD_MUTEX_INITIALIZER};

THREAD(customer) {
    SERIATIM_ATOMIC_BEGIN("deposit");
    pthread_mutex_lock(&account.lock);
    account.balance += 100;
    pthread_mutex_unlock(&account.lock);
    SERIATIM_ATOMIC_END();

    SERIATIM_ATOMIC_BEGIN("withdraw");
    pthread_mutex_lock(&account.lock);
    int balance = account.balance; // @out
#ifndef FIXED
    pthread_mutex_unlock(&account.lock); // @out
#endif
    step(1);
    step(4);
#ifndef FIXED
    pthread_mutex_lock(&account.lock); // @in
#endif
    account.balance = balance - 10; // @in
    pthread_mutex_unlock(&account.lock);
    SERIATIM_ATOMIC_END();
    return NULL;
}

static BLOCK void credit(void) {
    pthread_mutex_lock(&account.lock);   // @cut
    account.balance += 5;                // @cut
    pthread_mutex_unlock(&account.lock); // @cut
}

THREAD(bank) {
    schedule_step(2);
    credit();
    step(3);
    return NULL;
}

int main(void) {
    together(customer, bank);
    puts("ok");
    return 0;
}
