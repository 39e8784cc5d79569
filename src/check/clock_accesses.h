/* The last accesses of variables, locks and channels, for engines that keep clocks.
 *
 * A later access needs edges from the last write, from the reads since then and from the last
 * release; everything older happens before those. A channel is kept like a variable that is only
 * ever read: its sends are the reads, and a receive needs edges from all of them. */
#ifndef SERIATIM_CHECK_CLOCK_ACCESSES_H
#define SERIATIM_CHECK_CLOCK_ACCESSES_H

#include "check/engine.h"
#include "check/clock.h"

/* An access by `thread` at its local time `time`. time 0: none, and nothing else has a meaning. */
struct st_clock_access {
    uint32_t thread;
    st_time time;
    struct st_snapshot *snapshot;
    uint64_t number; /* of the event */
    uint64_t loc;
};

/* What the next event of a thread without a slot depends on (check/thread_slots.h). */
struct st_thread_origin {
    struct st_clock_access after; /* its fork or, once it was joined, its own last event */
    bool joined;
};

struct st_reads {
    uint32_t count, capacity;
    struct st_clock_access items[];
};

/* Invariant: the reads since the last write, none of which happens before another one, are `read`,
 * or, when there are several, the items of `reads`; then `several` is ST_NEVER, a time that no
 * clock reaches. One cache line: variables are looked up at random, and waiting for a second line
 * took a quarter of the time. */
struct st_clock_variable {
    struct st_clock_access write;
    union {
        struct st_clock_access read;
        struct {
            uint32_t zero; /* as a thread number: within every clock */
            st_time several;
            struct st_reads *reads;
        };
    };
};

_Static_assert(sizeof(struct st_clock_variable) == 64, "a variable is one cache line");

static inline bool st_has_several_reads(const struct st_clock_variable *variable) {
    return variable->several == ST_NEVER;
}

struct st_clock_accesses {
    struct st_clock_variable *variables;
    struct st_clock_access *locks;      /* last release */
    struct st_clock_variable *channels; /* without a write */
    size_t variable_capacity, lock_capacity, channel_capacity;
    size_t read_bytes; /* of all lists of reads */
};

void st_clock_accesses_free(struct st_clock_accesses *accesses);
void st_clock_accesses_reserve(struct st_clock_accesses *accesses, struct st_extent need);
size_t st_clock_accesses_memory(const struct st_clock_accesses *accesses);

/* The channel with that number. May move all others. */
struct st_clock_variable *st_clock_accesses_channel(struct st_clock_accesses *accesses,
                                                    uint32_t channel);

/* Calls visit for every access there is: to mark its snapshot, or to replace it. */
void st_clock_accesses_visit(struct st_clock_accesses *accesses,
                             void (*visit)(void *context, struct st_clock_access *access),
                             void *context);

/* Adds a read by a thread with that clock. A read that happens before it is replaced by it: what a
 * later write must learn from the first it learns from the second. */
void st_reads_add(struct st_clock_accesses *accesses, struct st_clock_variable *variable,
                  const struct st_clock_access *read, const struct st_shared_row *clock);

static inline void st_clock_variable_read(struct st_clock_accesses *accesses,
                                          struct st_clock_variable *variable,
                                          const struct st_clock_access *read,
                                          const struct st_shared_row *clock) {
    if (st_row_get(clock, variable->read.thread) >= variable->read.time)
        variable->read = *read;
    else
        st_reads_add(accesses, variable, read, clock);
}

/* A write makes all older accesses superfluous. */
void st_reads_drop(struct st_clock_accesses *accesses, struct st_clock_variable *variable);

static inline void st_clock_variable_write(struct st_clock_accesses *accesses,
                                           struct st_clock_variable *variable,
                                           const struct st_clock_access *write) {
    variable->write = *write;
    if (__builtin_expect(st_has_several_reads(variable), 0))
        st_reads_drop(accesses, variable);
    variable->read.time = 0;
}

/* The number stands for another variable from now on, which nobody has accessed. */
void st_clock_accesses_forget(struct st_clock_accesses *accesses, uint32_t variable);

#endif
