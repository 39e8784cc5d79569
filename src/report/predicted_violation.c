#include "report/predicted_violation.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- Steps ---- */

struct list {
    struct st_place *items;
    size_t count;
};

static void add(struct list *list, const struct st_place *place) {
    if (place->number && (!list->count || list->items[list->count - 1].number != place->number))
        list->items[list->count++] = *place;
}

struct st_place *st_predicted_steps(const struct st_predicted_block *block, size_t *count) {
    struct list list = {
        .items = st_alloc(block->event_count + 2 * block->path_length + 1, sizeof *list.items)};
    struct st_place begin = st_begin_place(&(struct st_violation){.block = block->block,
                                                                  .thread = block->thread,
                                                                  .begin_loc = block->begin_loc,
                                                                  .begin = block->begin});
    add(&list, &begin);
    for (size_t i = 0; i < block->event_count; i++)
        add(&list, &block->events[i]);
    for (size_t i = 0; !block->event_count && i < block->path_length; i++) {
        add(&list, &block->path[i].from);
        add(&list, &block->path[i].to);
    }
    *count = list.count;
    return list.items;
}

/* ---- Dependences ---- */

static bool is_access(const struct st_event *event) {
    return event->written == ST_READ || event->written == ST_WRITE;
}

/* Does the second of two events depend on the first, and how? */
static bool find_edge(const struct st_place *from, const struct st_place *to,
                      struct st_edge *edge) {
    const struct st_event *a = &from->event, *b = &to->event;
    bool conflict =
        is_access(a) && is_access(b) && (a->written == ST_WRITE || b->written == ST_WRITE);
    bool lock = a->written == ST_RELEASE && b->written == ST_ACQUIRE;
    if (a->thread == b->thread || a->target != b->target || !(conflict || lock))
        return false;
    *edge = (struct st_edge){*from, *to, lock ? ST_EDGE_LOCK : ST_EDGE_CONFLICT, ST_RACE_UNKNOWN};
    return true;
}

/* Only a path that leaves the block and comes back is one. */
static void make_path(const struct st_predicted_block *block, struct st_violation *violation) {
    size_t count = 0;
    struct st_edge *edges = st_alloc(block->event_count + 1, sizeof *edges);
    for (size_t i = 0; i + 1 < block->event_count; i++)
        count += find_edge(&block->events[i], &block->events[i + 1], &edges[count]);
    if (count < 2 || edges[0].from.event.thread != block->thread ||
        edges[count - 1].to.event.thread != block->thread) {
        free(edges);
        return;
    }
    violation->path = edges;
    violation->path_length = count;
}

static void copy_path(const struct st_predicted_block *block, struct st_violation *violation) {
    violation->path = st_alloc(block->path_length, sizeof *violation->path);
    memcpy(violation->path, block->path, block->path_length * sizeof *block->path);
    violation->path_length = block->path_length;
}

static const struct st_place *last_event(const struct st_predicted_block *block, bool own) {
    for (size_t i = block->event_count; i-- > 0;)
        if ((block->events[i].event.thread == block->thread) == own)
            return &block->events[i];
    return NULL;
}

/* What is known without a path. */
static void set_closing(const struct st_predicted_block *block, struct st_violation *violation) {
    const struct st_place *own = last_event(block, true), *other = last_event(block, false);
    violation->event = own ? *own : st_begin_place(violation);
    if (other)
        violation->closing = (struct st_edge){.from = *other, .to = violation->event};
}

struct st_violation st_predicted_violation(const struct st_predicted_block *block) {
    struct st_violation violation = {.block = block->block,
                                     .thread = block->thread,
                                     .begin_loc = block->begin_loc,
                                     .begin = block->begin,
                                     .end = block->end,
                                     .gap = block->gap};
    if (block->path_length)
        copy_path(block, &violation);
    else
        make_path(block, &violation);
    if (violation.path_length) {
        violation.closing = violation.path[violation.path_length - 1];
        violation.event = violation.closing.to;
    } else {
        set_closing(block, &violation);
    }
    return violation;
}
