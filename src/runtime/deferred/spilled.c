/* Spilled accesses: deferred ones that the words of a granule have no room for.
 *
 * A shadow word and its detail hold two epochs of the 8 bytes of a granule, of one thread. There
 * are three ways to need more: a thread accesses them in more functions that are all open; it
 * accesses some of them after another thread, on which it depends already, has accessed others
 * (known_memory.c: taking over); or several threads read them (sharing). Then the older accesses go
 * to a place beside the shadow, and the granule becomes MIXED, and PRIVATE or ONLY_READ (shadow.h):
 * so everybody else takes the slow way, and finds them there. Whoever emits what the granule's
 * words say takes them out and emits them, too.
 *
 * What is there counts only as long as the granule is PRIVATE or ONLY_READ without a break: the
 * first to be spilled then starts afresh. So nobody has to clear it when memory is freed or written
 * all over.
 *
 * Of each byte only the last write and the last read of each thread count, so an access to the same
 * bytes takes the place of such older ones. When a place is full, epochs that are alike by now
 * become one. When that does not help, the thread emits what it has of the granule.
 *
 * Places are numbered, and beside the shadow of each granule there is room for the number of its
 * place. A place whose granule has no use for it any more is given to another one: so there are
 * about as many as are in use at a time. */
#include "runtime/core/call_stack.h"
#include "runtime/core/flush_deferred.h"

struct rt_spilled {
    _Atomic uint64_t granule;
    _Atomic uint64_t words[RT_PARTS]; /* with RT_SPILLED_WRITE or without flags; 0: none */
    _Atomic uint32_t callers[RT_PARTS];
};

/* ---- places ---- */

/* The number of a granule's place, or 0; and BUSY: a thread changes that, or what is in the place.
 * Several threads may read a granule at once. */
enum { BUSY = 1u << 31 };
enum { PLACES = 1 << 10 }; /* in a chunk */
enum { CHUNK_BYTES = PLACES * sizeof(struct rt_spilled), CHUNKS = RT_MOST_SPILLED / CHUNK_BYTES };
static _Atomic(struct rt_spilled *) chunks[CHUNKS];
static _Atomic uint32_t made, looked_at; /* places; the last one that was thought of for reuse */

static _Atomic uint32_t *number_of(uintptr_t granule) {
    uintptr_t mask = ((uintptr_t)1 << RT_ADDRESS_BITS) - 8;
    return (_Atomic uint32_t *)(void *)(rt_spilled_base + (granule & mask) / 2);
}

/* Who is at it is soon done, unless a handler of a signal has interrupted it. */
static bool try_to_lock(_Atomic uint32_t *number, size_t tries) {
    while (atomic_fetch_or_explicit(number, BUSY, memory_order_acquire) & BUSY)
        if (!--tries)
            return false;
    return true;
}

static void unlock(_Atomic uint32_t *number) {
    atomic_fetch_and_explicit(number, ~(uint32_t)BUSY, memory_order_release);
}

/* NULL if there is none with that number, or no memory for it. */
static struct rt_spilled *place_at(uint32_t number) {
    struct rt_spilled *chunk =
        atomic_load_explicit(&chunks[number / PLACES % CHUNKS], memory_order_acquire);
    return number && chunk ? &chunk[number % PLACES] : NULL;
}

/* The place of a granule, or NULL. */
static struct rt_spilled *find(uintptr_t granule) {
    return place_at(atomic_load_explicit(number_of(granule), memory_order_acquire) & ~BUSY);
}

static uintptr_t granule_of(const struct rt_spilled *place) {
    return atomic_load_explicit(&place->granule, memory_order_acquire);
}

static bool counts(const struct rt_view *view) {
    return rt_is_private(view) || rt_is_only_read(view);
}

/* Takes a place away from its granule. False: it is in use, or will be. */
static bool take_away(uint32_t number) {
    const struct rt_spilled *place = place_at(number);
    uintptr_t granule = place ? granule_of(place) : 0;
    if (!granule || !try_to_lock(number_of(granule), 1))
        return false;
    struct rt_view view = rt_load_view(granule);
    bool mine = atomic_load_explicit(number_of(granule), memory_order_relaxed) == (number | BUSY);
    bool free = mine && !counts(&view);
    if (free)
        atomic_store_explicit(number_of(granule), BUSY, memory_order_relaxed);
    unlock(number_of(granule));
    return free;
}

