// A worker that takes one job after the other from a queue: that others come in between two jobs is
// by design. The one with the bug asks first whether there is a job, and takes it then, so that
// another worker can take it in between.
//
// EXPECT violated: serve
// EXPECT cut-by: rival
// EXPECT on: queue
// EXPECT line: serve @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED violated: serve
// EXPECT-FIXED cut-by: rival
// EXPECT-FIXED by-design: serve
#define SCHEDULE_HOLDS
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int jobs;
} queue = {PTHREAD_MUTEX_INITIALIZER, 3};

static __attribute__((unused)) BLOCK int has_jobs(void) {
    pthread_mutex_lock(&queue.lock); // @out
    int result = queue.jobs > 0;     // @out
    pthread_mutex_unlock(&queue.lock);
    return result;
}

static BLOCK int take(void) {
    pthread_mutex_lock(&queue.lock);     // @in @cut
    int result = queue.jobs;             // @in
    queue.jobs = result - (result != 0); // @cut
    pthread_mutex_unlock(&queue.lock);
    return result;
}

/* What a compiler must not know: it would make two loops of one. */
static volatile int slow = 2;

static void pause_at(int turn) {
    if (turn == slow) {
        step(1);
        step(4);
    }
}

static BLOCK int serve(void) {
    int turn = 1;
#ifdef FIXED
    while (take()) // @out @in
        pause_at(++turn);
#else
    while (has_jobs()) { // @out
        pause_at(++turn);
        take(); // @in
    }
#endif
    return turn;
}

THREAD(worker) {
    check(serve() > 1);
    return NULL;
}

THREAD(rival) {
    step(2);
    check(take());
    step(3);
    return NULL;
}

int main(void) {
    together(worker, rival);
    check(queue.jobs == 0);
    puts("ok");
    return 0;
}
