#include "check/witness/variable_state.h"

#include <stdlib.h>
#include <string.h>

size_t st_states_memory(const struct st_variable_states *states) {
    return (states->variable_capacity + states->channel_capacity) *
               sizeof(struct st_variable_state) +
           states->lock_capacity * sizeof *states->locks + states->reader_bytes +
           st_slab_memory(&states->small_readers);
}

static void visit_variable(struct st_variable_state *variable,
                           void (*visit)(void *context, struct st_last_access *access),
                           void *context) {
    visit(context, &variable->slot[ST_WRITE]);
    if (!st_has_several_readers(variable))
        visit(context, &variable->slot[ST_READ]);
    else
        for (uint32_t i = 0; i < variable->readers->count; i++)
            visit(context, &variable->readers->items[i]);
}

void st_states_visit(struct st_variable_states *states,
                     void (*visit)(void *context, struct st_last_access *access), void *context) {
    for (size_t x = 0; x < states->variable_capacity; x++)
        visit_variable(&states->variables[x], visit, context);
    for (size_t c = 0; c < states->channel_capacity; c++)
        visit_variable(&states->channels[c], visit, context);
    for (size_t l = 0; l < states->lock_capacity; l++)
        visit(context, &states->locks[l]);
}

enum { SMALL = 4 };

static size_t readers_bytes(uint32_t capacity) {
    return sizeof(struct st_readers) +
           capacity * (sizeof(struct st_last_access) + 2 * sizeof(uint32_t));
}

static uint32_t *index_of(struct st_readers *readers) {
    return (uint32_t *)(void *)&readers->items[readers->capacity];
}

/* With room for that many and as many again. Small ones come and go with every write to a variable
 * that several threads read. */
static struct st_readers *new_readers(struct st_variable_states *states, uint32_t count) {
    uint32_t capacity = SMALL;
    while (capacity < 2 * count)
        capacity *= 2;
    if (!states->small_readers.object_bytes)
        st_slab_init(&states->small_readers, readers_bytes(SMALL));
    struct st_readers *readers = capacity == SMALL ? st_slab_take(&states->small_readers)
                                                   : st_alloc(readers_bytes(capacity), 1);
    readers->capacity = capacity;
    readers->until_sift = 2 * count; /* so that looking costs a constant for each read */
    states->reader_bytes += capacity == SMALL ? 0 : readers_bytes(capacity);
    return readers;
}

static void free_readers(struct st_variable_states *states, struct st_readers *readers) {
    if (readers->capacity == SMALL) {
        st_slab_give(&states->small_readers, readers);
        return;
    }
    states->reader_bytes -= readers_bytes(readers->capacity);
    free(readers);
}

void st_states_free(struct st_variable_states *states) {
    for (size_t x = 0; x < states->variable_capacity; x++)
        if (st_has_several_readers(&states->variables[x]))
            free_readers(states, states->variables[x].readers);
    for (size_t c = 0; c < states->channel_capacity; c++)
        if (st_has_several_readers(&states->channels[c]))
            free_readers(states, states->channels[c].readers);
    st_slab_free(&states->small_readers);
    st_free_table(states->variables, states->variable_capacity, sizeof *states->variables);
    free(states->locks);
    free(states->channels);
}

/* There is room for one more. */
static void put_reader(struct st_readers *readers, const struct st_last_access *read) {
    uint32_t *index = index_of(readers), mask = 2 * readers->capacity - 1;
    uint32_t i = (uint32_t)read->thread & mask;
    while (index[i] && readers->items[index[i] - 1].thread != read->thread)
        i = (i + 1) & mask;
    if (!index[i])
        index[i] = ++readers->count;
    readers->items[index[i] - 1] = *read;
}

/* Keeps the reads that still matter: in a table with room for as many again, or, when there are
 * none, in the slot that is free again. */
static void sift(struct st_variable_states *states, struct st_variable_state *variable,
                 const st_time *live_from) {
    struct st_readers *old = variable->readers;
    uint32_t alive = 0;
    for (uint32_t i = 0; i < old->count; i++)
        if (old->items[i].time >= live_from[old->items[i].thread])
            old->items[alive++] = old->items[i];
    if (alive == 0) {
        st_states_drop_reads(states, variable);
        return;
    }
    variable->readers = new_readers(states, alive);
    for (uint32_t i = 0; i < alive; i++)
        put_reader(variable->readers, &old->items[i]);
    free_readers(states, old);
}

