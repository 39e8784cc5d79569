#include "runtime/core/flush_deferred.h"
#include "runtime/core/shared_reads.h"
#include "runtime/core/stream_writer.h"

static void tell(struct rt_thread *t, enum st_stream_op op, uintptr_t granule, uint32_t bytes,
                 uint32_t slot, uint64_t epoch, uint64_t caller) {
    if (!bytes || rt_is_dead(slot, epoch))
        return;
    rt_put(t, st_stream_what(op, bytes, granule), slot | epoch << 16);
    rt_put(t, st_stream_what(ST_STREAM_PLACE, 0, 0), caller & UINT32_MAX);
}

static void tell_word(struct rt_thread *t, enum st_stream_op op, uintptr_t granule, uint64_t word,
                      uint64_t more) {
    if (rt_state(word) != RT_OWN)
        return;
    uint32_t slot = rt_slot_of(word);
    if (rt_old_bytes(more) && !(more & RT_OLD_TOLD)) /* where is not known any more */
        tell(t, op, granule, rt_old_bytes(more), slot, rt_old_epoch(word, more), 0);
    if (!(word & RT_TOLD))
        tell(t, op, granule, word & RT_BYTES, slot, rt_epoch_of(word), more);
}

/* What another thread has in its table; it may be changing it. */
static void tell_reader(struct rt_thread *t, uintptr_t granule, uint64_t write, uint32_t slot) {
    struct rt_thread *reader = rt_thread_in(slot);
    if (!reader)
        return; /* it has told all when it ended */
    size_t place = rt_place_of(granule);
    const volatile struct rt_shared_read *shared = &reader->shared[place];
    struct rt_shared_read read = {shared->key, shared->mine};
    uint32_t caller = reader->shared_callers[place];
    if (shared->key != read.key || !rt_was_shared_read(&read, granule, write) ||
        rt_state(read.mine) != RT_OWN || rt_slot_of(read.mine) != slot || read.mine & RT_TOLD)
        return;
    tell(t, ST_STREAM_LATE_READ, granule, read.mine & RT_BYTES, slot, rt_epoch_of(read.mine),
         caller);
}

static void tell_readers(struct rt_thread *t, uintptr_t granule, const struct rt_view *view) {
    uint64_t readers = rt_number_of(view->read);
    for (; readers; readers &= readers - 1)
        for (uint32_t slot = (uint32_t)__builtin_ctzll(readers); slot < rt_slot_count();
             slot += RT_READER_BITS)
            tell_reader(t, granule, view->write, slot);
}

void rt_settle_write(struct rt_thread *t, uintptr_t granule, const struct rt_view *view) {
    if (rt_late)
        tell_word(t, ST_STREAM_LATE_WRITE, granule, view->write, view->write_more);
}

void rt_settle_reads(struct rt_thread *t, uintptr_t granule, const struct rt_view *view) {
    if (rt_late && rt_state(view->read) == RT_SHARED)
        tell_readers(t, granule, view);
    else if (rt_late)
        tell_word(t, ST_STREAM_LATE_READ, granule, view->read, view->read_more);
}

/* If the memory was written or freed since, that thread has told it. */
void rt_settle_shared_read(struct rt_thread *t, size_t place, uint32_t but) {
    const struct rt_shared_read *read = &t->shared[place];
    if (!rt_late || !read->key || (read->mine & RT_TOLD))
        return;
    uintptr_t granule = rt_granule_of(read->key);
    uint64_t now = atomic_load_explicit(&rt_cell(granule)->write, memory_order_acquire);
    if (!rt_was_shared_read(read, granule, now))
        return;
    tell(t, ST_STREAM_LATE_READ, granule, read->mine & RT_BYTES & ~but, t->slot,
         rt_epoch_of(read->mine), t->shared_callers[place]);
    rt_publish(t);
}

void rt_settle_table(struct rt_thread *t) {
    for (size_t page = 0; page < RT_SHARED_READS / RT_READS_A_PAGE; page++) {
        if (!(t->shared_pages[page / 64] >> page % 64 & 1))
            continue;
        for (size_t i = page * RT_READS_A_PAGE; i < (page + 1) * RT_READS_A_PAGE; i++) {
            rt_settle_shared_read(t, i, 0);
            t->shared[i].key = 0;
        }
    }
    for (size_t i = 0; i < sizeof t->shared_pages / sizeof *t->shared_pages; i++)
        t->shared_pages[i] = 0;
}

void rt_keep_in_table(struct rt_thread *t, uintptr_t granule, uint64_t write, uint32_t bytes,
                      uintptr_t caller, bool told) {
    const struct rt_shared_read *read = rt_shared_read(t, granule);
    bool same = rt_was_shared_read(read, granule, write);
    uint64_t flag = told ? RT_TOLD : 0, mine = t->current | bytes | flag;
    if (same && rt_is_of(read->mine, t->current))
        mine = (read->mine & ~(uint64_t)RT_TOLD) | bytes | (read->mine & flag);
    else
        rt_settle_shared_read(t, rt_place_of(granule), same ? bytes : 0);
    rt_remember_shared(t, granule, write, mine, caller);
}
