#include "check/witness/variable_state.h"

#include <stdlib.h>
#include <string.h>

size_t st_shadow_memory(const struct st_shadow *shadow) {
    return (shadow->variable_capacity + shadow->channel_capacity) *
               sizeof(struct st_variable_shadow) +
           shadow->lock_capacity * sizeof *shadow->locks + shadow->reader_bytes +
           st_slab_memory(&shadow->small_readers);
}

static void visit_variable(struct st_variable_shadow *variable,
                           void (*visit)(void *context, struct st_touch *touch), void *context) {
    visit(context, &variable->slot[ST_WRITE]);
    if (!st_shadow_several(variable))
        visit(context, &variable->slot[ST_READ]);
    else
        for (uint32_t i = 0; i < variable->readers->count; i++)
            visit(context, &variable->readers->items[i]);
}

void st_shadow_visit(struct st_shadow *shadow, void (*visit)(void *context, struct st_touch *touch),
                     void *context) {
    for (size_t x = 0; x < shadow->variable_capacity; x++)
        visit_variable(&shadow->variables[x], visit, context);
    for (size_t c = 0; c < shadow->channel_capacity; c++)
        visit_variable(&shadow->channels[c], visit, context);
    for (size_t l = 0; l < shadow->lock_capacity; l++)
        visit(context, &shadow->locks[l]);
}

enum { SMALL = 4 };

static size_t readers_bytes(uint32_t capacity) {
    return sizeof(struct st_readers) + capacity * (sizeof(struct st_touch) + 2 * sizeof(uint32_t));
}

static uint32_t *index_of(struct st_readers *readers) {
    return (uint32_t *)(void *)&readers->items[readers->capacity];
}

/* With room for that many and as many again. Small ones come and go with every write to a variable
 * that several threads read. */
static struct st_readers *new_readers(struct st_shadow *shadow, uint32_t count) {
    uint32_t capacity = SMALL;
    while (capacity < 2 * count)
        capacity *= 2;
    if (!shadow->small_readers.object_bytes)
        st_slab_init(&shadow->small_readers, readers_bytes(SMALL));
    struct st_readers *readers = capacity == SMALL ? st_slab_take(&shadow->small_readers)
                                                   : st_alloc(readers_bytes(capacity), 1);
    readers->capacity = capacity;
    readers->until_sift = 2 * count; /* so that looking costs a constant for each read */
    shadow->reader_bytes += capacity == SMALL ? 0 : readers_bytes(capacity);
    return readers;
}

static void free_readers(struct st_shadow *shadow, struct st_readers *readers) {
    if (readers->capacity == SMALL) {
        st_slab_give(&shadow->small_readers, readers);
        return;
    }
    shadow->reader_bytes -= readers_bytes(readers->capacity);
    free(readers);
}

