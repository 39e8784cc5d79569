// Two tasks of a team count the same thing, each in two steps that are atomic alone. In the twin
// they depend on each other, and so come one after the other.
//
// FLAGS -fopenmp
// EXPECT violated: count
// EXPECT cut-by: count
// EXPECT on: counter
// EXPECT line: count @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"
#include <omp.h>

static int counter;

static BLOCK void count(int first) {
    int before;
    if (!first)
        step(2);
#pragma omp critical(counter) // @out
    before = counter;         // @out
    if (first) {
        step(1);
        step(4);
    }
#pragma omp critical(counter) // @in
    counter = before + 1;     // @in
    if (!first)
        step(3);
}

#ifdef FIXED
#define AFTER_EACH_OTHER depend(inout : counter)
#else
#define AFTER_EACH_OTHER
#endif

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task AFTER_EACH_OTHER
        count(1);
#pragma omp task AFTER_EACH_OTHER
        count(0);
#pragma omp taskwait
#ifdef FIXED
        check(counter == 2);
#else
        check(counter == 1);
#endif
    }
    puts("ok");
    return 0;
}
