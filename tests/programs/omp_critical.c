// A member of an OpenMP team reads a balance in one critical section and writes it in another: the
// other member's deposit in between is lost. Critical sections are locks, and they have names.
//
// FLAGS -fopenmp
// EXPECT violated: deposit
// EXPECT cut-by: interest
// EXPECT on: balance
// EXPECT line: deposit @out @cut @in
// EXPECT runs: deposit 1/2
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"
#include <omp.h>

static long balance = 100;

static BLOCK void deposit(long amount, int slow) {
    long before;
#ifndef FIXED
#pragma omp critical(balance) // @out
    before = balance;         // @out
    if (slow) {
        step(1);
        step(4);
    }
#pragma omp critical(balance)  // @in
    balance = before + amount; // @in
#else
#pragma omp critical(balance)
    {
        before = balance;
        if (slow) {
            step(1);
            step(4);
        }
        balance = before + amount;
    }
#endif
}

static BLOCK void interest(void) {
#pragma omp critical(balance) // @cut
    balance += 5;             // @cut
}

static BLOCK void day(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            deposit(10, 0);
            deposit(20, 1);
        } else {
            step(2);
            interest();
            step(3);
        }
    }
}

int main(void) {
    day();
#ifdef FIXED
    check(balance == 135);
#else
    check(balance == 130);
#endif
    puts("ok");
    return 0;
}
