#include "check/pool.h"

#ifdef SERIATIM_STRESS
enum { BLOCK_BYTES = 1024 };
#else
enum { BLOCK_BYTES = 64 * 1024 };
#endif

void st_pool_init(struct st_pool *pool, size_t object_bytes) {
    *pool = (struct st_pool){.used_bytes = 0};
    st_slab_init(&pool->slab, object_bytes);
    pool->slab.link = 8; /* behind the mark, which is 0 then */
    pool->slab.block_objects = BLOCK_BYTES / object_bytes > 8 ? BLOCK_BYTES / object_bytes : 8;
}

void st_pool_sweep(struct st_pool *pool, uint32_t epoch,
                   void (*release)(void *context, void *object), void *context) {
    const struct st_slab *slab = &pool->slab;
    for (size_t b = 0; b < slab->block_count; b++) {
        for (size_t i = 0; i < slab->block_objects; i++) {
            void *object = slab->blocks[b] + i * slab->object_bytes;
            uint32_t mark = *(uint32_t *)object;
            if (mark == 0 || mark == epoch)
                continue;
            if (release)
                release(context, object);
            st_pool_give(pool, object);
        }
    }
}
