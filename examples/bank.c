/* A bank with a bug that no race detector finds.
 *
 *     seriatim-cc -g -O2 bank.c -o bank -pthread && seriatim hunt ./bank
 *
 * Every access to an account is made under the account's lock, so there is no data race. But a
 * transfer releases one lock before it takes the other. In between, the money is in neither
 * account, and an audit that adds them up at that moment finds some missing. You can run it a
 * thousand times before you see that. */
#include <pthread.h>
#include <stdio.h>

enum { OPENING_BALANCE = 1000, TRANSFERS = 5, AUDITS = 1 };

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account checking = {PTHREAD_MUTEX_INITIALIZER, OPENING_BALANCE};
static struct account savings = {PTHREAD_MUTEX_INITIALIZER, OPENING_BALANCE};

static void withdraw(struct account *account, long amount) {
    pthread_mutex_lock(&account->lock);
    account->balance -= amount;
    pthread_mutex_unlock(&account->lock);
}

static void deposit(struct account *account, long amount) {
    pthread_mutex_lock(&account->lock);
    account->balance += amount;
    pthread_mutex_unlock(&account->lock);
}

static long balance_of(struct account *account) {
    pthread_mutex_lock(&account->lock);
    long balance = account->balance;
    pthread_mutex_unlock(&account->lock);
    return balance;
}

static void transfer(struct account *from, struct account *to, long amount) {
    withdraw(from, amount);
    deposit(to, amount);
}

static long audit(void) {
    return balance_of(&checking) + balance_of(&savings);
}

static void *teller(void *unused) {
    for (int i = 0; i < TRANSFERS; i++)
        transfer(&checking, &savings, 10);
    return unused;
}

static void *auditor(void *unused) {
    int wrong = 0;
    for (int i = 0; i < AUDITS; i++) {
        wrong += audit() != 2 * OPENING_BALANCE;
    }
    printf("%d of %d audits found money missing\n", wrong, AUDITS);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, teller, NULL);
    pthread_create(&threads[1], NULL, auditor, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("checking %ld, savings %ld\n", checking.balance, savings.balance);
    return 0;
}
