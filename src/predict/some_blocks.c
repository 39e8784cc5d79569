#include "predict/some_blocks.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Invariant: kept[depth] says whether the open block of this depth stays. */
struct st_thread_blocks {
    bool *kept;
    size_t depth, capacity;
};

static bool is_wanted(const struct st_blocks_wanted *wanted, const struct st_thread_blocks *open,
                      uint32_t name) {
    return open->depth >= wanted->below &&
           (!wanted->is_wanted || wanted->is_wanted(wanted->context, name));
}

static void filter_event(struct st_some_blocks *some, struct st_event *event) {
    if (event->op != ST_BEGIN && event->op != ST_END)
        return;
    st_reserve(&some->threads, &some->thread_capacity, (size_t)event->thread + 1);
    struct st_thread_blocks *open = &some->threads[event->thread];
    bool keep;
    if (event->op == ST_BEGIN) {
        keep = is_wanted(&some->wanted, open, event->target);
        st_reserve(&open->kept, &open->capacity, open->depth + 1);
        open->kept[open->depth++] = keep;
        some->begun += keep;
    } else {
        keep = open->kept[--open->depth];
    }
    if (!keep)
        event->op = ST_UNMARKED;
}

const struct st_event *st_some_blocks_of(struct st_some_blocks *some, const struct st_event *events,
                                         size_t count) {
    if (!some->wanted.below && !some->wanted.is_wanted)
        return events;
    st_reserve(&some->batch, &some->batch_capacity, count);
    memcpy(some->batch, events, count * sizeof *events);
    for (size_t i = 0; i < count; i++)
        filter_event(some, &some->batch[i]);
    return some->batch;
}

void st_some_blocks_restart(struct st_some_blocks *some) {
    for (size_t i = 0; i < some->thread_capacity; i++)
        some->threads[i].depth = 0;
    some->begun = 0;
}

void st_some_blocks_free(struct st_some_blocks *some) {
    for (size_t i = 0; i < some->thread_capacity; i++)
        free(some->threads[i].kept);
    free(some->threads);
    free(some->batch);
}

uint64_t st_unmark_outermost(struct st_event *events, size_t count) {
    uint64_t left = 0;
    size_t *depths = NULL, capacity = 0;
    for (size_t i = 0; i < count; i++) {
        if (events[i].op != ST_BEGIN && events[i].op != ST_END)
            continue;
        st_reserve(&depths, &capacity, (size_t)events[i].thread + 1);
        size_t *depth = &depths[events[i].thread];
        bool begins = events[i].op == ST_BEGIN;
        if (begins ? (*depth)++ == 0 : --*depth == 0)
            events[i].op = ST_UNMARKED;
        else
            left += begins;
    }
    free(depths);
    return left;
}
