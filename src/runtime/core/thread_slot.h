/* Slots: by what number cells know a thread, and what is known of the order of threads. */
#ifndef SERIATIM_RUNTIME_CORE_THREAD_SLOT_H
#define SERIATIM_RUNTIME_CORE_THREAD_SLOT_H

#include "runtime/core/thread_state.h"

/* A new epoch: whatever this thread touches from now on counts as another access. */
void rt_new_epoch(struct rt_thread *t);

/* The same, where only late accesses make a difference: a function was left, say. Then what is told
 * of them later has the right stack and locks. */
static inline void rt_moved(struct rt_thread *t) {
    if (rt_late)
        rt_new_epoch(t);
}

/* Gives a thread its place in cells, and takes it back. */
void rt_take_slot(struct rt_thread *t);
void rt_give_slot(struct rt_thread *t);

/* Slots in use, or used before, are below this. */
uint32_t rt_slot_count(void);

/* The thread that has a slot now, or NULL. */
struct rt_thread *rt_thread_in(uint32_t slot);

/* This thread has drawn a number. */
void rt_remember_draw(const struct rt_thread *t, uint64_t number);

/* Does what thread t does now come after what the slot's thread did in that epoch, by the numbers
 * that both have drawn so far? */
bool rt_is_ordered(const struct rt_thread *t, uint32_t slot, uint64_t epoch);

/* Can what the slot's thread did in that epoch no longer matter? */
static inline bool rt_is_dead(uint32_t slot, uint64_t epoch) {
    return epoch <
           atomic_load_explicit(&st_stream_dead_before(rt_head)[slot], memory_order_relaxed);
}

#endif
