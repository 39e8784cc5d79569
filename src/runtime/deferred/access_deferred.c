/* Deferred accesses: shadow memory keeps them until another thread touches the same bytes.
 *
 * Most of them end in own_memory.c or in defer(), which find that no other thread has touched these
 * bytes. The others go through access_ordered(): find out what has to be emitted (add_need), emit
 * earlier accesses of other threads (flush), emit this one if it matters now, and put it into the
 * shadow (keep). */
#include "runtime/core/access.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/flush_deferred.h"
#include "runtime/core/stream_writer.h"
#include "runtime/deferred/known_memory.h"
#include "runtime/deferred/learned.h"
#include "runtime/deferred/own_memory.h"

/* ---- memory of one thread ---- */

/* Need accesses of other threads not be thought of, which only the watcher knows? */
static inline bool is_clear(const struct rt_thread *t, uint64_t w, uintptr_t granule) {
    if (__builtin_expect(!(w & RT_MIXED), 1))
        return true;
    uint64_t detail = atomic_load_explicit(&rt_detail_of(granule)->write, memory_order_relaxed);
    return rt_is_mine(t, w) && detail & RT_PRIVATE;
}

/* The same for a read. */
static inline bool is_clear_to_read(const struct rt_thread *t, uint64_t w, uint64_t r,
                                    uintptr_t granule) {
    if (is_clear(t, w, granule))
        return true;
    const struct rt_detail *detail = rt_detail_of(granule);
    uint64_t write = atomic_load_explicit(&detail->write, memory_order_relaxed);
    uint64_t read = atomic_load_explicit(&detail->read, memory_order_relaxed);
    return rt_state_of(w) == RT_OWN &&
           (write & RT_ONLY_READ || (rt_is_foreign(t, w) && rt_is_mine(t, r) && read & RT_PRIVATE));
}

/* Are these bytes this thread's, whatever is known of others: has it written them last, or read
 * them since they were written? What it did first was emitted, so it depends on all that was there.
 */
static bool has_again(const struct rt_thread *t, const struct rt_view *view, uint32_t bytes,
                      bool write) {
    uint32_t has = 0;
    if (rt_is_mine(t, view->write))
        has |= rt_all_bytes(view->write, view->write_detail);
    if (!write && rt_is_mine(t, view->read))
        has |= rt_all_bytes(view->read, view->read_detail);
    return !(bytes & ~has);
}

/* A read of memory that several threads have read, this one too, since it was last written. */
static inline bool defer_shared(struct rt_thread *t, uint64_t w, uintptr_t granule, uint32_t bytes,
                                uintptr_t caller) {
    struct rt_shared_read *read = rt_shared_read_of(t, granule);
    if (!rt_was_shared_read(read, granule, w))
        return false;
    uint64_t mine = read->mine, detail = t->shared_details[rt_table_index(granule)];
    if (bytes & ~rt_all_bytes(mine, detail) || !rt_add(t, &mine, &detail, bytes, caller))
        return false;
    t->shared_details[rt_table_index(granule)] = detail;
    read->mine = mine;
    return true;
}

/* The common cases, in which nothing need be emitted: above all that no other thread has touched
 * the granule. */
static inline __attribute__((always_inline)) bool defer(struct rt_thread *t, uintptr_t granule,
                                                        uint64_t w, uint64_t r, uint32_t bytes,
                                                        bool write, uintptr_t caller) {
    if (rt_is_stale(t) || rt_state_of(w) == RT_SHARED)
        return false;
    bool clear = write ? is_clear(t, w, granule) : is_clear_to_read(t, w, r, granule);
    if (rt_state_of(r) == RT_SHARED)
        return clear && !write && defer_shared(t, w, granule, bytes, caller);
    struct rt_view view = {
        w, r, atomic_load_explicit(&rt_detail_of(granule)->write, memory_order_relaxed),
        atomic_load_explicit(&rt_detail_of(granule)->read, memory_order_relaxed)};
    bool own = (!r || rt_is_mine(t, r)) && (clear || has_again(t, &view, bytes, write));
    if (own && (rt_is_untouched(w) || rt_is_mine(t, w)))
        return rt_add_to_own(t, granule, view, bytes, write, caller);
    /* What another thread wrote may be read again: the watcher knows the dependence. */
    if (own && !write && !(bytes & ~rt_all_bytes(r, view.read_detail)) &&
        rt_add(t, &view.read, &view.read_detail, bytes, caller))
        return rt_keep_read_beside_others(granule, r, view.read, view.read_detail);
    return rt_take_over(t, granule, &view, bytes, write, caller);
}

