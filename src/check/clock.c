#include "check/clock.h"
#include "check/pool.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef SERIATIM_STRESS
/* Tests on small traces: collect all the time, and let clocks grow in the middle of a trace. */
enum { SMALLEST_COLLECTION = 1, ALWAYS_COLLECT = 1 };
#else
enum {
    SMALLEST_COLLECTION = 4 * 1024 * 1024, /* below this, memory is not worth a collection */
    ALWAYS_COLLECT = 0,
};
#endif

/* Snapshots of one width. */
struct st_snapshot_class {
    uint32_t width;
    struct st_pool pool;
};

uint32_t st_clock_width(uint32_t threads) {
    uint32_t width = 8;
    while (width < threads)
        width += width < 64 ? 8 : width / 64 * 32;
    return width;
}

st_time *st_clock_widen(st_time *row, uint32_t old, uint32_t width, st_time fill) {
    row = st_realloc(row, width, sizeof *row);
    for (uint32_t u = old; u < width; u++)
        row[u] = fill;
    return row;
}

void st_snapshots_init(struct st_snapshots *pool) {
    memset(pool, 0, sizeof *pool);
    pool->epoch = 1;
    pool->collect_at = SMALLEST_COLLECTION;
}

void st_snapshots_free(struct st_snapshots *pool) {
    pool->epoch++; /* nothing is marked now */
    st_snapshots_sweep(pool, 0);
    for (size_t c = 0; c < pool->class_count; c++)
        st_pool_free(&pool->classes[c].pool);
    free(pool->classes);
    memset(pool, 0, sizeof *pool);
}

/* The class for a width. The newest width is asked for almost always. */
static struct st_snapshot_class *class_for(struct st_snapshots *pool, uint32_t width) {
    for (size_t c = pool->class_count; c-- > 0;)
        if (pool->classes[c].width == width)
            return &pool->classes[c];
    st_reserve(&pool->classes, &pool->class_capacity, pool->class_count + 1);
    struct st_snapshot_class *class = &pool->classes[pool->class_count++];
    class->width = width;
    st_pool_init(&class->pool, sizeof(struct st_snapshot) + width * sizeof(st_time));
    return class;
}

struct st_snapshot *st_snapshot_take(struct st_snapshots *pool, uint32_t thread, st_time time,
                                     const st_time *clock, uint32_t width) {
    struct st_pool *slots = &class_for(pool, width)->pool;
    size_t before = st_pool_memory(slots);
    struct st_snapshot *snapshot = st_pool_take(slots, pool->epoch);
    pool->slab_bytes += st_pool_memory(slots) - before;
    pool->used_bytes += slots->slab.object_bytes;
    snapshot->thread = thread;
    snapshot->time = time;
    snapshot->width = width;
    snapshot->extra = NULL;
    memcpy(snapshot->clock, clock, width * sizeof *clock);
    return snapshot;
}

void st_snapshots_mark_begin(struct st_snapshots *pool) {
    pool->epoch++;
}

static void release_extra(void *snapshot) {
    free(((struct st_snapshot *)snapshot)->extra);
}

void st_snapshots_sweep(struct st_snapshots *pool, size_t root_bytes) {
    pool->used_bytes = 0;
    for (size_t c = 0; c < pool->class_count; c++) {
        st_pool_sweep(&pool->classes[c].pool, pool->epoch, release_extra);
        pool->used_bytes += pool->classes[c].pool.used_bytes;
    }
    pool->collect_at = 2 * pool->used_bytes + root_bytes;
    if (pool->collect_at < SMALLEST_COLLECTION)
        pool->collect_at = SMALLEST_COLLECTION;
    if (ALWAYS_COLLECT)
        pool->collect_at = 0;
}
