/* Accesses that are kept in cells until another thread touches the same memory (cells.h), when they
 * are not settled by one look. */
#include "runtime/core/access.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/flush_deferred.h"
#include "runtime/core/stream_writer.h"

/* ---- the words of one thread ---- */

/* What is left of an earlier epoch, or two of them, when these bytes are accessed. */
struct left {
    uint32_t bytes; /* of the epoch */
    uint64_t epoch;
    bool told, too_much; /* there are two, or it is too long ago */
};

static struct left left_behind(const struct rt_thread *t, uint64_t word, uint64_t more,
                               uint32_t bytes) {
    uint32_t live = rt_live_bytes(word, more) & ~bytes;
    uint32_t last = live & word & RT_BYTES, older = live & rt_old_bytes(more) & ~last;
    struct left left = {.bytes = last, .epoch = rt_epoch_of(word), .told = word & RT_TOLD};
    if (!last)
        left = (struct left){.bytes = older,
                             .epoch = older ? rt_old_epoch(word, more) : rt_epoch_of(t->current),
                             .told = more & RT_OLD_TOLD};
    left.too_much =
        (last && older) || (rt_epoch_of(t->current) - left.epoch) >> (RT_OLD_EPOCH_BITS - 1);
    return left;
}

static __attribute__((noinline)) bool add_beside(const struct rt_thread *t, uint64_t *word,
                                                 uint64_t *more, uint32_t bytes, uintptr_t caller) {
    struct left left = left_behind(t, *word, *more, bytes);
    if (left.too_much)
        return false;
    *more = (uint32_t)caller;
    if (left.bytes)
        *more |= (uint64_t)left.bytes << RT_OLD_AT | (left.told ? RT_OLD_TOLD : 0) |
                 left.epoch << RT_OLD_EPOCH_AT;
    *word = t->current | bytes | (*word & (RT_MIXED | RT_KNOWN));
    return true;
}

/* Adds an access of this thread, at its present epoch, to a word that is its own or nobody's. Bytes
 * of one earlier epoch stay known behind it. False when there would be two of them. */
static inline bool add(const struct rt_thread *t, uint64_t *word, uint64_t *more, uint32_t bytes,
                       uintptr_t caller) {
    if (rt_is_of(*word, t->current)) {
        *word = (*word & ~(uint64_t)RT_TOLD) | bytes;
        *more =
            (*more & ~((uint64_t)bytes << RT_OLD_AT) & ~(uint64_t)UINT32_MAX) | (uint32_t)caller;
    } else if (!(rt_all_bytes(*word, *more) & ~bytes)) {
        *word = t->current | bytes | (*word & (RT_MIXED | RT_KNOWN));
        *more = (uint32_t)caller;
    } else {
        return add_beside(t, word, more, bytes, caller);
    }
    return true;
}

/* The same for an access that was told, or could not but fit. When there is no room all the same,
 * the cell is mixed: the watcher knows what was there. */
static void add_known(const struct rt_thread *t, uint64_t *word, uint64_t *more, uint32_t bytes,
                      uintptr_t caller, bool told) {
    /* What is there already at the same epoch may not have been told. */
    bool all = told && (!rt_is_of(*word, t->current) || *word & RT_TOLD);
    if (!add(t, word, more, bytes, caller)) {
        *word = t->current | bytes | (*word & (RT_MIXED | RT_KNOWN));
        *more = (uint32_t)caller;
    }
    *word |= all ? RT_TOLD : 0;
}

/* These bytes were written: reads of them are over. */
static void drop_reads(uint64_t *word, uint64_t *more, uint32_t bytes) {
    *word &= ~(uint64_t)bytes;
    *more &= ~((uint64_t)bytes << RT_OLD_AT);
    if (!rt_all_bytes(*word, *more))
        *word = *more = 0;
}

/* ---- memory of one thread ---- */

