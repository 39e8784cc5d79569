// Detached threads: nobody joins them, and main knows by other means that they are done.
//
// EXPECT violated: update
// EXPECT cut-by: look
// EXPECT on: state
// EXPECT line: update @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int left, right;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK void update(void) {
    pthread_mutex_lock(&state.lock);
    state.left++; // @out
#ifndef FIXED
    pthread_mutex_unlock(&state.lock); // @out
#endif
    step(1);
    step(4);
#ifndef FIXED
    pthread_mutex_lock(&state.lock); // @in
#endif
    state.right++; // @in
    pthread_mutex_unlock(&state.lock);
}

static BLOCK void look(void) {
    pthread_mutex_lock(&state.lock);           // @cut
    int difference = state.left - state.right; // @cut
    pthread_mutex_unlock(&state.lock);         // @cut
#ifdef FIXED
    check(difference == 0);
#else
    check(difference == 1);
#endif
}

THREAD(updater) {
    update();
    schedule_step(5);
    return NULL;
}

THREAD(looker) {
    pthread_detach(pthread_self());
    step(2);
    look();
    step(3);
    schedule_step(6);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    check(pthread_create(&thread, &detached, updater, NULL) == 0);
    check(pthread_create(&thread, NULL, looker, NULL) == 0);
    schedule_step(7);
    puts("ok");
    return 0;
}
