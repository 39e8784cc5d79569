#include "runtime/core/flush_deferred.h"
#include "runtime/core/access.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/stream_writer.h"

/* ---- frames of other threads ---- */

/* Copies a frame of another thread that is boarded and began in that epoch of the slot or before. A
 * frame that is there after the access that is emitted was there when it happened. False if it is
 * another one, or changes. */
static bool copy_boarded(const struct rt_frame *frame, uint32_t slot, uint64_t epoch,
                         struct rt_frame *copy) {
    uint64_t begun = atomic_load_explicit(&frame->begun, memory_order_acquire);
    if (!begun || rt_slot_of(begun) != slot || rt_epoch_of(begun) > epoch)
        return false;
    copy->function = __atomic_load_n(&frame->function, __ATOMIC_RELAXED);
    copy->called_from = __atomic_load_n(&frame->called_from, __ATOMIC_RELAXED);
    copy->begun = begun;
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&frame->begun, memory_order_relaxed) == begun;
}

/* The functions that the slot's thread has boarded and not emitted, and may have been in in that
 * epoch, outermost first. None of `t` itself, which knows when it emits them. */
struct open_frames {
    const struct rt_frame *frames;
    size_t next, depth;
    uint32_t slot;
    uint64_t epoch;
    struct rt_frame frame; /* the last one; `begun` is 0 before the first */
};

static struct open_frames open_frames_at(const struct rt_thread *t, uint32_t slot, uint64_t epoch) {
    const struct rt_thread *other = slot == t->slot ? NULL : rt_thread_in(slot);
    struct open_frames open = {.slot = slot, .epoch = epoch};
    if (other) {
        open.next = __atomic_load_n(&other->emitted_depth, __ATOMIC_ACQUIRE);
        open.depth = __atomic_load_n(&other->depth, __ATOMIC_ACQUIRE);
        open.frames = __atomic_load_n(&other->frames, __ATOMIC_ACQUIRE);
    }
    return open;
}

static bool next_open(struct open_frames *open) {
    struct rt_frame frame;
    if (open->next >= open->depth ||
        !copy_boarded(&open->frames[open->next], open->slot, open->epoch, &frame))
        return false;
    open->next++;
    open->frame = frame;
    return true;
}

static uint64_t begun_at(const struct open_frames *open) {
    return rt_epoch_of(open->frame.begun);
}

/* An access of the slot's thread in that epoch will be emitted: emits those functions. Returns when
 * the innermost of them began, or 0. */
static uint64_t emit_boarded_in(struct rt_thread *t, uint32_t slot, uint64_t epoch) {
    struct open_frames open = open_frames_at(t, slot, epoch);
    for (uint64_t around = 0; next_open(&open); around = begun_at(&open)) {
        rt_emit(t, st_stream_what(ST_STREAM_BOARDED, 0, open.frame.called_from),
                open.frame.function);
        rt_emit(t, st_stream_what(ST_STREAM_BOARDED_AT, 0, around), slot | begun_at(&open) << 16);
    }
    return begun_at(&open);
}

/* Those in which the slot's thread was in that epoch, that began after the other epoch and that it
 * has left, innermost first. Who leaves a function says so before it is gone, so one that was open
 * a moment ago can be among them, too: that is what `after` is for. */
static size_t find_left(uint32_t slot, uint64_t epoch, uint64_t after,
                        struct rt_left_frame *frames) {
    const struct rt_thread *other = rt_thread_at(slot, epoch);
    size_t count = other ? rt_frames_left(other, slot, epoch, frames) : 0;
    while (count && rt_epoch_of(frames[count - 1].begun) <= after)
        count--;
    return count;
}

/* The access that is emitted next: in which functions it was that its thread has left. */
static void emit_within(struct rt_thread *t, uint32_t slot, uint64_t epoch, uint64_t after) {
    struct rt_left_frame frames[RT_MOST_WITHIN];
    for (size_t i = find_left(slot, epoch, after, frames); i-- > 0; t->base--)
        rt_write_record(t, st_stream_what(ST_STREAM_WITHIN, 0, frames[i].called_from),
                        frames[i].function);
}

size_t rt_boarded_at(const struct rt_thread *t, uint32_t slot, uint64_t epoch,
                     struct rt_called *called) {
    struct open_frames open = open_frames_at(t, slot, epoch);
    struct rt_left_frame left[RT_MOST_WITHIN];
    size_t count = 0;
    while (count < RT_MOST_CALLED - RT_MOST_WITHIN && next_open(&open))
        called[count++] =
            (struct rt_called){open.frame.function, open.frame.called_from, begun_at(&open)};
    for (size_t i = find_left(slot, epoch, begun_at(&open), left); i-- > 0;)
        called[count++] = (struct rt_called){left[i].function, left[i].called_from, 0};
    return count;
}

