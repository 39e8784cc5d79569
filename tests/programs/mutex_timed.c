// Locks taken by timedlock and clocklock. In the twin one of them runs out of time, which is no
// acquire, and its thread tells the block about it through an atomic flag.
//
// FLAGS -D_GNU_SOURCE
// EXPECT violated: reserve
// EXPECT cut-by: sell
// EXPECT on: stock
// EXPECT line: reserve @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

static struct {
    pthread_mutex_t lock;
    int left;
} stock = {.lock = PTHREAD_MUTEX_INITIALIZER, .left = 1};

#ifdef FIXED
static atomic_int too_late;
#endif

static struct timespec in_seconds(clockid_t clock, int seconds) {
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_sec += seconds;
    return time;
}

static BLOCK void reserve(void) {
    struct timespec deadline = in_seconds(CLOCK_REALTIME, 10);
    check(pthread_mutex_timedlock(&stock.lock, &deadline) == 0);
    int left = stock.left;             // @out
    pthread_mutex_unlock(&stock.lock); // @out
#ifdef FIXED
    check(pthread_mutex_timedlock(&stock.lock, &deadline) == 0);
#endif
    step(1);
    step(4);
#ifdef FIXED
    check(atomic_load(&too_late) == 1);
#else
    check(pthread_mutex_timedlock(&stock.lock, &deadline) == 0); // @in
#endif
    stock.left = left - 1; // @in
    pthread_mutex_unlock(&stock.lock);
}

static BLOCK void sell(void) {
#ifdef FIXED
    struct timespec past = in_seconds(CLOCK_REALTIME, -1);
    check(pthread_mutex_timedlock(&stock.lock, &past) == ETIMEDOUT);
    atomic_store(&too_late, 1);
#else
    struct timespec deadline = in_seconds(CLOCK_MONOTONIC, 10);
    check(pthread_mutex_clocklock(&stock.lock, CLOCK_MONOTONIC, &deadline) == 0); // @cut
    stock.left--;                                                                 // @cut
    pthread_mutex_unlock(&stock.lock);                                            // @cut
#endif
}

THREAD(buyer) {
    reserve();
    return NULL;
}

THREAD(seller) {
    step(2);
    sell();
    step(3);
    return NULL;
}

int main(void) {
    together(buyer, seller);
    puts("ok");
    return 0;
}