/* ---- what has to be emitted ---- */

/* Bytes of the granule that this thread has read since they were last written: then it depends on
 * that write already. */
static uint32_t bytes_read(struct rt_thread *t, uintptr_t granule, const struct rt_view *view) {
    if (rt_is_mine(t, view->read))
        return rt_all_bytes(view->read, view->read_detail);
    const struct rt_shared_read *read = rt_shared_read_of(t, granule);
    if (rt_state_of(view->read) == RT_SHARED && rt_was_shared_read(read, granule, view->write))
        return rt_all_bytes(read->mine, t->shared_details[rt_table_index(granule)]);
    return 0;
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

/* Whatever is emitted comes after what it depends on. `whole`: this granule is all of the access.
 */
static void add_need(struct rt_need *need, struct rt_thread *t, uintptr_t granule,
                     const struct rt_view *view, uint32_t bytes, bool write, bool whole) {
    enum rt_state state = rt_state_of(view->write);
    rt_note_meeting(t, view, bytes, write);
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
                     (write || !rt_has_learned(t, view->write)));
    bool mixing = has_to_mix(t, view, bytes, write, whole && !need->access ? rt_fits_now : rt_fits);
    need->access |= mixing;
    need->sequence |= mixing || (state == RT_SHARED && write);
    if (reads)
        need->sequence |= rt_state_of(view->read) == RT_SHARED || !rt_comes_after(t, view->read);
    /* What others have emitted comes before, and who did that is not known: perhaps no thread whose
     * word is here. */
    bool emitted = rt_is_foreign(t, view->write) && view->write & RT_EMITTED;
    need->sequence |= !clear || ((need->access || reads) && emitted);
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
    bool reads = (access && has_to_mix(t, view, bytes, write, rt_fits)) ||
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

static void keep_write(struct rt_thread *t, uintptr_t granule, struct rt_view view, uint32_t bytes,
                       uintptr_t caller, bool emitted) {
    bool shared = rt_state_of(view.read) == RT_SHARED;
    if (!rt_is_mine(t, view.write) || (shared && bytes != RT_BYTES)) {
        /* About other bytes there is more to know than this word will say: does the watcher? */
        bool mixed = view.write & RT_MIXED || rt_state_of(view.write) == RT_SHARED;
        view.write = (mixed ? RT_MIXED : 0) | (view.write & RT_KNOWN);
        view.write_detail = 0;
    }
    rt_add_always(t, &view.write, &view.write_detail, bytes, caller, emitted);
    rt_unmix(granule, &view, bytes);
    if (shared)
        view.read = view.read_detail = 0;
    else
        rt_drop_reads(&view.read, &view.read_detail, bytes);
    view.read_detail &= ~RT_PRIVATE; /* there is a write now that its thread may depend on */
    set(granule, &view);
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
            then |= rt_reader_bit(t);
            detail = 0;
        } else {
            if (!rt_is_mine(t, then))
                then = detail = 0;
            rt_add_always(t, &then, &detail, bytes, caller, emitted);
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

/* The granule's word for writes, or for reads, becomes empty, and the granule PRIVATE. */
static void empty_own(const struct rt_thread *t, uintptr_t granule, struct rt_view *view,
                      bool write, uint64_t private) {
    if (write || rt_state_of(view->write) != RT_OWN) {
        view->write = t->current | (view->write & RT_KNOWN);
        view->write_detail = 0;
    }
    view->write |= RT_MIXED;
    view->write_detail = (view->write_detail & ~RT_ONLY_READ) | private;
    rt_set_write(granule, view->write, view->write_detail);
    if (!write) {
        view->read = view->read_detail = 0;
        rt_set_read(granule, 0, 0);
    }
}

/* Emits what this thread's words say of a granule. */
static void emit_words(struct rt_thread *t, uintptr_t granule, struct rt_view *view, bool write) {
    /* Before the reads: if a write comes behind them, the engine takes them for older ones. */
    rt_flush_write(t, granule, view);
    if (!write)
        rt_flush_reads(t, granule, view);
    rt_publish(t);
    rt_note_flushed(t, granule);
    *view = rt_load_view(granule);
}

/* Makes room for an access to a granule that no other thread has touched, of which this thread's
 * words know too much even for a place beside them. Or to what was freed, of which only the order
 * is left. */
static void make_room(struct rt_thread *t, uintptr_t granule, struct rt_view *view, uint32_t bytes,
                      bool write) {
    enum rt_state state = rt_state_of(view->write);
    if (state == RT_SHARED || rt_is_foreign(t, view->write) || !is_clear(t, view->write, granule) ||
        (view->read && !rt_is_mine(t, view->read)) ||
        (write ? rt_fits_now(t, view->write, view->write_detail, bytes)
               : rt_fits_now(t, view->read, view->read_detail, bytes)))
        return;
    if (state == RT_FREED)
        rt_observe(t, rt_sequence_of(view->write));
    struct rt_spilled *place = rt_open_spilled(granule, view);
    uint64_t private = place || rt_is_private(view) ? RT_PRIVATE : 0;
    if (place && rt_spill(t, place, write ? view->write : view->read,
                          write ? view->write_detail : view->read_detail, RT_BYTES, write)) {
        empty_own(t, granule, view, write, private);
        rt_close_spilled(place);
        return;
    }
    if (place)
        rt_close_spilled(place);
    emit_words(t, granule, view, write);
    empty_own(t, granule, view, write, private);
}

/* Defers an access, if it is not a repetition. False: it has to be emitted, or there is no room. */
static bool defer_granule(struct rt_thread *t, uintptr_t granule, uint32_t bytes, bool write,
                          uintptr_t caller) {
    const struct rt_shadow *shadow = rt_shadow_of(granule);
    uint64_t w = atomic_load_explicit(&shadow->write, memory_order_acquire);
    uint64_t r = atomic_load_explicit(&shadow->read, memory_order_acquire);
    uint64_t since = t->since != RT_STALE ? t->since : rt_since_of(t);
    if (rt_is_repeated(t, since, granule, w, r, bytes, write) ||
        rt_touch_alone(t, granule, w, r, bytes, write))
        return true;
    if (since == RT_STALE || t->alone || !rt_is_own_or_none(t, w) || !rt_is_own_or_none(t, r))
        return defer(t, granule, w, r, bytes, write, caller);
    return rt_set_own(t, granule, w, r, bytes, write, caller) ||
           rt_set_own_beside(t, granule, w, r, bytes, write, caller);
}

static void access_ordered(struct rt_thread *t, uintptr_t address, uint32_t bytes, bool write,
                           uintptr_t caller) {
    uintptr_t granule = address & ~(uintptr_t)7;
    rt_board_frames(t);
    if (defer_granule(t, granule, bytes, write, caller))
        return;
    struct rt_view view = rt_load_settled(t, granule, write);
    make_room(t, granule, &view, bytes, write);
    if (defer(t, granule, view.write, view.read, bytes, write, caller) ||
        (!write && rt_share(t, granule, &view, bytes, caller)))
        return;
    struct rt_need need = {.sequence = !rt_has_slot(t)};
    add_need(&need, t, granule, &view, bytes, write, true);
    bool mixing = need.access && has_to_mix(t, &view, bytes, write, rt_fits);
    if (need.access)
        rt_emit_frames(t);
    rt_emit_order(t, &need);
    uint64_t before = t->position;
    flush(t, granule, &view, need.access, bytes, write);
    if (need.access)
        rt_emit_access(t, address, rt_size_of(address, bytes), write, 0, caller);
    publish(t);
    if (need.access) {
        rt_new_epoch(t); /* what the other thread did may be news */
        rt_learn_of(t, &view, bytes, write);
    }
    keep(t, granule, bytes, write, caller, need.access, t->position != before, mixing);
}

static __attribute__((noinline)) void access(uintptr_t address, uint32_t bytes, bool write,
                                             uintptr_t caller) {
    if (!rt_enter_quickly())
        return;
    if (!rt_is_ignored(rt_self, !write, write))
        access_ordered(rt_self, address, bytes, write, caller);
    rt_leave_quickly();
}

void rt_defer_slowly(uintptr_t address, uint32_t bytes, bool write, uintptr_t caller, uint64_t w,
                     uint64_t r) {
    struct rt_thread *t = rt_self;
    uintptr_t granule = address & ~(uintptr_t)7;
    if (!rt_touch_alone(t, granule, w, r, bytes, write) &&
        !defer(t, granule, w, r, bytes, write, caller))
        access(address, bytes, write, caller);
}

/* ---- ranges ---- */

/* A range of a few granules. What is done before it says false is done again, and makes no
 * difference. */
static bool defer_granules(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                           uintptr_t caller) {
    for (uintptr_t g = address & ~(uintptr_t)7; g < address + size; g += 8)
        if (!defer_granule(t, g, rt_bytes_in(g, address, size), write, caller))
            return false;
    return true;
}

bool rt_defer_short(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                    uintptr_t caller) {
    return (t->since != RT_STALE || rt_board_quickly(t)) &&
           defer_granules(t, address, size, write, caller);
}

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
            rt_learn_of(t, &view, bytes, write);
    }
    if (part->need.access)
        rt_emit_access(t, start, end - start, write, 0, caller);
    publish(t);
    bool known = t->position != before;
    if (part->need.access)
        rt_new_epoch(t);
    for (uintptr_t g = start & ~(uintptr_t)7; g < end; g += 8) {
        struct rt_view view = rt_load_view(g);
        uint32_t bytes = rt_bytes_in(g, start, end - start);
        bool mixing = part->need.access && has_to_mix(t, &view, bytes, write, rt_fits);
        keep(t, g, bytes, write, caller, part->need.access, known, mixing);
    }
}

