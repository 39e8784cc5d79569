/* The bank of bank.c, fixed: a transfer holds the locks of both accounts from its first access to
 * its last, and so does an audit. All threads take the locks in the same order.
 *
 *     seriatim-cc -g -O2 bank-fixed.c -o bank-fixed -pthread && seriatim hunt ./bank-fixed */
#include <pthread.h>
#include <stdio.h>

enum { OPENING_BALANCE = 1000, TRANSFERS = 5, AUDITS = 1 };

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account checking = {PTHREAD_MUTEX_INITIALIZER, OPENING_BALANCE};
static struct account savings = {PTHREAD_MUTEX_INITIALIZER, OPENING_BALANCE};

static void lock_accounts(void) {
    pthread_mutex_lock(&checking.lock);
    pthread_mutex_lock(&savings.lock);
}

static void unlock_accounts(void) {
    pthread_mutex_unlock(&savings.lock);
    pthread_mutex_unlock(&checking.lock);
}

/* The caller of these two holds the account's lock. */
static void withdraw(struct account *account, long amount) {
    account->balance -= amount;
}

static void deposit(struct account *account, long amount) {
    account->balance += amount;
}

static void transfer(struct account *from, struct account *to, long amount) {
    lock_accounts();
    withdraw(from, amount);
    deposit(to, amount);
    unlock_accounts();
}

static long audit(void) {
    lock_accounts();
    long total = checking.balance + savings.balance;
    unlock_accounts();
    return total;
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