/* ---- shadow memory ---- */

/* Beside the bytes of an access: it is a look (tsan/looks.h). */
enum { LOOK = ST_STREAM_LOOK << 8 };

/* An access of this thread. It is emitted because there is no room for it, and the functions that
 * are open now stay as they are: what happens is not their doing. */
static void emit_own(struct rt_thread *t, bool write, uintptr_t granule, uint32_t what,
                     uint64_t epoch, uint64_t caller) {
    enum st_stream_op op = write ? ST_STREAM_KEPT_WRITE : ST_STREAM_KEPT_READ;
    rt_emit_boarded_by(t, epoch);
    emit_within(t, t->slot, epoch, 0);
    rt_emit_held(t, t->slot, epoch);
    rt_write_record(t, st_stream_what(op, what & RT_BYTES, granule), t->slot | epoch << 16);
    rt_write_record(t, st_stream_what(ST_STREAM_PC, what >> 8, 0), caller & UINT32_MAX);
    t->base -= 2;
}

/* A look makes a difference only to functions that are open and were not when the one that stands
 * for it was emitted. */
static bool is_look_over(const struct rt_thread *t, uint32_t slot, uint64_t epoch) {
    const struct rt_thread *other = slot == t->slot ? t : rt_thread_in(slot);
    if (!other)
        return true;
    uint64_t since = __atomic_load_n(&other->looks.since, __ATOMIC_RELAXED);
    return since <= epoch && rt_innermost_begun(other, epoch) <= since;
}

static void emit(struct rt_thread *t, enum st_stream_op op, uintptr_t granule, uint32_t what,
                 uint32_t slot, uint64_t epoch, uint64_t caller) {
    if (!(what & RT_BYTES) || rt_is_dead(slot, epoch) ||
        (what & LOOK && is_look_over(t, slot, epoch)))
        return;
    if (slot == t->slot && epoch >= rt_epoch_of(t->first) && !t->pending_sequence) {
        emit_own(t, op == ST_STREAM_DEFERRED_WRITE, granule, what, epoch, caller);
        return;
    }
    emit_within(t, slot, epoch, emit_boarded_in(t, slot, epoch));
    rt_emit_held(t, slot, epoch);
    rt_emit(t, st_stream_what(op, what & RT_BYTES, granule), slot | epoch << 16);
    rt_emit(t, st_stream_what(ST_STREAM_PC, what >> 8, 0), caller & UINT32_MAX);
}

static void emit_word(struct rt_thread *t, enum st_stream_op op, uintptr_t granule, uint64_t word,
                      uint64_t detail, unsigned look) {
    if (rt_state_of(word) != RT_OWN)
        return;
    uint32_t slot = rt_slot_of(word);
    if (rt_old_bytes(detail) && !(detail & RT_OLD_EMITTED)) /* its place in the code is lost */
        emit(t, op, granule, rt_old_bytes(detail) | look, slot, rt_old_epoch(word, detail), 0);
    if (!(word & RT_EMITTED))
        emit(t, op, granule, (word & RT_BYTES) | look, slot, rt_epoch_of(word), detail);
}

/* Of a word that was written atomically, nothing is deferred but looks. */
static unsigned look_of(uint64_t write) {
    return rt_state_of(write) == RT_SHARED ? LOOK : 0;
}

/* What another thread has in its table; that thread may be changing it. */
static void emit_reader(struct rt_thread *t, uintptr_t granule, uint64_t write, uint32_t slot) {
    struct rt_thread *reader = rt_thread_in(slot);
    if (!reader)
        return; /* it flushed its table when it ended */
    size_t index = rt_table_index(granule);
    const volatile struct rt_shared_read *shared = &reader->shared[index];
    struct rt_shared_read read = {shared->key, shared->mine};
    uint64_t detail = __atomic_load_n(&reader->shared_details[index], __ATOMIC_RELAXED);
    if (shared->key == read.key && rt_was_shared_read(&read, granule, write) &&
        rt_slot_of(read.mine) == slot)
        emit_word(t, ST_STREAM_DEFERRED_READ, granule, read.mine, detail, look_of(write));
}

static void emit_readers(struct rt_thread *t, uintptr_t granule, const struct rt_view *view) {
    for (uint64_t readers = rt_readers_of(view->read); readers; readers &= readers - 1)
        for (uint32_t slot = (uint32_t)__builtin_ctzll(readers); slot < rt_slot_count();
             slot += RT_READER_BITS)
            emit_reader(t, granule, view->write, slot);
}

