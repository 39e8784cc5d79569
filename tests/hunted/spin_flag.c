// A lock made of a flag: the flag is waited for and then set, in two steps. Two threads see it
// free, and both are in.
//
// EXPECT violated: enter|deposit
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#else
static atomic_int busy;
#endif
static atomic_long balance;

static void enter(void) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
#else
    while (atomic_load(&busy))
        ;
    atomic_store(&busy, 1); // @gap-before
#endif
}

static void leave(void) {
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#else
    atomic_store(&busy, 0);
#endif
}

static void deposit(long amount) {
    enter();
    long old = atomic_load(&balance); // @gap
    atomic_store(&balance, old + amount);
    leave();
}

static void *saver(void *argument) {
    deposit(10);
    deposit(5);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, saver, NULL);
    pthread_create(&b, NULL, saver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld\n", balance);
    return balance != 30;
}
