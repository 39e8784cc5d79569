// Structures are assigned as a whole, of a size for which there is no single instruction.
//
// RACY the order is kept by the schedule alone, so that only the assignment can be seen to cut
// EXPECT violated: move_point copy_all
// EXPECT cut-by: reset
// EXPECT on: shapes
// EXPECT line: move_point @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

struct shape {
    double x, y;
    int colour;
    char label[20];
};

struct shape shapes[2], blank;

static BLOCK void move_point(void) {
    shapes[0].x = 1; // @out
    step(1);
    step(4);
    shapes[0].y = 1; // @in
}

static BLOCK void reset(int which) {
    shapes[which] = blank; // @cut
}

static BLOCK struct shape copy_all(void) {
    struct shape copy = shapes[0];
    step(5);
    step(8);
    copy.label[19] = shapes[0].label[19];
    return copy;
}

THREAD(mover) {
    move_point();
    check(copy_all().colour == 0);
    return NULL;
}

THREAD(resetter) {
#ifdef FIXED
    int which = 1;
#else
    int which = 0;
#endif
    step(2);
    reset(which);
    step(3);
    step(6);
    reset(which);
    step(7);
    return NULL;
}

int main(void) {
    together(mover, resetter);
    puts("ok");
    return 0;
}
