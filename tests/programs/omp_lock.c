// The same with omp_lock_t and its nested kind: a seat is looked for and taken under the lock, but
// the lock is given back in between.
//
// FLAGS -fopenmp
// EXPECT violated: book
// EXPECT cut-by: walk_in
// EXPECT on: hall
// EXPECT line: book @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"
#include <omp.h>

static struct {
    omp_lock_t lock;
    omp_nest_lock_t nested;
    int seats, booked;
} hall = {.seats = 1};

static BLOCK int is_free(void) {
    omp_set_nest_lock(&hall.nested);
    omp_set_nest_lock(&hall.nested);
    int result = hall.booked < hall.seats;
    omp_unset_nest_lock(&hall.nested);
    omp_unset_nest_lock(&hall.nested); // @out
    return result;
}

static BLOCK void take(void) {
    omp_set_nest_lock(&hall.nested); // @in
    hall.booked++;                   // @in
    omp_unset_nest_lock(&hall.nested);
}

static BLOCK void book(void) {
#ifdef FIXED
    omp_set_lock(&hall.lock);
#endif
    int found = is_free(); // @out
    step(1);
    step(4);
    if (found)
        take(); // @in
#ifdef FIXED
    omp_unset_lock(&hall.lock);
#endif
}

static BLOCK void walk_in(void) {
#ifdef FIXED
    while (!omp_test_lock(&hall.lock))
        ;
#endif
    if (omp_test_nest_lock(&hall.nested)) { // @cut
        if (hall.booked < hall.seats)
            hall.booked++;                 // @cut
        omp_unset_nest_lock(&hall.nested); // @cut
    }
#ifdef FIXED
    omp_unset_lock(&hall.lock);
#endif
}

int main(void) {
    omp_init_lock(&hall.lock);
    omp_init_nest_lock(&hall.nested);
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        book();
#pragma omp section
        {
            step(2);
            walk_in();
            step(3);
        }
    }
#ifdef FIXED
    check(hall.booked == 1);
#else
    check(hall.booked == 2);
#endif
    omp_destroy_lock(&hall.lock);
    omp_destroy_nest_lock(&hall.nested);
    puts("ok");
    return 0;
}