/* A read of memory that several threads have read, this one too, since it was last written. */
static inline bool keep_shared(struct rt_thread *t, uint64_t w, uintptr_t granule, uint32_t bytes,
                               uintptr_t caller) {
    struct rt_shared_read *read = rt_shared_read(t, granule);
    if (!rt_was_shared_read(read, granule, w) || (read->mine & RT_BYTES) != bytes)
        return false;
    read->mine = t->current | bytes;
    t->shared_callers[rt_place_of(granule)] = (uint32_t)caller;
    return true;
}

/* The common cases, in which nothing need be told: above all that nobody else has touched these 8
 * bytes. */
static inline __attribute__((always_inline)) bool keep(struct rt_thread *t, uintptr_t granule,
                                                       uint64_t w, uint64_t r, uint32_t bytes,
                                                       bool write, uintptr_t caller) {
    if (t->owner == RT_STALE || w & RT_MIXED || rt_state(w) == RT_SHARED)
        return false;
    if (!write && rt_state(r) == RT_SHARED)
        return keep_shared(t, w, granule, bytes, caller);
    if (r && !rt_is_mine(t, r))
        return false;
    struct rt_view view = {w, r,
                           atomic_load_explicit(&rt_more(granule)->write, memory_order_relaxed),
                           atomic_load_explicit(&rt_more(granule)->read, memory_order_relaxed)};
    bool mine = rt_is_nobodys(w) || rt_is_mine(t, w);
    /* What another thread wrote may be read again: the dependence is known. */
    if (!mine && (write || bytes & ~rt_all_bytes(r, view.read_more)))
        return false;
    if (!write) {
        if (!add(t, &view.read, &view.read_more, bytes, caller))
            return false;
        rt_set_read(granule, view.read, view.read_more);
        return true;
    }
    if (!add(t, &view.write, &view.write_more, bytes, caller))
        return false;
    if (view.read) {
        drop_reads(&view.read, &view.read_more, bytes);
        rt_set_read(granule, view.read, view.read_more);
    }
    rt_set_write(granule, view.write, view.write_more);
    return true;
}

/* ---- looking ---- */

/* Bytes of the granule that this thread has read since they were last written: then it depends on
 * that write already. */
static uint32_t bytes_read(struct rt_thread *t, uintptr_t granule, const struct rt_view *view) {
    if (rt_is_mine(t, view->read))
        return rt_all_bytes(view->read, view->read_more);
    const struct rt_shared_read *read = rt_shared_read(t, granule);
    if (rt_state(view->read) == RT_SHARED && rt_was_shared_read(read, granule, view->write))
        return read->mine & RT_BYTES;
    return 0;
}

/* Would the word have room for another access of its thread, whatever the epoch will be? */
static bool fits(const struct rt_thread *t, uint64_t word, uint64_t more, uint32_t bytes) {
    return !rt_is_mine(t, word) || !left_behind(t, word, more, bytes).too_much;
}

/* Must everything that is known of the granule go to the watcher, and be known by it alone? */
static bool has_to_mix(const struct rt_thread *t, const struct rt_view *view, uint32_t bytes,
                       bool write) {
    if (rt_state(view->write) == RT_SHARED)
        return false; /* it is so already */
    if (!write)
        return !fits(t, view->read, view->read_more, bytes);
    if (view->write & RT_MIXED)
        return false;
    if (rt_is_foreign(t, view->write) && rt_live_bytes(view->write, view->write_more) & ~bytes)
        return true;
    return (rt_state(view->read) == RT_SHARED && bytes != RT_BYTES) ||
           !fits(t, view->write, view->write_more, bytes);
}

/* Must reads of others be told, before this access or because the cell has no room for both? */
static bool has_to_tell_reads(const struct rt_thread *t, const struct rt_view *view, uint32_t bytes,
                              bool write) {
    if (rt_state(view->read) == RT_SHARED)
        return write;
    return rt_is_foreign(t, view->read) &&
           rt_live_bytes(view->read, view->read_more) & (write ? bytes : RT_BYTES);
}

