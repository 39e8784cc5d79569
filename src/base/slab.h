/* Objects of one size, taken and given back often. Their memory is kept until the slab is freed, so
 * a stale pointer still points to an object of that kind: references can be checked by a serial
 * number in the object instead of being counted. */
#ifndef SERIATIM_BASE_SLAB_H
#define SERIATIM_BASE_SLAB_H

#include <stddef.h>
#include <string.h>

/* The free objects are a chain through the pointer-sized bytes at offset `link` in each; the rest
 * of a free object stays as it was. */
struct st_slab {
    size_t object_bytes, block_objects, link;
    void *free;
    char **blocks; /* of block_objects objects each */
    size_t block_count, block_capacity;
};

/* The link is at the start of an object, and a block has 512 objects; who wants it otherwise
 * changes `link` and `block_objects` before the first object is taken. */
void st_slab_init(struct st_slab *slab, size_t object_bytes);
void st_slab_free(struct st_slab *slab);

/* Makes a new block of free objects, all zero but for the link. */
void st_slab_add_block(struct st_slab *slab);

/* An object as it was when it was given back. */
static inline void *st_slab_reuse(struct st_slab *slab) {
    if (!slab->free)
        st_slab_add_block(slab);
    char *object = slab->free;
    memcpy(&slab->free, object + slab->link, sizeof slab->free);
    return object;
}

/* A zeroed object. */
void *st_slab_take(struct st_slab *slab);

void st_slab_give(struct st_slab *slab, void *object);

static inline size_t st_slab_memory(const struct st_slab *slab) {
    return slab->block_count * slab->block_objects * slab->object_bytes;
}

#endif
