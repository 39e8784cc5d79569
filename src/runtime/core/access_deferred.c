/* Deferred accesses: shadow memory keeps them until another thread touches the same bytes.
 *
 * Most of them end in defer(), which finds that no other thread has touched these bytes. The others
 * go through access_ordered(): find out what has to be emitted (add_need), emit earlier accesses of
 * other threads (flush), emit this one if it matters now, and put it into the shadow (keep). */
#include "runtime/core/access.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/flush_deferred.h"
#include "runtime/core/stream_writer.h"

/* ---- shadow words of one thread ---- */

/* What is left of an earlier epoch when these bytes are accessed. */
struct left {
    uint32_t bytes; /* of the epoch */
    uint64_t epoch;
    bool emitted;
    bool too_much; /* there are two such epochs, or it is too long ago */
};

static struct left left_behind(const struct rt_thread *t, uint64_t word, uint64_t detail,
                               uint32_t bytes) {
    uint32_t live = rt_live_bytes(word, detail) & ~bytes;
    uint32_t last = live & word & RT_BYTES, older = live & rt_old_bytes(detail) & ~last;
    if (!last && !older)
        return (struct left){.epoch = rt_epoch_of(t->current)};
    struct left left = {.bytes = last | older, .emitted = true};
    if (older) {
        left.epoch = rt_last_alike(t, rt_old_epoch(word, detail));
        left.emitted = detail & RT_OLD_EMITTED;
    }
    if (last) {
        uint64_t epoch = rt_last_alike(t, rt_epoch_of(word));
        left.too_much = older && epoch != left.epoch;
        left.epoch = epoch;
        left.emitted &= (word & RT_EMITTED) != 0;
    }
    left.too_much |= (rt_epoch_of(t->current) - left.epoch) >> (RT_OLD_EPOCH_BITS - 1) != 0;
    return left;
}

/* The bytes of a word that count as accessed in the present epoch. */
static uint32_t bytes_alike(const struct rt_thread *t, uint64_t word) {
    return rt_is_since(t, word, t->alike) ? word & RT_BYTES : 0;
}

static __attribute__((noinline)) bool add_beside(const struct rt_thread *t, uint64_t *word,
                                                 uint64_t *detail, uint32_t bytes,
                                                 uintptr_t caller) {
    bytes |= bytes_alike(t, *word);
    struct left left = left_behind(t, *word, *detail, bytes);
    if (left.too_much)
        return false;
    *detail = (uint32_t)caller | (*detail & RT_PRIVATE);
    if (left.bytes)
        *detail |= (uint64_t)left.bytes << RT_OLD_AT | (left.emitted ? RT_OLD_EMITTED : 0) |
                   left.epoch << RT_OLD_EPOCH_AT;
    *word = t->current | bytes | (*word & (RT_MIXED | RT_KNOWN));
    return true;
}

/* Adds an access of this thread, in its present epoch, to a word that is its own or untouched. The
 * detail keeps bytes of one earlier epoch. False when there would be two of them. */
static inline bool add(const struct rt_thread *t, uint64_t *word, uint64_t *detail, uint32_t bytes,
                       uintptr_t caller) {
    if (rt_is_of(*word, t->current)) {
        *word = (*word & ~(uint64_t)RT_EMITTED) | bytes;
        *detail =
            (*detail & ~((uint64_t)bytes << RT_OLD_AT) & ~(uint64_t)UINT32_MAX) | (uint32_t)caller;
    } else if (!(rt_all_bytes(*word, *detail) & ~bytes)) {
        *word = t->current | bytes | (*word & (RT_MIXED | RT_KNOWN));
        *detail = (uint32_t)caller | (*detail & RT_PRIVATE);
    } else {
        return add_beside(t, word, detail, bytes, caller);
    }
    return true;
}

/* The same for an access that was emitted, or is sure to fit. When there is no room all the same,
 * the granule is mixed, and the watcher knows what was there. */
