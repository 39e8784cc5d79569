// The old __sync builtins: a compare-and-swap that succeeds although the value was changed and
// changed back in between (ABA).
//
// EXPECT violated: replace
// EXPECT cut-by: flip
// EXPECT on: top
// EXPECT line: replace @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

static int top = 1;

static BLOCK int replace(int with) {
#ifdef FIXED
    step(1);
    step(4);
    return __sync_lock_test_and_set(&top, with);
#else
    int old = __sync_fetch_and_add(&top, 0); // @out
    step(1);
    step(4);
    check(__sync_bool_compare_and_swap(&top, old, with)); // @in
    return old;
#endif
}

static BLOCK void flip(void) {
    check(__sync_val_compare_and_swap(&top, 1, 2) == 1); // @cut
}

static BLOCK void flip_back(void) {
    check(__sync_sub_and_fetch(&top, 1) == 1);
}

THREAD(replacer) {
    check(replace(3) == 1);
    return NULL;
}

THREAD(flipper) {
    step(2);
    flip();
    flip_back();
    step(3);
    return NULL;
}

int main(void) {
    together(replacer, flipper);
    puts("ok");
    return 0;
}
