// A lock of the program's own making, from an atomic flag that is a variable of its own: it is
// known as a lock by the way it is used. The bug lets go of it in mid-block.
//
// EXPECT violated: move
// EXPECT cut-by: look
// EXPECT on: from to
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
    from--; // @out
#ifndef FIXED
    atomic_flag_clear(&taken); // @out
    step(1);
    step(4);
    check(!atomic_flag_test_and_set(&taken)); // @in
#endif
    to++; // @in
    atomic_flag_clear(&taken);
}

static BLOCK int look(void) {
    check(!atomic_flag_test_and_set(&taken)); // @cut
    int sum = from + to;                      // @cut
    atomic_flag_clear(&taken);                // @cut
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
