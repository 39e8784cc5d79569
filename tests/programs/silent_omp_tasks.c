// Tasks: each begins after its creation, and taskwait, taskgroup and barriers come after its end. A
// function that waits may run tasks of others meanwhile, in its own thread, and those are none of
// its business. Dependences order tasks that nobody waits for.
//
// FLAGS -fopenmp
// EXPECT none
#include "schedule.h"
#include <omp.h>

enum { SIZE = 24 };
static int cells[SIZE], steps[SIZE], stage[4], results[SIZE];
static long done;

static BLOCK void finish(int i) {
    cells[i]++;
#pragma omp atomic
    done++;
}

static BLOCK int fibonacci(int n) {
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fibonacci(n - 1);
#pragma omp task shared(b) if (n > 4)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static BLOCK void group(void) {
#pragma omp taskgroup
    {
        for (int i = 0; i < SIZE; i++)
#pragma omp task firstprivate(i) untied
        {
#pragma omp task
            finish(i);
        }
    }
    for (int i = 0; i < SIZE; i++)
        check(cells[i] == 1);
}

static BLOCK void pipeline(void) {
    for (int i = 0; i < SIZE; i++) {
#pragma omp task depend(out : stage[0]) firstprivate(i)
        stage[0] = i;
#pragma omp task depend(in : stage[0]) depend(out : stage[1])
        stage[1] = stage[0] + 1;
#pragma omp task depend(in : stage[0]) depend(out : stage[2])
        stage[2] = stage[0] + 2;
#pragma omp task depend(in : stage[1], stage[2]) depend(inout : stage[3]) firstprivate(i)
        results[i] = stage[1] + stage[2];
    }
#pragma omp taskwait
    for (int i = 0; i < SIZE; i++)
        check(results[i] == 2 * i + 3);
}

static BLOCK void in_portions(void) {
#pragma omp taskloop grainsize(5)
    for (int i = 0; i < SIZE; i++)
        steps[i] = i;
    int sum = 0;
    for (int i = 0; i < SIZE; i++)
        sum += steps[i];
    check(sum == SIZE * (SIZE - 1) / 2);
}

/* Nobody in these functions waits for the tasks, but the barrier of the team does. */
static BLOCK void leave_behind(void) {
    for (int i = 0; i < SIZE; i++)
#pragma omp task firstprivate(i)
        steps[i]++;
}

int main(void) {
    for (int round = 0; round < 2; round++) {
#pragma omp parallel num_threads(3)
        {
#pragma omp single
            {
                check(fibonacci(9) == 34);
                group();
                pipeline();
                in_portions();
                leave_behind();
            }
#pragma omp for
            for (int i = 0; i < SIZE; i++)
                check(steps[i] == i + 1);
#pragma omp single nowait
            leave_behind();
        }
        for (int i = 0; i < SIZE; i++) {
            check(steps[i] == i + 2);
            cells[i] = 0;
        }
    }
    check(done == 2 * SIZE);
    puts("ok");
    return 0;
}
