// A transfer takes the lock of each account in turn, and an audit that holds both locks comes in
// between: money is missing.
//
// EXPECT violated: transfer
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account checking = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 100};
static long audited;

static void lock_both(void) {
    pthread_mutex_lock(&checking.lock);
    pthread_mutex_lock(&savings.lock);
}

static void unlock_both(void) {
    pthread_mutex_unlock(&savings.lock);
    pthread_mutex_unlock(&checking.lock);
}

static void transfer(long amount) {
#ifdef FIXED
    lock_both();
    checking.balance -= amount;
    savings.balance += amount;
    unlock_both();
#else
    pthread_mutex_lock(&checking.lock);
    checking.balance -= amount;
    pthread_mutex_unlock(&checking.lock); // @gap
    pthread_mutex_lock(&savings.lock);
    savings.balance += amount;
    pthread_mutex_unlock(&savings.lock);
#endif
}

static long audit(void) {
    lock_both();
    long total = checking.balance + savings.balance;
    unlock_both();
    return total;
}

static void *teller(void *argument) {
    transfer(10);
    transfer(25);
    return argument;
}

static void *auditor(void *argument) {
    audited = audit();
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, teller, NULL);
    pthread_create(&b, NULL, auditor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("the audit found %ld\n", audited);
    return audited != 200;
}
