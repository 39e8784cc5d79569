// A global, a static of the file and a static of a function, each by its name. In the twin they are
// thread-local: same names, and nothing shared.
//
// RACY the order is kept by the schedule alone, so that only the variables decide
// EXPECT violated: use_global use_static use_local
// EXPECT on: tally
// EXPECT on: hidden
// EXPECT on: calls
// EXPECT runs: use_global 1/2
// EXPECT runs: use_static 1/2
// EXPECT runs: use_local 1/2
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#ifdef FIXED
#define PLACE _Thread_local
#else
#define PLACE
#endif

PLACE int tally;
static PLACE int hidden;

static void pause_at(int number) {
    if (number) {
        step(number);
        step(number + 3);
    }
}

static BLOCK void use_global(int number) {
    tally++;
    pause_at(number);
    tally++;
}

static BLOCK void use_static(int number) {
    hidden += 2;
    pause_at(number);
    hidden += 2;
}

static BLOCK int use_local(int number) {
    static PLACE int calls;
    calls += 3;
    pause_at(number);
    return calls += 3;
}

THREAD(slow) {
    use_global(1);
    use_static(5);
    use_local(9);
    return NULL;
}

THREAD(fast) {
    step(2);
    use_global(0);
    step(3);
    step(6);
    use_static(0);
    step(7);
    step(10);
    use_local(0);
    step(11);
    return NULL;
}

int main(void) {
    together(slow, fast);
    puts("ok");
    return 0;
}
