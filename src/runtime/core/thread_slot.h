/* Slots: the number by which shadow memory knows a thread; epochs, and the order of threads.
 *
 * An epoch is a position of a thread in its stream, or comes after one and before the next, if
 * functions were boarded (call_stack.h). Accesses of one thread in one epoch have the same call
 * stack, the same locks and the same past. */
#ifndef SERIATIM_RUNTIME_CORE_THREAD_SLOT_H
#define SERIATIM_RUNTIME_CORE_THREAD_SLOT_H

#include "runtime/core/thread_state.h"

/* A new epoch: whatever this thread touches from now on counts as another access. */
void rt_new_epoch(struct rt_thread *t);

/* The same between two accesses of which the second need not be emitted, nor anything between
 * them: eager accesses have no use for positions in the stream. */
void rt_new_eager_epoch(struct rt_thread *t);

/* The same, which continues a stretch of reads (access_eager.c). */
void rt_new_eager_epoch_within(struct rt_thread *t);

/* The same, after which repetitions still count as such for checking: a function was left, say.
 * Deferred accesses are then emitted with the right stack and locks, and recordings for prediction
 * have what was accessed before and after. */
static inline void rt_new_deferred_epoch(struct rt_thread *t) {
    if (rt_deferring || rt_rule)
        rt_new_epoch(t);
}

/* Gives a thread its slot, and takes it back. */
void rt_take_slot(struct rt_thread *t);
void rt_give_slot(struct rt_thread *t);

/* In a process that was forked: no thread has a slot. */
void rt_slots_reset(void);

/* Without a slot, no shadow word can belong to the thread, and it emits every access. */
static inline bool rt_has_slot(const struct rt_thread *t) {
    return t->slot < RT_SLOTS;
}

/* Slots in use, or used before, are below this. */
uint32_t rt_slot_count(void);

/* `first` (thread_state.h) of the last thread that took the slot. */
uint64_t rt_first_of(uint32_t slot);

/* The thread that has a slot now, or NULL. */
struct rt_thread *rt_thread_in(uint32_t slot);

/* The thread that had the slot in that epoch, if what it did is still there: it may have ended. Or
 * NULL. */
const struct rt_thread *rt_thread_at(uint32_t slot, uint64_t epoch);

/* This thread has taken a sequence number. */
void rt_note_sequence(const struct rt_thread *t, uint64_t sequence);

/* Does what thread t does now come after what the slot's thread did in that epoch, by the sequence
 * numbers that both have taken so far? */
bool rt_is_ordered(const struct rt_thread *t, uint32_t slot, uint64_t epoch);

/* Nothing that was done before the last event of the thread matters any more. For controlled runs,
 * in which the watcher does not say so. Does nothing if another thread is there. */
void rt_forget_past(const struct rt_thread *t);

/* What the first thread, which has slot 0, did before it created another one. Every thread is
 * created by it then or later, directly or not, so it depends on all of that by its creation: as if
 * it had learned of it (deferred/learned.h). So these accesses make no difference to
 * anybody, and are never emitted. UINT64_MAX: there is no other thread yet; 0: there is one whose
 * creation nobody saw. */
extern _Atomic uint64_t rt_alone_before;

/* The first thread has emitted that it creates a thread, but has not created it. */
void rt_end_alone(struct rt_thread *t);

/* There is a thread whose creation nobody saw. */
void rt_end_alone_unseen(void);

/* Can what the slot's thread did in that epoch no longer matter? */
static inline bool rt_is_dead(uint32_t slot, uint64_t epoch) {
    return epoch <
               atomic_load_explicit(&st_stream_dead_before(rt_head)[slot], memory_order_relaxed) ||
           (slot == 0 && epoch < atomic_load_explicit(&rt_alone_before, memory_order_relaxed));
}

#endif
