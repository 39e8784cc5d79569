/* Random numbers for generated traces: splitmix64, for it is fast and good enough here. */
#ifndef SERIATIM_BENCH_RANDOM_H
#define SERIATIM_BENCH_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint32_t random_bits(struct random *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(z >> 32);
}

/* A number below `bound`. */
static inline uint32_t below(struct random *random, uint32_t bound) {
    return (uint32_t)(((uint64_t)random_bits(random) * bound) >> 32);
}

static inline bool one_in(struct random *random, uint32_t n) {
    return below(random, n) == 0;
}

#endif
