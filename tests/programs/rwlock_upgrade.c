// A cache is searched under the read lock and filled under the write lock. Between the two it is
// free, and what was found missing has been filled in by another thread. (A second look under the
// write lock would repair the program, and would still be cut: the first look was in vain.)
//
// EXPECT violated: lookup
// EXPECT cut-by: lookup
// EXPECT on: cache
// EXPECT line: lookup @out @cut @in
// EXPECT runs: lookup 1/2
// EXPECT-LOCKS violated: lookup
// EXPECT-LOCKS line: lookup @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_rwlock_t lock;
    int filled, value;
} cache = {.lock = PTHREAD_RWLOCK_INITIALIZER};

static BLOCK int lookup(int slow) {
#ifdef FIXED
    pthread_rwlock_wrlock(&cache.lock);
#else
    pthread_rwlock_rdlock(&cache.lock);
#endif
    int filled = cache.filled; // @out
#ifndef FIXED
    pthread_rwlock_unlock(&cache.lock); // @out
#endif
    if (slow) {
        step(1);
        step(4);
    }
#ifndef FIXED
    pthread_rwlock_wrlock(&cache.lock); // @cut @in
#endif
    if (!filled) {
        cache.filled = 1; // @cut @in
        cache.value++;
    }
    int value = cache.value;
    pthread_rwlock_unlock(&cache.lock); // @cut
    return value;
}

THREAD(slow) {
    lookup(1);
    return NULL;
}

THREAD(fast) {
    step(2);
    lookup(0);
    step(3);
    return NULL;
}

int main(void) {
    together(slow, fast);
#ifdef FIXED
    check(cache.value == 1);
#else
    check(cache.value == 2);
#endif
    puts("ok");
    return 0;
}
