/* A set of points in the search through interleavings: which steps have run, and the interleaving
 * up to equivalence. */
#ifndef SERIATIM_REFERENCE_STATES_H
#define SERIATIM_REFERENCE_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STATE_BYTES = 32 };

/* How interleavings are distinguished (atomicity.c says what the bytes are). Bytes are equal if
 * and only if the interleavings are equivalent. */
struct likeness {
    uint8_t bytes[STATE_BYTES];
};

struct state {
    uint64_t done; /* set of events */
    struct likeness likeness;
};

/* All zero is the empty set. Invariant: `slots` holds indices of `items` plus 1, or 0; it has
 * `slot_count` entries, a power of two, of which at most half are used. */
struct states {
    struct state *items;
    size_t count, capacity;
    uint32_t *slots;
    size_t slot_count;
};

/* True when the state was not in the set. */
bool states_add(struct states *states, const struct state *state);
bool states_has(const struct states *states, const struct state *state);
void states_free(struct states *states);

#endif
