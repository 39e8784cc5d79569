/* Objects that are collected by mark and sweep: nobody counts references, since a reference is
 * overwritten far more often than an object dies.
 *
 * An object starts with its mark: the epoch in which it was last found reachable. To collect,
 * start an epoch, mark what is reachable with it, and sweep the rest away. */
#ifndef SERIATIM_CHECK_POOL_H
#define SERIATIM_CHECK_POOL_H

#include <stddef.h>
#include <stdint.h>

/* Objects of one size, in slabs. Free ones have mark 0 and are chained behind it. */
struct st_pool {
    size_t object_bytes, objects_per_slab;
    char **slabs;
    size_t slab_count, slab_capacity;
    void *free;
    size_t used_bytes; /* of objects in use */
};

/* Objects begin with a uint32_t mark and have room for a pointer behind its first 8 bytes. */
void st_pool_init(struct st_pool *pool, size_t object_bytes);
void st_pool_free(struct st_pool *pool);

/* An object with that mark and undefined contents. Survives the epoch of its mark. */
void *st_pool_take(struct st_pool *pool, uint32_t epoch);

/* Takes back an object that nobody refers to. */
void st_pool_give(struct st_pool *pool, void *object);

/* Takes back every object that is not marked with this epoch; `release`, or NULL, is called for
 * each of them before. */
void st_pool_sweep(struct st_pool *pool, uint32_t epoch, void (*release)(void *object));

size_t st_pool_memory(const struct st_pool *pool);

#endif
