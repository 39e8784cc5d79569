// A function that waits for input in between: it says before that it is idle, and after that it is
// not, and others may come meanwhile. The one with the bug takes a number before it waits, and
// writes the next one after it: what others have added meanwhile is lost.
//
// EXPECT violated: serve
// EXPECT cut-by: rival
// EXPECT on: state
// EXPECT line: serve @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED violated: serve
// EXPECT-FIXED cut-by: rival
// EXPECT-FIXED by-design: serve
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <poll.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    int busy;
} state = {PTHREAD_MUTEX_INITIALIZER, 2};

static int ends[2];

static BLOCK void serve(void) {
    struct pollfd input = {.fd = ends[0], .events = POLLIN};
    pthread_mutex_lock(&state.lock);
#ifdef FIXED
    state.busy--;
#else
    int busy = state.busy; // @out
#endif
    pthread_mutex_unlock(&state.lock);
    check(poll(&input, 1, -1) == 1);
    step(1);
    step(4);
    pthread_mutex_lock(&state.lock);
#ifdef FIXED
    state.busy++;
#else
    state.busy = busy + 1; // @in
#endif
    pthread_mutex_unlock(&state.lock);
}

THREAD(server) {
    serve();
    return NULL;
}

THREAD(rival) {
    step(2);
    pthread_mutex_lock(&state.lock);
    state.busy += 10; // @cut
    pthread_mutex_unlock(&state.lock);
    step(3);
    return NULL;
}

int main(void) {
    check(pipe(ends) == 0);
    check(write(ends[1], "x", 1) == 1);
    together(server, rival);
#ifdef FIXED
    check(state.busy == 12);
#else
    check(state.busy == 3);
#endif
    puts("ok");
    return 0;
}
