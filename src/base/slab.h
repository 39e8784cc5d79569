/* Objects of one size, taken and given back often. Their memory is kept until the slab is freed, so
 * a stale pointer still points to an object of that kind: references can be checked by a serial
 * number in the object instead of being counted. */
#ifndef SERIATIM_BASE_SLAB_H
#define SERIATIM_BASE_SLAB_H

#include <stddef.h>

struct st_slab {
    size_t object_bytes;
    void *free; /* chained through the first pointer of each free object */
    char **blocks;
    size_t block_count, block_capacity;
};

/* Objects have at least the size of a pointer. */
void st_slab_init(struct st_slab *slab, size_t object_bytes);
void st_slab_free(struct st_slab *slab);

/* A zeroed object. */
void *st_slab_take(struct st_slab *slab);

/* The first pointer-sized bytes of the object are overwritten; the rest stays as it was. */
void st_slab_give(struct st_slab *slab, void *object);

size_t st_slab_memory(const struct st_slab *slab);

#endif
