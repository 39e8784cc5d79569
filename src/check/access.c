#include "check/access.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_accesses_free(struct st_accesses *accesses) {
    for (size_t x = 0; x < accesses->variable_capacity; x++)
        free(accesses->variables[x].more);
    free(accesses->variables);
    free(accesses->locks);
    memset(accesses, 0, sizeof *accesses);
}

void st_accesses_reserve(struct st_accesses *accesses, struct st_extent need) {
    st_reserve(&accesses->variables, &accesses->variable_capacity, need.variables);
    st_reserve(&accesses->locks, &accesses->lock_capacity, need.locks);
}

size_t st_accesses_memory(const struct st_accesses *accesses) {
    return accesses->variable_capacity * sizeof *accesses->variables +
           accesses->lock_capacity * sizeof *accesses->locks + accesses->read_bytes;
}

void st_accesses_visit(struct st_accesses *accesses,
                       void (*visit)(void *context, struct st_access *access), void *context) {
    for (size_t x = 0; x < accesses->variable_capacity; x++) {
        struct st_variable *variable = &accesses->variables[x];
        if (variable->write.time)
            visit(context, &variable->write);
        if (variable->read.time)
            visit(context, &variable->read);
        for (uint32_t i = 0; variable->more && i < variable->more->count; i++)
            visit(context, &variable->more->items[i]);
    }
    for (size_t l = 0; l < accesses->lock_capacity; l++)
        if (accesses->locks[l].time)
            visit(context, &accesses->locks[l]);
}

static size_t list_bytes(uint32_t capacity) {
    return sizeof(struct st_reads) + capacity * sizeof(struct st_access);
}

static void append(struct st_accesses *accesses, struct st_variable *variable,
                   const struct st_access *read) {
    struct st_reads *more = variable->more;
    uint32_t count = more ? more->count : 0, capacity = more ? more->capacity : 0;
    if (count == capacity) {
        accesses->read_bytes -= more ? list_bytes(capacity) : 0;
        capacity = capacity ? 2 * capacity : 2;
        more = st_realloc(more, list_bytes(capacity), 1);
        more->capacity = capacity;
        accesses->read_bytes += list_bytes(capacity);
        variable->more = more;
    }
    more->items[count] = *read;
    more->count = count + 1;
}

void st_reads_add(struct st_accesses *accesses, struct st_variable *variable,
                  const struct st_access *read, const st_time *clock) {
    struct st_reads *more = variable->more;
    uint32_t kept = 0;
    for (uint32_t i = 0; more && i < more->count; i++)
        if (clock[more->items[i].thread] < more->items[i].time)
            more->items[kept++] = more->items[i];
    if (more)
        more->count = kept;
    if (clock[variable->read.thread] >= variable->read.time)
        variable->read = *read;
    else
        append(accesses, variable, read);
}

void st_reads_drop(struct st_accesses *accesses, struct st_variable *variable) {
    accesses->read_bytes -= list_bytes(variable->more->capacity);
    free(variable->more);
    variable->more = NULL;
}
