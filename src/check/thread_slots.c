#include "check/thread_slots.h"

#include "base/lower_bound.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_thread_slots_free(struct st_thread_slots *slots) {
    for (uint32_t s = 0; s < slots->count; s++)
        free(slots->slots[s].tenancies);
    free(slots->of);
    free(slots->slots);
    free(slots->vacant);
    memset(slots, 0, sizeof *slots);
}

size_t st_thread_slots_memory(const struct st_thread_slots *slots) {
    size_t bytes = slots->thread_count * sizeof *slots->of +
                   slots->slot_capacity * sizeof *slots->slots +
                   slots->vacant_capacity * sizeof *slots->vacant;
    for (uint32_t s = 0; s < slots->count; s++)
        bytes += slots->slots[s].tenancy_capacity * sizeof *slots->slots[s].tenancies;
    return bytes;
}

void st_thread_slots_reserve(struct st_thread_slots *slots, size_t threads) {
    size_t old = slots->thread_count;
    if (threads <= old)
        return;
    size_t room = old + old / 2 > threads ? old + old / 2 : threads;
    slots->of = st_realloc(slots->of, room, sizeof *slots->of);
    for (size_t t = old; t < room; t++)
        slots->of[t] = ST_NO_SLOT;
    slots->thread_count = room;
}

/* The slot that was left last comes first: who forks often knows the end of the thread that it
 * joined before. */
static uint32_t take_vacant(struct st_thread_slots *slots, const struct st_shared_row *known) {
    for (size_t i = slots->vacant_count; known && i-- > 0;) {
        uint32_t slot = slots->vacant[i];
        if (st_row_get(known, slot) < slots->slots[slot].last)
            continue;
        memmove(&slots->vacant[i], &slots->vacant[i + 1],
                (--slots->vacant_count - i) * sizeof *slots->vacant);
        return slot;
    }
    return ST_NO_SLOT;
}

uint32_t st_thread_slots_enter(struct st_thread_slots *slots, uint32_t thread,
                               const struct st_shared_row *known, st_time *last) {
    uint32_t slot = take_vacant(slots, known);
    if (slot == ST_NO_SLOT) {
        slot = slots->count++;
        st_reserve(&slots->slots, &slots->slot_capacity, slots->count);
    }
    struct st_thread_slot *taken = &slots->slots[slot];
    st_reserve(&taken->tenancies, &taken->tenancy_capacity, taken->tenancy_count + 1);
    taken->tenancies[taken->tenancy_count++] = (struct st_tenancy){taken->last + 1, thread};
    slots->of[thread] = slot;
    *last = taken->last;
    return slot;
}

void st_thread_slots_leave(struct st_thread_slots *slots, uint32_t thread, st_time last) {
    uint32_t slot = slots->of[thread];
    slots->of[thread] = ST_NO_SLOT;
    slots->slots[slot].last = last;
    st_reserve(&slots->vacant, &slots->vacant_capacity, slots->vacant_count + 1);
    slots->vacant[slots->vacant_count++] = slot;
}

uint32_t st_thread_slots_who(const struct st_thread_slots *slots, uint32_t slot, st_time time) {
    const struct st_thread_slot *found = &slots->slots[slot];
    size_t next; /* the first tenancy that starts later */
    st_lower_bound(next, 0, found->tenancy_count, found->tenancies[next].from <= time);
    return found->tenancies[next - 1].thread;
}
