// Four bidders. Each looks at the highest bid and, if its own is higher, enters it: the highest bid
// is overwritten by a lower one.
//
// EXPECT violated: bid
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

enum { BIDDERS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int highest;

#ifndef FIXED
static int highest_bid(void) {
    pthread_mutex_lock(&lock);
    int amount = highest;
    pthread_mutex_unlock(&lock);
    return amount;
}
#endif

static void bid(int amount) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    if (amount > highest)
        highest = amount;
    pthread_mutex_unlock(&lock);
#else
    if (amount <= highest_bid())
        return;
    pthread_mutex_lock(&lock); // @gap-before
    highest = amount;
    pthread_mutex_unlock(&lock);
#endif
}

static void *bidder(void *amount) {
    bid(*(int *)amount);
    return NULL;
}

int main(void) {
    pthread_t threads[BIDDERS];
    int amounts[BIDDERS] = {10, 15, 30, 20};
    for (int i = 0; i < BIDDERS; i++)
        pthread_create(&threads[i], NULL, bidder, &amounts[i]);
    for (int i = 0; i < BIDDERS; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", highest);
    return highest != 30;
}
