/* Shadow memory: four words for each granule, which is 8 bytes of the program's memory. They say
 * who wrote it last, and who has read it since.
 *
 * They serve three purposes. An access that its thread has made before, with nothing in between
 * that could make a difference, ends here, with a comparison or two: most do. An access to memory
 * that another thread touched gets a sequence number unless something else has put the two in order
 * (thread_slot.h), so the order of all conflicts is known, of races too. And, when the watcher
 * wants it so (stream.h: deferred), an access to memory that no other thread has touched is not
 * emitted: shadow memory keeps it, and the next thread that touches this memory emits it, if it can
 * still matter.
 *
 * There is a word for writes and a word for reads, each with a detail word elsewhere. Bits 8 and 9
 * of a word are its state:
 * - OWN: it belongs to one thread. Bits 0 to 7 are the bytes that the thread accessed in its epoch,
 *   10 whether that was emitted, 13 to 26 its slot, 27 to 63 the epoch: the position of the thread
 *   in its stream when it last entered or left a function, synchronised or learned something. The
 *   detail word has the place in the code, and bytes that the same thread accessed in one earlier
 *   epoch. Epochs that make no difference any more count as one (call_stack.h: alike).
 * - SHARED, the word for reads: several threads have read it since the last write, each has that in
 *   its own table; bits 13 to 63 say which threads may have it (slot modulo 51).
 * - SHARED, the word for writes: it was accessed atomically, the last time with the sequence number
 *   in bits 13 to 63, and all is emitted; bit 0: it is the guard of a static object, whose loads
 *   receive what its initialiser sent.
 * - FREED (the word for writes): what was here was freed, or flushed, with that sequence number.
 *   What comes happens after it.
 *
 * KNOWN, in the word for writes: something about these bytes was emitted since they were allocated,
 * or a lock is in them, so the watcher has to learn when they are freed.
 *
 * MIXED, in the word for writes: the watcher, or what was spilled (deferred/spilled.c), knows more
 * about these bytes than the shadow does. Every access is emitted, until one thread has written all
 * of them, but for those that repeat what the words say of their own thread. If the detail word for
 * writes has PRIVATE, all that these know is of the thread whose word it is, or that thread depends
 * on it since then: then that thread's accesses need not be emitted. If the detail word for reads
 * has PRIVATE, and the write is of another thread, nobody has written since, and the same holds for
 * the thread whose word for reads it is, but for that write, perhaps: then that thread's reads
 * need not be emitted. Nothing is PRIVATE unless it is MIXED, and it is so for one of the two.
 * ONLY_READ, in the detail word for writes of what is MIXED: what is known beside the words are
 * nothing but reads. So who reads needs to think of the write only.
 *
 * Invariant: before a shadow word says what a thread did at a position, all records of the thread
 * up to there are visible. So whoever sees the word and takes or observes a sequence number comes
 * after it in the watcher's order too.
 *
 * Threads that touch different bytes of a granule at the same moment, or race, may overwrite each
 * other's words; then an access may be emitted twice or, in a window of a few instructions, a
 * deferred one not at all. */
#ifndef SERIATIM_RUNTIME_CORE_SHADOW_H
#define SERIATIM_RUNTIME_CORE_SHADOW_H

#include "runtime/core/thread_slot.h"

struct rt_shadow {
    _Atomic uint64_t write, read;
};

/* Most accesses do without the details, and memory is what they wait for: so these lie elsewhere.
 */
struct rt_detail {
    _Atomic uint64_t write, read;
};

enum rt_state { RT_UNTOUCHED, RT_OWN, RT_SHARED, RT_FREED };

