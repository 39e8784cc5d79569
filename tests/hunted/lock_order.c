// Each transfer locks the account that pays, then the one that is paid. Two transfers in opposite
// directions wait for each other for ever.
//
// EXPECT harm: deadlock
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

struct account {
    int number;
    pthread_mutex_t lock;
    long balance;
};

static struct account alice = {1, PTHREAD_MUTEX_INITIALIZER, 100};
static struct account bob = {2, PTHREAD_MUTEX_INITIALIZER, 100};

static void pay(struct account *from, struct account *to, long amount) {
    struct account *first = from, *second = to;
#ifdef FIXED
    if (to->number < from->number) {
        first = to;
        second = from;
    }
#endif
    pthread_mutex_lock(&first->lock); // @gap
    pthread_mutex_lock(&second->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static void *rent(void *argument) {
    pay(&alice, &bob, 30);
    return argument;
}

static void *refund(void *argument) {
    pay(&bob, &alice, 10);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, rent, NULL);
    pthread_create(&b, NULL, refund, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld %ld\n", alice.balance, bob.balance);
    return 0;
}
