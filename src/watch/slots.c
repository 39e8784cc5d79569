#include "watch/slots.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_slots_free(struct st_slots *slots) {
    for (size_t i = 0; i < slots->count; i++)
        free(slots->list[i].owners);
    free(slots->list);
}

void st_slots_take(struct st_slots *slots, uint32_t slot, uint32_t thread, uint64_t first) {
    st_reserve(&slots->list, &slots->capacity, (size_t)slot + 1);
    if (slots->count <= slot)
        slots->count = (size_t)slot + 1;
    struct st_slot *list = &slots->list[slot];
    st_reserve(&list->owners, &list->capacity, list->count + 1);
    list->owners[list->count++] =
        (struct st_slot_owner){.thread = thread, .first = first, .last = first};
}

void st_slots_end(struct st_slots *slots, uint32_t slot, uint32_t thread, uint64_t last) {
    struct st_slot *list = &slots->list[slot];
    for (size_t i = 0; i < list->count; i++) {
        struct st_slot_owner *owner = &list->owners[i];
        if (owner->thread == thread) {
            owner->ended = true;
            owner->last = last;
        }
    }
}

uint32_t st_slots_thread(const struct st_slots *slots, uint32_t slot, uint64_t epoch) {
    if (slot >= slots->count)
        return ST_SLOT_NONE;
    const struct st_slot *list = &slots->list[slot];
    size_t i = list->count;
    while (i && list->owners[i - 1].first > epoch)
        i--;
    return i ? list->owners[i - 1].thread : ST_SLOT_NONE;
}

/* While an owner that has ended matters, nothing of its successors can be dead. */
static uint64_t dead_in(struct st_slot *list, st_dead_before *dead_before, void *context) {
    uint64_t dead = dead_before(context, list->owners[0].thread);
    size_t over = 0;
    while (over + 1 < list->count && list->owners[over].ended && dead > list->owners[over].last)
        dead = dead_before(context, list->owners[++over].thread);
    if (over) {
        list->count -= over;
        memmove(list->owners, list->owners + over, list->count * sizeof *list->owners);
    }
    return dead;
}

void st_slots_publish(struct st_slots *slots, st_dead_before *dead_before, void *context,
                      _Atomic uint64_t *to) {
    for (size_t i = 0; i < slots->count; i++) {
        if (!slots->list[i].count)
            continue;
        uint64_t dead = dead_in(&slots->list[i], dead_before, context);
        if (dead > atomic_load_explicit(&to[i], memory_order_relaxed))
            atomic_store_explicit(&to[i], dead, memory_order_relaxed);
    }
}
