/* Where variables were when they came to be, by number.
 *
 * Memory is mostly used from one end to the other, so the next variable is mostly the one behind:
 * then a block of them needs no more room than one. */
#ifndef SERIATIM_WATCH_MEMORY_ORIGINS_H
#define SERIATIM_WATCH_MEMORY_ORIGINS_H

#include <stddef.h>
#include <stdint.h>

/* Of a variable: its address, and the allocation that it is in and its offset there; origin 0:
 * none.
 */
struct st_origin {
    uint64_t address;
    uint32_t origin, offset;
};

struct st_origins {
    struct st_origin_block *blocks;
    size_t block_capacity;
    uint32_t count;
};

void st_origins_free(struct st_origins *origins);
void st_origins_add(struct st_origins *origins, struct st_origin origin);
struct st_origin st_origins_get(const struct st_origins *origins, uint32_t number);

void st_origins_set(struct st_origins *origins, uint32_t number, struct st_origin origin);

/* The variable is there now, in the allocation of the same origin. */
void st_origins_move(struct st_origins *origins, uint32_t number, uint64_t address);

#endif
