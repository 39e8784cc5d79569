#include "reference/states.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct state) == 8 + STATE_BYTES, "states are compared as bytes");

static size_t hash(const struct state *state) {
    uint64_t words[sizeof *state / 8], result = 0;
    memcpy(words, state, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        result = (result ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        result ^= result >> 29;
    }
    return (size_t)result;
}

/* The slot that the state is in or would go to. */
static uint32_t *slot_of(const struct states *states, const struct state *state) {
    size_t at = hash(state);
    for (;; at++) {
        uint32_t *slot = &states->slots[at & (states->slot_count - 1)];
        if (!*slot || memcmp(&states->items[*slot - 1], state, sizeof *state) == 0)
            return slot;
    }
}

static void grow(struct states *states) {
    free(states->slots);
    states->slot_count = states->slot_count ? 4 * states->slot_count : 256;
    states->slots = st_alloc(states->slot_count, sizeof *states->slots);
    for (size_t i = 0; i < states->count; i++)
        *slot_of(states, &states->items[i]) = (uint32_t)i + 1;
}

bool states_add(struct states *states, const struct state *state) {
    if (2 * (states->count + 1) > states->slot_count)
        grow(states);
    uint32_t *slot = slot_of(states, state);
    if (*slot)
        return false;
    st_reserve(&states->items, &states->capacity, states->count + 1);
    states->items[states->count++] = *state;
    *slot = (uint32_t)states->count;
    return true;
}

bool states_has(const struct states *states, const struct state *state) {
    return states->slot_count && *slot_of(states, state);
}

void states_free(struct states *states) {
    free(states->items);
    free(states->slots);
    *states = (struct states){0};
}
