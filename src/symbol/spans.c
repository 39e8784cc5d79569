#include "symbol/spans.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_spans_free(struct st_spans *spans) {
    free(spans->list);
    memset(spans, 0, sizeof *spans);
}

void st_spans_add(struct st_spans *spans, uint64_t low, uint64_t high, uint32_t what) {
    if (low >= high)
        return;
    st_reserve(&spans->list, &spans->capacity, spans->count + 1);
    spans->list[spans->count++] = (struct st_span){.low = low, .high = high, .what = what};
}

static int compare(uint64_t one, uint64_t other) {
    return (one > other) - (one < other);
}

/* The better answer is sorted last, because look-ups go backwards. */
static int in_order(const void *first, const void *second) {
    const struct st_span *one = first, *other = second;
    int order = compare(one->low, other->low);
    if (!order)
        order = compare(other->high, one->high);
    return order ? order : compare(other->what, one->what);
}

void st_spans_sort(struct st_spans *spans) {
    if (spans->count)
        qsort(spans->list, spans->count, sizeof *spans->list, in_order);
    uint64_t reach = 0;
    for (size_t i = 0; i < spans->count; i++) {
        if (spans->list[i].high > reach)
            reach = spans->list[i].high;
        spans->list[i].reach = reach;
    }
}

const struct st_span *st_spans_find(const struct st_spans *spans, uint64_t address) {
    size_t low = 0, high = spans->count; /* those before `low` start at or before the address */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans->list[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > 0 && spans->list[low].reach > address)
        if (spans->list[low].high > address)
            return &spans->list[low];
    return NULL;
}