static void add_always(const struct rt_thread *t, uint64_t *word, uint64_t *detail, uint32_t bytes,
                       uintptr_t caller, bool emitted) {
    /* What is there already of the same epoch may not be emitted. */
    bool all = emitted && (!rt_is_of(*word, t->current) || *word & RT_EMITTED);
    if (!add(t, word, detail, bytes, caller)) {
        *word = t->current | bytes | (*word & (RT_MIXED | RT_KNOWN));
        *detail = (uint32_t)caller;
    }
    *word |= all ? RT_EMITTED : 0;
}

/* The shadow knows all about the granule again. */
static void unmix(struct rt_view *view) {
    view->write &= ~(uint64_t)RT_MIXED;
    view->write_detail &= ~RT_PRIVATE;
}

/* These bytes were written: reads of them are over. */
static void drop_reads(uint64_t *word, uint64_t *detail, uint32_t bytes) {
    *word &= ~(uint64_t)bytes;
    *detail &= ~((uint64_t)bytes << RT_OLD_AT);
    if (!rt_all_bytes(*word, *detail))
        *word = *detail = 0;
}

/* ---- what this thread has learned of others ----
 *
 * When an access of thread t that depends on what u wrote in epoch k is emitted, t has taken that
 * edge, and depends on all that u did up to k, by the order of u. A read of what u wrote in an
 * epoch up to k brings nothing more: its edge starts at or before the one that t has taken, and
 * ends behind it. What u wrote then cannot know of a block that t began in between, since u has
 * learned nothing in that epoch after its write. This is rule 2 of the engine, for whatever memory
 * (docs/witness.md). So such a read is deferred, and so stays the write: who emits the read later
 * emits the write before it.
 *
 * The slot's epochs must be those of one thread, u: from `first` on. A thread that had the slot
 * before has nothing to do with it. */

static inline bool has_learned(const struct rt_thread *t, uint64_t word) {
    const struct rt_learned *learned = &t->learned[rt_slot_of(word) % RT_LEARNED];
    return ((learned->last ^ word) & RT_WHO) == 0 && word >= learned->first &&
           rt_epoch_of(word) <= rt_epoch_of(learned->last);
}

/* An access to these bytes is emitted, and so is the write that it depends on. Under control reads
 * are emitted all the same: reports then say by its number which event each of them is. */
static void learn(struct rt_thread *t, const struct rt_view *view, uint32_t bytes) {
    uint64_t word = view->write & RT_WHO_AND_WHEN;
    if (rt_controlled || !rt_is_foreign(t, word) ||
        !(bytes & rt_all_bytes(view->write, view->write_detail)))
        return;
    if (!(bytes & view->write))
        word = (word & RT_WHO) | rt_old_epoch(word, view->write_detail) << RT_EPOCH_AT;
    uint64_t first = rt_first_of(rt_slot_of(word));
    if (word >= first && !has_learned(t, word))
        t->learned[rt_slot_of(word) % RT_LEARNED] = (struct rt_learned){first, word};
}

/* ---- memory of one thread ---- */

/* Need accesses of other threads not be thought of, which only the watcher knows? */
static bool is_clear(const struct rt_thread *t, uint64_t w, uintptr_t granule) {
    if (!(w & RT_MIXED))
        return true;
    uint64_t detail = atomic_load_explicit(&rt_detail_of(granule)->write, memory_order_relaxed);
    return rt_is_mine(t, w) && detail & RT_PRIVATE;
}

/* The same for a read. */
static bool is_clear_to_read(const struct rt_thread *t, uint64_t w, uint64_t r, uintptr_t granule) {
    if (is_clear(t, w, granule))
        return true;
    uint64_t detail = atomic_load_explicit(&rt_detail_of(granule)->read, memory_order_relaxed);
    return rt_is_foreign(t, w) && rt_is_mine(t, r) && detail & RT_PRIVATE;
}

/* Keeps a read of what another thread wrote. Others may read it at the same moment, and none of
 * these reads may be lost. False if one came in between. */
