// Two accounts may be overdrawn one by one, but not together. Each withdrawal looks at both and
// takes from one: two of them, from different accounts, do not see each other.
//
// EXPECT cycle: withdraw
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account mine = {PTHREAD_MUTEX_INITIALIZER, 60};
static struct account yours = {PTHREAD_MUTEX_INITIALIZER, 60};

static void lock_if(struct account *account, int wanted) {
    if (wanted)
        pthread_mutex_lock(&account->lock);
}

static void unlock_if(struct account *account, int wanted) {
    if (wanted)
        pthread_mutex_unlock(&account->lock);
}

#ifdef FIXED
enum { TOGETHER = 1 };
#else
enum { TOGETHER = 0 };
#endif

static long balance_of(struct account *account) {
    lock_if(account, !TOGETHER);
    long balance = account->balance;
    unlock_if(account, !TOGETHER);
    return balance;
}

static void take(struct account *account, long amount) {
    lock_if(account, !TOGETHER);
    account->balance -= amount;
    unlock_if(account, !TOGETHER);
}

static void withdraw(struct account *account, long amount) {
    lock_if(&mine, TOGETHER);
    lock_if(&yours, TOGETHER);
    long sum = balance_of(&mine) + balance_of(&yours); // @gap
    if (sum >= amount)
        take(account, amount);
    unlock_if(&yours, TOGETHER);
    unlock_if(&mine, TOGETHER);
}

static void *me(void *argument) {
    withdraw(&mine, 100);
    return argument;
}

static void *you(void *argument) {
    withdraw(&yours, 100);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, me, NULL);
    pthread_create(&b, NULL, you, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld together\n", mine.balance + yours.balance);
    return mine.balance + yours.balance < 0;
}
