/* Objects that are collected by mark and sweep: nobody counts references, since a reference is
 * overwritten far more often than an object dies.
 *
 * An object starts with its mark: the epoch in which it was last found reachable. To collect,
 * start an epoch, mark what is reachable with it, and sweep the rest away. */
#ifndef SERIATIM_CHECK_POOL_H
#define SERIATIM_CHECK_POOL_H

#include "base/slab.h"

#include <stdint.h>

/* Objects of one size. Free ones have mark 0. */
struct st_pool {
    struct st_slab slab;
    size_t used_bytes; /* of objects in use */
};

/* Objects begin with a uint32_t mark and have room for a pointer behind their first 8 bytes. */
void st_pool_init(struct st_pool *pool, size_t object_bytes);

static inline void st_pool_free(struct st_pool *pool) {
    st_slab_free(&pool->slab);
}

/* An object with that mark and undefined contents. Survives the epoch of its mark. */
static inline void *st_pool_take(struct st_pool *pool, uint32_t epoch) {
    uint32_t *mark = st_slab_reuse(&pool->slab);
    pool->used_bytes += pool->slab.object_bytes;
    *mark = epoch;
    return mark;
}

/* Takes back an object that nobody refers to. */
static inline void st_pool_give(struct st_pool *pool, void *object) {
    *(uint32_t *)object = 0;
    st_slab_give(&pool->slab, object);
    pool->used_bytes -= pool->slab.object_bytes;
}

/* Takes back every object that is not marked with this epoch; `release`, or NULL, is called for
 * each of them before. */
void st_pool_sweep(struct st_pool *pool, uint32_t epoch,
                   void (*release)(void *context, void *object), void *context);

static inline size_t st_pool_memory(const struct st_pool *pool) {
    return st_slab_memory(&pool->slab);
}

#endif
