/* Tarjan's algorithm, with a stack of its own instead of recursion: graphs may be deep. */
#include "base/scc.h"

#include "base/memory.h"

#include <stdlib.h>

void st_lists_fill(struct st_lists *lists, size_t count, const struct st_list_pair *pairs,
                   size_t pair_count) {
    *lists = (struct st_lists){.count = count,
                               .firsts = st_alloc(count + 2, sizeof *lists->firsts),
                               .items = st_alloc(pair_count + 1, sizeof *lists->items)};
    size_t *next = lists->firsts + 1; /* next[i] ends where list i + 1 starts when all are filled */
    for (size_t i = 0; i < pair_count; i++)
        if (pairs[i].list + 1 < count)
            next[pairs[i].list + 1]++;
    for (size_t i = 1; i < count; i++)
        next[i] += next[i - 1];
    for (size_t i = 0; i < pair_count; i++)
        lists->items[next[pairs[i].list]++] = pairs[i].item;
}

void st_lists_free(struct st_lists *lists) {
    free(lists->firsts);
    free(lists->items);
}

struct walk {
    const struct st_lists *graph;
    uint32_t *orders; /* by node: when it was found, from 1 */
    uint32_t *lows;   /* the earliest node that it is known to lead back to */
    uint32_t *groups; /* 0 while that is open */
    size_t *edges;    /* the next one to go along */
    uint32_t *path, *open;
    size_t path_length, open_count;
    uint32_t found, group;
};

static void enter(struct walk *walk, uint32_t node) {
    walk->orders[node] = walk->lows[node] = ++walk->found;
    walk->edges[node] = walk->graph->firsts[node];
    walk->path[walk->path_length++] = node;
    walk->open[walk->open_count++] = node;
}

static void lower(struct walk *walk, uint32_t node, uint32_t order) {
    if (order < walk->lows[node])
        walk->lows[node] = order;
}

static void leave(struct walk *walk) {
    uint32_t node = walk->path[--walk->path_length];
    if (walk->path_length)
        lower(walk, walk->path[walk->path_length - 1], walk->lows[node]);
    if (walk->lows[node] != walk->orders[node])
        return;
    walk->group++;
    uint32_t member;
    do {
        member = walk->open[--walk->open_count];
        walk->groups[member] = walk->group;
    } while (member != node);
}

static void walk_from(struct walk *walk, uint32_t start) {
    enter(walk, start);
    while (walk->path_length) {
        uint32_t node = walk->path[walk->path_length - 1];
        if (walk->edges[node] == walk->graph->firsts[node + 1]) {
            leave(walk);
            continue;
        }
        uint32_t next = walk->graph->items[walk->edges[node]++];
        if (!walk->orders[next])
            enter(walk, next);
        else if (!walk->groups[next])
            lower(walk, node, walk->orders[next]);
    }
}

uint32_t *st_scc_find(const struct st_lists *graph) {
    size_t count = graph->count;
    struct walk walk = {.graph = graph,
                        .orders = st_alloc(count + 1, sizeof *walk.orders),
                        .lows = st_alloc(count + 1, sizeof *walk.lows),
                        .groups = st_alloc(count + 1, sizeof *walk.groups),
                        .edges = st_alloc(count + 1, sizeof *walk.edges),
                        .path = st_alloc(count + 1, sizeof *walk.path),
                        .open = st_alloc(count + 1, sizeof *walk.open)};
    for (uint32_t node = 0; node < count; node++)
        if (!walk.orders[node])
            walk_from(&walk, node);
    free(walk.orders);
    free(walk.lows);
    free(walk.edges);
    free(walk.path);
    free(walk.open);
    return walk.groups;
}

uint32_t *st_scc_of_edges(const struct st_map64 *edges, size_t count) {
    struct st_list_pair *pairs = st_alloc((size_t)edges->count + 1, sizeof *pairs);
    struct st_lists graph;
    for (uint32_t i = 0; i < edges->count; i++)
        pairs[i] = (struct st_list_pair){(uint32_t)(edges->ids[i] >> 32), (uint32_t)edges->ids[i]};
    st_lists_fill(&graph, count, pairs, edges->count);
    uint32_t *groups = st_scc_find(&graph);
    st_lists_free(&graph);
    free(pairs);
    return groups;
}