void st_shadow_free(struct st_shadow *shadow) {
    for (size_t x = 0; x < shadow->variable_capacity; x++)
        if (st_shadow_several(&shadow->variables[x]))
            free_readers(shadow, shadow->variables[x].readers);
    for (size_t c = 0; c < shadow->channel_capacity; c++)
        if (st_shadow_several(&shadow->channels[c]))
            free_readers(shadow, shadow->channels[c].readers);
    st_slab_free(&shadow->small_readers);
    st_free_table(shadow->variables, shadow->variable_capacity, sizeof *shadow->variables);
    free(shadow->locks);
    free(shadow->channels);
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

/* Keeps the reads that still matter: in a table with room for as many again, or, when there are
 * none, in the slot that is free again. */
static void sift(struct st_shadow *shadow, struct st_variable_shadow *variable,
                 const st_time *live_from) {
    struct st_readers *old = variable->readers;
    uint32_t alive = 0;
    for (uint32_t i = 0; i < old->count; i++)
        if (old->items[i].time >= live_from[old->items[i].thread])
            old->items[alive++] = old->items[i];
    if (alive == 0) {
        st_shadow_drop_reads(shadow, variable);
        return;
    }
    variable->readers = new_readers(shadow, alive);
    for (uint32_t i = 0; i < alive; i++)
        put_reader(variable->readers, &old->items[i]);
    free_readers(shadow, old);
}

static void note_fresh(struct st_variable_shadow *variable, const struct st_touch *read,
                       uint64_t ticked) {
    if (ticked >= variable->fresh_since) {
        variable->fresh = 0;
        variable->fresh_since = read->number;
    }
    if (read->thread < 64)
        variable->fresh |= UINT64_C(1) << read->thread;
}

static void start_list(struct st_shadow *shadow, struct st_variable_shadow *variable) {
    struct st_readers *readers = new_readers(shadow, 2);
    put_reader(readers, &variable->slot[ST_READ]);
    variable->several = ST_SEVERAL;
    variable->never = ST_NEVER;
    variable->readers = readers;
    variable->fresh = variable->fresh_since = 0;
}

void st_shadow_read(struct st_shadow *shadow, struct st_variable_shadow *variable,
                    const struct st_touch *read, uint64_t ticked, const st_time *live_from) {
    if (!st_shadow_several(variable))
        start_list(shadow, variable);
    struct st_readers *readers = variable->readers;
    if (readers->count == readers->capacity || readers->until_sift-- == 0)
        sift(shadow, variable, live_from);
    if (!st_shadow_several(variable)) {
        variable->slot[ST_READ] = *read;
        return;
    }
    put_reader(variable->readers, read);
    note_fresh(variable, read, ticked);
}

/* The read that the thread has there, or NULL. */
static const struct st_touch *find_reader(struct st_readers *readers, int32_t thread) {
    uint32_t *index = index_of(readers), mask = 2 * readers->capacity - 1;
    uint32_t i = (uint32_t)thread & mask;
    while (index[i] && readers->items[index[i] - 1].thread != thread)
        i = (i + 1) & mask;
    return index[i] ? &readers->items[index[i] - 1] : NULL;
}

/* Among several it is not noted as fresh: its thread may have learned something since. */
void st_shadow_late_read(struct st_shadow *shadow, struct st_variable_shadow *variable,
                         const struct st_touch *read, const st_time *live_from) {
    struct st_touch *slot = &variable->slot[ST_READ];
    if (!st_shadow_several(variable) && !st_touch_matters(slot, read->thread, live_from)) {
        if (slot->thread != read->thread || slot->time <= read->time)
            *slot = *read;
        return;
    }
    if (!st_shadow_several(variable))
        start_list(shadow, variable);
    const struct st_touch *old = find_reader(variable->readers, read->thread);
    if (old && old->time > read->time)
        return;
    if (!old && variable->readers->count == variable->readers->capacity)
        sift(shadow, variable, live_from);
    if (st_shadow_several(variable))
        put_reader(variable->readers, read);
    else
        *slot = *read;
}

void st_shadow_copy(struct st_shadow *shadow, uint32_t from, uint32_t to,
                    const st_time *live_from) {
    st_shadow_variable(shadow, from > to ? from : to); /* from here on none moves */
    const struct st_variable_shadow *source = st_shadow_variable(shadow, from);
    struct st_variable_shadow *copy = st_shadow_variable(shadow, to);
    copy->slot[ST_WRITE] = source->slot[ST_WRITE];
    if (!st_shadow_several(source)) {
        copy->slot[ST_READ] = source->slot[ST_READ];
        return;
    }
    for (uint32_t i = 0; i < source->readers->count; i++)
        st_shadow_late_read(shadow, copy, &source->readers->items[i], live_from);
}

void st_shadow_receive(struct st_shadow *shadow, struct st_variable_shadow *channel,
                       const st_time *live_from) {
    if (st_shadow_several(channel) && channel->readers->until_sift-- == 0)
        sift(shadow, channel, live_from);
}

void st_shadow_drop_reads(struct st_shadow *shadow, struct st_variable_shadow *variable) {
    if (st_shadow_several(variable)) {
        free_readers(shadow, variable->readers);
        variable->several = 0;
    }
    variable->slot[ST_READ].time = 0;
    variable->slot[ST_READ].known = NULL;
}

void st_shadow_forget(struct st_shadow *shadow, uint32_t variable) {
    if (variable >= shadow->variable_capacity)
        return;
    st_shadow_drop_reads(shadow, &shadow->variables[variable]);
    shadow->variables[variable].slot[ST_WRITE] = (struct st_touch){0};
}
