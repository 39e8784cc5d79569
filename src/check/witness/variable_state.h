/* What `witness` keeps of variables, locks and channels: their last accesses.
 *
 * A later access depends on the last write, on the last read of each thread since then, or on the
 * last release, and through those on everything older. A channel is kept like a variable that is
 * only ever read: its sends are the reads, and a receive depends on the last one of each thread. */
#ifndef SERIATIM_CHECK_WITNESS_VARIABLE_STATE_H
#define SERIATIM_CHECK_WITNESS_VARIABLE_STATE_H

#include "check/witness/open_before.h"

#include "base/memory.h"
#include "base/slab.h"

#include <string.h>

/* An access by a thread at a local time. time 0: none, and nothing else has a meaning. */
struct st_last_access {
    int32_t thread; /* or ST_SEVERAL */
    st_time time;
    struct st_open_before *before; /* that happen before it */
    uint64_t number;               /* of the event */
    uint64_t loc;                  /* and whether it is atomic: st_access_loc */
};

/* The bit is the one that struct st_event has beside its location, so that both are one mask. */
enum { ST_ACCESS_ATOMIC = 54 };
static inline uint64_t st_access_loc(const struct st_event *event) {
    uint64_t word; /* 4 instructions less an access than from the two members */
    memcpy(&word, (const char *)event + sizeof *event - sizeof word, sizeof word);
    return word & (UINT64_C(1) << ST_ACCESS_ATOMIC | ST_LOC_NAME | (ST_LOC_NAME - 1));
}

/* From which local time on a thread's accesses can still matter, by thread. What is older is dead
 * for good. live_from[ST_SEVERAL] is ST_NEVER. */
#define ST_SEVERAL (-1)

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
 * reads of several threads since then may matter, `readers` holds them all, the thread of the read
 * slot is ST_SEVERAL and its time is ST_NEVER: it is never dead, and no thread's own. A variable
 * takes one cache line, since variables are looked up at random. */
struct st_variable_state {
    union {
        struct st_last_access slot[2];
        struct {
            int32_t several;
            st_time never;
            struct st_readers *readers;
            /* Threads (bit by number) whose read in `readers` is younger than event `fresh_since`.
             * A thread whose local time is still the same need not look for its read there. */
            uint64_t fresh, fresh_since;
        };
    };
};

_Static_assert(sizeof(struct st_variable_state) == 64, "a variable is one cache line");

static inline bool st_has_several_readers(const struct st_variable_state *variable) {
    return variable->several == ST_SEVERAL;
}

/* Variables are in pages of so many, some of which are packed (state_pages.h). */
#ifdef SERIATIM_STRESS
enum { ST_STATE_PAGE_BITS = 1, ST_OPEN_PAGES = 2 };
#else
enum { ST_STATE_PAGE_BITS = 6, ST_OPEN_PAGES = 1024 };
#endif
enum { ST_PAGE_STATES = 1 << ST_STATE_PAGE_BITS };

union st_state_page {
    struct st_variable_state variables[ST_PAGE_STATES];
    union st_state_page *next_free;
};

/* Invariant: a page is open, or packed, or there is none and nobody has accessed its variables.
 * Open ones are in `queue`, in the order in which they were opened, apart from those that could not
 * be packed in their turn. */
struct st_variable_states {
    const st_time *const *live_from; /* of the engine */
    union st_state_page **pages;     /* by page: open, or NULL */
    struct st_packed_page **packed;  /* by page: or NULL */
    size_t page_capacity;            /* of both, a power of two */
    uint32_t *queue;                 /* a ring of queue_capacity, a power of two */
    size_t queue_first, queue_count, queue_capacity;
    size_t open_limit;               /* so many may be open */
    size_t events, opened;           /* in this period: see st_states_adapt */
    union st_state_page *free_pages; /* a chain through their first bytes */
    union st_state_page *fresh;      /* pages of the last block that were never taken */
    size_t fresh_count;
    union st_state_page **page_blocks;
    size_t block_count, block_capacity, page_bytes, packed_bytes;

