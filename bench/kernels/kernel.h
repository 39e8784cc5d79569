/* What the kernels share: each does its work with THREADS threads, scaled by an argument, and
 * prints a checksum, so that nothing can be optimised away and every build must give the same
 * answer. */
#ifndef SERIATIM_BENCH_KERNEL_H
#define SERIATIM_BENCH_KERNEL_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4 };

static inline long scale(int argc, char **argv) {
    return argc > 1 ? strtol(argv[1], NULL, 10) : 1;
}

/* Runs the function once in each thread, with the thread's number as its argument. */
static inline void run_threads(void *(*work)(void *number)) {
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i))
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static inline uint32_t next_random(uint32_t *state) {
    return *state = *state * 1664525 + 1013904223;
}

#endif
