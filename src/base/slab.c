#include "base/slab.h"

#include "base/memory.h"

#include <stdlib.h>

enum { BLOCK_OBJECTS = 512 };

void st_slab_init(struct st_slab *slab, size_t object_bytes) {
    *slab = (struct st_slab){.object_bytes = object_bytes, .block_objects = BLOCK_OBJECTS};
}

void st_slab_free(struct st_slab *slab) {
    for (size_t i = 0; i < slab->block_count; i++)
        free(slab->blocks[i]);
    free(slab->blocks);
    *slab = (struct st_slab){0};
}

void st_slab_add_block(struct st_slab *slab) {
    st_reserve(&slab->blocks, &slab->block_capacity, slab->block_count + 1);
    char *block = st_alloc(slab->block_objects, slab->object_bytes);
    slab->blocks[slab->block_count++] = block;
    void *next = slab->free;
    for (size_t i = slab->block_objects; i-- > 0;) {
        char *object = block + i * slab->object_bytes;
        memcpy(object + slab->link, &next, sizeof next);
        next = object;
    }
    slab->free = next;
}

void *st_slab_take(struct st_slab *slab) {
    return memset(st_slab_reuse(slab), 0, slab->object_bytes);
}

void st_slab_give(struct st_slab *slab, void *object) {
    memcpy((char *)object + slab->link, &slab->free, sizeof slab->free);
    slab->free = object;
}