enum {
    RT_BYTES = 0xff,
    RT_GUARD = 1,
    RT_STATE_AT = 8,
    RT_EMITTED = 1 << 10,
    RT_MIXED = 1 << 11,
    RT_KNOWN = 1 << 12,
    RT_SPILLED_WRITE = RT_KNOWN, /* where spilled accesses are, of which nothing else is known */
    RT_SLOT_AT = 13,
    RT_EPOCH_AT = 27,
    RT_READER_BITS = 64 - RT_SLOT_AT,
};
/* The bits that say whose a word is, and those that say also of which epoch. */
#define RT_WHO (UINT64_C(3) << RT_STATE_AT | (uint64_t)(RT_SLOTS - 1) << RT_SLOT_AT)
#define RT_FLAGS ((uint64_t)(RT_EMITTED | RT_MIXED | RT_KNOWN))
#define RT_WHO_AND_WHEN (~(RT_FLAGS | RT_BYTES))
/* A thread that comes to this epoch gives up: few more fit. A call takes two, so that is after some
 * 69 billion calls. */
#define RT_EPOCHS ((UINT64_C(1) << (64 - RT_EPOCH_AT)) - (1 << 20))
/* Larger than any word: functions were entered that are not emitted yet. */
#define RT_STALE UINT64_MAX

/* RT_STALE in controlled runs, in which every access takes the slow way; 0 otherwise. */
extern RT_HIDDEN uint64_t rt_slow_accesses;

/* What `since` is when accesses do not take the slow way for another reason. What a thread did
 * while it was alone is never emitted, so all its epochs up to now are alike. */
static inline uint64_t rt_since_of(const struct rt_thread *t) {
    if (t->boarded_depth != t->depth + t->ignoring || rt_is_looking_at_start(t))
        return RT_STALE;
    return t->alone ? t->first : t->alike;
}

/* The present epoch, as a shadow word. */
static inline uint64_t rt_present(const struct rt_thread *t) {
    return t->me | (t->base + t->position) << RT_EPOCH_AT;
}
/* Must frames be emitted before an access can be deferred, or is it to be ignored, perhaps? */
static inline bool rt_is_stale(const struct rt_thread *t) {
    return t->since == RT_STALE && rt_since_of(t) == RT_STALE;
}

/* 44 bits of an address distinguish programs, heaps and libraries of x86-64 Linux, and 72 TiB of
 * address space can be had without any memory behind it. */
enum { RT_ADDRESS_BITS = 44 };
extern RT_HIDDEN char *rt_shadow_base, *rt_detail_base, *rt_spilled_base;

bool rt_shadow_start(void); /* false: no addresses for it */
extern const size_t rt_shadow_bytes;

/* control/: memory was freed in a controlled run. */
void rt_forget_touches(uintptr_t address, size_t size);

/* In a process that was forked, where it is missing: at the same addresses, and empty. */
void rt_shadow_restore(void);

static inline uintptr_t rt_shadow_offset(uintptr_t address) {
    uintptr_t mask = ((uintptr_t)1 << RT_ADDRESS_BITS) - 8;
    return (address & mask) * 2;
}
static inline struct rt_shadow *rt_shadow_of(uintptr_t address) {
    return (struct rt_shadow *)(void *)(rt_shadow_base + rt_shadow_offset(address));
}
static inline struct rt_detail *rt_detail_of(uintptr_t address) {
    return (struct rt_detail *)(void *)(rt_detail_base + rt_shadow_offset(address));
}

