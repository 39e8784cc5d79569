/* Which entry of a clock stands for which thread. A thread has a slot while it runs, and one that
 * was joined leaves its slot to a thread that starts later, so clocks have entries for threads that
 * live at the same time, not for all that there ever were.
 *
 * Why that changes no answer: a thread gets the slot of an earlier one only if it knows the last
 * local time of that one when it starts (through its fork, which comes after the join, as a rule).
 * So everything that the earlier thread did happens before everything that the later one does. The
 * two are one chain, like the events of a single thread, and local times go on where the earlier
 * thread stopped. Whoever knows a time of the later thread knows all of the earlier one, as it
 * must; and a transaction that reaches one of the earlier thread reaches those of the later one, as
 * it does by the join and the fork. Which thread it was follows from the slot and the time.
 *
 * A thread that is not joined, or was joined inside a block, keeps its slot: it may go on. What
 * that costs is its entry in the clocks of those who know of it, and these share entries
 * (base/shared_row.h). If a
 * joined thread goes on, which repaired traces have, it gets a slot like a new thread; what it knew
 * when it left must have been kept for that, and for a second join. */
#ifndef SERIATIM_CHECK_THREAD_SLOTS_H
#define SERIATIM_CHECK_THREAD_SLOTS_H

#include "check/clock.h"

#define ST_NO_SLOT UINT32_MAX

/* From this local time of the slot on it is that thread's. */
struct st_tenancy {
    st_time from;
    uint32_t thread;
};

struct st_thread_slot {
    struct st_tenancy *tenancies; /* in the order of their times */
    size_t tenancy_count, tenancy_capacity;
    st_time last; /* while it is vacant: the last time that somebody could know */
};

/* All zero is empty. Invariant: of[t] is the slot s that t has iff s is not vacant and the last of
 * its tenancies is that of t. */
struct st_thread_slots {
    uint32_t *of; /* by thread: its slot, or ST_NO_SLOT */
    size_t thread_count;
    struct st_thread_slot *slots;
    size_t slot_capacity;
    uint32_t count;   /* slots, vacant or not */
    uint32_t *vacant; /* those that threads have left */
    size_t vacant_count, vacant_capacity;
};

void st_thread_slots_free(struct st_thread_slots *slots);
size_t st_thread_slots_memory(const struct st_thread_slots *slots);

/* From now on threads below that number may be asked for. */
void st_thread_slots_reserve(struct st_thread_slots *slots, size_t threads);

/* Gives the thread, which has none, a slot: a vacant one, if the thread knows all that was done in
 * it, or slots->count, one more than before. `known` is what the thread knows. The thread's local
 * times are to be greater than *last. */
uint32_t st_thread_slots_enter(struct st_thread_slots *slots, uint32_t thread,
                               const struct st_shared_row *known, st_time *last);

/* The thread was joined at its local time `last`. */
void st_thread_slots_leave(struct st_thread_slots *slots, uint32_t thread, st_time last);

/* Whose local time of the slot that is. */
uint32_t st_thread_slots_who(const struct st_thread_slots *slots, uint32_t slot, st_time time);

#endif
