// Two cells change places by two compare-and-swaps, one after the other. Whoever looks in between
// sees the same token twice.
//
// EXPECT violated: exchange_tokens|tokens
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER;
static atomic_int left = 1, right = 2;
static int wrong;

static int exchange_tokens(void) {
    int old_left = 1, old_right = 2;
#ifdef FIXED
    pthread_mutex_lock(&both);
#endif
    int done = atomic_compare_exchange_strong(&left, &old_left, 2); // @gap
    done = done && atomic_compare_exchange_strong(&right, &old_right, 1);
#ifdef FIXED
    pthread_mutex_unlock(&both);
#endif
    return done;
}

static int tokens(void) {
    pthread_mutex_lock(&both);
    int sum = atomic_load(&left) + atomic_load(&right);
    pthread_mutex_unlock(&both);
    return sum;
}

static void *mover(void *argument) {
    exchange_tokens();
    return argument;
}

static void *counter(void *argument) {
    if (tokens() != 3)
        wrong = 1;
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, mover, NULL);
    pthread_create(&b, NULL, counter, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(wrong ? "a token was seen twice" : "one of each");
    return wrong;
}