/* Whatever is told comes after what it tells of. */
static void look(struct rt_need *need, struct rt_thread *t, uintptr_t granule,
                 const struct rt_view *view, uint32_t bytes, bool write) {
    enum rt_state state = rt_state(view->write);
    if ((state == RT_SHARED || state == RT_FREED) && rt_number_of(view->write) > need->observe)
        need->observe = rt_number_of(view->write);
    bool mixing = has_to_mix(t, view, bytes, write);
    bool reads = has_to_tell_reads(t, view, bytes, write);
    need->number |= mixing || (state == RT_SHARED && write);
    need->tell |=
        mixing || view->write & RT_MIXED || state == RT_SHARED || !~t->me || (write && reads);
    if (reads)
        need->number |= rt_state(view->read) == RT_SHARED || !rt_comes_after(t, view->read);
    if (!rt_is_foreign(t, view->write))
        return;
    /* What it wrote and this thread has not read since. */
    uint32_t unread = rt_all_bytes(view->write, view->write_more) & ~bytes_read(t, granule, view);
    need->tell |= (rt_live_bytes(view->write, view->write_more) & unread & bytes) != 0;
    need->number |= need->tell && unread && !rt_comes_after(t, view->write);
}

/* ---- telling and keeping ---- */

/* A number belongs to the record behind it. If what was to be told is dead by now, there is none.
 */
static void publish(struct rt_thread *t) {
    if (t->pending)
        rt_put(t, st_stream_what(ST_STREAM_NONE, 0, 0), 0);
    rt_publish(t);
}

/* What the watcher has to know before it gets the access, or in place of the cell. */
static void settle(struct rt_thread *t, uintptr_t granule, const struct rt_view *view, bool tell,
                   uint32_t bytes, bool write) {
    bool mixing = has_to_mix(t, view, bytes, write);
    if (tell || mixing)
        rt_settle_write(t, granule, view);
    if (mixing || has_to_tell_reads(t, view, bytes, write))
        rt_settle_reads(t, granule, view);
}

static void set(uintptr_t granule, const struct rt_view *view) {
    rt_set_read(granule, view->read, view->read_more);
    rt_set_write(granule, view->write, view->write_more);
}

static void keep_write(const struct rt_thread *t, uintptr_t granule, struct rt_view view,
                       uint32_t bytes, uintptr_t caller, bool told) {
    bool shared = rt_state(view.read) == RT_SHARED;
    if (!rt_is_mine(t, view.write) || (shared && bytes != RT_BYTES)) {
        /* Of other bytes there is more to know than this word will say: is it known to others? */
        bool mixed = view.write & RT_MIXED || rt_state(view.write) == RT_SHARED;
        view.write = (mixed ? RT_MIXED : 0) | (view.write & RT_KNOWN);
        view.write_more = 0;
    }
    add_known(t, &view.write, &view.write_more, bytes, caller, told);
    if (rt_all_bytes(view.write, view.write_more) == RT_BYTES)
        view.write &= ~(uint64_t)RT_MIXED;
    if (shared)
        view.read = view.read_more = 0;
    else
        drop_reads(&view.read, &view.read_more, bytes);
    set(granule, &view);
}

static uint64_t reader_bit(const struct rt_thread *t) {
    return UINT64_C(1) << (RT_SLOT_AT + t->slot % RT_READER_BITS);
}

/* Several threads may read at once: none of them may be lost. */
static void keep_read(struct rt_thread *t, uintptr_t granule, struct rt_view view, uint32_t bytes,
                      uintptr_t caller, bool told) {
    if (rt_state(view.write) == RT_SHARED) {
        rt_keep_in_table(t, granule, view.write, bytes, caller, told);
        return;
    }
    for (;;) {
        uint64_t then = view.read, more = view.read_more;
        bool shared = rt_state(view.read) == RT_SHARED ||
                      (rt_is_foreign(t, view.read) && rt_live_bytes(view.read, view.read_more));
        if (shared) {
            then = rt_state(view.read) == RT_SHARED ? view.read : rt_with_number(RT_SHARED, 0);
            then |= reader_bit(t);
            more = 0;
        } else {
            if (!rt_is_mine(t, then))
                then = more = 0;
            add_known(t, &then, &more, bytes, caller, told);
        }
        uint64_t before = view.read;
        if (then == before ||
            atomic_compare_exchange_strong(&rt_cell(granule)->read, &before, then)) {
            if (shared)
                rt_keep_in_table(t, granule, view.write, bytes, caller, told);
            else
                atomic_store_explicit(&rt_more(granule)->read, more, memory_order_relaxed);
            return;
        }
        view = rt_look(granule);
    }
}