/* 0: there is none. */
static uint32_t find_free(void) {
    enum { TRIES = 2 };
    uint32_t count = atomic_load_explicit(&made, memory_order_relaxed);
    for (size_t i = 0; i < TRIES && count; i++) {
        uint32_t number = atomic_fetch_add_explicit(&looked_at, 1, memory_order_relaxed) % count;
        if (take_away(number + 1))
            return number + 1;
    }
    return 0;
}

/* 0: there is no memory. */
static uint32_t make(void) {
    enum { MOST = CHUNKS * PLACES - 1 };
    if (atomic_load_explicit(&made, memory_order_relaxed) >= MOST - ST_STREAM_SLOTS)
        return 0;
    uint32_t number = atomic_fetch_add_explicit(&made, 1, memory_order_relaxed) + 1;
    _Atomic(struct rt_spilled *) *chunk = &chunks[number / PLACES];
    struct rt_spilled *none = NULL, *places = NULL;
    if (!atomic_load_explicit(chunk, memory_order_acquire) && (places = rt_map_memory(CHUNK_BYTES)))
        atomic_compare_exchange_strong(chunk, &none, places); /* one that is too late is unused */
    return place_at(number) ? number : 0;
}

/* A place for a granule that has none, and is BUSY. */
static struct rt_spilled *give_place(uintptr_t granule) {
    uint32_t number = find_free();
    if (!number && !(number = make()))
        return NULL;
    struct rt_spilled *place = place_at(number);
    atomic_store_explicit(&place->granule, granule, memory_order_release);
    atomic_store_explicit(number_of(granule), number | BUSY, memory_order_release);
    return place;
}

void rt_spilled_reset(void) {
    for (size_t i = 0; i < CHUNKS; i++)
        atomic_store_explicit(&chunks[i], NULL, memory_order_relaxed);
    atomic_store_explicit(&made, 0, memory_order_relaxed);
}

struct rt_spilled *rt_open_spilled(uintptr_t granule, const struct rt_view *view) {
    _Atomic uint32_t *number = number_of(granule);
    if (!try_to_lock(number, 1))
        return NULL;
    struct rt_view now = rt_load_view(granule);
    struct rt_spilled *place = NULL;
    if (now.write == view->write && counts(&now) == counts(view)) {
        place = find(granule);
        if (!place)
            place = give_place(granule);
    }
    for (size_t i = 0; place && i < RT_PARTS && !counts(view); i++)
        atomic_store_explicit(&place->words[i], 0, memory_order_relaxed);
    if (!place)
        unlock(number);
    return place;
}

void rt_close_spilled(struct rt_spilled *place) {
    unlock(number_of(granule_of(place)));
}

bool rt_take_spilled(uintptr_t granule, const struct rt_view *view, struct rt_spilled_copy *copy) {
    enum { PATIENCE = 1000 };
    if (!counts(view))
        return false;
    _Atomic uint32_t *number = number_of(granule);
    bool locked = try_to_lock(number, PATIENCE);
    struct rt_spilled *place = find(granule);
    for (size_t i = RT_PARTS; place && i-- > 0;) { /* tidy_up moves them to the front */
        copy->words[i] = atomic_exchange_explicit(&place->words[i], 0, memory_order_acq_rel);
        copy->callers[i] = atomic_load_explicit(&place->callers[i], memory_order_relaxed);
    }
    if (locked)
        unlock(number);
    return place != NULL;
}

/* ---- adding ---- */

static uint64_t word_at(const struct rt_spilled *place, size_t i) {
    return atomic_load_explicit(&place->words[i], memory_order_relaxed);
}

static void set_word(struct rt_spilled *place, size_t i, uint64_t word) {
    atomic_store_explicit(&place->words[i], word, memory_order_release);
}

static bool is_of_kind(uint64_t word, bool write) {
    return ((word & RT_SPILLED_WRITE) != 0) == write;
}

/* The same word, as it is by now: 0 if it cannot matter any more. */
static uint64_t tidy(const struct rt_thread *t, uint64_t word) {
    uint64_t epoch = rt_epoch_of(word);
    if (rt_is_dead(rt_slot_of(word), epoch))
        return 0;
    if (rt_is_mine(t, word))
        epoch = rt_last_alike(t, epoch);
    return (word & ~(UINT64_MAX << RT_EPOCH_AT)) | epoch << RT_EPOCH_AT;
}

