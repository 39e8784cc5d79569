// A lock of the program's own making, from an atomic flag: what it orders is seen through the flag.
// The bug lets go of it in mid-block. In the twin nobody spins while it is held: that would be a
// write to the flag between two writes of the holder, which the definition calls a violation.
//
// EXPECT violated: move
// EXPECT cut-by: look
// EXPECT on: taken
// EXPECT line: move @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <stdatomic.h>

static atomic_flag taken = ATOMIC_FLAG_INIT;
static int from = 1, to;

static BLOCK void move(void) {
    check(!atomic_flag_test_and_set(&taken));
    from--;
#ifndef FIXED
    atomic_flag_clear(&taken); // @out
    step(1);
    step(4);
    check(!atomic_flag_test_and_set(&taken)); // @in
#endif
    to++;
    atomic_flag_clear(&taken);
}

static BLOCK int look(void) {
    check(!atomic_flag_test_and_set(&taken)); // @cut
    int sum = from + to;
    atomic_flag_clear(&taken); // @cut
    return sum;
}

THREAD(mover) {
    move();
#ifdef FIXED
    step(1);
#endif
    return NULL;
}

THREAD(looker) {
    step(2);
    int sum = look();
    step(3);
#ifdef FIXED
    check(sum == 1);
#else
    check(sum == 0);
#endif
    return NULL;
}

int main(void) {
    together(mover, looker);
    puts("ok");
    return 0;
}
