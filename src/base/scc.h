/* Strongly connected components of a graph: nodes that lie on a cycle together are in one group. */
#ifndef SERIATIM_BASE_SCC_H
#define SERIATIM_BASE_SCC_H

#include "base/map64.h"

#include <stddef.h>
#include <stdint.h>

/* A table from numbers to lists: list i is items[firsts[i] .. firsts[i + 1]). */
struct st_lists {
    size_t count;
    size_t *firsts;
    uint32_t *items;
};

/* A pair says that `item` is in list `list`; lists keep the order of the pairs. */
struct st_list_pair {
    uint32_t list, item;
};
void st_lists_fill(struct st_lists *lists, size_t count, const struct st_list_pair *pairs,
                   size_t pair_count);
void st_lists_free(struct st_lists *lists);

/* For each node of the graph, whose successors are the lists, a number of its group. Release with
 * free(). */
uint32_t *st_scc_find(const struct st_lists *graph);

/* The same for so many nodes, and edges as keys: from the upper half to the lower half. */
uint32_t *st_scc_of_edges(const struct st_map64 *edges, size_t count);

#endif