static inline enum rt_state rt_state_of(uint64_t word) {
    return (enum rt_state)(word >> RT_STATE_AT & 3);
}
static inline uint64_t rt_sequence_of(uint64_t word) {
    return word >> RT_SLOT_AT;
}
static inline uint64_t rt_with_sequence(enum rt_state state, uint64_t sequence) {
    return sequence << RT_SLOT_AT | (uint64_t)state << RT_STATE_AT;
}
/* Of a SHARED word for reads: a bit for each slot, modulo 51. */
static inline uint64_t rt_readers_of(uint64_t word) {
    return word >> RT_SLOT_AT;
}
static inline uint64_t rt_reader_bit(const struct rt_thread *t) {
    return UINT64_C(1) << (RT_SLOT_AT + t->slot % RT_READER_BITS);
}
static inline uint32_t rt_slot_of(uint64_t word) {
    return word >> RT_SLOT_AT & (RT_SLOTS - 1);
}
static inline uint64_t rt_epoch_of(uint64_t word) {
    return word >> RT_EPOCH_AT;
}
static inline bool rt_is_of(uint64_t word, uint64_t current) {
    return ((word ^ current) & RT_WHO_AND_WHEN) == 0;
}
/* Is it a word of the thread, and not of an epoch before that? Epochs are the upper bits. */
static inline bool rt_is_since(const struct rt_thread *t, uint64_t word, uint64_t since) {
    return ((word ^ t->me) & RT_WHO) == 0 && word >= since;
}
/* A thread that had the slot before has smaller epochs. */
static inline bool rt_is_mine(const struct rt_thread *t, uint64_t word) {
    return rt_is_since(t, word, t->first);
}

static inline bool rt_is_untouched(uint64_t word) {
    return rt_state_of(word) == RT_UNTOUCHED;
}

static inline bool rt_is_foreign(const struct rt_thread *t, uint64_t word) {
    return rt_state_of(word) == RT_OWN && !rt_is_mine(t, word);
}

/* Does what t does now come after what the word says, without a new sequence number? */
static inline bool rt_comes_after(const struct rt_thread *t, uint64_t word) {
    return rt_is_ordered(t, rt_slot_of(word), rt_epoch_of(word));
}

/* After t has taken a sequence number, if it needed one: is the write that the word tells of done?
 * It is announced before it is done; but if its thread has taken a sequence number since, it was
 * done before that. */
static inline bool rt_is_settled(const struct rt_thread *t, uint64_t write) {
    return rt_state_of(write) != RT_OWN || rt_is_mine(t, write) || rt_comes_after(t, write);
}

/* No event is emitted when memory is freed about which the watcher knows nothing. A lock may be all
 * that is in it, and has to end there. */
static inline void rt_mark_known(uintptr_t address) {
    _Atomic uint64_t *word = &rt_shadow_of(address)->write;
    if (!(atomic_load_explicit(word, memory_order_relaxed) & RT_KNOWN))
        atomic_fetch_or_explicit(word, RT_KNOWN, memory_order_relaxed);
}

/* The bytes of a granule that lie in the range. */
static inline uint32_t rt_bytes_in(uintptr_t granule, uintptr_t address, size_t size) {
    uint32_t bytes = RT_BYTES;
    if (granule < address)
        bytes &= (uint32_t)RT_BYTES << (address - granule);
    if (granule + 8 > address + size)
        bytes &= (uint32_t)RT_BYTES >> (granule + 8 - address - size);
    return bytes;
}

/* The shadow of a granule, as it was when somebody looked. */
struct rt_view {
    uint64_t write, read, write_detail, read_detail;
};
static inline struct rt_view rt_load_view(uintptr_t granule) {
    const struct rt_shadow *shadow = rt_shadow_of(granule);
    const struct rt_detail *detail = rt_detail_of(granule);
    return (struct rt_view){
        .write = atomic_load_explicit(&shadow->write, memory_order_acquire),
        .read = atomic_load_explicit(&shadow->read, memory_order_acquire),
        .write_detail = atomic_load_explicit(&detail->write, memory_order_relaxed),
        .read_detail = atomic_load_explicit(&detail->read, memory_order_relaxed),
    };
}
static inline void rt_set_write(uintptr_t granule, uint64_t word, uint64_t detail) {
    atomic_store_explicit(&rt_detail_of(granule)->write, detail, memory_order_relaxed);
    atomic_store_explicit(&rt_shadow_of(granule)->write, word, memory_order_release);
}
static inline void rt_set_read(uintptr_t granule, uint64_t word, uint64_t detail) {
    atomic_store_explicit(&rt_detail_of(granule)->read, detail, memory_order_relaxed);
    atomic_store_explicit(&rt_shadow_of(granule)->read, word, memory_order_release);
}