static bool keep_read_beside_others(uintptr_t granule, uint64_t before, uint64_t then,
                                    uint64_t detail) {
    if (!atomic_compare_exchange_strong(&rt_shadow_of(granule)->read, &before, then))
        return false;
    atomic_store_explicit(&rt_detail_of(granule)->read, detail, memory_order_relaxed);
    return true;
}

/* A read of memory that several threads have read, this one too, since it was last written. */
static inline bool defer_shared(struct rt_thread *t, uint64_t w, uintptr_t granule, uint32_t bytes,
                                uintptr_t caller) {
    struct rt_shared_read *read = rt_shared_read_of(t, granule);
    if (!rt_was_shared_read(read, granule, w) || (read->mine & RT_BYTES) != bytes)
        return false;
    read->mine = t->current | bytes;
    t->shared_callers[rt_table_index(granule)] = (uint32_t)caller;
    return true;
}

/* The common cases, in which nothing need be emitted: above all that no other thread has touched
 * the granule. */
static inline __attribute__((always_inline)) bool defer(struct rt_thread *t, uintptr_t granule,
                                                        uint64_t w, uint64_t r, uint32_t bytes,
                                                        bool write, uintptr_t caller) {
    if (rt_is_stale(t) || rt_state_of(w) == RT_SHARED ||
        !(write ? is_clear(t, w, granule) : is_clear_to_read(t, w, r, granule)))
        return false;
    if (!write && rt_state_of(r) == RT_SHARED)
        return defer_shared(t, w, granule, bytes, caller);
    if (r && !rt_is_mine(t, r))
        return false;
    struct rt_view view = {
        w, r, atomic_load_explicit(&rt_detail_of(granule)->write, memory_order_relaxed),
        atomic_load_explicit(&rt_detail_of(granule)->read, memory_order_relaxed)};
    bool mine = rt_is_untouched(w) || rt_is_mine(t, w);
    /* What another thread wrote may be read again: the watcher knows the dependence. */
    if (!mine && (write || (bytes & ~rt_all_bytes(r, view.read_detail) &&
                            !(rt_is_foreign(t, w) && has_learned(t, w)))))
        return false;
    if (!write) {
        if (!add(t, &view.read, &view.read_detail, bytes, caller))
            return false;
        if (!mine)
            return keep_read_beside_others(granule, r, view.read, view.read_detail);
        rt_set_read(granule, view.read, view.read_detail);
        return true;
    }
    if (!add(t, &view.write, &view.write_detail, bytes, caller))
        return false;
    if (view.write & RT_MIXED && rt_all_bytes(view.write, view.write_detail) == RT_BYTES)
        unmix(&view);
    if (view.read) {
        drop_reads(&view.read, &view.read_detail, bytes);
        rt_set_read(granule, view.read, view.read_detail);
    }
    rt_set_write(granule, view.write, view.write_detail);
    return true;
}

/* ---- what has to be emitted ---- */

/* Bytes of the granule that this thread has read since they were last written: then it depends on
 * that write already. */
static uint32_t bytes_read(struct rt_thread *t, uintptr_t granule, const struct rt_view *view) {
    if (rt_is_mine(t, view->read))
        return rt_all_bytes(view->read, view->read_detail);
    const struct rt_shared_read *read = rt_shared_read_of(t, granule);
    if (rt_state_of(view->read) == RT_SHARED && rt_was_shared_read(read, granule, view->write))
        return read->mine & RT_BYTES;
    return 0;
}

/* Would the word have room for another access of its thread, whatever the epoch will be? */
static bool fits(const struct rt_thread *t, uint64_t word, uint64_t detail, uint32_t bytes) {
    return !rt_is_mine(t, word) || !left_behind(t, word, detail, bytes).too_much;
}

/* The same if the epoch stays as it is. */
static bool fits_now(const struct rt_thread *t, uint64_t word, uint64_t detail, uint32_t bytes) {
    return fits(t, word, detail, bytes | bytes_alike(t, word));
}

