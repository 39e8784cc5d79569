#include "check/clock.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef SERIATIM_STRESS
/* Tests on small traces: collect all the time, and let clocks grow in the middle of a trace. */
enum { SLAB_BYTES = 1024, SMALLEST_COLLECTION = 1, ALWAYS_COLLECT = 1 };
#else
enum {
    SLAB_BYTES = 64 * 1024,
    SMALLEST_COLLECTION = 4 * 1024 * 1024, /* below this, memory is not worth a collection */
    ALWAYS_COLLECT = 0,
};
#endif

/* Snapshots of one width, in slabs of equal slots. Free slots have mark 0 and are chained through
 * `extra`. */
struct st_snapshot_class {
    uint32_t width;
    size_t slot_bytes, slots_per_slab;
    char **slabs;
    size_t slab_count, slab_capacity;
    struct st_snapshot *free;
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

static struct st_snapshot *slot_at(const struct st_snapshot_class *class, size_t slab, size_t i) {
    return (struct st_snapshot *)(void *)(class->slabs[slab] + i * class->slot_bytes);
}

void st_snapshots_free(struct st_snapshots *pool) {
    pool->epoch++; /* nothing is marked now */
    st_snapshots_sweep(pool, 0);
    for (size_t c = 0; c < pool->class_count; c++) {
        for (size_t s = 0; s < pool->classes[c].slab_count; s++)
            free(pool->classes[c].slabs[s]);
        free(pool->classes[c].slabs);
    }
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
    class->slot_bytes = sizeof(struct st_snapshot) + width * sizeof(st_time);
    class->slots_per_slab = SLAB_BYTES / class->slot_bytes;
    if (class->slots_per_slab < 8)
        class->slots_per_slab = 8;
    return class;
}

static void chain_free(struct st_snapshot_class *class, struct st_snapshot *slot) {
    slot->mark = 0;
    slot->extra = class->free;
    class->free = slot;
}

static void add_slab(struct st_snapshots *pool, struct st_snapshot_class *class) {
    size_t bytes = class->slots_per_slab * class->slot_bytes;
    st_reserve(&class->slabs, &class->slab_capacity, class->slab_count + 1);
    class->slabs[class->slab_count++] = st_alloc(bytes, 1);
    pool->slab_bytes += bytes;
    for (size_t i = class->slots_per_slab; i-- > 0;)
        chain_free(class, slot_at(class, class->slab_count - 1, i));
}

struct st_snapshot *st_snapshot_take(struct st_snapshots *pool, uint32_t thread, st_time time,
                                     const st_time *clock, uint32_t width) {
    struct st_snapshot_class *class = class_for(pool, width);
    if (!class->free)
        add_slab(pool, class);
    struct st_snapshot *snapshot = class->free;
    class->free = snapshot->extra;
    pool->used_bytes += class->slot_bytes;
    snapshot->thread = thread;
    snapshot->time = time;
    snapshot->width = width;
    snapshot->mark = pool->epoch;
    snapshot->extra = NULL;
    memcpy(snapshot->known, clock, width * sizeof *clock);
    return snapshot;
}

void st_snapshots_mark_begin(struct st_snapshots *pool) {
    pool->epoch++;
}

static void sweep_class(struct st_snapshots *pool, struct st_snapshot_class *class) {
    for (size_t s = 0; s < class->slab_count; s++) {
        for (size_t i = 0; i < class->slots_per_slab; i++) {
            struct st_snapshot *slot = slot_at(class, s, i);
            if (slot->mark == 0 || slot->mark == pool->epoch)
                continue;
            free(slot->extra);
            chain_free(class, slot);
            pool->used_bytes -= class->slot_bytes;
        }
    }
}

void st_snapshots_sweep(struct st_snapshots *pool, size_t root_bytes) {
    for (size_t c = 0; c < pool->class_count; c++)
        sweep_class(pool, &pool->classes[c]);
    pool->collect_at = 2 * pool->used_bytes + root_bytes;
    if (pool->collect_at < SMALLEST_COLLECTION)
        pool->collect_at = SMALLEST_COLLECTION;
    if (ALWAYS_COLLECT)
        pool->collect_at = 0;
}
