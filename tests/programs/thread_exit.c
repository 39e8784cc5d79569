// A thread ends by pthread_exit three calls deep, another one is cancelled in the middle of a call.
// The blocks that they leave end there; what was cut before that is reported. (Both are unwound,
// and the unwinder synchronises for its own sake: that does not cut wait_forever.)
//
// EXPECT violated: work
// EXPECT cut-by: look
// EXPECT on: state
// EXPECT line: work @out @cut @in
// EXPECT runs: give_up 0/1
// EXPECT runs: wait_forever 0/1
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    int value;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK void add(int amount) {
    pthread_mutex_lock(&state.lock); // @cut @in
    state.value += amount;
    pthread_mutex_unlock(&state.lock); // @cut @out
}

static BLOCK __attribute__((noreturn)) void give_up(void) {
    pthread_exit(NULL);
}

static BLOCK void work(void) {
#ifdef FIXED
    add(2);
#else
    add(1); // @out
    step(1);
    step(4);
    add(1); // @in
#endif
    give_up();
}

static BLOCK void look(void) {
    add(0); // @cut
}

static BLOCK void wait_forever(void) {
    add(1);
    step(5);
    for (;;)
        pause();
}

THREAD(worker) {
    work();
    return NULL;
}

THREAD(waiter) {
    step(2);
    look();
    step(3);
    wait_forever();
    return NULL;
}

int main(void) {
    pthread_t one, two;
    check(pthread_create(&one, NULL, worker, NULL) == 0);
    check(pthread_create(&two, NULL, waiter, NULL) == 0);
    check(pthread_join(one, NULL) == 0);
    step(6);
    add(1);
    check(pthread_cancel(two) == 0);
    check(pthread_join(two, NULL) == 0);
    add(1);
    check(state.value == 5);
    puts("ok");
    return 0;
}
