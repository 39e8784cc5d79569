// A timed wait lets others in as well, even if nobody signals and it only runs out of time.
//
// FLAGS -D_GNU_SOURCE
// SPEC atomic function poll_twice
// EXPECT violated: poll_twice
// EXPECT cut-by: set_level
// EXPECT on: sensor
// EXPECT line: poll_twice @wait @cut
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <time.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int level;
} sensor = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static struct timespec soon(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += 20 * 1000 * 1000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    return time;
}

static BLOCK int poll_twice(void) {
    pthread_mutex_lock(&sensor.lock);
    int first = sensor.level; // @wait
    step(1);
#ifndef FIXED
    clockid_t clock = CLOCK_REALTIME;
    while (sensor.level == first) { // @wait
        struct timespec end = soon(clock);
        if (clock == CLOCK_REALTIME)
            check(pthread_cond_timedwait(&sensor.changed, &sensor.lock, &end)); // @wait
        else
            check(pthread_cond_clockwait(&sensor.changed, &sensor.lock, clock, &end)); // @wait
        clock = CLOCK_MONOTONIC;
    }
#endif
    int second = sensor.level; // @wait
    pthread_mutex_unlock(&sensor.lock);
    return second - first;
}

static BLOCK void set_level(int level) {
    pthread_mutex_lock(&sensor.lock);   // @cut
    sensor.level = level;               // @cut
    pthread_mutex_unlock(&sensor.lock); // @cut
}

THREAD(poller) {
#ifdef FIXED
    check(poll_twice() == 0);
#else
    check(poll_twice() == 5);
#endif
    return NULL;
}

THREAD(setter) {
    step(2);
    set_level(5);
    return NULL;
}

int main(void) {
    soon(CLOCK_REALTIME);
    together(poller, setter);
    puts("ok");
    return 0;
}
