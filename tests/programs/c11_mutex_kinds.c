// threads.h: a mutex that is timed and recursive. In the twin the unlocks inside let nobody in, and
// trylock and timedlock of the other thread fail.
//
// EXPECT violated: update
// EXPECT cut-by: look
// EXPECT on: state
// EXPECT line: update @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <stdatomic.h>
#include <threads.h>
#include <time.h>

static struct {
    mtx_t lock;
    int left, right;
} state;

#ifdef FIXED
static atomic_int refused;
#endif

static struct timespec in_seconds(int seconds) {
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    time.tv_sec += seconds;
    return time;
}

static BLOCK void add(int *half) {
    struct timespec deadline = in_seconds(10);
    check(mtx_timedlock(&state.lock, &deadline) == thrd_success); // @in
    ++*half;                                                      // @in @out
    mtx_unlock(&state.lock);                                      // @out
}

static BLOCK void update(void) {
#ifdef FIXED
    mtx_lock(&state.lock);
#endif
    add(&state.left); // @out
    step(1);
    step(4);
    add(&state.right); // @in
#ifdef FIXED
    check(atomic_load(&refused) == 1);
    mtx_unlock(&state.lock);
#endif
}

static BLOCK void look(void) {
#ifdef FIXED
    struct timespec past = in_seconds(-1);
    check(mtx_trylock(&state.lock) == thrd_busy);
    check(mtx_timedlock(&state.lock, &past) == thrd_timedout);
    atomic_store(&refused, 1);
#else
    check(mtx_trylock(&state.lock) == thrd_success); // @cut
    check(state.left != state.right);                // @cut
    mtx_unlock(&state.lock);                         // @cut
#endif
}

static int writer(void *argument) {
    (void)argument;
    update();
    return 0;
}

static int looker(void *argument) {
    (void)argument;
    step(2);
    look();
    step(3);
    return 0;
}

int main(void) {
    thrd_t one, two;
    check(mtx_init(&state.lock, mtx_timed | mtx_recursive) == thrd_success);
    check(thrd_create(&one, writer, NULL) == thrd_success);
    check(thrd_create(&two, looker, NULL) == thrd_success);
    check(thrd_join(one, NULL) == thrd_success);
    check(thrd_join(two, NULL) == thrd_success);
    mtx_destroy(&state.lock);
    puts("ok");
    return 0;
}
