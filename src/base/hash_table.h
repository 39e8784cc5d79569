/* The hash table of the project: open addressing, from keys of one or two words to numbers.
 *
 * It is the core of what the rest of the project uses: names.h (texts as numbers) and map64.h
 * (64-bit ids as numbers and in sets); number_table.h is that of intern.h (any bytes as numbers)
 * and of others whose keys are stored elsewhere. Each of them says how many words a key has, how it
 * is hashed and, where the words only stand for a longer key, how that is compared. All this is
 * constant wherever the functions are called, so that the compiler specialises the code for each.
 */
#ifndef SERIATIM_BASE_HASH_TABLE_H
#define SERIATIM_BASE_HASH_TABLE_H

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Invariants: a slot is the `width` words of a key and then its number plus 1, where 0 marks a free
 * slot; slot_count is a power of two and at least 3/2 of `used`, the slots that are not free, so
 * that a search ends. All zero has no slots: it must grow before anything is looked up. */
struct st_hash_table {
    uint64_t *slots;
    size_t slot_count, used;
};

#define ST_HASH_INLINE static inline __attribute__((always_inline))

ST_HASH_INLINE size_t st_hash_slot_bytes(unsigned width) {
    return (width + 1) * sizeof(uint64_t);
}

ST_HASH_INLINE uint64_t *st_hash_slot(const struct st_hash_table *table, unsigned width,
                                      uint64_t hash) {
    return table->slots + (hash & (table->slot_count - 1)) * (width + 1);
}

static inline void st_hash_free(struct st_hash_table *table, unsigned width) {
    st_free_table(table->slots, table->slot_count, st_hash_slot_bytes(width));
    *table = (struct st_hash_table){0};
}

/* Empties the table. One that has more than `least` slots shrinks to that, so that a table that was
 * large once is not cleared in full each time. */
static inline void st_hash_clear(struct st_hash_table *table, unsigned width, size_t least) {
    if (table->slot_count > least) {
        st_hash_free(table, width);
        table->slot_count = least;
        table->slots = st_alloc_table(least, st_hash_slot_bytes(width));
    } else if (table->used) {
        memset(table->slots, 0, table->slot_count * st_hash_slot_bytes(width));
    }
    table->used = 0;
}

/* Is the key with this number the one that is looked for? NULL where equal words are equal keys;
 * otherwise a key must have a word that is not 0. */
typedef bool st_hash_same(const void *wanted, uint32_t number);

/* The slot that holds the key, or the free slot where it belongs. */
ST_HASH_INLINE uint64_t *st_hash_find(const struct st_hash_table *table, unsigned width,
                                      const uint64_t *key, uint64_t hash, st_hash_same *same,
                                      const void *wanted) {
    for (;; hash++) {
        uint64_t *slot = st_hash_slot(table, width, hash);
        if (slot[0] == key[0] && (width < 2 || slot[1] == key[1]) &&
            (!same || same(wanted, (uint32_t)(slot[width] - 1))))
            return slot;
        if (!slot[width])
            return slot;
    }
}

/* Must it grow before another key is entered? */
ST_HASH_INLINE bool st_hash_is_full(const struct st_hash_table *table) {
    return table->used + table->used / 2 >= table->slot_count;
}

/* Enters a key into the free slot that was found for it. The table is not full. */
ST_HASH_INLINE void st_hash_enter(struct st_hash_table *table, unsigned width, uint64_t *slot,
                                  const uint64_t *key, uint32_t number) {
    memcpy(slot, key, width * sizeof *key);
    slot[width] = (uint64_t)number + 1;
    table->used++;
}

/* Doubles the slots, or makes the first ones. Slots that were found before are no longer valid. */
ST_HASH_INLINE void st_hash_grow(struct st_hash_table *table, unsigned width, size_t first,
                                 uint64_t (*hash_of)(const uint64_t *key)) {
    struct st_hash_table old = *table;
    table->slot_count = old.slot_count ? 2 * old.slot_count : first;
    table->slots = st_alloc_table(table->slot_count, st_hash_slot_bytes(width));
    for (size_t i = 0; i < old.slot_count; i++) {
        const uint64_t *from = old.slots + i * (width + 1);
        if (!from[width])
            continue;
        uint64_t hash = hash_of(from), *to;
        while ((to = st_hash_slot(table, width, hash))[width])
            hash++;
        memcpy(to, from, st_hash_slot_bytes(width));
    }
    st_hash_free(&old, width);
}

#endif
