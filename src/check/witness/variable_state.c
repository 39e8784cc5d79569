#include "check/witness/state_pages.h"

#include <stdlib.h>
#include <string.h>

size_t st_states_memory(const struct st_variable_states *states) {
    return states->page_bytes + states->packed_bytes + states->page_capacity * 2 * sizeof(void *) +
           states->queue_capacity * sizeof *states->queue +
           states->channel_capacity * sizeof(struct st_variable_state) + states->reader_bytes +
           st_slab_memory(&states->small_readers);
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

void st_states_init(struct st_variable_states *states, const uint64_t *const *live) {
    *states = (struct st_variable_states){.live = live, .open_limit = ST_OPEN_PAGES};
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
    struct st_packed_page *packed = st_page_pack(page->variables, *states->live, &empty);
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
 * other opens a page every ST_PAGE_STATES events or less often. */
void st_states_adapt(struct st_variable_states *states, size_t events) {
    enum { PERIOD = 4096, EVENTS_FOR_A_PAGE = 32 };
    states->events += events;
    if (states->events < PERIOD)
        return;
    if (states->opened > states->events / EVENTS_FOR_A_PAGE)
        states->open_limit *= 2;
    states->events = states->opened = 0;
}

void st_states_free(struct st_variable_states *states) {
    for (size_t p = 0; p < states->page_capacity; p++) {
        st_packed_page_free(states->packed[p]);
        for (size_t x = 0; states->pages[p] && x < ST_PAGE_STATES; x++)
            if (st_has_several_readers(&states->pages[p]->variables[x]))
                free_readers(states, st_several_readers(&states->pages[p]->variables[x]));
    }
    for (size_t c = 0; c < states->channel_capacity; c++)
        if (st_has_several_readers(&states->channels[c]))
            free_readers(states, st_several_readers(&states->channels[c]));
    st_slab_free(&states->small_readers);
    for (size_t i = 0; i < states->block_count; i++)
        st_free_table(states->page_blocks[i], pages_of_block(i), sizeof *states->page_blocks[i]);
    free(states->page_blocks);
    free(states->pages);
    free(states->packed);
    free(states->queue);
    free(states->channels);
}

/* Where the thread has its place in the index, or can have it. */
static uint32_t *place_of(struct st_readers *readers, int64_t thread) {
    uint32_t *index = index_of(readers), mask = 2 * readers->capacity - 1;
    uint32_t i = (uint32_t)thread & mask;
    while (index[i] && st_access_thread(&readers->items[index[i] - 1]) != thread)
        i = (i + 1) & mask;
    return &index[i];
}

/* There is room for one more. */
static void put_reader(struct st_readers *readers, const struct st_last_access *read) {
    uint32_t *place = place_of(readers, st_access_thread(read));
    if (!*place)
        *place = ++readers->count;
    readers->items[*place - 1] = *read;
}

/* With none of them fresh. */
static void set_readers(struct st_variable_state *variable, struct st_readers *readers) {
    variable->slot[ST_READ] = (struct st_last_access){ST_SEVERAL, (uintptr_t)readers};
}

/* Keeps the reads that still matter: in a table with room for as many again, or, when there are
 * none, in the slot that is free again. */
static void sift(struct st_variable_states *states, struct st_variable_state *variable) {
    struct st_readers *old = st_several_readers(variable), *kept;
    const uint64_t *live = *states->live;
    uint32_t alive = 0;
    for (uint32_t i = 0; i < old->count; i++)
        if (old->items[i].when >= live[st_access_thread(&old->items[i])])
            old->items[alive++] = old->items[i];
    if (alive == 0) {
        st_states_drop_reads(states, variable);
        return;
    }
    kept = new_readers(states, alive);
    for (uint32_t i = 0; i < alive; i++)
        put_reader(kept, &old->items[i]);
    variable->slot[ST_READ].what += (uintptr_t)kept - (uintptr_t)old; /* fresh ones stay so */
    free_readers(states, old);
}

static void note_fresh(struct st_variable_state *variable, const struct st_last_access *read,
                       uint64_t ticked) {
    struct st_last_access *reads = &variable->slot[ST_READ];
    int64_t thread = st_access_thread(read);
    if (ticked >= st_access_number(reads)) {
        set_readers(variable, st_several_readers(variable));
        reads->when |= st_access_number(read);
    }
    if (thread < ST_FRESH_THREADS)
        reads->what |= UINT64_C(1) << (ST_POINTER_BITS + thread);
}

static void start_list(struct st_variable_states *states, struct st_variable_state *variable) {
    struct st_readers *readers = new_readers(states, 2);
    put_reader(readers, &variable->slot[ST_READ]);
    set_readers(variable, readers);
}

/* The same for any thread as st_has_fresh_read for the first ones. */
static bool has_fresh_read(const struct st_variable_state *variable,
                           const struct st_last_access *read, uint64_t ticked) {
    struct st_readers *readers = st_several_readers(variable);
    uint64_t fresh_since = st_access_number(&variable->slot[ST_READ]);
    if (ticked >= fresh_since || st_access_thread(read) < ST_FRESH_THREADS)
        return false;
    uint32_t place = *place_of(readers, st_access_thread(read));
    return place && st_access_number(&readers->items[place - 1]) >= fresh_since;
}

void st_states_read(struct st_variable_states *states, struct st_variable_state *variable,
                    const struct st_last_access *read, uint64_t ticked) {
    if (!st_has_several_readers(variable))
        start_list(states, variable);
    struct st_readers *readers = st_several_readers(variable);
    if (has_fresh_read(variable, read, ticked))
        return;
    if (readers->count == readers->capacity || readers->until_sift-- == 0)
        sift(states, variable);
    if (!st_has_several_readers(variable)) {
        variable->slot[ST_READ] = *read;
        return;
    }
    put_reader(st_several_readers(variable), read);
    note_fresh(variable, read, ticked);
}

/* Among several it is not noted as fresh: the local time of its thread may have grown since. */
void st_states_deferred_read(struct st_variable_states *states, struct st_variable_state *variable,
                             const struct st_last_access *read, uint64_t later) {
    struct st_last_access *slot = &variable->slot[ST_READ];
    int64_t thread = st_access_thread(read);
    if (!st_has_several_readers(variable) &&
        !st_access_matters(slot, (uint32_t)thread, *states->live)) {
        if (st_access_thread(slot) != thread || st_access_number(slot) < later)
            *slot = *read;
        return;
    }
    if (!st_has_several_readers(variable))
        start_list(states, variable);
    struct st_readers *readers = st_several_readers(variable);
    uint32_t place = *place_of(readers, thread);
    if (place && st_access_number(&readers->items[place - 1]) >= later)
        return;
    if (!place && readers->count == readers->capacity)
        sift(states, variable);
    if (st_has_several_readers(variable))
        put_reader(st_several_readers(variable), read);
    else
        *slot = *read;
}

void st_states_copy(struct st_variable_states *states, uint32_t from, uint32_t to) {
    st_states_variable(states, to);
    const struct st_variable_state *source = st_states_variable(states, from);
    struct st_variable_state *copy = st_states_variable(states, to); /* `source` stays, see there */
    copy->slot[ST_WRITE] = source->slot[ST_WRITE];
    if (!st_has_several_readers(source)) {
        copy->slot[ST_READ] = source->slot[ST_READ];
        return;
    }
    const struct st_readers *readers = st_several_readers(source);
    for (uint32_t i = 0; i < readers->count; i++)
        st_states_deferred_read(states, copy, &readers->items[i],
                                st_access_number(&readers->items[i]) + 1);
}

void st_states_receive(struct st_variable_states *states, struct st_variable_state *channel) {
    if (st_has_several_readers(channel) && st_several_readers(channel)->until_sift-- == 0)
        sift(states, channel);
}

void st_states_drop_reads(struct st_variable_states *states, struct st_variable_state *variable) {
    if (st_has_several_readers(variable))
        free_readers(states, st_several_readers(variable));
    variable->slot[ST_READ].when = 0;
}

void st_states_forget(struct st_variable_states *states, uint32_t variable) {
    uint32_t page = st_state_page_of(variable, false);
    if (page >= states->page_capacity || (!states->pages[page] && !states->packed[page]))
        return;
    size_t opened = states->opened;
    struct st_variable_state *state = st_states_variable(states, variable);
    states->opened = opened; /* not by an event */
    st_states_drop_reads(states, state);
    state->slot[ST_WRITE] = (struct st_last_access){0};
}
