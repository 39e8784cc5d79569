// A cache of one entry, key and value in two atomics. Somebody reads the key of one entry and the
// value of another.
//
// EXPECT violated: look_up|remember
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long cached_key = 2, cached_value = 4;
static int wrong;

static void remember(long key, long value) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    atomic_store(&cached_key, key); // @gap
    atomic_store(&cached_value, value);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
}

static int look_up(long key, long *value) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    int found = atomic_load(&cached_key) == key;
    *value = atomic_load(&cached_value);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return found;
}

static long square(long n) {
    long value;
    if (look_up(n, &value))
        return value;
    return n * n;
}

static void *writer(void *argument) {
    remember(3, 9);
    return argument;
}

static void *reader(void *argument) {
    if (square(3) != 9 || square(2) != 4)
        wrong = 1;
    return argument;
}

int main(void) {
    pthread_t a, b;
    (void)lock;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(wrong ? "a square is wrong" : "squares are right");
    return wrong;
}
