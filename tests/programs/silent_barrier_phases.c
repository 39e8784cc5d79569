// Four threads, ten phases: each writes its cell, all meet, each reads its neighbours', all meet.
// Nobody is cut: neither the phases, nor the function around them, which is split at each barrier.
//
// EXPECT none
#include "schedule.h"

enum { THREADS = 4, PHASES = 10 };

static pthread_barrier_t barrier;
static int cells[THREADS];

static BLOCK void relax_cell(int me, int left, int right) {
    cells[me] = (left + right) / 2 + me;
}

static BLOCK int neighbour(int me, int by) {
    return cells[(me + by + THREADS) % THREADS];
}

static BLOCK void phase(int me) {
    int left = neighbour(me, -1), right = neighbour(me, 1);
    pthread_barrier_wait(&barrier);
    relax_cell(me, left, right);
    pthread_barrier_wait(&barrier);
}

static void *worker(void *argument) {
    int me = *(int *)argument;
    for (int i = 0; i < PHASES; i++)
        phase(me);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int numbers[THREADS];
    check(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        check(pthread_create(&threads[i], NULL, worker, &numbers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], NULL) == 0);
    pthread_barrier_destroy(&barrier);
    puts("ok");
    return 0;
}
