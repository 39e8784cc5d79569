#include "predict/commit/narrow_locks.h"

#include "base/memory.h"

#include <stdlib.h>

#define SEVERAL UINT32_MAX

void st_narrow_locks_init(struct st_narrow_locks *locks, uint32_t variable_count,
                          const struct st_locksets *sets, struct st_locksets *narrow) {
    *locks = (struct st_narrow_locks){
        .sets = sets,
        .narrow = narrow,
        .holders = st_alloc((size_t)variable_count + 1, sizeof *locks->holders),
        .variable_count = variable_count};
}

void st_narrow_locks_free(struct st_narrow_locks *locks) {
    for (uint32_t i = 0; i < locks->variable_count; i++)
        free(locks->holders[i].slots);
    free(locks->holders);
}

/* ---- who holds what at a variable ---- */

static uint32_t scatter(uint32_t number) {
    uint32_t product = number * 0x9e3779b1u;
    return product ^ product >> 15;
}

static uint32_t lock_in(uint64_t slot) {
    return (uint32_t)(slot >> 32);
}

static uint32_t holder_in(uint64_t slot) {
    return (uint32_t)slot;
}

/* The slot of the lock, or the free one where it belongs. There is a free one. */
static uint64_t *find_slot(const struct st_lock_holders *holders, uint32_t lock) {
    uint32_t at = scatter(lock);
    for (;; at++) {
        uint64_t *slot = &holders->slots[at & (holders->slot_count - 1)];
        if (!*slot || lock_in(*slot) == lock)
            return slot;
    }
}

static void grow(struct st_lock_holders *holders) {
    struct st_lock_holders old = *holders;
    holders->slot_count = old.slot_count ? old.slot_count * 2 : 2;
    holders->slots = st_alloc(holders->slot_count, sizeof *holders->slots);
    for (uint32_t i = 0; i < old.slot_count; i++)
        if (old.slots[i])
            *find_slot(holders, lock_in(old.slots[i])) = old.slots[i];
    free(old.slots);
}

static void note_holder(struct st_lock_holders *holders, uint32_t lock, uint32_t thread) {
    if (holders->used + holders->used / 4 + 1 >= holders->slot_count)
        grow(holders);
    uint64_t *slot = find_slot(holders, lock);
    holders->used += !*slot;
    if (!*slot)
        *slot = (uint64_t)lock << 32 | (thread + 1);
    else if (holder_in(*slot) != thread + 1)
        *slot |= SEVERAL;
}

void st_narrow_locks_note(struct st_narrow_locks *locks, uint32_t variable, uint32_t lockset,
                          uint32_t thread) {
    const uint32_t *held = st_lockset_locks(locks->sets, lockset);
    for (uint32_t i = 0; i < st_lockset_size(locks->sets, lockset); i++)
        note_holder(&locks->holders[variable], held[i], thread);
}

/* ---- what matters ---- */

uint32_t st_narrow_lockset(struct st_narrow_locks *locks, uint32_t variable, uint32_t lockset) {
    struct st_narrowed *recent =
        &locks->recent[scatter(scatter(variable) + lockset) % ST_NARROWED_SLOTS];
    if (!lockset)
        return 0;
    if (recent->variable == variable && recent->lockset == lockset)
        return recent->narrow;
    const uint32_t *held = st_lockset_locks(locks->sets, lockset);
    uint32_t narrow = 0;
    for (uint32_t i = 0; i < st_lockset_size(locks->sets, lockset); i++)
        if (holder_in(*find_slot(&locks->holders[variable], held[i])) == SEVERAL)
            narrow = st_lockset_with(locks->narrow, narrow, held[i]);
    *recent = (struct st_narrowed){variable, lockset, narrow};
    return narrow;
}
