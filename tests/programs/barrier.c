// A block that was said to be atomic spans two barriers: between them the others have seen what it
// did, and go on. In the twin only the phases are said to be atomic, and they are.
//
// SPEC atomic function iterate
// EXPECT violated: iterate
// EXPECT line: iterate @out @in
// EXPECT runs: iterate 2/2
// TWIN -DFIXED
// SPEC-FIXED atomic function compute
// SPEC-FIXED atomic function exchange
// EXPECT-FIXED none
// EXPECT-FIXED runs: compute 0/2
// EXPECT-FIXED runs: exchange 0/2
#include "schedule.h"

static pthread_barrier_t barrier;
static int cells[2] = {1, 2}, sums[2];

static BLOCK void compute(int me) {
    cells[me] *= 10;
}

static BLOCK void exchange(int me) {
    sums[me] = cells[me] + cells[1 - me];
}

static BLOCK void iterate(int me) {
    compute(me);
    pthread_barrier_wait(&barrier); // @out
    exchange(me);
    pthread_barrier_wait(&barrier); // @in
}

THREAD(left) {
    iterate(0);
    return NULL;
}

THREAD(right) {
    iterate(1);
    return NULL;
}

int main(void) {
    check(pthread_barrier_init(&barrier, NULL, 2) == 0);
    together(left, right);
    check(sums[0] == 30 && sums[1] == 30);
    pthread_barrier_destroy(&barrier);
    puts("ok");
    return 0;
}
