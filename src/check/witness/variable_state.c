#include "check/witness/state_pages.h"

#include <stdlib.h>
#include <string.h>

size_t st_states_memory(const struct st_variable_states *states) {
    return states->page_bytes + states->packed_bytes + states->page_capacity * 2 * sizeof(void *) +
           states->queue_capacity * sizeof *states->queue +
           states->channel_capacity * sizeof(struct st_variable_state) +
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
    for (size_t p = 0; p < states->page_capacity; p++) {
        if (states->packed[p])
            st_packed_page_visit(states->packed[p], visit, context);
        for (size_t x = 0; states->pages[p] && x < ST_PAGE_STATES; x++)
            visit_variable(&states->pages[p]->variables[x], visit, context);
    }
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

/* ---- pages ---- */

enum { FIRST_BLOCK = 16, SMALL_BLOCKS = 3, LARGE_BLOCK = 1024 };

/* The first ones are small, since most traces are; the others lie on large pages of the system. */
static size_t pages_of_block(size_t block) {
    return block < SMALL_BLOCKS ? (size_t)FIRST_BLOCK << block : LARGE_BLOCK;
}

static void make_room(struct st_variable_states *states, uint32_t page) {
    size_t old = states->page_capacity, capacity = old ? old : 64;
    while (capacity <= page)
        capacity *= 2;
    states->pages = st_realloc(states->pages, capacity, sizeof *states->pages);
    states->packed = st_realloc(states->packed, capacity, sizeof *states->packed);
    memset(&states->pages[old], 0, (capacity - old) * sizeof *states->pages);
    memset(&states->packed[old], 0, (capacity - old) * sizeof *states->packed);
    states->page_capacity = capacity;
}

void st_states_init(struct st_variable_states *states, const st_time *const *live_from) {
    *states = (struct st_variable_states){.live_from = live_from, .open_limit = ST_OPEN_PAGES};
    make_room(states, 0);
}

static void give_page(struct st_variable_states *states, union st_state_page *page) {
    page->next_free = states->free_pages;
    states->free_pages = page;
}

/* All zero. What was never taken is so, and may not even be there yet. */
static union st_state_page *take_page(struct st_variable_states *states) {
    union st_state_page *page = states->free_pages;
    if (page) {
        states->free_pages = page->next_free;
        return memset(page, 0, sizeof *page);
    }
    if (!states->fresh_count) {
        states->fresh_count = pages_of_block(states->block_count);
        states->fresh = st_alloc_table(states->fresh_count, sizeof *page);
        states->page_bytes += states->fresh_count * sizeof *page;
        st_reserve(&states->page_blocks, &states->block_capacity, states->block_count + 1);
        states->page_blocks[states->block_count++] = states->fresh;
    }
    states->fresh_count--;
    return states->fresh++;
}

static void enqueue(struct st_variable_states *states, uint32_t page) {
    if (states->queue_count == states->queue_capacity) {
        size_t capacity = states->queue_capacity ? 2 * states->queue_capacity : ST_OPEN_PAGES;
        uint32_t *queue = st_alloc(capacity, sizeof *queue);
        for (size_t i = 0; i < states->queue_count; i++)
            queue[i] = states->queue[(states->queue_first + i) & (states->queue_capacity - 1)];
        free(states->queue);
        states->queue = queue;
        states->queue_first = 0;
        states->queue_capacity = capacity;
    }
    size_t at = (states->queue_first + states->queue_count++) & (states->queue_capacity - 1);
    states->queue[at] = page;
}

/* Packs the page that was opened first. One that cannot be packed gets another turn. */
static void pack_first(struct st_variable_states *states) {
    uint32_t number = states->queue[states->queue_first];
    union st_state_page *page = states->pages[number];
    bool empty;
    states->queue_first = (states->queue_first + 1) & (states->queue_capacity - 1);
    states->queue_count--;
    struct st_packed_page *packed = st_page_pack(page->variables, *states->live_from, &empty);
    if (!packed && !empty) {
        enqueue(states, number);
        return;
    }
    if (packed)
        states->packed_bytes += st_packed_page_memory(packed);
    states->packed[number] = packed;
    states->pages[number] = NULL;
    give_page(states, page);
}

__attribute__((noinline)) void st_states_open(struct st_variable_states *states, uint32_t number) {
    if (number >= states->page_capacity)
        make_room(states, number);
    if (states->queue_count >= states->open_limit)
        pack_first(states);
    union st_state_page *page = take_page(states);
    struct st_packed_page *packed = states->packed[number];
    if (packed) {
        st_page_unpack(packed, page->variables);
        states->packed_bytes -= st_packed_page_memory(packed);
        st_packed_page_free(packed);
        states->packed[number] = NULL;
    }
    states->opened++;
    states->pages[number] = page;
    enqueue(states, number);
}

/* Opening costs as much as some tens of events. Whoever goes through memory from one end to the
 * other opens a page every 64 events or less often. */
void st_states_adapt(struct st_variable_states *states, size_t events) {
    enum { PERIOD = 4096, MOST_OPENED = PERIOD / 32 };
    states->events += events;
    if (states->events < PERIOD)
        return;
    if (states->opened > MOST_OPENED)
        states->open_limit *= 2;
    states->events = states->opened = 0;
}

void st_states_free(struct st_variable_states *states) {
    for (size_t p = 0; p < states->page_capacity; p++) {
        st_packed_page_free(states->packed[p]);
        for (size_t x = 0; states->pages[p] && x < ST_PAGE_STATES; x++)
            if (st_has_several_readers(&states->pages[p]->variables[x]))
                free_readers(states, states->pages[p]->variables[x].readers);
    }
    for (size_t c = 0; c < states->channel_capacity; c++)
        if (st_has_several_readers(&states->channels[c]))
            free_readers(states, states->channels[c].readers);
    st_slab_free(&states->small_readers);
    for (size_t i = 0; i < states->block_count; i++)
        st_free_table(states->page_blocks[i], pages_of_block(i), sizeof *states->page_blocks[i]);
    free(states->page_blocks);
    free(states->pages);
    free(states->packed);
    free(states->queue);
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
    st_states_variable(states, to);
    const struct st_variable_state *source = st_states_variable(states, from);
    struct st_variable_state *copy = st_states_variable(states, to); /* `source` stays, see there */
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
    uint32_t page = variable >> ST_STATE_PAGE_BITS;
    if (page >= states->page_capacity || (!states->pages[page] && !states->packed[page]))
        return;
    size_t opened = states->opened;
    struct st_variable_state *state = st_states_variable(states, variable);
    states->opened = opened; /* not by an event */
    st_states_drop_reads(states, state);
    state->slot[ST_WRITE] = (struct st_last_access){0};
}
