/* Vector clocks for the engines that need them.
 *
 * A thread's clock says, for each thread u, the newest local time of u that happens before what the
 * thread does now. It is a shared row (base/shared_row.h), so clocks cost what threads learned, not
 * an entry for every pair of threads. A variable or a lock keeps a snapshot: the clock at one
 * moment, shared by all accesses that the thread makes until its clock changes. A thread's local
 * time grows with every snapshot, so (thread, time) names a snapshot, and an entry >= time for the
 * thread shows in constant time that the clock covers the snapshot.
 *
 * Snapshots are collected by mark and sweep, not counted: an access overwrites a reference without
 * touching the snapshot behind it, which would be a cache miss on every access. */
#ifndef SERIATIM_CHECK_CLOCK_H
#define SERIATIM_CHECK_CLOCK_H

#include "base/shared_row.h"
#include "check/pool.h"

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
    struct st_shared_row *clock;
    void *extra; /* heap memory of the engine, released with the snapshot, or NULL */
};

/* Where clocks and their snapshots live. */
struct st_snapshots {
    struct st_rows rows;
    struct st_pool pool;
    uint32_t epoch;
    size_t collect_at; /* bytes in use at which a collection pays */
};

void st_snapshots_init(struct st_snapshots *snapshots);
void st_snapshots_free(struct st_snapshots *snapshots);
size_t st_snapshots_memory(const struct st_snapshots *snapshots);

/* A snapshot of `clock`; reachable until the next sweep at least. */
struct st_snapshot *st_snapshot_take(struct st_snapshots *snapshots, uint32_t thread, st_time time,
                                     struct st_shared_row *clock);

/* Collecting: when st_snapshots_full says so, call st_snapshots_mark_begin, then st_snapshot_mark
 * for every reachable snapshot, then st_snapshots_sweep. `root_bytes` is the size of the tables
 * that have to be walked; the next collection waits until as much was allocated, so that walking
 * costs a constant for each snapshot. */
static inline bool st_snapshots_full(const struct st_snapshots *snapshots) {
    return snapshots->pool.used_bytes + snapshots->rows.used_bytes >= snapshots->collect_at;
}
void st_snapshots_mark_begin(struct st_snapshots *snapshots);
void st_snapshots_sweep(struct st_snapshots *snapshots, size_t root_bytes);

/* Marks it; true when it was not marked before. NULL is fine. */
static inline bool st_snapshot_mark(const struct st_snapshots *snapshots,
                                    struct st_snapshot *snapshot) {
    if (!snapshot || snapshot->mark == snapshots->epoch)
        return false;
    snapshot->mark = snapshots->epoch;
    return true;
}

#endif