/* Makes one epoch of two that are alike, as long as that is known: the next event may hide it. */
static void settle(const struct rt_thread *t, uint64_t *word, uint64_t *detail,
                   _Atomic uint64_t *shadow, _Atomic uint64_t *shadow_detail) {
    if (!rt_is_mine(t, *word) || !rt_old_bytes(*detail))
        return;
    struct left left = left_behind(t, *word, *detail, 0);
    if (left.too_much)
        return;
    uint64_t then = t->me | left.epoch << RT_EPOCH_AT | left.bytes |
                    (*word & (RT_MIXED | RT_KNOWN)) | (left.emitted ? RT_EMITTED : 0);
    if (atomic_compare_exchange_strong(shadow, word, then)) {
        *word = then;
        *detail &= UINT32_MAX | RT_PRIVATE;
        atomic_store_explicit(shadow_detail, *detail, memory_order_relaxed);
    }
}

static struct rt_view load_settled(const struct rt_thread *t, uintptr_t granule) {
    struct rt_view view = rt_load_view(granule);
    struct rt_shadow *shadow = rt_shadow_of(granule);
    struct rt_detail *detail = rt_detail_of(granule);
    settle(t, &view.write, &view.write_detail, &shadow->write, &detail->write);
    settle(t, &view.read, &view.read_detail, &shadow->read, &detail->read);
    return view;
}

typedef bool fits_function(const struct rt_thread *t, uint64_t word, uint64_t detail,
                           uint32_t bytes);

/* Must the granule become mixed: everything that the shadow knows about it goes to the watcher? */
static bool has_to_mix(const struct rt_thread *t, const struct rt_view *view, uint32_t bytes,
                       bool write, fits_function *has_room) {
    if (rt_state_of(view->write) == RT_SHARED)
        return false; /* it is so already */
    if (!write)
        return !has_room(t, view->read, view->read_detail, bytes);
    if (view->write & RT_MIXED)
        return false;
    if (rt_is_foreign(t, view->write) && rt_live_bytes(view->write, view->write_detail) & ~bytes)
        return true;
    return (rt_state_of(view->read) == RT_SHARED && bytes != RT_BYTES) ||
           !has_room(t, view->write, view->write_detail, bytes);
}

/* Must reads of others be flushed, before this access or because the shadow has no room for both?
 */
static bool has_to_flush_reads(const struct rt_thread *t, const struct rt_view *view,
                               uint32_t bytes, bool write) {
    if (rt_state_of(view->read) == RT_SHARED)
        return write;
    return rt_is_foreign(t, view->read) &&
           rt_live_bytes(view->read, view->read_detail) & (write ? bytes : RT_BYTES);
}

/* Two threads use the same memory. The watcher shall know that even if the first had done so in
 * what no longer matters. */
static void note_meeting(const struct rt_thread *t, const struct rt_view *view, uint32_t bytes,
                         bool write) {
    if (atomic_load_explicit(&rt_head->met, memory_order_relaxed))
        return;
    uint32_t there = 0;
    if (rt_is_foreign(t, view->write))
        there |= rt_all_bytes(view->write, view->write_detail);
    if (write && rt_is_foreign(t, view->read))
        there |= rt_all_bytes(view->read, view->read_detail);
    if (there & bytes)
        atomic_store_explicit(&rt_head->met, 1, memory_order_relaxed);
}

/* Whatever is emitted comes after what it depends on. `whole`: this granule is all of the access.
 */
