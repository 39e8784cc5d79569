// Two thousand threads come and go, never more than a few at a time, and reuse each other's ids,
// stacks and handles. They work one after the other on a counter, and only the last block is cut.
//
// EXPECT violated: last
// EXPECT cut-by: add
// EXPECT on: counter
// EXPECT line: last @out @cut @in
// EXPECT runs: add 0/2002
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

enum { ROUNDS = 500, AT_ONCE = 4 };

static struct {
    pthread_mutex_t lock;
    int value;
} counter = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK void add(int amount) {
    pthread_mutex_lock(&counter.lock);   // @cut
    counter.value += amount;             // @cut
    pthread_mutex_unlock(&counter.lock); // @cut
}

static BLOCK void last(void) {
    pthread_mutex_lock(&counter.lock);
    int value = counter.value; // @out
#ifndef FIXED
    pthread_mutex_unlock(&counter.lock); // @out
#endif
    step(1);
    step(4);
#ifndef FIXED
    pthread_mutex_lock(&counter.lock); // @in
#endif
    counter.value = value + 1; // @in
    pthread_mutex_unlock(&counter.lock);
}

THREAD(short_lived) {
    int local = 1;
    add(local);
    return NULL;
}

THREAD(slow) {
    add(1);
    last();
    return NULL;
}

THREAD(fast) {
    step(2);
    add(1);
    step(3);
    return NULL;
}

int main(void) {
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++)
            check(pthread_create(&threads[i], NULL, short_lived, NULL) == 0);
        for (int i = 0; i < AT_ONCE; i++)
            check(pthread_join(threads[i], NULL) == 0);
    }
    together(slow, fast);
    puts("ok");
    return 0;
}
