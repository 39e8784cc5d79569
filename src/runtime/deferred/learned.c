#include "runtime/deferred/learned.h"

/* An access to these bytes is emitted that depends on what this word says of them. */
static void learn_word(struct rt_thread *t, uint64_t word, uint64_t detail, uint32_t bytes) {
    if (!rt_is_foreign(t, word) || !(bytes & rt_all_bytes(word, detail)))
        return;
    uint64_t epoch = bytes & word ? rt_epoch_of(word) : rt_old_epoch(word, detail);
    uint64_t last = (word & RT_WHO) | epoch << RT_EPOCH_AT, first = rt_first_of(rt_slot_of(word));
    if (last >= first && !rt_has_learned(t, last))
        t->learned[rt_slot_of(word) % RT_LEARNED] = (struct rt_learned){first, last};
}

void rt_learn_of(struct rt_thread *t, const struct rt_view *view, uint32_t bytes, bool write) {
    if (rt_controlled)
        return;
    learn_word(t, view->write, view->write_detail, bytes);
    if (write)
        learn_word(t, view->read, view->read_detail, bytes);
}
