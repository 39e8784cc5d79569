/* Locks that a thread holds, where locks make no order (stream.h: quiet_locks).
 *
 * A mutex then orders nothing that the program did not order otherwise, and all that the watcher
 * wants to know is which locks were held at an access that it hears of. So most critical sections
 * are not emitted. The thread notes what it holds, and emits it (ST_STREAM_HOLDS) before an event
 * of its own, if that is not what it emitted last. Whoever emits a deferred access says which locks
 * its thread held then (ST_STREAM_HELD).
 *
 * Taking a lock and giving it back begin new epochs, of which the watcher does not hear: so
 * accesses of one epoch were made under the same locks. In what a thread starts with, which the
 * watcher divides into turns by the calls that it hears of, it hears of these, too
 * (ST_STREAM_CALLED).
 *
 * Other threads read what this one notes while it goes on. `begun` guards the rest of a section, as
 * it does for frames (core/call_stack.h). */
#include "runtime/core/call_stack.h"
#include "runtime/core/flush_deferred.h"
#include "runtime/core/loaded_modules.h"
#include "runtime/core/shadow.h"
#include "runtime/core/stream_writer.h"
#include "runtime/core/thread_slot.h"

/* ---- what is noted ---- */

static bool is_mutex(enum st_stream_lock kind) {
    return kind == ST_STREAM_MUTEX || kind == ST_STREAM_TRIED;
}

/* From here on no one else may think that the place has what it had. */
static void set_section(struct rt_section *place, const struct rt_section *section) {
    atomic_store_explicit(&place->begun, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    place->ended = section->ended;
    place->lock = section->lock;
    place->caller = section->caller;
    place->path = section->path;
    place->frame_begun = section->frame_begun;
    place->depth = section->depth;
    place->kind = section->kind;
    place->last = section->last;
    atomic_store_explicit(&place->begun, section->begun, memory_order_release);
}

/* Of the thread itself, or of another one that may change it: then false, or if it is of another
 * slot. */
static bool copy_section(const struct rt_section *place, uint32_t slot, struct rt_section *copy) {
    uint64_t begun = atomic_load_explicit(&place->begun, memory_order_acquire);
    if (!begun || rt_slot_of(begun) != slot)
        return false;
    copy->ended = __atomic_load_n(&place->ended, __ATOMIC_RELAXED);
    copy->lock = __atomic_load_n(&place->lock, __ATOMIC_RELAXED);
    copy->caller = __atomic_load_n(&place->caller, __ATOMIC_RELAXED);
    copy->path = __atomic_load_n(&place->path, __ATOMIC_RELAXED);
    copy->frame_begun = __atomic_load_n(&place->frame_begun, __ATOMIC_RELAXED);
    copy->depth = __atomic_load_n(&place->depth, __ATOMIC_RELAXED);
    copy->kind = __atomic_load_n(&place->kind, __ATOMIC_RELAXED);
    copy->last = __atomic_load_n(&place->last, __ATOMIC_RELAXED);
    copy->begun = begun;
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&place->begun, memory_order_relaxed) == begun;
}

/* `begun` of the innermost frame. */
static uint64_t innermost_begun(const struct rt_thread *t) {
    return t->depth ? atomic_load_explicit(&t->frames[t->depth - 1].begun, memory_order_relaxed)
                    : 0;
}

/* An epoch of which the watcher does not hear. */
static void begin_epoch(struct rt_thread *t) {
    t->base++;
    t->ahead++;
    rt_new_epoch(t);
}

/* Functions count as executed if they take a lock, and nothing else happens in them, too. Is the
 * thread in what it starts with, perhaps? */
static bool board_at_start(struct rt_thread *t) {
    if (!t->depth)
        return false;
    rt_board_frames(t);
    return t->depth <= t->start_depth || (t->work_depth && t->depth <= t->work_depth + 1);
}

/* What takes the lock may be a function that many call, as in C++: the user's line is that of one
 * of the functions around it. */
static uint64_t path_of(const struct rt_thread *t) {
    enum { ENOUGH = 8 };
    uint64_t path = t->depth;
    for (size_t i = t->depth; i-- > 0 && t->depth - i <= ENOUGH;)
        path = (path ^ t->frames[i].called_from) * UINT64_C(0x9E3779B97F4A7C15);
    return path;
}

static void emit_call(struct rt_thread *t, uintptr_t caller) {
    rt_emit_frames(t);
    rt_emit(t, st_stream_what(ST_STREAM_CALLED, 0, 0), caller);
    rt_publish(t);
}

