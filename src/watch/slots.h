/* Which thread had a slot in the program's shadow memory, in which epochs (stream/stream.h), and
 * from which epoch on what it did can still matter. */
#ifndef SERIATIM_WATCH_SLOTS_H
#define SERIATIM_WATCH_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct st_slot_owner {
    uint32_t thread;
    bool ended;
    uint64_t first, last; /* its first epoch, and that of its last event */
};

/* All zero is empty. */
struct st_slots {
    struct st_slot {
        struct st_slot_owner *owners; /* oldest first; those of whom nothing matters are dropped */
        size_t count, capacity;
    } * list;
    size_t count, capacity;
};

void st_slots_free(struct st_slots *slots);

/* A thread begins, or has ended. Slots must be below ST_STREAM_SLOTS. */
void st_slots_take(struct st_slots *slots, uint32_t slot, uint32_t thread, uint64_t first);
void st_slots_end(struct st_slots *slots, uint32_t slot, uint32_t thread, uint64_t last);

/* The thread that had the slot in that epoch; ST_SLOT_NONE: none whose accesses still matter. */
#define ST_SLOT_NONE UINT32_MAX
uint32_t st_slots_thread(const struct st_slots *slots, uint32_t slot, uint64_t epoch);

/* Before which epoch nothing that the thread did matters any more. */
typedef uint64_t st_dead_before(void *context, uint32_t thread);

/* Writes that to `to`, for each slot. */
void st_slots_publish(struct st_slots *slots, st_dead_before *dead_before, void *context,
                      _Atomic uint64_t *to);

#endif
