#include "check/pool.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef SERIATIM_STRESS
enum { SLAB_BYTES = 1024 };
#else
enum { SLAB_BYTES = 64 * 1024 };
#endif

struct free_object {
    uint32_t mark;
    void *next;
};

void st_pool_init(struct st_pool *pool, size_t object_bytes) {
    memset(pool, 0, sizeof *pool);
    pool->object_bytes = object_bytes;
    pool->objects_per_slab = SLAB_BYTES / object_bytes;
    if (pool->objects_per_slab < 8)
        pool->objects_per_slab = 8;
}

void st_pool_free(struct st_pool *pool) {
    for (size_t s = 0; s < pool->slab_count; s++)
        free(pool->slabs[s]);
    free(pool->slabs);
    memset(pool, 0, sizeof *pool);
}

static void chain_free(struct st_pool *pool, struct free_object *object) {
    object->mark = 0;
    object->next = pool->free;
    pool->free = object;
}

static struct free_object *object_at(const struct st_pool *pool, size_t slab, size_t i) {
    return (struct free_object *)(void *)(pool->slabs[slab] + i * pool->object_bytes);
}

static void add_slab(struct st_pool *pool) {
    st_reserve(&pool->slabs, &pool->slab_capacity, pool->slab_count + 1);
    pool->slabs[pool->slab_count++] = st_alloc(pool->objects_per_slab, pool->object_bytes);
    for (size_t i = pool->objects_per_slab; i-- > 0;)
        chain_free(pool, object_at(pool, pool->slab_count - 1, i));
}

void *st_pool_take(struct st_pool *pool, uint32_t epoch) {
    if (!pool->free)
        add_slab(pool);
    struct free_object *object = pool->free;
    pool->free = object->next;
    pool->used_bytes += pool->object_bytes;
    object->mark = epoch;
    return object;
}

void st_pool_give(struct st_pool *pool, void *object) {
    chain_free(pool, object);
    pool->used_bytes -= pool->object_bytes;
}

void st_pool_sweep(struct st_pool *pool, uint32_t epoch, void (*release)(void *object)) {
    for (size_t s = 0; s < pool->slab_count; s++) {
        for (size_t i = 0; i < pool->objects_per_slab; i++) {
            struct free_object *object = object_at(pool, s, i);
            if (object->mark == 0 || object->mark == epoch)
                continue;
            if (release)
                release(object);
            st_pool_give(pool, object);
        }
    }
}

size_t st_pool_memory(const struct st_pool *pool) {
    return pool->slab_count * pool->objects_per_slab * pool->object_bytes;
}
