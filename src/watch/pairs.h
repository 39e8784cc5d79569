/* Pairs of numbers as numbers: each distinct pair gets the next one, starting from 1. */
#ifndef SERIATIM_WATCH_PAIRS_H
#define SERIATIM_WATCH_PAIRS_H

#include <stddef.h>
#include <stdint.h>

struct st_pair {
    uint64_t a, b;
};

/* Invariants: pair number n is list[n - 1]; slots hold numbers, 0 where free; slot_count is a
 * power of two and at least twice `count`. All zero is empty. */
struct st_pairs {
    struct st_pair *list;
    size_t count, capacity;
    uint32_t *slots;
    size_t slot_count;
};

void st_pairs_free(struct st_pairs *pairs);
uint32_t st_pairs_number_slow(struct st_pairs *pairs, uint64_t a, uint64_t b);

/* Every bit of both counts, the highest too: pairs may differ in nothing else. */
static inline size_t st_pairs_hash(uint64_t a, uint64_t b) {
    uint64_t h = (a ^ (b << 32 | b >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ h >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return (size_t)(h ^ h >> 32);
}

/* The number of the pair, or 0 if it has none. */
uint32_t st_pairs_find(const struct st_pairs *pairs, uint64_t a, uint64_t b);

/* The number of the pair, new or known. */
static inline uint32_t st_pairs_number(struct st_pairs *pairs, uint64_t a, uint64_t b) {
    if (__builtin_expect(pairs->slot_count != 0, 1)) {
        uint32_t number = pairs->slots[st_pairs_hash(a, b) & (pairs->slot_count - 1)];
        if (number && pairs->list[number - 1].a == a && pairs->list[number - 1].b == b)
            return number;
    }
    return st_pairs_number_slow(pairs, a, b);
}

#endif
