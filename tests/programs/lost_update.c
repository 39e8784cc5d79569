// Accessors that lock, and a caller that reads through one and writes through the other. Each call
// comes in between the two halves of the other, as far as the lock is concerned. But only one of
// them loses an update: the last, which writes over what the other one wrote.
//
// EXPECT violated: deposit
// EXPECT cut-by: deposit
// EXPECT on: account
// EXPECT runs: deposit 1/2
// EXPECT-LOCKS violated: deposit
// EXPECT-LOCKS runs: deposit 2/2
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    long balance;
} account = {.lock = PTHREAD_MUTEX_INITIALIZER};

static __attribute__((unused)) BLOCK long get_balance(void) {
    pthread_mutex_lock(&account.lock);
    long balance = account.balance;
    pthread_mutex_unlock(&account.lock);
    return balance;
}

static __attribute__((unused)) BLOCK void set_balance(long balance) {
    pthread_mutex_lock(&account.lock);
    account.balance = balance;
    pthread_mutex_unlock(&account.lock);
}

static BLOCK void deposit(long amount, int pass, int resume) {
#ifdef FIXED
    pthread_mutex_lock(&account.lock);
    step(pass);
    step(resume);
    account.balance += amount;
    pthread_mutex_unlock(&account.lock);
#else
    long balance = get_balance();
    step(pass);
    step(resume);
    set_balance(balance + amount);
#endif
}

THREAD(one) {
    deposit(10, 1, 4);
    step(5);
    return NULL;
}

THREAD(two) {
    step(2);
    deposit(20, 3, 6);
    return NULL;
}

int main(void) {
    together(one, two);
#ifdef FIXED
    check(account.balance == 30);
#else
    check(account.balance == 20);
#endif
    puts("ok");
    return 0;
}
