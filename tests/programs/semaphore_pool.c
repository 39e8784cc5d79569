// A semaphore that lets two threads in at a time is a lock, but no mutex: both were inside, each
// under it, and one changed what the other had read. The hint must not say that a thread let go of
// the semaphore. The twin takes a semaphore that lets in one.
//
// EXPECT violated: raise
// EXPECT cut-by: raise
// EXPECT on: level
// EXPECT line: raise @out @cut @in
// EXPECT runs: raise 1/2
// RACY on purpose: nothing keeps the two apart
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <semaphore.h>

static sem_t seats;
static int level;

static BLOCK void raise(int slow) {
    sem_wait(&seats);
    int now = level; // @out
    if (slow) {
        step(1);
        step(4);
    }
    level = now + 1; // @cut @in
    sem_post(&seats);
}

THREAD(slow) {
    raise(1);
    return NULL;
}

THREAD(fast) {
    step(2);
    raise(0);
    step(3);
    return NULL;
}

int main(void) {
#ifdef FIXED
    check(sem_init(&seats, 0, 1) == 0);
#else
    check(sem_init(&seats, 0, 2) == 0);
#endif
    together(slow, fast);
    puts("ok");
    return 0;
}
