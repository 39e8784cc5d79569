#include "watch/memory/retired.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BITS = 12, GRANULES = 1 << (PAGE_BITS - 3) };

void st_retired_init(struct st_retired *retired) {
    memset(retired, 0, sizeof *retired);
    st_map64_init(&retired->pages);
    retired->last_page = ST_MAP64_NONE;
}

void st_retired_free(struct st_retired *retired) {
    st_map64_free(&retired->pages);
    st_free_table(retired->heads, retired->head_capacity, sizeof *retired->heads);
    st_free_table(retired->nodes, retired->node_capacity, sizeof *retired->nodes);
}

static uint64_t page_id(uint64_t place, unsigned count) {
    return place >> PAGE_BITS << 6 | (uint64_t)__builtin_ctz(count) << 3 | (place & 7);
}

/* Remembers the page: the next look-up is for the next granule. */
static uint32_t remember(struct st_retired *retired, uint64_t id, uint32_t page) {
    if (page != ST_MAP64_NONE) {
        retired->last_id = id;
        retired->last_page = page;
    }
    return page;
}

static bool is_last(const struct st_retired *retired, uint64_t id) {
    return retired->last_id == id && retired->last_page != ST_MAP64_NONE;
}

static uint32_t *head(struct st_retired *retired, uint32_t page, uint64_t place) {
    return &retired->heads[(size_t)page * GRANULES + (place >> 3 & (GRANULES - 1))];
}

static uint32_t take_node(struct st_retired *retired) {
    uint32_t node = retired->free_node;
    if (node) {
        retired->free_node = retired->nodes[node - 1].next;
        return node;
    }
    st_reserve_table(&retired->nodes, &retired->node_capacity, retired->node_count + 1);
    return (uint32_t)++retired->node_count;
}

void st_retired_put(struct st_retired *retired, uint64_t place, unsigned count, uint32_t first) {
    uint64_t id = page_id(place, count);
    uint32_t page = is_last(retired, id)
                        ? retired->last_page
                        : remember(retired, id, st_map64_number(&retired->pages, id));
    if (page == ST_MAP64_NONE)
        return;
    st_reserve_table(&retired->heads, &retired->head_capacity, ((size_t)page + 1) * GRANULES);
    uint32_t node = take_node(retired), *at = head(retired, page, place);
    retired->nodes[node - 1] = (struct st_retired_node){first, *at};
    *at = node;
}

uint32_t st_retired_take(struct st_retired *retired, uint64_t place, unsigned count) {
    uint64_t id = page_id(place, count);
    uint32_t page = is_last(retired, id)
                        ? retired->last_page
                        : remember(retired, id, st_map64_find(&retired->pages, id));
    if (page == ST_MAP64_NONE)
        return UINT32_MAX;
    uint32_t *at = head(retired, page, place), node = *at;
    if (!node)
        return UINT32_MAX;
    *at = retired->nodes[node - 1].next;
    retired->nodes[node - 1].next = retired->free_node;
    retired->free_node = node;
    return retired->nodes[node - 1].first;
}
