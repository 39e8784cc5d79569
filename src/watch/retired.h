/* Variables whose memory was freed, to be used again.
 *
 * A variable is known by its name to whoever reads a report, and reports come late. So its number
 * may go only to a variable of the same name: at the same offset of a block that came from the same
 * line with the same size, or, outside of blocks, at the same address. A program that allocates and
 * frees in a loop does exactly that. */
#ifndef SERIATIM_WATCH_RETIRED_H
#define SERIATIM_WATCH_RETIRED_H

#include "base/map64.h"

/* Names are numbers here, places, such that neighbours in memory are neighbours; memory is freed
 * and used from one end to the other. So what is kept is kept by pages of 4096 places, for each
 * number of variables one behind the other (1, 2, 4 or 8) and each offset in a granule. */
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
