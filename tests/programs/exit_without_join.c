// main returns while other threads are still there: one sleeps in the middle of a block that was
// cut before, another one has never been joined.
//
// EXPECT violated: update
// EXPECT cut-by: look
// EXPECT on: state
// EXPECT line: update @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    int left, right;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK void update(void) {
    pthread_mutex_lock(&state.lock);
    state.left++; // @out
#ifndef FIXED
    pthread_mutex_unlock(&state.lock); // @out
    step(1);
    step(4);
    pthread_mutex_lock(&state.lock); // @in
#endif
    state.right++; // @in
    pthread_mutex_unlock(&state.lock);
#ifdef FIXED
    step(1);
    step(4);
#endif
    step(5);
    for (;;)
        pause();
}

static BLOCK void look(void) {
    pthread_mutex_lock(&state.lock);            // @cut
    check(state.left == 1 && state.right <= 1); // @cut
    pthread_mutex_unlock(&state.lock);          // @cut
}

THREAD(updater) {
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
    pthread_t one, two;
    check(pthread_create(&one, NULL, updater, NULL) == 0);
    check(pthread_create(&two, NULL, looker, NULL) == 0);
    step(6);
    puts("ok");
    return 0;
}
