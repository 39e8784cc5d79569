// Two functions change a balance under a lock, but not under the same one.
//
// EXPECT violated: deposit|withdraw
// EXPECT harm: status 1
// RACY two locks for one variable
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t deposits = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIXED
#define WITHDRAWALS deposits
#else
static pthread_mutex_t WITHDRAWALS = PTHREAD_MUTEX_INITIALIZER;
#endif
static long balance = 100;

static void deposit(long amount) {
    pthread_mutex_lock(&deposits);
    long old = balance; // @gap
    balance = old + amount;
    pthread_mutex_unlock(&deposits);
}

static void withdraw(long amount) {
    pthread_mutex_lock(&WITHDRAWALS);
    balance -= amount;
    pthread_mutex_unlock(&WITHDRAWALS);
}

static void *earn(void *argument) {
    deposit(30);
    deposit(20);
    return argument;
}

static void *spend(void *argument) {
    withdraw(10);
    withdraw(40);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, earn, NULL);
    pthread_create(&b, NULL, spend, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld\n", balance);
    return balance != 100;
}