/* `known`: something was told of the granule, be it the access or not. */
static void keep_known(struct rt_thread *t, uintptr_t granule, uint32_t bytes, bool write,
                       uintptr_t caller, bool told, bool known, bool mixing) {
    struct rt_view view = rt_look(granule);
    if (!~t->me) { /* no cell can be this thread's: like an atomic access, all is told */
        view = (struct rt_view){.write = rt_with_number(RT_SHARED, t->number)};
        set(granule, &view);
        return;
    }
    if (mixing) { /* others come after what was told, which has a number for this purpose */
        view = (struct rt_view){.write = rt_with_number(RT_FREED, t->number) | RT_MIXED};
        set(granule, &view);
    }
    uint64_t flags = RT_KNOWN | (told && rt_is_foreign(t, view.write) ? RT_TOLD : 0);
    if (known && (view.write & flags) != flags)
        view.write =
            flags | atomic_fetch_or_explicit(&rt_cell(granule)->write, flags, memory_order_relaxed);
    if (write)
        keep_write(t, granule, view, bytes, caller, told);
    else
        keep_read(t, granule, view, bytes, caller, told);
}

/* ---- one granule ---- */

static void touch(struct rt_thread *t, uintptr_t address, size_t size, uint32_t bytes, bool write,
                  uintptr_t caller) {
    uintptr_t granule = address & ~(uintptr_t)7;
    rt_tell_frames(t);
    struct rt_view view = rt_look(granule);
    if (keep(t, granule, view.write, view.read, bytes, write, caller))
        return;
    struct rt_need need = {.number = !~t->me};
    look(&need, t, granule, &view, bytes, write);
    bool mixing = has_to_mix(t, &view, bytes, write);
    rt_announce(t, &need);
    uint64_t before = t->position;
    settle(t, granule, &view, need.tell, bytes, write);
    if (need.tell)
        rt_put_access(t, address, size, write, caller);
    publish(t);
    if (need.tell)
        rt_new_epoch(t); /* what the other thread did may be news */
    keep_known(t, granule, bytes, write, caller, need.tell, t->position != before, mixing);
}

static __attribute__((noinline)) void access(uintptr_t address, uint32_t bytes, bool write,
                                             uintptr_t caller) {
    size_t size = 32 - (size_t)__builtin_clz(bytes) - (address & 7);
    if (!rt_enter())
        return;
    (rt_late ? touch : rt_tell_access)(rt_self, address, size, bytes, write, caller);
    rt_leave();
}

void rt_read_slow(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r) {
    if (!rt_late || !keep(rt_self, address & ~(uintptr_t)7, w, r, bytes, false, caller))
        access(address, bytes, false, caller);
}

void rt_write_slow(uintptr_t address, uint32_t bytes, uintptr_t caller, uint64_t w, uint64_t r) {
    if (!rt_late || !keep(rt_self, address & ~(uintptr_t)7, w, r, bytes, true, caller))
        access(address, bytes, true, caller);
}

/* ---- ranges ---- */

/* A part of a range whose granules all have something to tell, or have all been kept. */
struct part {
    uintptr_t start, end;
    struct rt_need need;
};

