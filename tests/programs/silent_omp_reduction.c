// A reduction with several results, in a function that all members of a team call. clang adds what
// each member has to the results one after the other, with atomic instructions, and others come in
// between: that is how reductions work.
//
// FLAGS -fopenmp
// EXPECT none
#include "schedule.h"
#include <omp.h>

static long count, sum, squares;

static BLOCK void add_up(int size) {
#pragma omp for reduction(+ : count, sum, squares)
    for (int i = 0; i < size; i++) {
        count++;
        sum += i;
        squares += i * i;
    }
}

int main(void) {
#pragma omp parallel num_threads(4)
    for (int round = 0; round < 100; round++)
        add_up(8);
    check(count == 800 && sum == 2800 && squares == 14000);
    puts("ok");
    return 0;
}
