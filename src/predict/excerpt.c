#include "predict/excerpt.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHORT_RUN = 1000000, /* events */
    BYTES_KEPT = sizeof(struct st_event) + sizeof(uint64_t),
    /* What an event takes while it is searched, besides: its place in the graph of
     * must-happen-before, and its share of the clocks there, which differ with nearly each read of
     * what another thread wrote. */
    BYTES_SEARCHED = 136
};

/* A block that a thread is in. */
struct open_block {
    size_t place; /* of its begin in the excerpt */
    size_t kept;  /* events of the thread up to its begin */
};

struct st_excerpt_thread {
    struct open_block *open; /* blocks that it is in, those whose marks are kept */
    size_t open_capacity;
    size_t depth;     /* all blocks that it is in */
    size_t kept;      /* its events in the excerpt; marks that were taken away do not count */
    bool after_order; /* its last event with an effect is one of a lock, or a receive */
};

bool st_excerpt_pays(uint64_t events, size_t room) {
    return events > SHORT_RUN || (room && events > room / (BYTES_KEPT + BYTES_SEARCHED));
}

size_t st_excerpt_searchable(const struct st_excerpt *excerpt, size_t room) {
    size_t most = room ? room / BYTES_SEARCHED : SIZE_MAX;
    return excerpt->count < most ? excerpt->count : most;
}

static bool can_matter(const struct st_excerpt *excerpt, const struct st_model *model,
                       const struct st_event *event) {
    const struct st_model_variable *variable = &model->variables[event->target];
    return event->atomic || event->joined ||
           (variable->shared && variable->written && (!variable->inner || excerpt->keeps_inner));
}

/* An access, or what else has an effect on other threads. */
static bool has_effect(const struct st_event *event) {
    return event->op < ST_OP_COUNT && event->op != ST_BEGIN && event->op != ST_END;
}

static void keep(struct st_excerpt *excerpt, struct st_excerpt_thread *thread,
                 const struct st_event *event, uint64_t number) {
    st_reserve_table(&excerpt->events, &excerpt->event_capacity, excerpt->count + 1);
    st_reserve_table(&excerpt->numbers, &excerpt->number_capacity, excerpt->count + 1);
    excerpt->events[excerpt->count] = *event;
    excerpt->numbers[excerpt->count++] = number;
    thread->kept++;
}

/* ---- blocks ---- */

static void begin_block(struct st_excerpt *excerpt, struct st_excerpt_thread *thread,
                        const struct st_event *event, uint64_t number) {
    size_t depth = thread->depth++;
    if (depth && depth >= excerpt->depths)
        return;
    keep(excerpt, thread, event, number);
    st_reserve(&thread->open, &thread->open_capacity, depth + 1);
    thread->open[depth] = (struct open_block){excerpt->count - 1, thread->kept};
}

/* Nothing that counts has happened since the begin of this block of the depth. */
static void take_back(struct st_excerpt *excerpt, struct st_excerpt_thread *thread, size_t depth) {
    size_t place = thread->open[depth].place, name = (uint32_t)(excerpt->events[place].target + 1);
    st_reserve(&excerpt->empty, &excerpt->empty_capacity, depth + 1);
    struct st_name_counts *empty = &excerpt->empty[depth];
    st_reserve(&empty->items, &empty->capacity, name + 1);
    empty->items[name]++;
    thread->kept--;
    if (place + 1 == excerpt->count)
        excerpt->count--;
    else
        excerpt->events[place].op = ST_DROPPED;
}

/* By locks, a critical section must not span several transactions, empty ones included. */
static void end_block(struct st_excerpt *excerpt, const struct st_model *model,
                      struct st_excerpt_thread *thread, const struct st_event *event,
                      uint64_t number) {
    size_t depth = thread->depth ? --thread->depth : 0;
    if (depth && depth >= excerpt->depths)
        return;
    if (depth && model->options.data && thread->kept == thread->open[depth].kept)
        take_back(excerpt, thread, depth);
    else
        keep(excerpt, thread, event, number);
}

/* ---- events ---- */

static void take(struct st_excerpt *excerpt, const struct st_model *model,
                 const struct st_event *event, uint64_t number) {
    st_reserve(&excerpt->threads, &excerpt->thread_capacity, (size_t)event->thread + 1);
    struct st_excerpt_thread *thread = &excerpt->threads[event->thread];
    switch (event->op) {
    case ST_DROPPED:
    case ST_UNMARKED:
        return;
    case ST_BEGIN:
        begin_block(excerpt, thread, event, number);
        break;
    case ST_END:
        end_block(excerpt, model, thread, event, number);
        break;
    case ST_READ:
    case ST_WRITE:
        if (can_matter(excerpt, model, event) || thread->after_order)
            keep(excerpt, thread, event, number);
        break;
    default:
        keep(excerpt, thread, event, number);
    }
    if (has_effect(event))
        thread->after_order =
            event->op == ST_ACQUIRE || event->op == ST_RELEASE || event->op == ST_RECEIVE;
}

void st_excerpt_feed(struct st_excerpt *excerpt, const struct st_model *model,
                     const struct st_event *events, size_t count, uint64_t first) {
    for (size_t i = 0; i < count && !excerpt->last_kept; i++) {
        take(excerpt, model, &events[i], first + i);
        if (excerpt->memory && excerpt->count >= excerpt->memory / BYTES_KEPT)
            excerpt->last_kept = first + i;
    }
}

void st_excerpt_finish(struct st_excerpt *excerpt) {
    size_t count = 0;
    for (size_t i = 0; i < excerpt->count; i++) {
        excerpt->events[count] = excerpt->events[i];
        excerpt->numbers[count] = excerpt->numbers[i];
        count += excerpt->events[i].op != ST_DROPPED;
    }
    excerpt->count = count;
}

static void free_events(struct st_excerpt *excerpt) {
    st_free_table(excerpt->events, excerpt->event_capacity, sizeof *excerpt->events);
    st_free_table(excerpt->numbers, excerpt->number_capacity, sizeof *excerpt->numbers);
}

bool st_excerpt_shrink(struct st_excerpt *excerpt, size_t room) {
    size_t count = st_excerpt_searchable(excerpt, room);
    if (count == excerpt->count)
        return false;
    struct st_excerpt smaller = *excerpt;
    smaller.event_capacity = smaller.number_capacity = smaller.count = count;
    smaller.events = st_alloc_table(count, sizeof *smaller.events);
    smaller.numbers = st_alloc_table(count, sizeof *smaller.numbers);
    memcpy(smaller.events, excerpt->events, count * sizeof *smaller.events);
    memcpy(smaller.numbers, excerpt->numbers, count * sizeof *smaller.numbers);
    smaller.last_kept = count ? smaller.numbers[count - 1] : 1;
    free_events(excerpt);
    *excerpt = smaller;
    return true;
}

void st_excerpt_free(struct st_excerpt *excerpt) {
    for (size_t i = 0; i < excerpt->thread_capacity; i++)
        free(excerpt->threads[i].open);
    for (size_t i = 0; i < excerpt->empty_capacity; i++)
        free(excerpt->empty[i].items);
    free_events(excerpt);
    free(excerpt->empty);
    free(excerpt->threads);
}
