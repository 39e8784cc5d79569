/* Finds which of many address ranges holds an address. Ranges may nest and overlap. */
#ifndef SERIATIM_SYMBOL_SPANS_H
#define SERIATIM_SYMBOL_SPANS_H

#include <stddef.h>
#include <stdint.h>

struct st_span {
    uint64_t low, high; /* [low, high) */
    uint64_t reach;     /* the largest `high` of this span and those before it, once sorted */
    uint32_t what;      /* for the owner: what lies there */
};

/* All zero is empty. */
struct st_spans {
    struct st_span *list;
    size_t count, capacity;
};

void st_spans_free(struct st_spans *spans);

/* Empty ranges are not added. */
void st_spans_add(struct st_spans *spans, uint64_t low, uint64_t high, uint32_t what);

/* Call this after adding and before finding. */
void st_spans_sort(struct st_spans *spans);

/* The innermost span that holds the address: the one that starts last; among equals the shortest,
 * and then the one that was added first (`what` must be ascending). NULL if there is none. */
const struct st_span *st_spans_find(const struct st_spans *spans, uint64_t address);

#endif
