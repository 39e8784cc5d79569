#include "check/clock.h"

#include <stdlib.h>
#include <string.h>

#ifdef SERIATIM_STRESS
/* Tests on small traces: collect all the time. */
enum { SMALLEST_COLLECTION = 1, ALWAYS_COLLECT = 1 };
#else
enum {
    SMALLEST_COLLECTION = 4 * 1024 * 1024, /* below this, memory is not worth a collection */
    ALWAYS_COLLECT = 0,
};
#endif

void st_snapshots_init(struct st_snapshots *snapshots) {
    memset(snapshots, 0, sizeof *snapshots);
    st_rows_init(&snapshots->rows);
    st_pool_init(&snapshots->pool, sizeof(struct st_snapshot));
    snapshots->epoch = 1;
    snapshots->collect_at = SMALLEST_COLLECTION;
}

static void release(void *context, void *object) {
    struct st_snapshots *snapshots = context;
    struct st_snapshot *snapshot = object;
    st_row_drop(&snapshots->rows, snapshot->clock);
    free(snapshot->extra);
}

void st_snapshots_free(struct st_snapshots *snapshots) {
    snapshots->epoch++; /* nothing is marked now */
    st_snapshots_sweep(snapshots, 0);
    st_pool_free(&snapshots->pool);
    st_rows_free(&snapshots->rows);
    memset(snapshots, 0, sizeof *snapshots);
}

size_t st_snapshots_memory(const struct st_snapshots *snapshots) {
    return st_pool_memory(&snapshots->pool) + st_rows_memory(&snapshots->rows);
}

struct st_snapshot *st_snapshot_take(struct st_snapshots *snapshots, uint32_t thread, st_time time,
                                     struct st_shared_row *clock) {
    struct st_snapshot *snapshot = st_pool_take(&snapshots->pool, snapshots->epoch);
    snapshot->thread = thread;
    snapshot->time = time;
    snapshot->clock = st_row_share(clock);
    snapshot->extra = NULL;
    return snapshot;
}

void st_snapshots_mark_begin(struct st_snapshots *snapshots) {
    snapshots->epoch++;
}

void st_snapshots_sweep(struct st_snapshots *snapshots, size_t root_bytes) {
    st_pool_sweep(&snapshots->pool, snapshots->epoch, release, snapshots);
    size_t used = snapshots->pool.used_bytes + snapshots->rows.used_bytes;
    snapshots->collect_at = 2 * used + root_bytes;
    if (snapshots->collect_at < SMALLEST_COLLECTION)
        snapshots->collect_at = SMALLEST_COLLECTION;
    if (ALWAYS_COLLECT)
        snapshots->collect_at = 0;
}
