#include "check/shadow.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_shadow_free(struct st_shadow *shadow) {
    for (size_t x = 0; x < shadow->variable_capacity; x++)
        if (st_shadow_several(&shadow->variables[x]))
            free(shadow->variables[x].readers);
    st_free_table(shadow->variables, shadow->variable_capacity, sizeof *shadow->variables);
    free(shadow->locks);
}

void st_shadow_reserve(struct st_shadow *shadow, struct st_extent need) {
    st_reserve_table(&shadow->variables, &shadow->variable_capacity, need.variables);
    st_reserve(&shadow->locks, &shadow->lock_capacity, need.locks);
}

size_t st_shadow_memory(const struct st_shadow *shadow) {
    return shadow->variable_capacity * sizeof *shadow->variables +
           shadow->lock_capacity * sizeof *shadow->locks + shadow->reader_bytes;
}

void st_shadow_visit(struct st_shadow *shadow, void (*visit)(void *context, struct st_touch *touch),
                     void *context) {
    for (size_t x = 0; x < shadow->variable_capacity; x++) {
        struct st_variable_shadow *variable = &shadow->variables[x];
        visit(context, &variable->slot[ST_WRITE]);
        if (!st_shadow_several(variable))
            visit(context, &variable->slot[ST_READ]);
        else
            for (uint32_t i = 0; i < variable->readers->count; i++)
                visit(context, &variable->readers->items[i]);
    }
    for (size_t l = 0; l < shadow->lock_capacity; l++)
        visit(context, &shadow->locks[l]);
}

static size_t readers_bytes(uint32_t capacity) {
    return sizeof(struct st_readers) + capacity * (sizeof(struct st_touch) + 2 * sizeof(uint32_t));
}

static uint32_t *index_of(struct st_readers *readers) {
    return (uint32_t *)(void *)&readers->items[readers->capacity];
}

static struct st_readers *new_readers(struct st_shadow *shadow, uint32_t capacity) {
    struct st_readers *readers = st_alloc(readers_bytes(capacity), 1);
    readers->capacity = capacity;
    shadow->reader_bytes += readers_bytes(capacity);
    return readers;
}

static void free_readers(struct st_shadow *shadow, struct st_readers *readers) {
    shadow->reader_bytes -= readers_bytes(readers->capacity);
    free(readers);
}

/* There is room for one more. */
static void put_reader(struct st_readers *readers, const struct st_touch *read) {
    uint32_t *index = index_of(readers), mask = 2 * readers->capacity - 1;
    uint32_t i = (uint32_t)read->thread & mask;
    while (index[i] && readers->items[index[i] - 1].thread != read->thread)
        i = (i + 1) & mask;
    if (!index[i])
        index[i] = ++readers->count;
    readers->items[index[i] - 1] = *read;
}

/* The reads that still matter, in a table with room for as many again. */
static void sift(struct st_shadow *shadow, struct st_variable_shadow *variable,
                 const st_time *live_from) {
    struct st_readers *old = variable->readers;
    uint32_t alive = 0, capacity = 4;
    for (uint32_t i = 0; i < old->count; i++)
        if (old->items[i].time >= live_from[old->items[i].thread])
            old->items[alive++] = old->items[i];
    while (capacity < 2 * alive)
        capacity *= 2;
    struct st_readers *sifted = new_readers(shadow, capacity);
    for (uint32_t i = 0; i < alive; i++)
        put_reader(sifted, &old->items[i]);
    free_readers(shadow, old);
    variable->readers = sifted;
}

void st_shadow_read(struct st_shadow *shadow, struct st_variable_shadow *variable,
                    const struct st_touch *read, const st_time *live_from) {
    if (!st_shadow_several(variable)) {
        struct st_readers *readers = new_readers(shadow, 4);
        put_reader(readers, &variable->slot[ST_READ]);
        variable->several = ST_SEVERAL;
        variable->never = ST_NEVER;
        variable->readers = readers;
    }
    if (variable->readers->count == variable->readers->capacity)
        sift(shadow, variable, live_from);
    put_reader(variable->readers, read);
}

void st_shadow_drop_reads(struct st_shadow *shadow, struct st_variable_shadow *variable) {
    if (st_shadow_several(variable)) {
        free_readers(shadow, variable->readers);
        variable->several = 0;
    }
    variable->slot[ST_READ].time = 0;
    variable->slot[ST_READ].known = NULL;
}
