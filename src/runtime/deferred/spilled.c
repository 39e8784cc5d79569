/* Spilled accesses: deferred ones of a thread that its shadow words have no room for.
 *
 * A shadow word and its detail hold two epochs of the 8 bytes of a granule. Where a thread accesses
 * them in more functions that are all open, the older ones go to a table of the thread, and the
 * granule becomes MIXED and PRIVATE (shadow.h): so everybody else takes the slow way, and finds the
 * table of the thread whose word it is. Whoever emits what the granule's words say takes the entry
 * out of that table and emits it with them.
 *
 * An entry counts only as long as its granule is PRIVATE without a break: the first to be spilled
 * then starts the entry afresh. So nobody has to look for entries when memory is freed or written
 * all over.
 *
 * Of each byte only the last write and the last read count, so an access to the same bytes takes
 * the place of older ones of its kind. When an entry is full, epochs that are alike by now become
 * one. When that does not help, or there is no place for a granule, the thread emits what it has of
 * the granule that it accesses. It never emits an entry of another granule to make place: another
 * thread may be about to access that one, and would not know that it has to come behind. */
#include "runtime/core/call_stack.h"
#include "runtime/core/flush_deferred.h"
#include "runtime/core/stream_writer.h"

enum { PLACES = 4 }; /* for a granule */

static struct rt_spilled *places_of(struct rt_thread *t, uintptr_t granule) {
    size_t index = ((granule >> 3) + (granule >> 26) * 0x9E37) & (RT_SPILLED - 1);
    return &t->spilled[index & ~(size_t)(PLACES - 1)];
}

/* The entry of a granule, or NULL. */
static struct rt_spilled *find(struct rt_thread *t, uintptr_t granule) {
    struct rt_spilled *places = places_of(t, granule);
    for (size_t i = 0; i < PLACES; i++)
        if (atomic_load_explicit(&places[i].granule, memory_order_acquire) == granule)
            return &places[i];
    return NULL;
}

/* Whose table has what was spilled of the granule; RT_SLOTS: there is none. */
static uint32_t owner_of(const struct rt_view *view) {
    if (rt_state_of(view->write) == RT_OWN && view->write_detail & RT_PRIVATE)
        return rt_slot_of(view->write);
    if (rt_state_of(view->read) == RT_OWN && view->read_detail & RT_PRIVATE)
        return rt_slot_of(view->read);
    return RT_SLOTS;
}

bool rt_take_spilled(uintptr_t granule, const struct rt_view *view, struct rt_spilled *copy) {
    uint32_t slot = owner_of(view);
    struct rt_thread *owner = slot < RT_SLOTS ? rt_thread_in(slot) : NULL;
    if (!owner)
        return false; /* it emitted its table when it ended */
    struct rt_spilled *entry = find(owner, granule);
    if (!entry)
        return false;
    for (size_t i = RT_PARTS; i-- > 0;) { /* tidy_up moves them to the front */
        copy->words[i] = __atomic_load_n(&entry->words[i], __ATOMIC_ACQUIRE);
        copy->callers[i] = __atomic_load_n(&entry->callers[i], __ATOMIC_RELAXED);
    }
    uint64_t expected = granule;
    return atomic_compare_exchange_strong(&entry->granule, &expected, 0);
}

/* ---- the table of this thread ---- */

static bool is_of_kind(uint64_t word, bool write) {
    return ((word & RT_SPILLED_WRITE) != 0) == write;
}

static void set_word(struct rt_spilled *entry, size_t i, uint64_t word) {
    __atomic_store_n(&entry->words[i], word, __ATOMIC_RELEASE);
}

/* What cannot matter any more goes, and epochs that are alike by now are the same. Another thread
 * may be looking. */
static void tidy_up(const struct rt_thread *t, struct rt_spilled *entry) {
    for (size_t i = 0; i < RT_PARTS; i++) {
        uint64_t word = entry->words[i];
        if (!word)
            continue;
        uint64_t epoch = rt_last_alike(t, rt_epoch_of(word));
        if (rt_is_dead(t->slot, rt_epoch_of(word)))
            word = 0;
        else
            word = (word & ~(UINT64_MAX << RT_EPOCH_AT)) | epoch << RT_EPOCH_AT;
        set_word(entry, i, word);
        for (size_t j = 0; j < i && word; j++)
            if (!((entry->words[j] ^ word) & ~(uint64_t)RT_BYTES)) {
                set_word(entry, j, entry->words[j] | word);
                set_word(entry, i, word = 0);
            }
    }
}