static void add_need(struct rt_need *need, struct rt_thread *t, uintptr_t granule,
                     const struct rt_view *view, uint32_t bytes, bool write, bool whole) {
    enum rt_state state = rt_state_of(view->write);
    note_meeting(t, view, bytes, write);
    if ((state == RT_SHARED || state == RT_FREED) && rt_sequence_of(view->write) > need->observe)
        need->observe = rt_sequence_of(view->write);
    bool reads = has_to_flush_reads(t, view, bytes, write);
    uint32_t unread = 0; /* what another thread wrote and this one has not read since */
    if (rt_is_foreign(t, view->write))
        unread = rt_all_bytes(view->write, view->write_detail) & ~bytes_read(t, granule, view);
    bool clear = write ? is_clear(t, view->write, granule)
                       : is_clear_to_read(t, view->write, view->read, granule);
    need->access |= !clear || state == RT_SHARED || !rt_has_slot(t) || (write && reads) ||
                    (unread && rt_live_bytes(view->write, view->write_detail) & unread & bytes &&
                     (write || !has_learned(t, view->write)));
    bool mixing = has_to_mix(t, view, bytes, write, whole && !need->access ? fits_now : fits);
    need->access |= mixing;
    need->sequence |= mixing || (state == RT_SHARED && write);
    if (reads)
        need->sequence |= rt_state_of(view->read) == RT_SHARED || !rt_comes_after(t, view->read);
    if (!clear) /* what the other threads have emitted comes before */
        need->sequence |= (rt_is_foreign(t, view->write) && !rt_comes_after(t, view->write)) ||
                          (rt_is_foreign(t, view->read) && !rt_comes_after(t, view->read));
    need->sequence |= (need->access || reads) && unread && !rt_comes_after(t, view->write);
}

/* ---- emitting and keeping ---- */

/* A sequence number belongs to the record behind it. If what was to be emitted is dead by now,
 * there is none. */
static void publish(struct rt_thread *t) {
    if (t->pending_sequence)
        rt_emit(t, st_stream_what(ST_STREAM_NONE, 0, 0), 0);
    rt_publish(t);
}

/* What the watcher has to know before it gets the access, or because the shadow will not keep it.
 * `access`: the access itself will be emitted. */
static void flush(struct rt_thread *t, uintptr_t granule, const struct rt_view *view, bool access,
                  uint32_t bytes, bool write) {
    bool reads = (access && has_to_mix(t, view, bytes, write, fits)) ||
                 has_to_flush_reads(t, view, bytes, write);
    if (access || reads) /* behind the reads, it would seem to come after them */
        rt_flush_write(t, granule, view);
    if (reads)
        rt_flush_reads(t, granule, view);
}

static void set(uintptr_t granule, const struct rt_view *view) {
    rt_set_read(granule, view->read, view->read_detail);
    rt_set_write(granule, view->write, view->write_detail);
}

static void keep_write(const struct rt_thread *t, uintptr_t granule, struct rt_view view,
                       uint32_t bytes, uintptr_t caller, bool emitted) {
    bool shared = rt_state_of(view.read) == RT_SHARED;
    if (!rt_is_mine(t, view.write) || (shared && bytes != RT_BYTES)) {
        /* About other bytes there is more to know than this word will say: does the watcher? */
        bool mixed = view.write & RT_MIXED || rt_state_of(view.write) == RT_SHARED;
        view.write = (mixed ? RT_MIXED : 0) | (view.write & RT_KNOWN);
        view.write_detail = 0;
    }
    add_always(t, &view.write, &view.write_detail, bytes, caller, emitted);
    if (rt_all_bytes(view.write, view.write_detail) == RT_BYTES)
        unmix(&view);
    if (shared)
        view.read = view.read_detail = 0;
    else
        drop_reads(&view.read, &view.read_detail, bytes);
    view.read_detail &= ~RT_PRIVATE; /* there is a write now that its thread may depend on */
    set(granule, &view);
}

static uint64_t reader_bit(const struct rt_thread *t) {
    return UINT64_C(1) << (RT_SLOT_AT + t->slot % RT_READER_BITS);
}

