// A version that a thread compares with the one that it has seen, in a variable of its own. That
// looks like a question for the owner of a lock, but another thread can change the answer: the look
// is an access. In the twin, version and data are under a mutex.
//
// EXPECT violated: get
// EXPECT cut-by: publish
// EXPECT on: config
// EXPECT line: get @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <stdatomic.h>

static struct {
    pthread_mutex_t lock;
    atomic_int version, data;
} config = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local int seen;

static BLOCK void lock(void) {
#ifdef FIXED
    pthread_mutex_lock(&config.lock);
#endif
}

static BLOCK void unlock(void) {
#ifdef FIXED
    pthread_mutex_unlock(&config.lock);
#endif
}

static BLOCK int get(int *data) {
    lock();
    int current = atomic_load(&config.version) == seen; // @out
    step(1);
    step(4);
    *data = atomic_load(&config.data); // @in
    unlock();
    return current;
}

static BLOCK void publish(void) {
    lock();
    atomic_store(&config.version, 1); // @cut
    atomic_store(&config.data, 7);    // @cut
    unlock();
}

THREAD(reader) {
    int data, current = get(&data);
#ifdef FIXED
    check(current == (data == 0));
#else
    check(current && data == 7);
#endif
    return NULL;
}

THREAD(writer) {
    step(2);
    publish();
    step(3);
    return NULL;
}

int main(void) {
    together(reader, writer);
    puts("ok");
    return 0;
}