bool rt_hold(struct rt_thread *t, const volatile void *lock, enum st_stream_lock kind,
             uintptr_t caller) {
    if (!rt_quiet_locks || !rt_deferring_freely || !rt_has_slot(t) || t->ignoring ||
        t->held_count == RT_HELD_LOCKS)
        return false;
    if (board_at_start(t))
        emit_call(t, caller);
    begin_epoch(t);
    const struct rt_section section = {.begun = t->current,
                                       .lock = (uintptr_t)lock,
                                       .caller = caller,
                                       .path = path_of(t),
                                       .frame_begun = innermost_begun(t),
                                       .depth = (uint32_t)t->depth,
                                       .kind = kind};
    set_section(&t->held[t->held_count], &section);
    __atomic_store_n(&t->held_count, t->held_count + 1, __ATOMIC_RELEASE);
    t->holds_changed = true;
    return true;
}

/* The place of the lock that was taken last among those held; held_count: it is not there. */
static size_t find_held(const struct rt_thread *t, uintptr_t lock, enum st_stream_lock kind) {
    for (size_t i = t->held_count; i-- > 0;)
        if (t->held[i].lock == lock &&
            (is_mutex(kind) ? is_mutex(t->held[i].kind) : t->held[i].kind == kind))
            return i;
    return t->held_count;
}

static void note_over(struct rt_thread *t, struct rt_section *section) {
    section->ended = rt_epoch_of(t->current);
    section->last = t->held_count == 1;
    set_section(&t->sections[t->section_count % RT_SECTIONS], section);
    __atomic_store_n(&t->section_count, t->section_count + 1, __ATOMIC_RELEASE);
}

bool rt_let_go(struct rt_thread *t, const volatile void *lock, enum st_stream_lock kind,
               uintptr_t caller) {
    size_t i = find_held(t, (uintptr_t)lock, kind);
    if (i == t->held_count)
        return false;
    if (rt_deferring_freely && board_at_start(t))
        emit_call(t, caller);
    begin_epoch(t);
    struct rt_section over = t->held[i];
    if (!t->alone) /* what it accessed is never emitted */
        note_over(t, &over);
    for (; i + 1 < t->held_count; i++) {
        struct rt_section next = t->held[i + 1];
        set_section(&t->held[i], &next);
    }
    __atomic_store_n(&t->held_count, t->held_count - 1, __ATOMIC_RELEASE);
    t->holds_changed = true;
    return true;
}

/* ---- what this thread holds, for its own events ---- */

static void write_quietly(struct rt_thread *t, enum st_stream_op op, unsigned aux,
                          uintptr_t address, uint64_t argument) {
    rt_write_quietly(t, st_stream_what(op, aux, address), argument);
}

/* A thread that is not this one may be at work on its frames. */
static void write_callers(struct rt_thread *t, const struct rt_section *section) {
    struct rt_called callers[RT_MOST_CALLED];
    uint32_t slot = rt_slot_of(section->begun);
    uint64_t epoch = rt_epoch_of(section->begun);
    size_t count = rt_boarded_at(t, slot, epoch, callers), open = 0;
    while (open < count && callers[open].begun)
        open++;
    write_quietly(t, ST_STREAM_SINCE, (unsigned)(count + open), 0, slot | epoch << 16);
    for (size_t i = 0; i < count; i++) {
        write_quietly(t, ST_STREAM_CALLER, i < open, callers[i].called_from, callers[i].function);
        if (i < open)
            write_quietly(t, ST_STREAM_BOARDED_AT, 0, 0, slot | callers[i].begun << 16);
    }
}

/* `here`: it was taken in the innermost function that the watcher knows of. */
static void emit_section(struct rt_thread *t, enum st_stream_op op,
                         const struct rt_section *section, unsigned aux, bool here) {
    write_quietly(t, op, aux | section->kind | (here ? 0 : ST_STREAM_HOLDS_SINCE), section->lock,
                  section->caller);
    if (!here)
        write_callers(t, section);
    rt_mark_known(section->lock);
}

void rt_emit_no_locks(struct rt_thread *t) {
    write_quietly(t, ST_STREAM_HOLDS, ST_STREAM_HOLDS_NOTHING, 0, 0);
}

/* Are these the locks that were emitted last? */
static bool are_emitted(const struct rt_thread *t, const struct rt_section *list, size_t count) {
    size_t i = 0;
    if (t->emitted_lock_count != count || t->emitted_under != rt_module_changes)
        return false;
    while (i < count && t->emitted_locks[i].lock == list[i].lock &&
           t->emitted_locks[i].caller == list[i].caller && t->emitted_locks[i].path == list[i].path)
        i++;
    return i == count;
}