/* Several threads may read at once: none of them may be lost. */
static void keep_read(struct rt_thread *t, uintptr_t granule, struct rt_view view, uint32_t bytes,
                      uintptr_t caller, bool emitted) {
    if (rt_state_of(view.write) == RT_SHARED) {
        rt_keep_shared_read(t, granule, view.write, bytes, caller, emitted);
        return;
    }
    for (;;) {
        uint64_t then = view.read, detail = view.read_detail;
        bool shared = rt_state_of(view.read) == RT_SHARED ||
                      (rt_is_foreign(t, view.read) && rt_live_bytes(view.read, view.read_detail));
        if (shared) {
            then = rt_state_of(view.read) == RT_SHARED ? view.read : rt_with_sequence(RT_SHARED, 0);
            then |= reader_bit(t);
            detail = 0;
        } else {
            if (!rt_is_mine(t, then))
                then = detail = 0;
            add_always(t, &then, &detail, bytes, caller, emitted);
        }
        uint64_t before = view.read;
        if (then == before ||
            atomic_compare_exchange_strong(&rt_shadow_of(granule)->read, &before, then)) {
            if (shared)
                rt_keep_shared_read(t, granule, view.write, bytes, caller, emitted);
            else
                atomic_store_explicit(&rt_detail_of(granule)->read, detail, memory_order_relaxed);
            return;
        }
        view = rt_load_view(granule);
    }
}

/* `known`: something about the granule was emitted, be it the access or not. */
static void keep(struct rt_thread *t, uintptr_t granule, uint32_t bytes, bool write,
                 uintptr_t caller, bool emitted, bool known, bool mixing) {
    struct rt_view view = rt_load_view(granule);
    if (!rt_has_slot(t)) { /* no word can be this thread's: as if it had been atomic */
        view = (struct rt_view){.write = rt_with_sequence(RT_SHARED, t->sequence)};
        set(granule, &view);
        return;
    }
    if (mixing) { /* others come after what was flushed, which has a sequence number for that */
        view = (struct rt_view){.write = rt_with_sequence(RT_FREED, t->sequence) | RT_MIXED};
        set(granule, &view);
    }
    uint64_t flags = RT_KNOWN | (emitted && rt_is_foreign(t, view.write) ? RT_EMITTED : 0);
    if (known && (view.write & flags) != flags)
        view.write = flags | atomic_fetch_or_explicit(&rt_shadow_of(granule)->write, flags,
                                                      memory_order_relaxed);
    if (write)
        keep_write(t, granule, view, bytes, caller, emitted);
    else
        keep_read(t, granule, view, bytes, caller, emitted);
}

/* ---- one granule ---- */

/* Emits what this thread has read of a granule that another one wrote, and for which there is no
 * room in the shadow. False if there is, or the thread may depend on more than it knows. */
static bool make_room_for_read(struct rt_thread *t, uintptr_t granule, struct rt_view *view,
                               uint32_t bytes) {
    if (!rt_is_foreign(t, view->write) || !rt_is_mine(t, view->read) ||
        fits_now(t, view->read, view->read_detail, bytes) ||
        !is_clear_to_read(t, view->write, view->read, granule) ||
        !(has_learned(t, view->write) || !rt_live_bytes(view->write, view->write_detail)))
        return false;
    rt_flush_write(t, granule, view);
    rt_flush_reads(t, granule, view);
    rt_publish(t);
    const uint64_t flags = RT_MIXED | RT_KNOWN | RT_EMITTED;
    atomic_fetch_or_explicit(&rt_shadow_of(granule)->write, flags, memory_order_release);
    bool kept = keep_read_beside_others(granule, view->read, t->current, RT_PRIVATE);
    *view = rt_load_view(granule);
    return kept;
}

/* Emits what this thread did in an earlier epoch, to a granule that no other thread has touched,
 * and for which there is no room in the shadow. False if there is room, or others have touched
 * it. */
