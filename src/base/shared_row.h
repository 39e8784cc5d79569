/* Rows of numbers that have most of their entries in common: clocks, with an entry for each thread.
 *
 * A row is a tree. An entry that was never set is 0 and takes no room, and a row that was made from
 * another one shares all subtrees that did not change. So a row costs what distinguishes it from
 * those it came from, not an entry for each thread: 20,000 threads that hand a lock to each other
 * know of all those before them, and each of their rows adds a few nodes to the one before.
 *
 * Entries only grow. */
#ifndef SERIATIM_BASE_SHARED_ROW_H
#define SERIATIM_BASE_SHARED_ROW_H

#include "base/slab.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef SERIATIM_STRESS
enum { ST_ROW_BITS = 1 }; /* tests with few threads: trees of several levels */
#else
enum { ST_ROW_BITS = 4 };
#endif
enum { ST_ROW_FAN = 1 << ST_ROW_BITS };

/* A node, and the tree below it; NULL stands for zeros. Counted: whoever keeps a pointer to it, a
 * parent included, is one of `references`. It is changed only while there is one. */
struct st_shared_row {
    uint32_t references;
    uint32_t level; /* 0: a leaf. Otherwise its children have the next lower level. */
    union {
        uint32_t values[ST_ROW_FAN];
        struct st_shared_row *children[ST_ROW_FAN];
    };
};

/* Where rows live. */
struct st_rows {
    struct st_slab leaves, inner;
    size_t used_bytes; /* of nodes in use */
    bool of_bits;      /* entries are words of sets: a join has the bits of both, not the greater */
};

void st_rows_init(struct st_rows *rows);
void st_rows_free(struct st_rows *rows);
static inline size_t st_rows_memory(const struct st_rows *rows) {
    return st_slab_memory(&rows->leaves) + st_slab_memory(&rows->inner);
}

/* Is the entry beyond what a tree with that root has room for? */
static inline bool st_row_ends_before(const struct st_shared_row *row, uint32_t at) {
    return (uint64_t)at >> (ST_ROW_BITS * (row->level + 1));
}

static inline uint32_t st_row_get(const struct st_shared_row *row, uint32_t at) {
    if (!row || st_row_ends_before(row, at))
        return 0;
    while (row->level) {
        row = row->children[at >> (ST_ROW_BITS * row->level) & (ST_ROW_FAN - 1)];
        if (!row)
            return 0;
    }
    return row->values[at & (ST_ROW_FAN - 1)];
}

/* The entries of the first leaf that has any from *at on: ST_ROW_FAN of them. *at becomes the
 * number of the first. NULL: there is none. */
const uint32_t *st_row_leaf(const struct st_shared_row *row, uint64_t *at);

/* One more reference. */
static inline struct st_shared_row *st_row_share(struct st_shared_row *row) {
    if (row)
        row->references++;
    return row;
}

/* One reference less. */
void st_row_drop(struct st_rows *rows, struct st_shared_row *row);

/* Sets an entry of *row, which must have been smaller. */
void st_row_set(struct st_rows *rows, struct st_shared_row **row, uint32_t at, uint32_t value);

/* *into becomes the greater one of itself and `from` in each entry. Did any change? */
bool st_row_join(struct st_rows *rows, struct st_shared_row **into, struct st_shared_row *from);

/* ---- rows of bits: sets ---- */

static inline bool st_row_has(const struct st_shared_row *set, uint32_t member) {
    return st_row_get(set, member / 32) >> member % 32 & 1;
}

void st_row_add(struct st_rows *rows, struct st_shared_row **set, uint32_t member);

/* Removes the member from the set, and at least from some others that share nodes with it: it must
 * be removed from all of them. The empty set is NULL then. */
void st_row_remove(struct st_rows *rows, struct st_shared_row **set, uint32_t member);

/* Is there a member that the other set has not? */
bool st_row_has_more(const struct st_shared_row *set, const struct st_shared_row *other);

#endif