/* `now`: all functions that are open are emitted. */
static void emit_list(struct rt_thread *t, const struct rt_section *list, size_t count, bool now) {
    if (!count)
        rt_emit_no_locks(t);
    for (size_t i = 0; i < count; i++) {
        bool here = now && list[i].depth == t->depth && list[i].frame_begun == innermost_begun(t);
        emit_section(t, ST_STREAM_HOLDS, &list[i], i ? ST_STREAM_HOLDS_TOO : 0, here);
        t->emitted_locks[i].lock = list[i].lock;
        t->emitted_locks[i].caller = list[i].caller;
        t->emitted_locks[i].path = list[i].path;
    }
    t->emitted_lock_count = count;
    t->emitted_under = rt_module_changes;
}

void rt_emit_holds(struct rt_thread *t) {
    t->holds_changed = false;
    if (!are_emitted(t, t->held, t->held_count))
        emit_list(t, t->held, t->held_count, true);
}

/* ---- what a thread held, for deferred accesses ---- */

/* Locks that were held at once, in any order. */
struct held {
    struct rt_section list[RT_HELD_LOCKS];
    size_t count;
};

static void add_if_open(struct held *held, const struct rt_section *section, uint64_t epoch) {
    if (rt_epoch_of(section->begun) > epoch || held->count == RT_HELD_LOCKS)
        return;
    for (size_t i = 0; i < held->count; i++)
        if (held->list[i].begun == section->begun)
            return;
    held->list[held->count++] = *section;
}

/* The number of the first of those that are over and ended after that epoch. */
static size_t first_over_after(const struct rt_thread *t, size_t count, uint64_t epoch) {
    size_t low = count >= RT_SECTIONS ? count - RT_SECTIONS + 1 : 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (__atomic_load_n(&t->sections[middle % RT_SECTIONS].ended, __ATOMIC_RELAXED) > epoch)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Those that are over. Once none was held any more, later ones do not matter. False: some may be
 * forgotten. */
static bool find_over(const struct rt_thread *other, uint32_t slot, uint64_t epoch,
                      struct held *held) {
    enum { TRIES = 32 };
    size_t count = __atomic_load_n(&other->section_count, __ATOMIC_ACQUIRE);
    size_t first = first_over_after(other, count, epoch);
    if (count >= RT_SECTIONS && first == count - RT_SECTIONS + 1)
        return false;
    for (size_t i = first; i < count; i++) {
        struct rt_section section;
        if (i == first + TRIES || !copy_section(&other->sections[i % RT_SECTIONS], slot, &section))
            return false;
        add_if_open(held, &section, epoch);
        if (section.last)
            break;
    }
    return true;
}

/* False: that is not known any more. Who gives a lock back notes that before it is gone from those
 * that are held, so each is found in one place or both. */
static bool find_held_at(uint32_t slot, uint64_t epoch, struct held *held) {
    const struct rt_thread *other = rt_thread_at(slot, epoch);
    if (!other)
        return false;
    size_t count = __atomic_load_n(&other->held_count, __ATOMIC_ACQUIRE);
    for (size_t i = 0; i < count; i++) {
        struct rt_section section;
        if (!copy_section(&other->held[i], slot, &section))
            return false;
        add_if_open(held, &section, epoch);
    }
    return find_over(other, slot, epoch, held);
}

/* The one that was taken first comes first. */
static void sort(struct held *held) {
    for (size_t i = 1; i < held->count; i++)
        for (size_t k = i; k > 0 && held->list[k].begun < held->list[k - 1].begun; k--) {
            struct rt_section later = held->list[k - 1];
            held->list[k - 1] = held->list[k];
            held->list[k] = later;
        }
}

/* The usual case, which is settled at once. */
static bool is_lock_free_at(const struct rt_thread *t, uint64_t epoch) {
    size_t count = t->section_count;
    return !t->held_count && (!count || t->sections[(count - 1) % RT_SECTIONS].ended <= epoch);
}

unsigned rt_emit_holds_at(struct rt_thread *t, uint64_t epoch) {
    struct held held;
    held.count = 0;
    if (!is_lock_free_at(t, epoch))
        find_held_at(t->slot, epoch, &held); /* what is forgotten is left out */
    sort(&held);
    if (are_emitted(t, held.list, held.count))
        return 0;
    if (held.count)
        emit_list(t, held.list, held.count, false);
    t->emitted_lock_count = held.count;
    return held.count ? 0 : ST_STREAM_LOCK_FREE;
}

void rt_emit_held(struct rt_thread *t, uint32_t slot, uint64_t epoch) {
    struct held held;
    held.count = 0;
    if (!rt_quiet_locks)
        return;
    if (!find_held_at(slot, epoch, &held)) {
        write_quietly(t, ST_STREAM_HELD, ST_STREAM_HOLDS_NOTHING, 0, 0);
        return;
    }
    sort(&held);
    for (size_t i = 0; i < held.count; i++)
        emit_section(t, ST_STREAM_HELD, &held.list[i], 0, false);
}