/* The detail of an OWN word: place in the code (bits 0 to 31); bytes of an earlier epoch (32 to
 * 39), whether they were emitted (40), the lower bits of that epoch (43 to 63); PRIVATE (41);
 * ONLY_READ (42). */
enum { RT_OLD_AT = 32, RT_OLD_EPOCH_AT = 43, RT_OLD_EPOCH_BITS = 64 - RT_OLD_EPOCH_AT };
#define RT_OLD_EMITTED (UINT64_C(1) << 40)
#define RT_PRIVATE (UINT64_C(1) << 41)
#define RT_ONLY_READ (UINT64_C(1) << 42)

/* Is nothing but reads known beside the words? */
static inline bool rt_is_only_read(const struct rt_view *view) {
    return view->write & RT_MIXED && rt_state_of(view->write) == RT_OWN &&
           view->write_detail & RT_ONLY_READ;
}

static inline bool rt_is_private(const struct rt_view *view) {
    return view->write & RT_MIXED &&
           ((rt_state_of(view->write) == RT_OWN && view->write_detail & RT_PRIVATE) ||
            (rt_state_of(view->read) == RT_OWN && view->read_detail & RT_PRIVATE));
}

static inline uint32_t rt_old_bytes(uint64_t detail) {
    return detail >> RT_OLD_AT & RT_BYTES;
}
static inline uint64_t rt_old_epoch(uint64_t word, uint64_t detail) {
    uint64_t epoch = rt_epoch_of(word);
    return epoch -
           ((epoch - (detail >> RT_OLD_EPOCH_AT)) & ((UINT64_C(1) << RT_OLD_EPOCH_BITS) - 1));
}

/* Of an OWN word: all its bytes, and those whose access can still matter. */
static inline uint32_t rt_all_bytes(uint64_t word, uint64_t detail) {
    return (word & RT_BYTES) | rt_old_bytes(detail);
}
uint32_t rt_live_bytes(uint64_t word, uint64_t detail);

/* ---- reads of memory that several threads read: each thread has a table of its own ---- */

/* Where a granule is in the table. Neighbours are neighbours, but the heaps of threads, which all
 * start at multiples of 64 MB, do not fall on each other. */
static inline size_t rt_table_index(uintptr_t granule) {
    return ((granule >> 3) + (granule >> 26) * 0x9E37) & (RT_SHARED_READS - 1);
}
static inline struct rt_shared_read *rt_shared_read_of(struct rt_thread *t, uintptr_t granule) {
    return &t->shared[rt_table_index(granule)];
}

/* The granule, and the shadow word for writes when it was read, in 64 bits: one other write in a
 * million looks the same. */
static inline uint64_t rt_read_key(uintptr_t granule, uint64_t write) {
    uint64_t hash = (write & ~RT_FLAGS) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint64_t)(granule >> 3) << RT_KEY_HASH_BITS | hash >> (64 - RT_KEY_HASH_BITS);
}
static inline uintptr_t rt_granule_of(uint64_t key) {
    return key >> RT_KEY_HASH_BITS << 3;
}
static inline bool rt_was_shared_read(const struct rt_shared_read *read, uintptr_t granule,
                                      uint64_t write) {
    return read->key == rt_read_key(granule, write);
}
static inline void rt_store_shared_read(struct rt_thread *t, uintptr_t granule, uint64_t write,
                                        uint64_t mine, uint64_t detail) {
    size_t index = rt_table_index(granule), page = index / RT_READS_A_PAGE;
    t->shared_pages[page / 64] |= UINT64_C(1) << page % 64;
    t->shared[index] = (struct rt_shared_read){rt_read_key(granule, write), mine};
    t->shared_details[index] = detail;
}

#endif
