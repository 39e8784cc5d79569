#include "planted.h"

enum { ACCOUNTS = 4 };

static pthread_mutex_t bank = PTHREAD_MUTEX_INITIALIZER;
static long balances[ACCOUNTS] = {1000, 1000, 1000, 1000};
static long stamps[ACCOUNTS];
static int owners[ACCOUNTS];

static BLOCK void withdraw(int account, long amount) {
    pthread_mutex_lock(&bank);
    stamps[account]++;
    balances[account] -= amount;
    pthread_mutex_unlock(&bank);
}

static BLOCK void deposit(int account, long amount) {
    pthread_mutex_lock(&bank);
    balances[account] += amount;
    stamps[account]++;
    pthread_mutex_unlock(&bank);
}

// CAUSE transfer @taken @given
BLOCK void transfer(int from, int to, long amount) {
    withdraw(from, amount); // @taken
    gap(TRANSFER);
    deposit(to, amount); // @given
}

// CAUSE add_interest @looked @wrote
BLOCK void add_interest(int account) {
    pthread_mutex_lock(&bank); // @looked
    long before = balances[account];
    long stamp = stamps[account];
    pthread_mutex_unlock(&bank);
    gap(INTEREST);
    long interest = before / 100;
    pthread_mutex_lock(&bank); // @wrote
    stamps[account] = stamp + 1;
    balances[account] = before + interest;
    pthread_mutex_unlock(&bank);
}

static BLOCK int find_free(void) {
    int found = -1;
    pthread_mutex_lock(&bank);
    for (int i = 0; i < ACCOUNTS && found < 0; i++)
        if (!owners[i])
            found = i;
    pthread_mutex_unlock(&bank);
    return found;
}

static BLOCK void set_owner(int account, int owner) {
    pthread_mutex_lock(&bank);
    owners[account] = owner;
    pthread_mutex_unlock(&bank);
}

// CAUSE open_account @found @opened
BLOCK void open_account(int owner) {
    int account = find_free(); // @found
    gap(OPEN);
    if (account >= 0)
        set_owner(account, owner); // @opened
}

BLOCK void close_accounts(void) {
    pthread_mutex_lock(&bank);
    for (int i = 0; i < ACCOUNTS; i++)
        owners[i] = 0;
    pthread_mutex_unlock(&bank);
}

BLOCK void pay_all(long amount) {
    pthread_mutex_lock(&bank);
    for (int i = 0; i < ACCOUNTS; i++) {
        balances[i] += amount;
        stamps[i]++;
    }
    pthread_mutex_unlock(&bank);
}
