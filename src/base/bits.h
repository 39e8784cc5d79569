/* Sets of small numbers, a bit each. */
#ifndef SERIATIM_BASE_BITS_H
#define SERIATIM_BASE_BITS_H

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Sets of the numbers below some `count`: an array of st_bit_words(count) words. */

static inline size_t st_bit_words(size_t count) {
    return (count + 63) / 64;
}

static inline bool st_bit_test(const uint64_t *words, size_t number) {
    return words[number / 64] >> number % 64 & 1;
}

static inline void st_bit_set(uint64_t *words, size_t number) {
    words[number / 64] |= UINT64_C(1) << number % 64;
}

static inline void st_bit_clear(uint64_t *words, size_t number) {
    words[number / 64] &= ~(UINT64_C(1) << number % 64);
}

/* The smallest member from `number` on that is below `end`; `end` if there is none. */
static inline size_t st_bit_next(const uint64_t *words, size_t number, size_t end) {
    while (number < end) {
        uint64_t bits = words[number / 64] >> number % 64;
        if (bits) {
            number += (size_t)__builtin_ctzll(bits);
            break;
        }
        number = (number / 64 + 1) * 64;
    }
    return number < end ? number : end;
}

/* A set that grows. All zero is the empty set; numbers beyond `capacity` words are not in it. */
struct st_bits {
    uint64_t *words;
    size_t capacity;
};

static inline void st_bits_free(struct st_bits *bits) {
    free(bits->words);
    *bits = (struct st_bits){0};
}

static inline bool st_bits_has(const struct st_bits *bits, size_t number) {
    return number / 64 < bits->capacity && st_bit_test(bits->words, number);
}

/* True when the number was not in the set. */
static inline bool st_bits_add(struct st_bits *bits, size_t number) {
    if (st_bits_has(bits, number))
        return false;
    st_reserve(&bits->words, &bits->capacity, number / 64 + 1);
    st_bit_set(bits->words, number);
    return true;
}

#endif
