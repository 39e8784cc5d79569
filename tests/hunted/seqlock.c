// A sequence lock whose reader waits for an even number, reads, and does not look at the number
// again: it may have read while a writer was at work.
//
// EXPECT violated: read_position
// EXPECT maybe: write_position
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct position {
    int x, y;
};

static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint sequence;
static atomic_int x = 1, y = 1;
static struct position seen = {1, 1};

static void write_position(int value) {
    pthread_mutex_lock(&writers);
    atomic_fetch_add(&sequence, 1);
    atomic_store(&x, value);
    atomic_store(&y, value);
    atomic_fetch_add(&sequence, 1);
    pthread_mutex_unlock(&writers);
}

static int read_position(struct position *position) {
#ifdef FIXED
    pthread_mutex_lock(&writers);
#endif
    int stable = atomic_load(&sequence) % 2 == 0;
    if (stable) {
        position->x = atomic_load(&x); // @gap
        position->y = atomic_load(&y);
    }
#ifdef FIXED
    pthread_mutex_unlock(&writers);
#endif
    return stable;
}

static void *reader(void *argument) {
    struct position position;
    if (read_position(&position))
        seen = position;
    return argument;
}

static void *writer(void *argument) {
    write_position(2);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(seen.x == seen.y ? "on the diagonal" : "off the diagonal");
    return seen.x != seen.y;
}