static void emit_spilled(struct rt_thread *t, uintptr_t granule,
                         const struct rt_spilled_copy *spilled, bool write) {
    enum st_stream_op op = write ? ST_STREAM_DEFERRED_WRITE : ST_STREAM_DEFERRED_READ;
    for (size_t i = 0; i < RT_PARTS; i++) {
        uint64_t word = spilled->words[i];
        if (((word & RT_SPILLED_WRITE) != 0) == write)
            emit(t, op, granule, word & RT_BYTES, rt_slot_of(word), rt_epoch_of(word),
                 spilled->callers[i]);
    }
}

/* Behind reads, a write would seem to come after them. */
void rt_flush_write(struct rt_thread *t, uintptr_t granule, const struct rt_view *view) {
    struct rt_spilled_copy spilled;
    if (!rt_deferring)
        return;
    bool more = rt_take_spilled(granule, view, &spilled);
    if (more)
        emit_spilled(t, granule, &spilled, true);
    emit_word(t, ST_STREAM_DEFERRED_WRITE, granule, view->write, view->write_detail, 0);
    if (more)
        emit_spilled(t, granule, &spilled, false);
}

void rt_flush_reads(struct rt_thread *t, uintptr_t granule, const struct rt_view *view) {
    if (rt_deferring && rt_state_of(view->read) == RT_SHARED)
        emit_readers(t, granule, view);
    else if (rt_deferring)
        emit_word(t, ST_STREAM_DEFERRED_READ, granule, view->read, view->read_detail, 0);
}

/* ---- the table of this thread ---- */

/* If the memory was written or freed since, whoever did that has emitted the read. */
void rt_flush_shared_read(struct rt_thread *t, size_t index, uint32_t but) {
    const struct rt_shared_read *read = &t->shared[index];
    uint64_t mine = read->mine & ~(uint64_t)but;
    uint64_t detail = t->shared_details[index] & ~((uint64_t)but << RT_OLD_AT);
    uint32_t bytes = mine & RT_EMITTED ? 0 : mine & RT_BYTES;
    bytes |= detail & RT_OLD_EMITTED ? 0 : rt_old_bytes(detail);
    if (!rt_deferring || !read->key || !bytes)
        return;
    uintptr_t granule = rt_granule_of(read->key);
    struct rt_view view = rt_load_view(granule);
    if (!rt_was_shared_read(read, granule, view.write) ||
        (rt_state_of(view.read) == RT_SHARED && rt_spill_shared(t, granule, &view, mine, detail)))
        return;
    /* Behind the read, the write would seem to come after it. The thread comes after the write, or
     * it would have emitted the read. */
    if (rt_state_of(view.write) == RT_OWN && bytes & rt_all_bytes(view.write, view.write_detail))
        rt_flush_write(t, granule, &view);
    emit_word(t, ST_STREAM_DEFERRED_READ, granule, mine, detail, look_of(view.write));
    rt_publish(t);
}

void rt_flush_shared_reads(struct rt_thread *t) {
    for (size_t page = 0; page < RT_SHARED_READS / RT_READS_A_PAGE; page++) {
        if (!(t->shared_pages[page / 64] >> page % 64 & 1))
            continue;
        for (size_t i = page * RT_READS_A_PAGE; i < (page + 1) * RT_READS_A_PAGE; i++) {
            rt_flush_shared_read(t, i, 0);
            t->shared[i].key = 0;
        }
    }
    for (size_t i = 0; i < sizeof t->shared_pages / sizeof *t->shared_pages; i++)
        t->shared_pages[i] = 0;
}

void rt_keep_shared_read(struct rt_thread *t, uintptr_t granule, uint64_t write, uint32_t bytes,
                         uintptr_t caller, bool emitted) {
    const struct rt_shared_read *read = rt_shared_read_of(t, granule);
    size_t index = rt_table_index(granule);
    bool same = rt_was_shared_read(read, granule, write);
    uint64_t mine = read->mine, detail = t->shared_details[index];
    /* What is there already of the same epoch may not be emitted. */
    bool all = emitted && !(same && rt_is_of(mine, t->current) && !(mine & RT_EMITTED));
    if (!same || !rt_add_access(t, &mine, &detail, bytes, caller)) {
        rt_flush_shared_read(t, index, same ? bytes : 0);
        mine = t->current | bytes;
        detail = (uint32_t)caller;
    }
    rt_store_shared_read(t, granule, write, mine | (all ? RT_EMITTED : 0), detail);
}
