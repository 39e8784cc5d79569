/* Short blocks: transfers between accounts, each under two locks, taken in order. */
#include "kernel.h"

enum { ACCOUNTS = 64 };
static struct {
    pthread_mutex_t lock;
    long balance;
} accounts[ACCOUNTS];
static long transfers;

static void transfer(unsigned from, unsigned to, long amount) {
    unsigned first = from < to ? from : to, second = from < to ? to : from;
    pthread_mutex_lock(&accounts[first].lock);
    pthread_mutex_lock(&accounts[second].lock);
    accounts[from].balance -= amount;
    accounts[to].balance += amount;
    pthread_mutex_unlock(&accounts[second].lock);
    pthread_mutex_unlock(&accounts[first].lock);
}

static void *work(void *number) {
    uint32_t random = (uint32_t)(intptr_t)number;
    for (long i = 0; i < transfers; i++) {
        unsigned from = next_random(&random) >> 8 & (ACCOUNTS - 1);
        unsigned to = next_random(&random) >> 8 & (ACCOUNTS - 1);
        if (from != to)
            transfer(from, to, (long)(random >> 24));
    }
    return NULL;
}

int main(int argc, char **argv) {
    transfers = 100000 * scale(argc, argv);
    for (int i = 0; i < ACCOUNTS; i++)
        pthread_mutex_init(&accounts[i].lock, NULL);
    run_threads(work);
    long sum = 0;
    for (int i = 0; i < ACCOUNTS; i++)
        sum += accounts[i].balance;
    printf("%ld\n", sum);
}
