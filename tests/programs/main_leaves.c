// main ends by pthread_exit, and the program with its last thread. What happens after main has left
// is watched like everything else.
//
// EXPECT violated: update
// EXPECT cut-by: look
// EXPECT on: state
// EXPECT line: update @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <stdlib.h>
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
#endif
    step(3);
    step(6);
#ifndef FIXED
    pthread_mutex_lock(&state.lock); // @in
#endif
    state.right++; // @in
    pthread_mutex_unlock(&state.lock);
}

static BLOCK void look(void) {
    pthread_mutex_lock(&state.lock);            // @cut
    check(state.left == 1 && state.right <= 1); // @cut
    pthread_mutex_unlock(&state.lock);          // @cut
}

THREAD(updater) {
    schedule_step(2);
    schedule_wait_for_end(getpid()); /* main has left */
    update();
    puts("ok");
#ifdef RACE_CHECK
    exit(0); /* ThreadSanitizer has a thread of its own, so that no other is ever the last one */
#endif
    return NULL;
}

THREAD(looker) {
    schedule_step(4);
    look();
    step(5);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    check(pthread_create(&one, NULL, updater, NULL) == 0);
    check(pthread_create(&two, NULL, looker, NULL) == 0);
    schedule_step(1);
    pthread_exit(NULL);
}