static bool make_room(struct rt_thread *t, uintptr_t granule, struct rt_view *view, uint32_t bytes,
                      bool write) {
    enum rt_state state = rt_state_of(view->write);
    if (!write && make_room_for_read(t, granule, view, bytes))
        return true;
    if (state == RT_SHARED || rt_is_foreign(t, view->write) || !is_clear(t, view->write, granule) ||
        (view->read && !rt_is_mine(t, view->read)) ||
        (write ? fits_now(t, view->write, view->write_detail, bytes)
               : fits_now(t, view->read, view->read_detail, bytes)))
        return false;
    if (state == RT_FREED)
        rt_observe(t, rt_sequence_of(view->write));
    /* Before the reads: if a write comes behind them, the engine takes them for older ones. */
    rt_flush_write(t, granule, view);
    if (!write)
        rt_flush_reads(t, granule, view);
    rt_publish(t);
    if (state != RT_OWN) {
        view->write = t->current;
        view->write_detail = 0;
    }
    if (write)
        view->write = t->current;
    else
        view->read = view->read_detail = 0;
    view->write |= RT_MIXED | RT_KNOWN | (write ? 0 : RT_EMITTED);
    view->write_detail = write ? RT_PRIVATE : view->write_detail | RT_PRIVATE | RT_OLD_EMITTED;
    set(granule, view);
    return true;
}

static void access_ordered(struct rt_thread *t, uintptr_t address, uint32_t bytes, bool write,
                           uintptr_t caller) {
    uintptr_t granule = address & ~(uintptr_t)7;
    rt_board_frames(t);
    struct rt_view view = load_settled(t, granule);
    if (defer(t, granule, view.write, view.read, bytes, write, caller) ||
        (make_room(t, granule, &view, bytes, write) &&
         defer(t, granule, view.write, view.read, bytes, write, caller)))
        return;
    struct rt_need need = {.sequence = !rt_has_slot(t)};
    add_need(&need, t, granule, &view, bytes, write, true);
    bool mixing = need.access && has_to_mix(t, &view, bytes, write, fits);
    if (need.access)
        rt_emit_frames(t);
    rt_emit_order(t, &need);
    uint64_t before = t->position;
    flush(t, granule, &view, need.access, bytes, write);
    if (need.access)
        rt_emit_access(t, address, rt_size_of(address, bytes), write, caller);
    publish(t);
    if (need.access) {
        rt_new_epoch(t); /* what the other thread did may be news */
        learn(t, &view, bytes);
    }
    keep(t, granule, bytes, write, caller, need.access, t->position != before, mixing);
}

static __attribute__((noinline)) void access(uintptr_t address, uint32_t bytes, bool write,
                                             uintptr_t caller) {
    if (!rt_enter())
        return;
    if (!rt_is_ignored(rt_self, !write, write))
        access_ordered(rt_self, address, bytes, write, caller);
    rt_leave();
}

void rt_defer_read(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r) {
    if (!defer(rt_self, address & ~(uintptr_t)7, w, r, bytes, false, caller))
        access(address, bytes, false, caller);
}

void rt_defer_write(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r) {
    if (!defer(rt_self, address & ~(uintptr_t)7, w, r, bytes, true, caller))
        access(address, bytes, true, caller);
}

/* ---- ranges ---- */

/* A part of a range whose granules all need the access to be emitted, or all do not. */
struct part {
    uintptr_t start, end;
    struct rt_need need;
};

static void emit_part(struct rt_thread *t, const struct part *part, bool write, uintptr_t caller) {
    uintptr_t start = part->start, end = part->end;
    if (part->need.access)
        rt_emit_frames(t);
    rt_emit_order(t, &part->need);
    uint64_t before = t->position;
    for (uintptr_t g = start & ~(uintptr_t)7; g < end; g += 8) {
        struct rt_view view = rt_load_view(g);
        uint32_t bytes = rt_bytes_in(g, start, end - start);
        flush(t, g, &view, part->need.access, bytes, write);
        if (part->need.access)
            learn(t, &view, bytes);
    }
    if (part->need.access)
        rt_emit_access(t, start, end - start, write, caller);
    publish(t);
    bool known = t->position != before;
    if (part->need.access)
        rt_new_epoch(t);
    for (uintptr_t g = start & ~(uintptr_t)7; g < end; g += 8) {
        struct rt_view view = rt_load_view(g);
        uint32_t bytes = rt_bytes_in(g, start, end - start);
        bool mixing = part->need.access && has_to_mix(t, &view, bytes, write, fits);
        keep(t, g, bytes, write, caller, part->need.access, known, mixing);
    }
}

