/* Four words for each 8 bytes of the program's memory: who wrote them last, and who has read them
 * since.
 *
 * They serve three purposes. An access that its thread has made before, with nothing in between
 * that could make a difference, ends here, with a comparison or two: most do. An access to memory
 * that another thread touched gets a number unless something else has put the two in order
 * (slots.c), so the order of all conflicts is known, of races too. And, when the watcher wants it
 * so (stream.h: late), an access to memory that no other thread has touched is not told at all: the
 * cell keeps it, and whoever comes next from another thread tells it, if it can still matter.
 *
 * A word says, in bits 8 and 9, whose it is:
 * - OWN: one thread's. Bits 0 to 7 are the bytes that it accessed in its epoch, 10 whether that was
 *   told, 13 to 26 its slot, 27 to 63 the epoch: the position of the thread in its stream when it
 *   last entered or left a function, synchronised or learned something. The word behind it has the
 *   place in the code, and bytes that the same thread accessed in one earlier epoch.
 * - SHARED: the word for reads: several threads have read it since the last write, each has it in
 *   its own table; bits 13 to 63 say which threads may (slot modulo 51). The word for writes:
 *   accessed atomically, the last time with the number in bits 13 to 63, and all is told; bit 0: it
 *   is the guard of a static object, whose loads receive what its initialiser sent.
 * - FREED (the word for writes): what was here was freed, or went to the watcher, with that number.
 *   What comes happens after it.
 *
 * KNOWN, in the word for writes: something was told of these bytes since they were allocated, or a
 * lock is in them, so the watcher has to be told when they are freed.
 *
 * MIXED, in the word for writes: the watcher knows more of these bytes than the cell. Every access
 * is told, until one thread has written all of them.
 *
 * Invariant: before a cell says what a thread did at a position, all that the thread told up to
 * there is visible. So whoever sees the cell and draws or observes a number comes after it in the
 * watcher's order too.
 *
 * Threads that touch different bytes of a cell at the same moment, or race, may overwrite each
 * other's entry; then an access may be told twice or, in a window of a few instructions, a late one
 * not at all. */
#ifndef SERIATIM_RUNTIME_CORE_SHADOW_H
#define SERIATIM_RUNTIME_CORE_SHADOW_H

#include "runtime/core/thread_slot.h"

struct rt_cell {
    _Atomic uint64_t write, read;
};

/* The words behind those of a cell. They lie elsewhere: most looks at a cell do without them, and
 * memory is what they wait for. */
struct rt_more {
    _Atomic uint64_t write, read;
};

enum rt_state { RT_NOBODY, RT_OWN, RT_SHARED, RT_FREED };

enum {
    RT_BYTES = 0xff,
    RT_GUARD = 1,
    RT_STATE_AT = 8,
    RT_TOLD = 1 << 10,
    RT_MIXED = 1 << 11,
    RT_KNOWN = 1 << 12,
    RT_SLOT_AT = 13,
    RT_EPOCH_AT = 27,
    RT_READER_BITS = 64 - RT_SLOT_AT,
};
/* Whose it is, at any time and at one. */
#define RT_WHO (UINT64_C(3) << RT_STATE_AT | (uint64_t)(RT_SLOTS - 1) << RT_SLOT_AT)
#define RT_FLAGS ((uint64_t)(RT_TOLD | RT_MIXED | RT_KNOWN))
#define RT_WHO_AND_WHEN (~(RT_FLAGS | RT_BYTES))
/* Equal to no word: functions were entered that are not told yet. */
#define RT_STALE UINT64_MAX

/* 44 bits of an address tell programs, heaps and libraries of x86-64 Linux apart, and 64 TiB of
 * address space can be had without any memory behind it. */
enum { RT_ADDRESS_BITS = 44 };
extern char *rt_cells, *rt_mores;

bool rt_cells_start(void); /* false: no memory for them */

static inline uintptr_t rt_cell_offset(uintptr_t address) {
    uintptr_t mask = ((uintptr_t)1 << RT_ADDRESS_BITS) - 8;
    return (address & mask) * 2;
}
static inline struct rt_cell *rt_cell(uintptr_t address) {
    return (struct rt_cell *)(void *)(rt_cells + rt_cell_offset(address));
}
static inline struct rt_more *rt_more(uintptr_t address) {
    return (struct rt_more *)(void *)(rt_mores + rt_cell_offset(address));
}

