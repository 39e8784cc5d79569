#include "check/clock_accesses.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void free_reads(struct st_clock_variable *variables, size_t count) {
    for (size_t x = 0; x < count; x++)
        if (st_has_several_reads(&variables[x]))
            free(variables[x].reads);
}

void st_clock_accesses_free(struct st_clock_accesses *accesses) {
    free_reads(accesses->variables, accesses->variable_capacity);
    free_reads(accesses->channels, accesses->channel_capacity);
    st_free_table(accesses->variables, accesses->variable_capacity,
                  sizeof(struct st_clock_variable));
    free(accesses->locks);
    free(accesses->channels);
    memset(accesses, 0, sizeof *accesses);
}

void st_clock_accesses_reserve(struct st_clock_accesses *accesses, struct st_extent need) {
    st_reserve_table(&accesses->variables, &accesses->variable_capacity, need.variables);
    st_reserve(&accesses->locks, &accesses->lock_capacity, need.locks);
}

size_t st_clock_accesses_memory(const struct st_clock_accesses *accesses) {
    return (accesses->variable_capacity + accesses->channel_capacity) *
               sizeof(struct st_clock_variable) +
           accesses->lock_capacity * sizeof *accesses->locks + accesses->read_bytes;
}

struct st_clock_variable *st_clock_accesses_channel(struct st_clock_accesses *accesses,
                                                    uint32_t channel) {
    st_reserve(&accesses->channels, &accesses->channel_capacity, channel + (size_t)1);
    return &accesses->channels[channel];
}

static void visit_variable(struct st_clock_variable *variable,
                           void (*visit)(void *context, struct st_clock_access *access),
                           void *context) {
    if (variable->write.time)
        visit(context, &variable->write);
    if (st_has_several_reads(variable))
        for (uint32_t i = 0; i < variable->reads->count; i++)
            visit(context, &variable->reads->items[i]);
    else if (variable->read.time)
        visit(context, &variable->read);
}

void st_clock_accesses_visit(struct st_clock_accesses *accesses,
                             void (*visit)(void *context, struct st_clock_access *access),
                             void *context) {
    for (size_t x = 0; x < accesses->variable_capacity; x++)
        visit_variable(&accesses->variables[x], visit, context);
    for (size_t c = 0; c < accesses->channel_capacity; c++)
        visit_variable(&accesses->channels[c], visit, context);
    for (size_t l = 0; l < accesses->lock_capacity; l++)
        if (accesses->locks[l].time)
            visit(context, &accesses->locks[l]);
}

static size_t list_bytes(uint32_t capacity) {
    return sizeof(struct st_reads) + capacity * sizeof(struct st_clock_access);
}

static void resize(struct st_clock_accesses *accesses, struct st_clock_variable *variable,
                   uint32_t capacity) {
    struct st_reads *reads = st_realloc(variable->reads, list_bytes(capacity), 1);
    accesses->read_bytes += list_bytes(capacity) - list_bytes(reads->capacity);
    reads->capacity = capacity;
    variable->reads = reads;
}

/* The one read becomes the first of a list. */
static void start_list(struct st_clock_accesses *accesses, struct st_clock_variable *variable) {
    enum { FEW = 4 };
    struct st_reads *reads = st_alloc(list_bytes(FEW), 1);
    accesses->read_bytes += list_bytes(FEW);
    reads->capacity = FEW;
    reads->items[reads->count++] = variable->read;
    variable->zero = 0;
    variable->several = ST_NEVER;
    variable->reads = reads;
}

void st_reads_add(struct st_clock_accesses *accesses, struct st_clock_variable *variable,
                  const struct st_clock_access *read, const struct st_shared_row *clock) {
    if (!st_has_several_reads(variable))
        start_list(accesses, variable);
    struct st_reads *reads = variable->reads;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < reads->count; i++)
        if (st_row_get(clock, reads->items[i].thread) < reads->items[i].time)
            reads->items[kept++] = reads->items[i];
    reads->count = kept;
    if (kept == 0) {
        st_reads_drop(accesses, variable);
        variable->read = *read;
        return;
    }
    if (kept == reads->capacity)
        resize(accesses, variable, 2 * kept);
    variable->reads->items[variable->reads->count++] = *read;
}

void st_reads_drop(struct st_clock_accesses *accesses, struct st_clock_variable *variable) {
    accesses->read_bytes -= list_bytes(variable->reads->capacity);
    free(variable->reads);
    variable->several = 0;
}

void st_clock_accesses_forget(struct st_clock_accesses *accesses, uint32_t variable) {
    if (variable < accesses->variable_capacity)
        st_clock_variable_write(accesses, &accesses->variables[variable],
                                &(struct st_clock_access){.time = 0});
}
