// A worker waits for jobs at a condition, in its loop, and then counts one in two critical
// sections. The wait splits the iteration, and the two sections are behind it. In the twin, the
// other thread comes in while the worker waits.
//
// EXPECT violated: one?iteration?of?the?loop?at?worker,*
// EXPECT cut-by: other
// EXPECT on: state
// EXPECT line: one?iteration* @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    int jobs, done;
} state = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 1, 0};

/* What a compiler must not know: it would make two loops of one. */
static volatile int slow __attribute__((unused)) = 1;

THREAD(worker) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&state.lock);
        while (state.jobs == 0)
            pthread_cond_wait(&state.filled, &state.lock);
        state.jobs--;
        pthread_mutex_unlock(&state.lock);

        pthread_mutex_lock(&state.lock);
        int old = state.done; // @out
#ifndef FIXED
        pthread_mutex_unlock(&state.lock);
        if (i == slow) {
            step(1);
            step(4);
        }
        pthread_mutex_lock(&state.lock);
#endif
        state.done = old + 1; // @in
        pthread_mutex_unlock(&state.lock);
    }
    return NULL;
}

THREAD(other) {
#ifndef FIXED
    step(2);
#endif
    pthread_mutex_lock(&state.lock);
    state.done += 10; // @cut
    pthread_mutex_unlock(&state.lock);
#ifndef FIXED
    step(3);
#endif
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    check(pthread_create(&threads[0], NULL, worker, NULL) == 0);
    check(pthread_create(&threads[1], NULL, other, NULL) == 0);
    pthread_mutex_lock(&state.lock);
    state.jobs++;
    pthread_cond_broadcast(&state.filled);
    pthread_mutex_unlock(&state.lock);
    check(pthread_join(threads[0], NULL) == 0);
    check(pthread_join(threads[1], NULL) == 0);
#ifdef FIXED
    check(state.done == 12);
#else
    check(state.done == 2);
#endif
    puts("ok");
    return 0;
}
