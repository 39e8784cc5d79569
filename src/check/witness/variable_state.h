/* What `witness` keeps of variables, locks and channels: their last accesses.
 *
 * A later access depends on the last write, and on the last read of each thread since then, and
 * through those on everything older. A lock is kept like a variable: its releases are the writes,
 * and its acquires the reads, of which there never is more than one between them. A channel is kept
 * like a variable that is only ever read: its sends are the reads, and a receive depends on the
 * last one of each thread. */
#ifndef SERIATIM_CHECK_WITNESS_VARIABLE_STATE_H
#define SERIATIM_CHECK_WITNESS_VARIABLE_STATE_H

#include "check/witness/last_access.h"

#include "base/memory.h"
#include "base/slab.h"

/* The last read of each thread, in the order of their first. `index` behind the items is a hash
 * table by thread of 2 * capacity places in them, counted from 1; so a read costs the same however
 * many threads read. It is not that of base/hash_table.h: it shares the allocation of the items,
 * which come and go with every write, and thread numbers need no hashing. */
struct st_readers {
    uint32_t count, capacity; /* capacity is a power of two */
    uint32_t until_sift;      /* reads to come until the dead ones are removed */
    struct st_last_access items[];
};

/* slot[ST_READ] and slot[ST_WRITE] are the last read since the last write, and the last write. When
 * reads of several threads since then may matter, the read slot is negative, which is never dead,
 * and no thread's own. Then `when` has the number of an event, and `what` in its low bits the
 * struct st_readers with all of these reads, and above them the threads (bit by number) whose read
 * in there is younger than that event: a thread whose local time is still the same need not look
 * for its read. Variables are looked up at random: two share a cache line. */
struct st_variable_state {
    struct st_last_access slot[2];
};

_Static_assert(sizeof(struct st_variable_state) == 32, "variables do not cross cache lines");

#define ST_SEVERAL (UINT64_MAX << ST_ACCESS_NUMBER_BITS)
enum { ST_POINTER_BITS = 48, ST_FRESH_THREADS = 64 - ST_POINTER_BITS };

static inline bool st_has_several_readers(const struct st_variable_state *variable) {
    return st_access_thread(&variable->slot[ST_READ]) < 0;
}

static inline struct st_readers *st_several_readers(const struct st_variable_state *variable) {
    uint64_t bits = variable->slot[ST_READ].what & ((UINT64_C(1) << ST_POINTER_BITS) - 1);
    return (struct st_readers *)(uintptr_t)bits;
}

/* Variables are in pages of so many, some of which are packed (state_pages.h). Every second page is
 * one of locks: so what to do is the same for both, and costs no branch, which no processor could
 * predict. */
#ifdef SERIATIM_STRESS
enum { ST_STATE_PAGE_BITS = 1, ST_OPEN_PAGES = 2 };
#else
enum { ST_STATE_PAGE_BITS = 7, ST_OPEN_PAGES = 1024 };
#endif
enum { ST_PAGE_STATES = 1 << ST_STATE_PAGE_BITS };

union st_state_page {
    struct st_variable_state variables[ST_PAGE_STATES];
    union st_state_page *next_free;
};

static inline uint32_t st_state_page_of(uint32_t number, bool lock) {
    return number >> ST_STATE_PAGE_BITS << 1 | lock;
}

static inline uint32_t st_state_place(uint32_t number) {
    return number & (ST_PAGE_STATES - 1);
}

/* Invariant: a page is open, or packed, or there is none and nobody has accessed its variables.
 * Open ones are in `queue`, in the order in which they were opened, apart from those that could not
 * be packed in their turn. */
struct st_variable_states {
    const uint64_t *const *live;    /* of the engine: see st_access_matters */
    union st_state_page **pages;    /* by page: open, or NULL */
    struct st_packed_page **packed; /* by page: or NULL */
    size_t page_capacity;           /* of both, a power of two */
    uint32_t *queue;                /* a ring of queue_capacity, a power of two */
    size_t queue_first, queue_count, queue_capacity;
    size_t open_limit;               /* so many may be open */
    size_t events, opened;           /* in this period: see st_states_adapt */
    union st_state_page *free_pages; /* a chain through their first bytes */
    union st_state_page *fresh;      /* pages of the last block that were never taken */
    size_t fresh_count;
    union st_state_page **page_blocks;
    size_t block_count, block_capacity, page_bytes, packed_bytes;

    struct st_variable_state *channels; /* without a write */
    size_t channel_capacity;
    struct st_slab small_readers;
    size_t reader_bytes; /* of the others */
};

void st_states_init(struct st_variable_states *states, const uint64_t *const *live);
void st_states_free(struct st_variable_states *states);
size_t st_states_memory(const struct st_variable_states *states);

/* Opens a page that is not open. */
void st_states_open(struct st_variable_states *states, uint32_t page);

/* So many events were fed. If they opened pages all the time, as many again may be open from now
 * on. */
void st_states_adapt(struct st_variable_states *states, size_t events);

/* The variable, lock or channel with that number. May move all others, apart from the variable or
 * lock that was asked for last. */
static inline struct st_variable_state *st_states_at(struct st_variable_states *states,
                                                     uint32_t number, bool lock) {
    uint32_t page = st_state_page_of(number, lock);
    if (__builtin_expect(page >= states->page_capacity || !states->pages[page], 0))
        st_states_open(states, page);
    return &states->pages[page]->variables[st_state_place(number)];
}

static inline struct st_variable_state *st_states_variable(struct st_variable_states *states,
                                                           uint32_t variable) {
    return st_states_at(states, variable, false);
}

static inline struct st_variable_state *st_states_channel(struct st_variable_states *states,
                                                          uint32_t channel) {
    st_reserve(&states->channels, &states->channel_capacity, channel + (size_t)1);
    return &states->channels[channel];
}

/* Adds a read beside others that still matter. `ticked` is the event at which the thread's local
 * time last grew. */
void st_states_read(struct st_variable_states *states, struct st_variable_state *variable,
                    const struct st_last_access *read, uint64_t ticked);

/* Adds a read that may be older than its thread's present local time. One of the same thread, of
 * event `later` or a later one, stays. */
void st_states_deferred_read(struct st_variable_states *states, struct st_variable_state *variable,
                             const struct st_last_access *read, uint64_t later);

/* Is a read by the thread, at its present local time, among several? Where tables are read in
 * blocks that never end, this saves two cache misses a read. */
static inline bool st_has_fresh_read(const struct st_variable_state *variable, uint32_t thread,
                                     uint64_t ticked) {
    const struct st_last_access *reads = &variable->slot[ST_READ];
    return st_has_several_readers(variable) && thread < ST_FRESH_THREADS &&
           reads->what >> (ST_POINTER_BITS + thread) & 1 && ticked < st_access_number(reads);
}

/* The accesses to the one variable were accesses to the other, too, which has none yet. */
void st_states_copy(struct st_variable_states *states, uint32_t from, uint32_t to);

/* A receive follows: removes the sends that no longer matter, once in a while. A write clears the
 * reads, but nothing clears the sends, and each receive looks at all of them. */
void st_states_receive(struct st_variable_states *states, struct st_variable_state *channel);

/* Forgets the reads: a write follows. */
void st_states_drop_reads(struct st_variable_states *states, struct st_variable_state *variable);

/* Forgets a variable. */
void st_states_forget(struct st_variable_states *states, uint32_t variable);

#endif
