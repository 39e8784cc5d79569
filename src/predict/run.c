#include "predict/run.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct st_run_builder {
    struct st_model *model, *shared_model;
    struct st_some_blocks some;
    uint64_t wanted_blocks;
    bool keeps_events; /* those of the pass, which is the first one */
    struct st_event *events;
    size_t event_capacity;
};

struct st_run *st_run_new(const struct st_run_needs *needs) {
    struct st_run *run = st_alloc(1, sizeof *run);
    struct st_run_builder *builder = st_alloc(1, sizeof *builder);
    struct st_model_options shared = needs->model;
    shared.keep_shared = true;
    builder->model = st_model_new(&needs->model);
    if (needs->shared_model)
        builder->shared_model = st_model_new(&shared);
    builder->keeps_events = needs->events;
    builder->some.wanted = needs->blocks;
    *run = (struct st_run){
        .model = builder->model, .shared_model = builder->shared_model, .builder = builder};
    return run;
}

void st_run_free(struct st_run *run) {
    if (!run)
        return;
    st_model_free(run->builder->model);
    st_model_free(run->builder->shared_model);
    st_some_blocks_free(&run->builder->some);
    free(run->builder->events);
    free(run->builder);
    free(run);
}

static bool wants_pass(const struct st_model *model) {
    return model && st_model_wants_pass(model);
}

bool st_run_wants_pass(const struct st_run *run) {
    return wants_pass(run->model) || wants_pass(run->shared_model);
}

static void keep_events(struct st_run *run, const struct st_event *events, size_t count) {
    struct st_run_builder *builder = run->builder;
    st_reserve(&builder->events, &builder->event_capacity, run->event_count + count);
    memcpy(builder->events + run->event_count, events, count * sizeof *events);
    run->event_count += count;
    run->events = builder->events;
}

void st_run_feed(struct st_run *run, const struct st_event *all, size_t count, uint64_t first) {
    struct st_run_builder *builder = run->builder;
    const struct st_event *events = st_some_blocks_of(&builder->some, all, count);
    if (wants_pass(builder->model))
        st_model_feed(builder->model, events, count, first);
    if (wants_pass(builder->shared_model))
        st_model_feed(builder->shared_model, events, count, first);
    if (builder->keeps_events)
        keep_events(run, events, count);
}

void st_run_end_pass(struct st_run *run) {
    struct st_run_builder *builder = run->builder;
    if (wants_pass(builder->model))
        st_model_end_pass(builder->model);
    if (wants_pass(builder->shared_model))
        st_model_end_pass(builder->shared_model);
    builder->keeps_events = false;
    builder->wanted_blocks = builder->some.begun;
    st_some_blocks_restart(&builder->some);
}

uint64_t st_run_wanted_blocks(const struct st_run *run) {
    return run->builder->wanted_blocks;
}

struct st_run *st_run_of_events(const struct st_run_needs *needs, const struct st_event *events,
                                size_t count) {
    struct st_run *run = st_run_new(needs);
    run->events = events;
    run->event_count = count;
    run->builder->keeps_events = false;
    while (st_run_wants_pass(run)) {
        st_run_feed(run, events, count, 1);
        st_run_end_pass(run);
    }
    return run;
}
