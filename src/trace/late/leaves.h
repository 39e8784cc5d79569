/* Variables that turned out to be several, or to be another one: what they were in the end. */
#ifndef SERIATIM_TRACE_LATE_LEAVES_H
#define SERIATIM_TRACE_LATE_LEAVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is empty. Invariant: once sorted, the parts of a variable follow each other, in the
 * order in which they were added. */
struct st_leaves {
    struct st_leaf_part {
        uint32_t whole, part;
        size_t order;
    } * parts;
    size_t count, capacity;
    uint32_t *found; /* what st_leaves_find returned last */
    size_t found_count, found_capacity;
    uint32_t *todo;
    size_t todo_capacity;
};

/* `part` was a part of `whole` until now. */
void st_leaves_add(struct st_leaves *leaves, uint32_t whole, uint32_t part);

/* After all of them were added. */
void st_leaves_sort(struct st_leaves *leaves);

/* What an access to the variable is one to: *count variables, valid until the next call. */
const uint32_t *st_leaves_find(struct st_leaves *leaves, uint32_t variable, size_t *count);

void st_leaves_free(struct st_leaves *leaves);

#endif
