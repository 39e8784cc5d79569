#include "trace/late/leaves.h"

#include "base/memory.h"

#include <stdlib.h>

void st_leaves_add(struct st_leaves *leaves, uint32_t whole, uint32_t part) {
    st_reserve(&leaves->parts, &leaves->capacity, leaves->count + 1);
    leaves->parts[leaves->count] = (struct st_leaf_part){whole, part, leaves->count};
    leaves->count++;
}

static int compare(const void *left, const void *right) {
    const struct st_leaf_part *a = left, *b = right;
    if (a->whole != b->whole)
        return a->whole < b->whole ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

void st_leaves_sort(struct st_leaves *leaves) {
    if (leaves->count)
        qsort(leaves->parts, leaves->count, sizeof *leaves->parts, compare);
}

/* The first part whose whole is not below the variable. */
static size_t first_of(const struct st_leaves *leaves, uint32_t variable) {
    size_t low = 0, high = leaves->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (leaves->parts[middle].whole < variable)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_whole(const struct st_leaves *leaves, size_t at, uint32_t variable) {
    return at < leaves->count && leaves->parts[at].whole == variable;
}

static void found(struct st_leaves *leaves, uint32_t variable) {
    st_reserve(&leaves->found, &leaves->found_capacity, leaves->found_count + 1);
    leaves->found[leaves->found_count++] = variable;
}

const uint32_t *st_leaves_find(struct st_leaves *leaves, uint32_t variable, size_t *count) {
    size_t waiting = 0, steps = 0;
    leaves->found_count = 0;
    st_reserve(&leaves->todo, &leaves->todo_capacity, 1);
    leaves->todo[waiting++] = variable;
    while (waiting && steps++ <= leaves->count) { /* a damaged file may have circles */
        uint32_t next = leaves->todo[--waiting];
        size_t first = first_of(leaves, next), end = first;
        while (is_whole(leaves, end, next))
            end++;
        if (end == first)
            found(leaves, next);
        st_reserve(&leaves->todo, &leaves->todo_capacity, waiting + end - first);
        while (end > first)
            leaves->todo[waiting++] = leaves->parts[--end].part;
    }
    *count = leaves->found_count;
    return leaves->found;
}

void st_leaves_free(struct st_leaves *leaves) {
    free(leaves->parts);
    free(leaves->found);
    free(leaves->todo);
}