static void note_fresh(struct st_variable_state *variable, const struct st_last_access *read,
                       uint64_t ticked) {
    if (ticked >= variable->fresh_since) {
        variable->fresh = 0;
        variable->fresh_since = read->number;
    }
    if (read->thread < 64)
        variable->fresh |= UINT64_C(1) << read->thread;
}

static void start_list(struct st_variable_states *states, struct st_variable_state *variable) {
    struct st_readers *readers = new_readers(states, 2);
    put_reader(readers, &variable->slot[ST_READ]);
    variable->several = ST_SEVERAL;
    variable->never = ST_NEVER;
    variable->readers = readers;
    variable->fresh = variable->fresh_since = 0;
}

void st_states_read(struct st_variable_states *states, struct st_variable_state *variable,
                    const struct st_last_access *read, uint64_t ticked, const st_time *live_from) {
    if (!st_has_several_readers(variable))
        start_list(states, variable);
    struct st_readers *readers = variable->readers;
    if (readers->count == readers->capacity || readers->until_sift-- == 0)
        sift(states, variable, live_from);
    if (!st_has_several_readers(variable)) {
        variable->slot[ST_READ] = *read;
        return;
    }
    put_reader(variable->readers, read);
    note_fresh(variable, read, ticked);
}

/* The read that the thread has there, or NULL. */
static const struct st_last_access *find_reader(struct st_readers *readers, int32_t thread) {
    uint32_t *index = index_of(readers), mask = 2 * readers->capacity - 1;
    uint32_t i = (uint32_t)thread & mask;
    while (index[i] && readers->items[index[i] - 1].thread != thread)
        i = (i + 1) & mask;
    return index[i] ? &readers->items[index[i] - 1] : NULL;
}

/* Among several it is not noted as fresh: the local time of its thread may have grown since. */
void st_states_deferred_read(struct st_variable_states *states, struct st_variable_state *variable,
                             const struct st_last_access *read, const st_time *live_from) {
    struct st_last_access *slot = &variable->slot[ST_READ];
    if (!st_has_several_readers(variable) && !st_access_matters(slot, read->thread, live_from)) {
        if (slot->thread != read->thread || slot->time <= read->time)
            *slot = *read;
        return;
    }
    if (!st_has_several_readers(variable))
        start_list(states, variable);
    const struct st_last_access *old = find_reader(variable->readers, read->thread);
    if (old && old->time > read->time)
        return;
    if (!old && variable->readers->count == variable->readers->capacity)
        sift(states, variable, live_from);
    if (st_has_several_readers(variable))
        put_reader(variable->readers, read);
    else
        *slot = *read;
}

void st_states_copy(struct st_variable_states *states, uint32_t from, uint32_t to,
                    const st_time *live_from) {
    st_states_variable(states, from > to ? from : to); /* from here on none moves */
    const struct st_variable_state *source = st_states_variable(states, from);
    struct st_variable_state *copy = st_states_variable(states, to);
    copy->slot[ST_WRITE] = source->slot[ST_WRITE];
    if (!st_has_several_readers(source)) {
        copy->slot[ST_READ] = source->slot[ST_READ];
        return;
    }
    for (uint32_t i = 0; i < source->readers->count; i++)
        st_states_deferred_read(states, copy, &source->readers->items[i], live_from);
}

void st_states_receive(struct st_variable_states *states, struct st_variable_state *channel,
                       const st_time *live_from) {
    if (st_has_several_readers(channel) && channel->readers->until_sift-- == 0)
        sift(states, channel, live_from);
}

void st_states_drop_reads(struct st_variable_states *states, struct st_variable_state *variable) {
    if (st_has_several_readers(variable)) {
        free_readers(states, variable->readers);
        variable->several = 0;
    }
    variable->slot[ST_READ].time = 0;
    variable->slot[ST_READ].before = NULL;
}

void st_states_forget(struct st_variable_states *states, uint32_t variable) {
    if (variable >= states->variable_capacity)
        return;
    st_states_drop_reads(states, &states->variables[variable]);
    states->variables[variable].slot[ST_WRITE] = (struct st_last_access){0};
}
