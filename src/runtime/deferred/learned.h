/* What a thread has learned of others.
 *
 * When an access of thread t that depends on what u did in epoch k is emitted, t has taken that
 * edge, and depends on all that u did up to k, by the order of u. An access of t that depends on
 * what u did in an epoch up to k brings nothing more: its edge starts at or before the one that t
 * has taken, and ends behind it. What u did then cannot know of a block that t began in between,
 * since u has learned nothing in that epoch after it. This is rule 2 of the engine, for whatever
 * memory (docs/witness.md, deferred accesses). So such an access is deferred.
 *
 * The slot's epochs must be those of one thread, u: from `first` on. A thread that had the slot
 * before has nothing to do with it. */
#ifndef SERIATIM_RUNTIME_DEFERRED_LEARNED_H
#define SERIATIM_RUNTIME_DEFERRED_LEARNED_H

#include "runtime/core/shadow.h"

static inline bool rt_has_learned(const struct rt_thread *t, uint64_t word) {
    const struct rt_learned *learned = &t->learned[rt_slot_of(word) % RT_LEARNED];
    return ((learned->last ^ word) & RT_WHO) == 0 && word >= learned->first &&
           rt_epoch_of(word) <= rt_epoch_of(learned->last);
}

/* An access to these bytes is emitted, and so is what it depends on. Under control reads are
 * emitted all the same: reports then say by its number which event each of them is. */
void rt_learn_of(struct rt_thread *t, const struct rt_view *view, uint32_t bytes, bool write);

/* Does this thread depend on all that another one's word says, as far as it can still matter? */
static inline bool rt_is_known(const struct rt_thread *t, uint64_t word, uint64_t detail) {
    return rt_has_learned(t, word) || !rt_live_bytes(word, detail);
}

#endif