/* What cannot matter any more goes, and epochs that are alike by now are the same. Another thread
 * may be looking. */
static void tidy_up(const struct rt_thread *t, struct rt_spilled *place) {
    for (size_t i = 0; i < RT_PARTS; i++) {
        uint64_t word = word_at(place, i);
        if (!word)
            continue;
        set_word(place, i, word = tidy(t, word));
        for (size_t j = 0; j < i && word; j++)
            if (!((word_at(place, j) ^ word) & ~(uint64_t)RT_BYTES)) {
                set_word(place, j, word_at(place, j) | word);
                set_word(place, i, word = 0);
            }
    }
}

static bool add_part(struct rt_spilled *place, uint64_t word, uint32_t caller) {
    size_t room = RT_PARTS;
    for (size_t i = 0; i < RT_PARTS; i++) {
        uint64_t there = word_at(place, i);
        bool write = word & RT_SPILLED_WRITE, own = !((there ^ word) & RT_WHO);
        if (is_of_kind(there, write) && (write || own))
            there &= ~(word & RT_BYTES);
        if (!(there & RT_BYTES))
            there = 0;
        if (there != word_at(place, i))
            set_word(place, i, there);
        if (!there)
            room = i;
    }
    if (room == RT_PARTS)
        return false;
    atomic_store_explicit(&place->callers[room], caller, memory_order_relaxed);
    set_word(place, room, word);
    return true;
}

static bool add(const struct rt_thread *t, struct rt_spilled *place, uint64_t word,
                uint32_t caller) {
    if (!(word & RT_BYTES) || add_part(place, word, caller))
        return true;
    tidy_up(t, place);
    return add_part(place, word, caller);
}

bool rt_spill(const struct rt_thread *t, struct rt_spilled *place, uint64_t word, uint64_t detail,
              uint32_t bytes, bool write) {
    bytes &= rt_live_bytes(word, detail);
    uint64_t whose = (word & RT_WHO) | (write ? RT_SPILLED_WRITE : 0);
    uint64_t old =
        whose | (rt_old_bytes(detail) & bytes) | rt_old_epoch(word, detail) << RT_EPOCH_AT;
    uint64_t last = whose | (word & bytes) | rt_epoch_of(word) << RT_EPOCH_AT;
    return (detail & RT_OLD_EMITTED || add(t, place, old, 0)) &&
           (word & RT_EMITTED || add(t, place, last, (uint32_t)detail));
}

/* What is beside the words from now on are reads, of several threads. */
static void set_only_read(uintptr_t granule, const struct rt_view *view) {
    atomic_store_explicit(&rt_detail_of(granule)->write,
                          (view->write_detail & ~RT_PRIVATE) | RT_ONLY_READ, memory_order_relaxed);
    atomic_fetch_or_explicit(&rt_shadow_of(granule)->write, RT_MIXED, memory_order_release);
}

bool rt_spill_shared(const struct rt_thread *t, uintptr_t granule, const struct rt_view *view,
                     uint64_t word, uint64_t detail) {
    if (rt_state_of(view->write) != RT_OWN || (view->write & RT_MIXED && !rt_is_only_read(view)))
        return false;
    struct rt_spilled *place = rt_open_spilled(granule, view);
    if (!place)
        return false;
    bool fits = rt_spill(t, place, word, detail, RT_BYTES, false);
    if (fits)
        set_only_read(granule, view);
    rt_close_spilled(place);
    return fits;
}

void rt_note_flushed(const struct rt_thread *t, uintptr_t granule) {
    uint64_t write = atomic_fetch_or_explicit(&rt_shadow_of(granule)->write, RT_EMITTED | RT_KNOWN,
                                              memory_order_release);
    if (rt_is_mine(t, write))
        atomic_fetch_or_explicit(&rt_detail_of(granule)->write, RT_OLD_EMITTED,
                                 memory_order_relaxed);
}

bool rt_drop_spilled(uintptr_t granule, uint32_t bytes) {
    struct rt_spilled *place = find(granule);
    bool reads = false;
    for (size_t i = 0; place && i < RT_PARTS; i++) {
        uint64_t word = word_at(place, i);
        if (word & bytes)
            set_word(place, i, word &= word & RT_BYTES & ~bytes ? ~(uint64_t)bytes : 0);
        reads |= word && is_of_kind(word, false);
    }
    return !reads;
}