    struct st_last_access *locks;       /* last release */
    struct st_variable_state *channels; /* without a write */
    size_t lock_capacity, channel_capacity;
    struct st_slab small_readers;
    size_t reader_bytes; /* of the others */
};

void st_states_init(struct st_variable_states *states, const st_time *const *live_from);
void st_states_free(struct st_variable_states *states);
size_t st_states_memory(const struct st_variable_states *states);

/* Opens a page that is not open. */
void st_states_open(struct st_variable_states *states, uint32_t page);

/* So many events were fed. If they opened pages all the time, as many again may be open from now
 * on. */
void st_states_adapt(struct st_variable_states *states, size_t events);

/* The variable, lock or channel with that number. May move all others, apart from the variable that
 * was asked for last. */
static inline struct st_variable_state *st_states_variable(struct st_variable_states *states,
                                                           uint32_t variable) {
    uint32_t page = variable >> ST_STATE_PAGE_BITS;
    if (__builtin_expect(page >= states->page_capacity || !states->pages[page], 0))
        st_states_open(states, page);
    return &states->pages[page]->variables[variable & (ST_PAGE_STATES - 1)];
}

/* Of an event a few places behind, whatever its target is: see st_batch_prefetch. The page need not
 * be there. */
static inline void st_states_prefetch(const struct st_variable_states *states, uint32_t target) {
    size_t page = (target >> ST_STATE_PAGE_BITS) & (states->page_capacity - 1);
    uintptr_t start = (uintptr_t)states->pages[page];
    size_t offset = (target & (ST_PAGE_STATES - 1)) * sizeof(struct st_variable_state);
    __builtin_prefetch((const void *)(start + offset), 1);
}

static inline struct st_last_access *st_states_lock(struct st_variable_states *states,
                                                    uint32_t lock) {
    st_reserve(&states->locks, &states->lock_capacity, lock + (size_t)1);
    return &states->locks[lock];
}

static inline struct st_variable_state *st_states_channel(struct st_variable_states *states,
                                                          uint32_t channel) {
    st_reserve(&states->channels, &states->channel_capacity, channel + (size_t)1);
    return &states->channels[channel];
}

/* Can the access still matter to thread t? */
static inline bool st_access_matters(const struct st_last_access *access, int32_t t,
                                     const st_time *live_from) {
    return (access->thread != t) & (access->time >= live_from[access->thread]);
}

/* Adds a read beside others that still matter. `ticked` is the event at which the thread's local
 * time last grew. */
void st_states_read(struct st_variable_states *states, struct st_variable_state *variable,
                    const struct st_last_access *read, uint64_t ticked, const st_time *live_from);

/* Adds a read that may be older than its thread's present local time. One of the same thread at a
 * later time stays. */
void st_states_deferred_read(struct st_variable_states *states, struct st_variable_state *variable,
                             const struct st_last_access *read, const st_time *live_from);

/* Is a read by the thread, at its present local time, among several? Where tables are read in
 * blocks that never end, this saves two cache misses a read. */
static inline bool st_has_fresh_read(const struct st_variable_state *variable, uint32_t thread,
                                     uint64_t ticked) {
    return st_has_several_readers(variable) && thread < 64 && variable->fresh >> thread & 1 &&
           ticked < variable->fresh_since;
}

/* The accesses to the one variable were accesses to the other, too, which has none yet. */
void st_states_copy(struct st_variable_states *states, uint32_t from, uint32_t to,
                    const st_time *live_from);

/* A receive follows: removes the sends that no longer matter, once in a while. A write clears the
 * reads, but nothing clears the sends, and each receive looks at all of them. */
void st_states_receive(struct st_variable_states *states, struct st_variable_state *channel,
                       const st_time *live_from);

/* Forgets the reads: a write follows. */
void st_states_drop_reads(struct st_variable_states *states, struct st_variable_state *variable);

/* Forgets a variable. */
void st_states_forget(struct st_variable_states *states, uint32_t variable);

/* Calls visit for every access that is kept. */
void st_states_visit(struct st_variable_states *states,
                     void (*visit)(void *context, struct st_last_access *access), void *context);

#endif
