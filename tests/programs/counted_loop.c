// Somebody asks for a mean a few times in a row, and does nothing if it is as it should be. Such a
// loop does not wait for anything: its turns are counted. So the two loads are accesses, and they
// come in the middle of a sample. The twin has a lock.
//
// EXPECT violated: sample
// EXPECT cut-by: mean
// EXPECT on: sum count
// EXPECT line: sample @sum @count
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long sum = 10, count = 1;
static long odd;

static void enter(void) {
#ifdef FIXED
    check(pthread_mutex_lock(&lock) == 0);
#endif
}

static void leave(void) {
#ifdef FIXED
    check(pthread_mutex_unlock(&lock) == 0);
#endif
}

static BLOCK void sample(long value) {
    enter();
    atomic_fetch_add(&sum, value); // @sum
    step(1);
    step(4);
    atomic_fetch_add(&count, 1); // @count
    leave();
}

static BLOCK long mean(void) {
    enter();
    long samples = atomic_load(&count);
    long result = samples ? atomic_load(&sum) / samples : 0;
    leave();
    return result;
}

THREAD(sampler) {
    sample(10);
    return NULL;
}

THREAD(reader) {
    step(2);
    for (int i = 0; i < 3; i++) {
        long now = mean();
        if (now != 0 && now != 10)
            odd++;
    }
    step(3);
    return NULL;
}

int main(void) {
    together(sampler, reader);
#ifdef FIXED
    check(odd == 0);
#else
    check(odd == 3);
#endif
    (void)lock;
    puts("ok");
    return 0;
}