/* Granules that no other thread has touched, as many as there are in a row. Returns how far it
 * came. */
static uintptr_t defer_whole(struct rt_thread *t, uintptr_t granule, uintptr_t end, bool write,
                             uintptr_t caller) {
    uint64_t word = t->current | RT_BYTES, since = rt_since_of(t);
    for (; granule + 8 <= end; granule += 8) {
        struct rt_shadow *shadow = rt_shadow_of(granule);
        uint64_t w = atomic_load_explicit(&shadow->write, memory_order_acquire);
        uint64_t r = atomic_load_explicit(&shadow->read, memory_order_acquire);
        if (!(w | r) && !t->alone) {
            (write ? rt_set_write : rt_set_read)(granule, word, (uint32_t)caller);
            continue;
        }
        if ((!rt_is_untouched(w) && !rt_is_mine(t, w)) || (r && !rt_is_mine(t, r)) ||
            !is_clear(t, w, granule))
            break;
        if (rt_has_since(t, w, since, RT_BYTES) ||
            (!write && rt_has_since(t, r, since, RT_BYTES)) ||
            rt_touch_alone(t, granule, w, r, RT_BYTES, write))
            continue;
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
            struct rt_view view = rt_load_settled(t, g, write);
            make_room(t, g, &view, bytes, write);
            done = defer(t, g, view.write, view.read, bytes, write, caller) ||
                   (!write && rt_share(t, g, &view, bytes, caller));
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
    enum { SHORT = 32 };
    rt_board_frames(t);
    if (size <= SHORT && defer_granules(t, address, size, write, caller))
        return;
    uint64_t epoch = t->current;
    access_range_once(t, address, size, write, caller);
    if (t->current != epoch)
        access_range_once(t, address, size, write, caller);
}
