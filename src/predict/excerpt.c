#include "predict/excerpt.h"

#include "base/memory.h"

#include <stdlib.h>

enum {
    SHORT_RUN = 1000000, /* events */
    /* What an event takes while it is analysed: itself and its number, its place in the graph of
     * must-happen-before, and its share of the clocks there, which differ with nearly each read of
     * what another thread wrote. */
    BYTES_AN_EVENT = 160
};

struct st_excerpt_thread {
    size_t depth;     /* blocks that it is in */
    bool after_order; /* its last event with an effect is one of a lock, or a receive */
};

bool st_excerpt_pays(uint64_t events, size_t memory) {
    return events > SHORT_RUN || (memory && events > memory / BYTES_AN_EVENT);
}

static bool can_matter(const struct st_model *model, const struct st_event *event) {
    const struct st_model_variable *variable = &model->variables[event->target];
    return event->atomic || event->joined || (variable->shared && variable->written);
}

/* An access, or what else has an effect on other threads. */
static bool has_effect(const struct st_event *event) {
    return event->op < ST_OP_COUNT && event->op != ST_BEGIN && event->op != ST_END;
}

/* Follows the blocks of the thread, too. */
static bool is_needed(struct st_excerpt_thread *thread, const struct st_model *model,
                      const struct st_event *event) {
    if (event->op == ST_BEGIN)
        return thread->depth++ == 0;
    if (event->op == ST_END)
        return thread->depth && --thread->depth == 0;
    if (event->op == ST_READ || event->op == ST_WRITE)
        return can_matter(model, event) || thread->after_order;
    return has_effect(event);
}

static void keep(struct st_excerpt *excerpt, const struct st_event *event, uint64_t number) {
    st_reserve(&excerpt->events, &excerpt->event_capacity, excerpt->count + 1);
    st_reserve(&excerpt->numbers, &excerpt->number_capacity, excerpt->count + 1);
    excerpt->events[excerpt->count] = *event;
    excerpt->numbers[excerpt->count++] = number;
}

static void take(struct st_excerpt *excerpt, const struct st_model *model,
                 const struct st_event *event, uint64_t number) {
    st_reserve(&excerpt->threads, &excerpt->thread_capacity, (size_t)event->thread + 1);
    struct st_excerpt_thread *thread = &excerpt->threads[event->thread];
    if (is_needed(thread, model, event))
        keep(excerpt, event, number);
    if (has_effect(event))
        thread->after_order =
            event->op == ST_ACQUIRE || event->op == ST_RELEASE || event->op == ST_RECEIVE;
}

void st_excerpt_feed(struct st_excerpt *excerpt, const struct st_model *model,
                     const struct st_event *events, size_t count, uint64_t first) {
    for (size_t i = 0; i < count && !excerpt->last_kept; i++) {
        take(excerpt, model, &events[i], first + i);
        if (excerpt->memory && excerpt->count >= excerpt->memory / BYTES_AN_EVENT)
            excerpt->last_kept = first + i;
    }
}

void st_excerpt_free(struct st_excerpt *excerpt) {
    free(excerpt->events);
    free(excerpt->numbers);
    free(excerpt->threads);
}
