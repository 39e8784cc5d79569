// Functions that consist of parallel loops, called again and again from a serial program: between
// two loops the program is alone, and reads and writes what the loops have written. Reductions
// combine what the members have summed up, each in its own way.
//
// FLAGS -fopenmp
// EXPECT none
#include "schedule.h"
#include <omp.h>

enum { SIZE = 64 };
static int table[SIZE], twice[SIZE];
static long rounds;

/* There is no atomic instruction for it. clang would need another library. */
#ifdef __clang__
typedef double wide_number;
#else
typedef long double wide_number;
#endif

static BLOCK void touch(int i, int by) {
    table[i] += by;
}

static BLOCK void fill(int by) {
    rounds++;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < SIZE; i++)
        touch(i, by);
    rounds++;
#pragma omp parallel for num_threads(4) schedule(dynamic, 3)
    for (int i = 0; i < SIZE; i++)
        touch(SIZE - 1 - i, by);
}

static BLOCK long total(void) {
    long sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
    for (int i = 0; i < SIZE; i++)
        sum += table[i];
    return sum;
}

static BLOCK double middle(void) {
    double sum = 0, product = 1;
    wide_number wide = 0;
    int most = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp for reduction(+ : sum) reduction(max : most) reduction(* : product) schedule(guided)
        for (int i = 0; i < SIZE; i++) {
            sum += table[i];
            product *= 1;
            if (table[i] > most)
                most = table[i];
        }
#pragma omp for reduction(+ : wide) schedule(static, 1)
        for (int i = 0; i < SIZE; i++)
            wide += sum / SIZE * product;
    }
    check(most == table[0]);
    return (double)wide / SIZE;
}

static BLOCK void spread(void) {
    int last = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp for nowait lastprivate(last)
        for (int i = 0; i < SIZE; i++) {
            twice[i] = 2 * table[i];
            last = twice[i];
        }
#pragma omp barrier
#pragma omp for
        for (int i = 0; i < SIZE; i++)
            table[i] = twice[SIZE - 1 - i] / 2;
    }
    check(last == twice[SIZE - 1]);
}

int main(void) {
    for (int round = 1; round <= 3; round++) {
        fill(1);
        check(total() == (long)SIZE * 2 * round);
        check(middle() == 2 * round);
        spread();
    }
    check(rounds == 6);
    puts("ok");
    return 0;
}
