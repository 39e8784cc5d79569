// A thread-local variable is a variable: whoever has its address can write it. In the twin the
// other thread writes its own.
//
// RACY the order is kept by the schedule alone, so that only the variable decides
// EXPECT violated: work
// EXPECT cut-by: disturb
// EXPECT line: work @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

static _Thread_local int progress;
int *published;

static BLOCK void work(int *mine) {
    *mine += 1; // @out
    step(1);
    step(4);
    *mine += 1; // @in
}

static BLOCK void disturb(int *theirs) {
    *theirs = 7; // @cut
}

THREAD(worker) {
    published = &progress;
    work(&progress);
    return NULL;
}

THREAD(disturber) {
    step(2);
#ifdef FIXED
    disturb(&progress);
#else
    disturb(published);
#endif
    step(3);
    return NULL;
}

int main(void) {
    together(worker, disturber);
    puts("ok");
    return 0;
}
