#include "base/slab.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { OBJECTS_PER_BLOCK = 512 };

void st_slab_init(struct st_slab *slab, size_t object_bytes) {
    memset(slab, 0, sizeof *slab);
    slab->object_bytes = object_bytes;
}

void st_slab_free(struct st_slab *slab) {
    for (size_t i = 0; i < slab->block_count; i++)
        free(slab->blocks[i]);
    free(slab->blocks);
    memset(slab, 0, sizeof *slab);
}

static void add_block(struct st_slab *slab) {
    st_reserve(&slab->blocks, &slab->block_capacity, slab->block_count + 1);
    char *block = st_alloc(OBJECTS_PER_BLOCK, slab->object_bytes);
    slab->blocks[slab->block_count++] = block;
    for (size_t i = OBJECTS_PER_BLOCK; i-- > 0;)
        st_slab_give(slab, block + i * slab->object_bytes);
}

void *st_slab_take(struct st_slab *slab) {
    if (!slab->free)
        add_block(slab);
    void *object = slab->free;
    memcpy(&slab->free, object, sizeof slab->free);
    return memset(object, 0, slab->object_bytes);
}

void st_slab_give(struct st_slab *slab, void *object) {
    memcpy(object, &slab->free, sizeof slab->free);
    slab->free = object;
}

size_t st_slab_memory(const struct st_slab *slab) {
    return slab->block_count * OBJECTS_PER_BLOCK * slab->object_bytes;
}
