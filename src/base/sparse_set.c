#include "base/sparse_set.h"

#include <stdlib.h>

enum { LEVELS = 10, WORD_BITS = 6, LEVEL_AT = 60 };

void st_sparse_init(struct st_sparse_set *set) {
    *set = (struct st_sparse_set){.words = NULL};
    st_map64_init(&set->map);
}

void st_sparse_free(struct st_sparse_set *set) {
    st_map64_free(&set->map);
    free(set->words);
    *set = (struct st_sparse_set){.words = NULL};
}

static uint64_t id_of(unsigned level, uint64_t place) {
    return (uint64_t)level << LEVEL_AT | place;
}

static uint64_t word_at(const struct st_sparse_set *set, unsigned level, uint64_t place) {
    uint32_t index = st_map64_find(&set->map, id_of(level, place));
    return index == ST_MAP64_NONE ? 0 : set->words[index];
}

void st_sparse_add(struct st_sparse_set *set, uint64_t number) {
    for (unsigned level = 0; level < LEVELS && number <= ST_SPARSE_LIMIT; level++) {
        uint32_t index = st_map64_number(&set->map, id_of(level, number >> WORD_BITS));
        st_reserve(&set->words, &set->capacity, (size_t)index + 1);
        uint64_t before = set->words[index];
        set->words[index] |= UINT64_C(1) << (number & 63);
        if (before) /* those above know */
            return;
        number >>= WORD_BITS;
    }
}

void st_sparse_remove(struct st_sparse_set *set, uint64_t number) {
    for (unsigned level = 0; level < LEVELS; level++) {
        uint32_t index = st_map64_find(&set->map, id_of(level, number >> WORD_BITS));
        if (index == ST_MAP64_NONE)
            return;
        set->words[index] &= ~(UINT64_C(1) << (number & 63));
        if (set->words[index])
            return;
        number >>= WORD_BITS;
    }
}

static uint64_t lowest_bit(uint64_t word) {
    return (uint64_t)__builtin_ctzll(word);
}

static uint64_t highest_bit(uint64_t word) {
    return 63 - (uint64_t)__builtin_clzll(word);
}

uint64_t st_sparse_next(const struct st_sparse_set *set, uint64_t number) {
    for (unsigned level = 0; level < LEVELS && number <= ST_SPARSE_LIMIT; level++) {
        uint64_t place = number >> WORD_BITS;
        uint64_t bits = word_at(set, level, place) & UINT64_MAX << (number & 63);
        if (bits) {
            number = place << WORD_BITS | lowest_bit(bits);
            while (level-- > 0)
                number = number << WORD_BITS | lowest_bit(word_at(set, level, number));
            return number;
        }
        number = place + 1;
    }
    return ST_SPARSE_NONE;
}

uint64_t st_sparse_last(const struct st_sparse_set *set, uint64_t number) {
    if (number > ST_SPARSE_LIMIT)
        number = ST_SPARSE_LIMIT;
    for (unsigned level = 0; level < LEVELS; level++) {
        uint64_t place = number >> WORD_BITS;
        uint64_t bits = word_at(set, level, place) & UINT64_MAX >> (63 - (number & 63));
        if (bits) {
            number = place << WORD_BITS | highest_bit(bits);
            while (level-- > 0)
                number = number << WORD_BITS | highest_bit(word_at(set, level, number));
            return number;
        }
        if (!place)
            break;
        number = place - 1;
    }
    return ST_SPARSE_NONE;
}
