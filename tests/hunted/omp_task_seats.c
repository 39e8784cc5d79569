// Tasks of OpenMP take seats: whether there is a free one and taking it are two steps, each under
// the lock.
//
// FLAGS -fopenmp
// EXPECT violated: take
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <omp.h>
#include <stdio.h>

enum { GUESTS = 3, SEATS = 2 };

static omp_lock_t lock;
static int taken;

#ifdef FIXED
static void take(void) {
    omp_set_lock(&lock);
    if (taken < SEATS)
        taken++;
    omp_unset_lock(&lock);
}
#else
static int is_free(void) {
    omp_set_lock(&lock);
    int result = taken < SEATS;
    omp_unset_lock(&lock);
    return result;
}

static void sit_down(void) {
    omp_set_lock(&lock);
    taken++;
    omp_unset_lock(&lock);
}

static void take(void) {
    if (is_free())
        sit_down(); // @gap-before
}
#endif

int main(void) {
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < GUESTS; i++)
#pragma omp task
            take();
#pragma omp taskwait
        if (taken > SEATS)
            printf("%d guests, %d seats\n", taken, SEATS);
    }
    omp_destroy_lock(&lock);
    return taken > SEATS;
}
