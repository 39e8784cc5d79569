/* Variables whose memory was freed, to be used again.
 *
 * A report shows the names of variables, and is often written long after the event. So the number
 * of a variable may go only to one of the same name: at the same offset of an allocation of the
 * same size from the same line, or, outside of allocations, at the same address. A program that
 * allocates and frees in a loop makes exactly such ones. */
#ifndef SERIATIM_WATCH_MEMORY_RETIRED_H
#define SERIATIM_WATCH_MEMORY_RETIRED_H

#include "base/map64.h"

/* A name is a number here, its place, such that neighbours in memory are neighbours; memory is
 * freed and used from one end to the other. So variables are kept by pages of 4096 places, one for
 * each count of variables in a row (1, 2, 4 or 8) and each offset in a granule. */
struct st_retired {
    struct st_map64 pages;
    uint64_t last_id; /* of the page that was asked for last */
    uint32_t last_page;
    uint32_t *heads; /* by page and granule in it: 1 + index of the first node, or 0 */
    size_t head_capacity;
    struct st_retired_node {
        uint32_t first; /* of the variables */
        uint32_t next;  /* 1 + index, or 0 */
    } * nodes;
    size_t node_count, node_capacity;
    uint32_t free_node; /* 1 + index, or 0 */
};

void st_retired_init(struct st_retired *retired);
void st_retired_free(struct st_retired *retired);

/* `place` is below 2^58. */
void st_retired_put(struct st_retired *retired, uint64_t place, unsigned count, uint32_t first);

/* The first of as many variables, or UINT32_MAX when there are none. */
uint32_t st_retired_take(struct st_retired *retired, uint64_t place, unsigned count);

#endif
