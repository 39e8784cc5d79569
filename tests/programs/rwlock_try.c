// The other ways to take a rwlock: try and timed, for reading and for writing. In the twin they
// fail, which orders nothing; an atomic flag leads back to the block.
//
// EXPECT violated: average
// EXPECT cut-by: set
// EXPECT on: samples
// EXPECT line: average @out @cut @in
// EXPECT-LOCKS violated: average
// EXPECT-LOCKS line: average @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

static struct {
    pthread_rwlock_t lock;
    int low, high;
} samples = {.lock = PTHREAD_RWLOCK_INITIALIZER};

#ifdef FIXED
static atomic_int refused;
#endif

static struct timespec in_seconds(int seconds) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += seconds;
    return time;
}

static BLOCK int average(void) {
    struct timespec deadline = in_seconds(10);
    check(pthread_rwlock_tryrdlock(&samples.lock) == 0);
    int low = samples.low;                // @out
    pthread_rwlock_unlock(&samples.lock); // @out
#ifdef FIXED
    check(pthread_rwlock_timedrdlock(&samples.lock, &deadline) == 0);
#endif
    step(1);
    step(4);
#ifdef FIXED
    check(atomic_load(&refused) == 1);
#else
    check(pthread_rwlock_timedrdlock(&samples.lock, &deadline) == 0); // @in
#endif
    int high = samples.high; // @in
    pthread_rwlock_unlock(&samples.lock);
    return (low + high) / 2;
}

static BLOCK void set(int value) {
#ifdef FIXED
    struct timespec past = in_seconds(-1);
    check(pthread_rwlock_trywrlock(&samples.lock) == EBUSY);
    check(pthread_rwlock_timedwrlock(&samples.lock, &past) == ETIMEDOUT);
    atomic_store(&refused, value);
#else
    struct timespec deadline = in_seconds(10);
    check(pthread_rwlock_trywrlock(&samples.lock) == 0); // @cut
    samples.low = value;                                 // @cut
    pthread_rwlock_unlock(&samples.lock);
    check(pthread_rwlock_timedwrlock(&samples.lock, &deadline) == 0);
    samples.high = value;                 // @cut
    pthread_rwlock_unlock(&samples.lock); // @cut
#endif
}

THREAD(reader) {
    check(average() == 0);
    return NULL;
}

THREAD(writer) {
    step(2);
    set(1);
    step(3);
    return NULL;
}

int main(void) {
    together(reader, writer);
    puts("ok");
    return 0;
}