/* Granules that no other thread has touched, as many as there are in a row. Returns how far it
 * came. */
static uintptr_t defer_whole(struct rt_thread *t, uintptr_t granule, uintptr_t end, bool write,
                             uintptr_t caller) {
    uint64_t word = t->current | RT_BYTES;
    for (; granule + 8 <= end; granule += 8) {
        struct rt_shadow *shadow = rt_shadow_of(granule);
        uint64_t w = atomic_load_explicit(&shadow->write, memory_order_acquire);
        uint64_t r = atomic_load_explicit(&shadow->read, memory_order_acquire);
        if ((!rt_is_untouched(w) && !rt_is_mine(t, w)) || (r && !rt_is_mine(t, r)) ||
            !is_clear(t, w, granule))
            break;
        if (!write) {
            rt_set_read(granule, word, (uint32_t)caller);
            continue;
        }
        if (r)
            rt_set_read(granule, 0, 0);
        rt_set_write(granule, word | (w & RT_KNOWN), (uint32_t)caller);
    }
    return granule;
}

static bool defer_granule(struct rt_thread *t, uintptr_t granule, uint32_t bytes, bool write,
                          uintptr_t caller) {
    const struct rt_shadow *shadow = rt_shadow_of(granule);
    uint64_t w = atomic_load_explicit(&shadow->write, memory_order_acquire);
    uint64_t r = atomic_load_explicit(&shadow->read, memory_order_acquire);
    return rt_is_repeated(t, rt_since_of(t), granule, w, r, bytes, write) ||
           defer(t, granule, w, r, bytes, write, caller);
}

/* A granule that is not deferred joins the part before it, unless that one is finished. */
static void add_to_part(struct part *part, uintptr_t start, uintptr_t end,
                        const struct rt_need *need) {
    if (part->end == part->start)
        *part = (struct part){start, start, {.access = need->access}};
    part->end = end;
    part->need.sequence |= need->sequence;
    if (need->observe > part->need.observe)
        part->need.observe = need->observe;
}

static void finish_part(struct rt_thread *t, struct part *part, bool write, uintptr_t caller) {
    if (part->end > part->start)
        emit_part(t, part, write, caller);
    part->end = part->start;
}

static void access_range_once(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                              uintptr_t caller) {
    struct part part = {address, address, {0}};
    uintptr_t end = address + size;
    for (uintptr_t g = address & ~(uintptr_t)7; g < end; g += 8) {
        if (part.end == part.start && g >= address && rt_has_slot(t))
            g = defer_whole(t, g, end, write, caller);
        if (g >= end)
            break;
        uint32_t bytes = rt_bytes_in(g, address, size);
        struct rt_need need = {.sequence = !rt_has_slot(t)};
        bool done = defer_granule(t, g, bytes, write, caller);
        if (!done) {
            struct rt_view view = load_settled(t, g);
            done = make_room(t, g, &view, bytes, write) &&
                   defer(t, g, view.write, view.read, bytes, write, caller);
            if (!done)
                add_need(&need, t, g, &view, bytes, write, false);
        }
        if (done || need.access != part.need.access)
            finish_part(t, &part, write, caller);
        if (!done)
            add_to_part(&part, g > address ? g : address, g + 8 < end ? g + 8 : end, &need);
    }
    finish_part(t, &part, write, caller);
}

/* It is one access: what the thread learns at one granule it knows at all others, so those that
 * were done before that are done again. */
void rt_defer_range(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                    uintptr_t caller) {
    rt_board_frames(t);
    uint64_t epoch = t->current;
    access_range_once(t, address, size, write, caller);
    if (t->current != epoch)
        access_range_once(t, address, size, write, caller);
}