static void tell_part(struct rt_thread *t, const struct part *part, bool write, uintptr_t caller) {
    uintptr_t start = part->start, end = part->end;
    rt_announce(t, &part->need);
    uint64_t before = t->position;
    for (uintptr_t g = start & ~(uintptr_t)7; g < end; g += 8) {
        struct rt_view view = rt_look(g);
        uint32_t bytes = rt_bytes_in(g, start, end - start);
        settle(t, g, &view, part->need.tell, bytes, write);
    }
    if (part->need.tell)
        rt_put_access(t, start, end - start, write, caller);
    publish(t);
    bool known = t->position != before;
    if (part->need.tell)
        rt_new_epoch(t);
    for (uintptr_t g = start & ~(uintptr_t)7; g < end; g += 8) {
        struct rt_view view = rt_look(g);
        uint32_t bytes = rt_bytes_in(g, start, end - start);
        bool mixing = has_to_mix(t, &view, bytes, write);
        keep_known(t, g, bytes, write, caller, part->need.tell, known, mixing);
    }
}

/* Memory of this thread alone, as often as there is some: how much of the range is done. */
static uintptr_t keep_whole(struct rt_thread *t, uintptr_t granule, uintptr_t end, bool write,
                            uintptr_t caller) {
    uint64_t word = t->current | RT_BYTES;
    for (; granule + 8 <= end; granule += 8) {
        struct rt_cell *cell = rt_cell(granule);
        uint64_t w = atomic_load_explicit(&cell->write, memory_order_acquire);
        uint64_t r = atomic_load_explicit(&cell->read, memory_order_acquire);
        if ((!rt_is_nobodys(w) && !rt_is_mine(t, w)) || w & RT_MIXED || (r && !rt_is_mine(t, r)))
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

static bool keep_granule(struct rt_thread *t, uintptr_t granule, uint32_t bytes, bool write,
                         uintptr_t caller) {
    const struct rt_cell *cell = rt_cell(granule);
    uint64_t w = atomic_load_explicit(&cell->write, memory_order_acquire);
    uint64_t r = atomic_load_explicit(&cell->read, memory_order_acquire);
    return rt_was_made(t, granule, w, r, bytes, write) ||
           keep(t, granule, w, r, bytes, write, caller);
}

/* A granule that has something to tell joins the part before it, unless that was told. */
static void add_to_part(struct part *part, uintptr_t start, uintptr_t end,
                        const struct rt_need *need) {
    if (part->end == part->start)
        *part = (struct part){start, start, {.tell = need->tell}};
    part->end = end;
    part->need.number |= need->number;
    if (need->observe > part->need.observe)
        part->need.observe = need->observe;
}

static void finish_part(struct rt_thread *t, struct part *part, bool write, uintptr_t caller) {
    if (part->end > part->start)
        tell_part(t, part, write, caller);
    part->end = part->start;
}

static void touch_range(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                        uintptr_t caller) {
    struct part part = {address, address, {0}};
    uintptr_t end = address + size;
    for (uintptr_t g = address & ~(uintptr_t)7; g < end; g += 8) {
        if (part.end == part.start && g >= address && t->slot < RT_SLOTS)
            g = keep_whole(t, g, end, write, caller);
        if (g >= end)
            break;
        uint32_t bytes = rt_bytes_in(g, address, size);
        struct rt_need need = {.number = !~t->me};
        bool done = keep_granule(t, g, bytes, write, caller);
        if (!done) {
            struct rt_view view = rt_look(g);
            look(&need, t, g, &view, bytes, write);
        }
        if (done || need.tell != part.need.tell)
            finish_part(t, &part, write, caller);
        if (!done)
            add_to_part(&part, g > address ? g : address, g + 8 < end ? g + 8 : end, &need);
    }
    finish_part(t, &part, write, caller);
}

/* It is one access: what it learns in one place it knows in all others, so those that were done
 * before that are done again. */
void rt_keep_range(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                   uintptr_t caller) {
    rt_tell_frames(t);
    uint64_t epoch = t->current;
    touch_range(t, address, size, write, caller);
    if (t->current != epoch)
        touch_range(t, address, size, write, caller);
}
