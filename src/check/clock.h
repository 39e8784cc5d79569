/* Vector clocks for the engines that need them.
 *
 * A thread's clock says, for each thread u, the newest local time of u that happens before what the
 * thread does now. It is written by its own thread only. A variable or a lock keeps a snapshot: the
 * clock at one moment, immutable and shared by all accesses that the thread makes until its clock
 * changes. A thread's local time grows with every snapshot, so (thread, time) names a snapshot, and
 * clock[thread] >= time shows in constant time that the clock covers the snapshot.
 *
 * Snapshots are collected by mark and sweep, not counted: an access overwrites a reference without
 * touching the snapshot behind it, which would be a cache miss on every access. */
#ifndef SERIATIM_CHECK_CLOCK_H
#define SERIATIM_CHECK_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t st_time;
#define ST_NEVER UINT32_MAX

/* A thread that gets here is out of local time, and the engine gives up before it starts another
 * batch; what is left is enough for any batch. Needs four billion changes of one thread's clock. */
#ifndef ST_TIME_LIMIT
#define ST_TIME_LIMIT (ST_NEVER - (UINT32_C(1) << 24))
#endif
#define ST_OUT_OF_TIME "a thread's clock has overflowed: the trace is too long for this engine"

struct st_snapshot {
    uint32_t mark; /* see pool.h */
    uint32_t thread;
    st_time time;
    uint32_t width; /* entries of clock; nothing of a thread beyond it happens before */
    void *extra;    /* heap memory of the engine, released with the snapshot, or NULL */
    st_time clock[];
};

static inline st_time st_snapshot_time(const struct st_snapshot *snapshot, uint32_t thread) {
    return thread < snapshot->width ? snapshot->clock[thread] : 0;
}

/* into := componentwise maximum. `into` has at least `width` entries. Widths are multiples of 8, so
 * that the vector loop needs no code for odd ends. */
static inline void st_clock_join(st_time *restrict into, const st_time *restrict from,
                                 uint32_t width) {
    width &= ~UINT32_C(7);
    for (uint32_t u = 0; u < width; u++)
        into[u] = into[u] > from[u] ? into[u] : from[u];
}

static inline void st_clock_min(st_time *restrict into, const st_time *restrict from,
                                uint32_t width) {
    width &= ~UINT32_C(7);
    for (uint32_t u = 0; u < width; u++)
        into[u] = into[u] < from[u] ? into[u] : from[u];
}

/* The next width for at least `threads` entries: clocks grow rarely and stay multiples of 8. */
uint32_t st_clock_width(uint32_t threads);

/* A row of `width` entries instead of `old`; the new entries are `fill`. */
st_time *st_clock_widen(st_time *row, uint32_t old, uint32_t width, st_time fill);

/* Where snapshots live. */
struct st_snapshots {
    struct st_snapshot_class *classes; /* one for each width in use */
    size_t class_count, class_capacity;
    uint32_t epoch;
    size_t used_bytes; /* of slots in use */
    size_t slab_bytes; /* of all slots */
    size_t collect_at; /* used_bytes at which a collection pays */
};

void st_snapshots_init(struct st_snapshots *pool);
void st_snapshots_free(struct st_snapshots *pool);

/* A snapshot of `clock`; reachable until the next sweep at least. */
struct st_snapshot *st_snapshot_take(struct st_snapshots *pool, uint32_t thread, st_time time,
                                     const st_time *clock, uint32_t width);

/* Collecting: when st_snapshots_full says so, call st_snapshots_mark_begin, then st_snapshot_mark
 * for every reachable snapshot, then st_snapshots_sweep. `root_bytes` is the size of the tables
 * that have to be walked; the next collection waits until as much was allocated, so that walking
 * costs a constant for each snapshot. */
static inline bool st_snapshots_full(const struct st_snapshots *pool) {
    return pool->used_bytes >= pool->collect_at;
}
void st_snapshots_mark_begin(struct st_snapshots *pool);
void st_snapshots_sweep(struct st_snapshots *pool, size_t root_bytes);

/* Marks it; true when it was not marked before. NULL is fine. */
static inline bool st_snapshot_mark(const struct st_snapshots *pool, struct st_snapshot *snapshot) {
    if (!snapshot || snapshot->mark == pool->epoch)
        return false;
    snapshot->mark = pool->epoch;
    return true;
}

#endif