static bool add_part(struct rt_spilled *entry, uint64_t word, uint32_t caller) {
    size_t place = RT_PARTS;
    for (size_t i = 0; i < RT_PARTS; i++) {
        uint64_t there = entry->words[i];
        if (is_of_kind(there, word & RT_SPILLED_WRITE))
            there &= ~(word & RT_BYTES);
        if (!(there & RT_BYTES))
            there = 0;
        entry->words[i] = there;
        if (!there)
            place = i;
    }
    if (place == RT_PARTS)
        return false;
    entry->words[place] = word;
    entry->callers[place] = caller;
    return true;
}

static bool add(const struct rt_thread *t, struct rt_spilled *entry, uint64_t word,
                uint32_t caller) {
    if (!(word & RT_BYTES) || add_part(entry, word, caller))
        return true;
    tidy_up(t, entry);
    return add_part(entry, word, caller);
}

/* The two epochs of a word and its detail. False: there is no room for them. */
static bool add_word(const struct rt_thread *t, struct rt_spilled *entry, uint64_t word,
                     uint64_t detail, bool write) {
    if (!rt_is_mine(t, word))
        return true;
    uint64_t me = t->me | (write ? RT_SPILLED_WRITE : 0);
    uint64_t old = me | rt_old_bytes(detail) | rt_old_epoch(word, detail) << RT_EPOCH_AT;
    uint64_t last = me | (word & RT_BYTES) | rt_epoch_of(word) << RT_EPOCH_AT;
    return (detail & RT_OLD_EMITTED || add(t, entry, old, 0)) &&
           (word & RT_EMITTED || add(t, entry, last, (uint32_t)detail));
}

static bool is_empty(const struct rt_spilled *entry) {
    uint64_t all = 0;
    for (size_t i = 0; i < RT_PARTS; i++)
        all |= entry->words[i];
    return all == 0;
}

/* A place for a granule; NULL: all are taken by others that still count. */
static struct rt_spilled *find_place(struct rt_thread *t, uintptr_t granule) {
    struct rt_spilled *places = places_of(t, granule);
    for (size_t i = 0; i < PLACES; i++) {
        uintptr_t there = atomic_load_explicit(&places[i].granule, memory_order_relaxed);
        struct rt_view view = rt_load_view(there);
        if (!there || owner_of(&view) != t->slot)
            return &places[i];
        tidy_up(t, &places[i]);
        if (is_empty(&places[i]))
            return &places[i];
    }
    return NULL;
}

bool rt_spill(struct rt_thread *t, uintptr_t granule, const struct rt_view *view, bool write) {
    struct rt_spilled *entry = find(t, granule);
    bool afresh = !entry || owner_of(view) != t->slot;
    if (!entry)
        entry = find_place(t, granule);
    if (!entry)
        return false;
    for (size_t i = 0; i < RT_PARTS && afresh; i++)
        entry->words[i] = 0;
    atomic_store_explicit(&entry->granule, granule, memory_order_release);
    t->has_spilled = true;
    return write ? add_word(t, entry, view->write, view->write_detail, true)
                 : add_word(t, entry, view->read, view->read_detail, false);
}

void rt_note_flushed(const struct rt_thread *t, uintptr_t granule) {
    uint64_t write = atomic_fetch_or_explicit(&rt_shadow_of(granule)->write, RT_EMITTED | RT_KNOWN,
                                              memory_order_release);
    if (rt_is_mine(t, write))
        atomic_fetch_or_explicit(&rt_detail_of(granule)->write, RT_OLD_EMITTED,
                                 memory_order_relaxed);
}

void rt_flush_spilled(struct rt_thread *t) {
    for (size_t i = 0; t->has_spilled && i < RT_SPILLED; i++) {
        struct rt_spilled *entry = &t->spilled[i];
        uintptr_t granule = atomic_load_explicit(&entry->granule, memory_order_relaxed);
        if (!granule)
            continue;
        struct rt_view view = rt_load_view(granule);
        if (owner_of(&view) == t->slot) {
            rt_flush_write(t, granule, &view);
            rt_publish(t);
            rt_note_flushed(t, granule);
        }
        atomic_store_explicit(&entry->granule, 0, memory_order_relaxed);
    }
    t->has_spilled = false;
}

bool rt_drop_spilled(struct rt_thread *t, uintptr_t granule, uint32_t bytes) {
    struct rt_spilled *entry = find(t, granule);
    bool reads = false;
    if (!entry)
        return true;
    for (size_t i = 0; i < RT_PARTS; i++) {
        uint64_t word = entry->words[i] & ~(uint64_t)bytes;
        entry->words[i] = word & RT_BYTES ? word : 0;
        reads |= entry->words[i] && is_of_kind(word, false);
    }
    return !reads;
}
