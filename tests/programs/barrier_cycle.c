// A block that was said to be atomic spans one barrier. Each waits for the other in its middle, so
// neither can come first; but nobody comes back to a block that he has left: a cycle, and no cut.
//
// SPEC atomic function meet
// EXPECT cycle: meet
// TWIN -DFIXED
// SPEC-FIXED none
// EXPECT-FIXED none
#include "schedule.h"

static pthread_barrier_t barrier;
static int cells[2];

static BLOCK int meet(int me) {
    cells[me] = me + 1;
    pthread_barrier_wait(&barrier);
    return cells[0] + cells[1];
}

THREAD(left) {
    check(meet(0) == 3);
    return NULL;
}

THREAD(right) {
    check(meet(1) == 3);
    return NULL;
}

int main(void) {
    check(pthread_barrier_init(&barrier, NULL, 2) == 0);
    together(left, right);
    pthread_barrier_destroy(&barrier);
    puts("ok");
    return 0;
}
