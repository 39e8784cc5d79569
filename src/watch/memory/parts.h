/* Granules that are divided into parts, each a variable: watch/memory/variables.h says what they
 * are. */
#ifndef SERIATIM_WATCH_MEMORY_PARTS_H
#define SERIATIM_WATCH_MEMORY_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is empty. */
struct st_parts {
    struct granule_parts *list;
    size_t count, capacity;
    uint32_t *free_list;
    size_t free_count, free_capacity;
    struct ancestor *ancestors;
    size_t ancestor_count, ancestor_capacity;
    uint32_t free_ancestor; /* 1 + index; the next one is its `before` */
};

/* Who makes and forgets variables. */
struct st_parts_owner {
    void *context;
    /* `count` variables, one behind the other, of `size` bytes each: the first of them. */
    uint32_t (*make)(void *context, uint64_t address, unsigned size, unsigned count);
    void (*forget)(void *context, uint32_t first, unsigned count);
    /* Variable `to` was a part of `from` until now; NULL: accesses to parts read ancestors. */
    void (*split)(void *context, uint32_t from, uint32_t to);
    void *split_context;
};

void st_parts_free(struct st_parts *parts);

/* A granule whose variables have `size` bytes each, `variable` and those that follow; size 0: it
 * has none yet. Returns its number. */
uint32_t st_parts_add(struct st_parts *parts, unsigned size, uint32_t variable);

/* Divides the granule, which is at that address, so that the bytes are whole parts, and calls
 * `visit` for each of them and their ancestors. */
void st_parts_touch(struct st_parts *parts, const struct st_parts_owner *owner, uint32_t number,
                    uint64_t address, uint8_t bytes, bool write,
                    void (*visit)(void *context, uint32_t variable, bool write), void *context);

/* The same bytes are other variables from now on, and what happened to the old ones happened to
 * them. */
void st_parts_renew(struct st_parts *parts, const struct st_parts_owner *owner, uint32_t number,
                    uint64_t address);

/* Up to 8 variables, without ancestors. */
unsigned st_parts_variables(const struct st_parts *parts, uint32_t number, uint32_t found[8]);

/* The granule has no meaning any more, and its number may be used again. */
void st_parts_forget(struct st_parts *parts, const struct st_parts_owner *owner, uint32_t number);

#endif