static inline enum rt_state rt_state(uint64_t word) {
    return (enum rt_state)(word >> RT_STATE_AT & 3);
}
static inline uint64_t rt_number_of(uint64_t word) {
    return word >> RT_SLOT_AT;
}
static inline uint64_t rt_with_number(enum rt_state state, uint64_t number) {
    return number << RT_SLOT_AT | (uint64_t)state << RT_STATE_AT;
}
static inline uint32_t rt_slot_of(uint64_t word) {
    return word >> RT_SLOT_AT & (RT_SLOTS - 1);
}
static inline uint64_t rt_epoch_of(uint64_t word) {
    return word >> RT_EPOCH_AT;
}
static inline bool rt_is_of(uint64_t word, uint64_t owner) {
    return ((word ^ owner) & RT_WHO_AND_WHEN) == 0;
}
/* A thread that had the slot before has smaller epochs, which are the upper bits. */
static inline bool rt_is_mine(const struct rt_thread *t, uint64_t word) {
    return ((word ^ t->me) & RT_WHO) == 0 && word >= t->first;
}

static inline bool rt_is_nobodys(uint64_t word) {
    return rt_state(word) == RT_NOBODY;
}

static inline bool rt_is_foreign(const struct rt_thread *t, uint64_t word) {
    return rt_state(word) == RT_OWN && !rt_is_mine(t, word);
}

/* Is what t does now in order with what the word says, without a number? */
static inline bool rt_comes_after(const struct rt_thread *t, uint64_t word) {
    return rt_is_ordered(t, rt_slot_of(word), rt_epoch_of(word));
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

/* What a cell says, as it was when somebody looked. */
struct rt_view {
    uint64_t write, read, write_more, read_more;
};
static inline struct rt_view rt_look(uintptr_t granule) {
    const struct rt_cell *cell = rt_cell(granule);
    const struct rt_more *more = rt_more(granule);
    return (struct rt_view){
        .write = atomic_load_explicit(&cell->write, memory_order_acquire),
        .read = atomic_load_explicit(&cell->read, memory_order_acquire),
        .write_more = atomic_load_explicit(&more->write, memory_order_relaxed),
        .read_more = atomic_load_explicit(&more->read, memory_order_relaxed),
    };
}
static inline void rt_set_write(uintptr_t granule, uint64_t word, uint64_t more) {
    atomic_store_explicit(&rt_more(granule)->write, more, memory_order_relaxed);
    atomic_store_explicit(&rt_cell(granule)->write, word, memory_order_release);
}
static inline void rt_set_read(uintptr_t granule, uint64_t word, uint64_t more) {
    atomic_store_explicit(&rt_more(granule)->read, more, memory_order_relaxed);
    atomic_store_explicit(&rt_cell(granule)->read, word, memory_order_release);
}

/* The word behind an OWN word: place in the code (bits 0 to 31); bytes of an earlier epoch (32 to
 * 39), whether they were told (40), the lower bits of that epoch (41 to 63). */
enum { RT_OLD_AT = 32, RT_OLD_EPOCH_AT = 41, RT_OLD_EPOCH_BITS = 64 - RT_OLD_EPOCH_AT };
#define RT_OLD_TOLD (UINT64_C(1) << 40)

static inline uint32_t rt_old_bytes(uint64_t more) {
    return more >> RT_OLD_AT & RT_BYTES;
}
static inline uint64_t rt_old_epoch(uint64_t word, uint64_t more) {
    uint64_t epoch = rt_epoch_of(word);
    return epoch - ((epoch - (more >> RT_OLD_EPOCH_AT)) & ((UINT64_C(1) << RT_OLD_EPOCH_BITS) - 1));
}

/* Of an OWN word: all its bytes, and those whose access can still matter. */
static inline uint32_t rt_all_bytes(uint64_t word, uint64_t more) {
    return (word & RT_BYTES) | rt_old_bytes(more);
}
uint32_t rt_live_bytes(uint64_t word, uint64_t more);

#endif
