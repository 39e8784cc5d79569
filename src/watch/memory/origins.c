#include "watch/memory/origins.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_VARIABLES = 256 };

/* Either each variable is `step` bytes behind the one before, in the same allocation; or `list` has
 * them all. */
struct st_origin_block {
    struct st_origin *list; /* or NULL */
    struct st_origin first;
    uint32_t step;
};

void st_origins_free(struct st_origins *origins) {
    for (size_t i = 0; i < origins->block_capacity; i++)
        free(origins->blocks[i].list);
    free(origins->blocks);
}

static struct st_origin get(const struct st_origin_block *block, uint32_t i) {
    if (block->list)
        return block->list[i];
    struct st_origin origin = block->first;
    origin.address += (uint64_t)i * block->step;
    origin.offset += origin.origin ? i * block->step : 0;
    return origin;
}

static bool are_equal(struct st_origin one, struct st_origin other) {
    return one.address == other.address && one.origin == other.origin && one.offset == other.offset;
}

static void make_list(struct st_origin_block *block) {
    struct st_origin *list = st_alloc(BLOCK_VARIABLES, sizeof *list);
    for (uint32_t i = 0; i < BLOCK_VARIABLES; i++)
        list[i] = get(block, i);
    block->list = list;
}

static void set(struct st_origin_block *block, uint32_t i, struct st_origin origin) {
    if (!block->list && are_equal(get(block, i), origin))
        return;
    if (!block->list)
        make_list(block);
    block->list[i] = origin;
}

void st_origins_add(struct st_origins *origins, struct st_origin origin) {
    uint32_t i = origins->count % BLOCK_VARIABLES;
    size_t number = origins->count++ / BLOCK_VARIABLES;
    st_reserve(&origins->blocks, &origins->block_capacity, number + 1);
    struct st_origin_block *block = &origins->blocks[number];
    if (i == 0)
        block->first = origin;
    else if (i == 1 && origin.address > block->first.address &&
             origin.address - block->first.address <= UINT32_MAX)
        block->step = (uint32_t)(origin.address - block->first.address);
    set(block, i, origin);
}

struct st_origin st_origins_get(const struct st_origins *origins, uint32_t number) {
    return get(&origins->blocks[number / BLOCK_VARIABLES], number % BLOCK_VARIABLES);
}

void st_origins_set(struct st_origins *origins, uint32_t number, struct st_origin origin) {
    set(&origins->blocks[number / BLOCK_VARIABLES], number % BLOCK_VARIABLES, origin);
}

void st_origins_move(struct st_origins *origins, uint32_t number, uint64_t address) {
    struct st_origin origin = st_origins_get(origins, number);
    origin.address = address;
    st_origins_set(origins, number, origin);
}
