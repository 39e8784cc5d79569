// Elements of an array are variables of their own: the bug touches the element in use, the twin the
// ones on both sides of it.
//
// RACY the order is kept by the schedule alone, so that only the elements decide
// EXPECT violated: update
// EXPECT cut-by: clear
// EXPECT on: cells
// EXPECT line: update @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

int cells[5];

static BLOCK void update(int i) {
    cells[i] += 2; // @out
    step(1);
    step(4);
    cells[i] += 2; // @in
}

static BLOCK void clear(int i) {
    cells[i] = 0; // @cut
}

THREAD(updater) {
    update(2);
    return NULL;
}

THREAD(clearer) {
    step(2);
#ifdef FIXED
    clear(1);
    clear(3);
#else
    clear(2);
#endif
    step(3);
    return NULL;
}

int main(void) {
    together(updater, clearer);
#ifdef FIXED
    check(cells[2] == 4);
#else
    check(cells[2] == 2);
#endif
    puts("ok");
    return 0;
}
