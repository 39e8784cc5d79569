// A semaphore as a lock, taken in all the ways there are; in the twin the other thread's ways fail.
//
// EXPECT violated: update
// EXPECT cut-by: look
// EXPECT on: state
// EXPECT line: update @out @cut @in
// EXPECT-LOCKS violated: update
// EXPECT-LOCKS line: update @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

static struct {
    sem_t lock;
    int left, right;
} state;

#ifdef FIXED
static atomic_int refused;
#endif

static struct timespec in_seconds(int seconds) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += seconds;
    return time;
}

static BLOCK void update(void) {
    struct timespec deadline = in_seconds(10);
    check(sem_wait(&state.lock) == 0);
    state.left++; // @out
#ifndef FIXED
    sem_post(&state.lock); // @out
#endif
    step(1);
    step(4);
#ifdef FIXED
    check(atomic_load(&refused) == 1);
#else
    check(sem_timedwait(&state.lock, &deadline) == 0); // @in
#endif
    state.right++; // @in
    sem_post(&state.lock);
    check(deadline.tv_sec != 0);
}

static BLOCK void look(void) {
#ifdef FIXED
    struct timespec past = in_seconds(-1);
    check(sem_trywait(&state.lock) == -1 && errno == EAGAIN);
    check(sem_timedwait(&state.lock, &past) == -1 && errno == ETIMEDOUT);
    atomic_store(&refused, 1);
#else
    check(sem_trywait(&state.lock) == 0);              // @cut
    check(state.left != state.right);                  // @cut
    sem_post(&state.lock);                             // @cut
#endif
}

THREAD(writer) {
    update();
    return NULL;
}

THREAD(looker) {
    step(2);
    look();
    step(3);
    return NULL;
}

int main(void) {
    check(sem_init(&state.lock, 0, 1) == 0);
    together(writer, looker);
    sem_destroy(&state.lock);
    puts("ok");
    return 0;
}
