#include "runtime/deferred/known_memory.h"
#include "runtime/core/flush_deferred.h"
#include "runtime/deferred/learned.h"
#include "runtime/deferred/own_memory.h"

bool rt_keep_read_beside_others(uintptr_t granule, uint64_t before, uint64_t then,
                                uint64_t detail) {
    if (!atomic_compare_exchange_strong(&rt_shadow_of(granule)->read, &before, then))
        return false;
    atomic_store_explicit(&rt_detail_of(granule)->read, detail, memory_order_relaxed);
    return true;
}

void rt_note_meeting(const struct rt_thread *t, const struct rt_view *view, uint32_t bytes,
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

/* ---- taking over ---- */

/* Is all that is known of the granule this thread's own, or does this thread depend on it? Who
 * depends on what a thread did at a time depends on what that depended on. */
static bool knows_all(const struct rt_thread *t, const struct rt_view *view, bool to_read) {
    bool write = rt_is_untouched(view->write) || rt_is_mine(t, view->write) ||
                 (rt_is_foreign(t, view->write) && rt_is_known(t, view->write, view->write_detail));
    bool read = !view->read || rt_is_mine(t, view->read) ||
                (rt_is_foreign(t, view->read) && rt_is_known(t, view->read, view->read_detail));
    return write && read &&
           (!(view->write & RT_MIXED) || rt_is_private(view) || (to_read && rt_is_only_read(view)));
}

/* The bytes that a word has to hand over, so that this thread can put an access to these bytes in
 * its place: all others that still matter, if it is another thread's or has no room. */
static uint32_t left_over(const struct rt_thread *t, uint64_t word, uint64_t detail,
                          uint32_t bytes) {
    if (rt_is_mine(t, word) && rt_fits_now(t, word, detail, bytes))
        return 0;
    return rt_live_bytes(word, detail) & ~bytes;
}

/* A word of which nothing is left, or the thread's own if there is room in it. */
static void empty(const struct rt_thread *t, uint64_t *word, uint64_t *detail, uint32_t bytes) {
    if (rt_is_mine(t, *word) && rt_fits_now(t, *word, *detail, bytes))
        return;
    *word &= RT_KNOWN | RT_MIXED;
    *detail = 0;
}

/* `more`: something is known beside the words, and t depends on all of it. */
static void take_over_by_writing(struct rt_thread *t, uintptr_t granule, struct rt_view view,
                                 uint32_t bytes, bool more, uintptr_t caller) {
    if (more)
        rt_drop_spilled(granule, bytes);
    empty(t, &view.write, &view.write_detail, bytes);
    if (more) {
        view.write |= RT_MIXED;
        view.write_detail |= RT_PRIVATE;
    }
    if (!rt_is_mine(t, view.read))
        view.read = view.read_detail = 0;
    rt_add(t, &view.write, &view.write_detail, bytes, caller);
    rt_unmix(granule, &view, bytes);
    rt_drop_reads(&view.read, &view.read_detail, bytes);
    view.read_detail &= ~RT_PRIVATE;
    rt_set_read(granule, view.read, view.read_detail);
    rt_set_write(granule, view.write, view.write_detail);
}

/* The granule becomes PRIVATE for a thread that has read it: by the word for writes, unless that is
 * another thread's. */
static void become_private(const struct rt_thread *t, uintptr_t granule, struct rt_view *view) {
    uint64_t only = view->write & RT_MIXED && !rt_is_only_read(view) ? 0 : RT_ONLY_READ;
    uint64_t private = view->write & RT_MIXED && !rt_is_private(view) ? 0 : RT_PRIVATE;
    uint64_t detail = (view->write_detail & ~(RT_PRIVATE | RT_ONLY_READ)) | only;
    view->read_detail &= ~RT_PRIVATE;
    if (rt_is_foreign(t, view->write)) {
        view->read_detail |= private;
        atomic_store_explicit(&rt_detail_of(granule)->write, detail, memory_order_relaxed);
        atomic_fetch_or_explicit(&rt_shadow_of(granule)->write, RT_MIXED, memory_order_release);
        return;
    }
    if (rt_is_untouched(view->write))
        view->write |= t->current;
    rt_set_write(granule, view->write | RT_MIXED, detail | private);
}

static bool take_over_by_reading(struct rt_thread *t, uintptr_t granule, struct rt_view view,
                                 uint32_t bytes, bool spilled, uintptr_t caller) {
    uint64_t before = view.read, private = view.read_detail & RT_PRIVATE;
    empty(t, &view.read, &view.read_detail, bytes);
    view.read_detail |= private;
    rt_add(t, &view.read, &view.read_detail, bytes, caller);
    if (spilled)
        become_private(t, granule, &view);
    return rt_keep_read_beside_others(granule, before, view.read, view.read_detail);
}

bool rt_take_over(struct rt_thread *t, uintptr_t granule, const struct rt_view *view,
                  uint32_t bytes, bool write, uintptr_t caller) {
    if (rt_controlled || !knows_all(t, view, !write))
        return false;
    uint32_t written = write ? left_over(t, view->write, view->write_detail, bytes) : 0;
    uint32_t read =
        write && rt_is_mine(t, view->read) ? 0 : left_over(t, view->read, view->read_detail, bytes);
    bool spilled = written | read;
    struct rt_spilled *place = spilled ? rt_open_spilled(granule, view) : NULL;
    bool fits = place && rt_spill(t, place, view->write, view->write_detail, written, true) &&
                rt_spill(t, place, view->read, view->read_detail, read, false);
    bool done = fits == spilled;
    if (done) {
        rt_note_meeting(t, view, bytes, write);
        if (write)
            take_over_by_writing(t, granule, *view, bytes, spilled || rt_is_private(view), caller);
        else
            done = take_over_by_reading(t, granule, *view, bytes, spilled, caller);
    }
    if (place)
        rt_close_spilled(place);
    return done;
}

/* ---- sharing ---- */

bool rt_share(struct rt_thread *t, uintptr_t granule, const struct rt_view *view, uint32_t bytes,
              uintptr_t caller) {
    if (rt_controlled || !rt_has_slot(t) || !rt_is_foreign(t, view->read) ||
        !(rt_is_mine(t, view->write) || rt_is_known(t, view->write, view->write_detail)) ||
        !rt_spill_shared(t, granule, view, view->read, view->read_detail))
        return false;
    rt_note_meeting(t, view, bytes, false);
    uint64_t before = view->read, then = rt_with_sequence(RT_SHARED, 0) | rt_reader_bit(t);
    if (!atomic_compare_exchange_strong(&rt_shadow_of(granule)->read, &before, then))
        return false;
    rt_keep_shared_read(t, granule, view->write, bytes, caller, false);
    return true;
}
