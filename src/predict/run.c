#include "predict/run.h"

#include "base/memory.h"
#include "predict/excerpt.h"

#include <stdlib.h>
#include <string.h>

struct st_run_builder {
    struct st_model *model, *shared_model;
    struct st_some_blocks some;
    uint64_t wanted_blocks;
    bool keeps_events; /* those of the last pass */
    size_t memory;
    uint64_t fed; /* events of the pass so far, or of the last one */
    struct st_excerpt excerpt;
    struct st_event *events; /* of a short run: all of them */
    size_t event_capacity;
    uint64_t checked; /* the event at which somebody last looked how much memory there is */
    size_t *depths;   /* by thread: open blocks, in the last pass of a run that does not fit */
    size_t depth_capacity;
    uint64_t *unjudged; /* by name + 1 */
    size_t unjudged_capacity;
};

enum {
    LEAST_EVENTS = 65536,      /* they fit, however little memory there is */
    EVENTS_PER_CHECK = 1 << 18 /* of the memory in use, which takes a system call */
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
    builder->memory = needs->memory;
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
    st_excerpt_free(&run->builder->excerpt);
    free(run->builder->depths);
    free(run->builder->unjudged);
    free(run->builder);
    free(run);
}

static bool wants_pass(const struct st_model *model) {
    return model && st_model_wants_pass(model);
}

bool st_run_wants_pass(const struct st_run *run) {
    return wants_pass(run->model) || wants_pass(run->shared_model);
}

static void keep_events(struct st_run *run, const struct st_event *events, size_t count,
                        uint64_t first) {
    struct st_run_builder *builder = run->builder;
    if (builder->excerpt.is_used) {
        st_excerpt_feed(&builder->excerpt, run->model, events, count, first);
        return;
    }
    st_reserve(&builder->events, &builder->event_capacity, run->event_count + count);
    memcpy(builder->events + run->event_count, events, count * sizeof *events);
    run->event_count += count;
    run->events = builder->events;
}

static bool is_last_pass(const struct st_run *run) {
    return st_model_makes_units(run->model);
}

/* ---- how much of the run fits ---- */

/* If the memory is used up, the run ends here for all that follows, later passes included. */
static void check_memory(struct st_run *run, uint64_t last) {
    struct st_run_builder *builder = run->builder;
    if (!builder->memory || run->last_judged || last < LEAST_EVENTS ||
        (builder->checked && last < builder->checked + EVENTS_PER_CHECK))
        return;
    builder->checked = last;
    if (st_memory_in_use() > builder->memory)
        run->last_judged = last;
}

static void count_unjudged(struct st_run *run, const struct st_event *event, uint64_t number) {
    struct st_run_builder *builder = run->builder;
    if (event->op != ST_BEGIN && event->op != ST_END)
        return;
    st_reserve(&builder->depths, &builder->depth_capacity, (size_t)event->thread + 1);
    size_t *depth = &builder->depths[event->thread];
    if (event->op == ST_END) {
        *depth -= *depth > 0;
    } else if ((*depth)++ == 0 && run->last_judged && number > run->last_judged) {
        size_t name = (uint32_t)(event->target + 1);
        st_reserve(&builder->unjudged, &builder->unjudged_capacity, name + 1);
        builder->unjudged[name]++;
        run->unjudged_blocks++;
        run->unjudged_by_name = builder->unjudged;
        run->unjudged_names = builder->unjudged_capacity;
    }
}

/* How many of the events are judged. */
static size_t count_judged(struct st_run *run, const struct st_event *events, size_t count,
                           uint64_t first) {
    if (run->builder->memory && is_last_pass(run))
        for (size_t i = 0; i < count; i++)
            count_unjudged(run, &events[i], first + i);
    if (!run->last_judged || first + count - 1 <= run->last_judged)
        return count;
    return first > run->last_judged ? 0 : (size_t)(run->last_judged - first + 1);
}

void st_run_feed(struct st_run *run, const struct st_event *all, size_t total, uint64_t first) {
    struct st_run_builder *builder = run->builder;
    const struct st_event *events = st_some_blocks_of(&builder->some, all, total);
    size_t count = count_judged(run, events, total, first);
    if (!count)
        return;
    if (wants_pass(builder->model))
        st_model_feed(builder->model, events, count, first);
    if (wants_pass(builder->shared_model))
        st_model_feed(builder->shared_model, events, count, first);
    if (builder->keeps_events && is_last_pass(run))
        keep_events(run, events, count, first);
    builder->fed += count;
    check_memory(run, first + count - 1);
}

static void end_keeping(struct st_run *run) {
    struct st_run_builder *builder = run->builder;
    builder->keeps_events = false;
    if (!builder->excerpt.is_used)
        return;
    run->events = builder->excerpt.events;
    run->numbers = builder->excerpt.numbers;
    run->event_count = builder->excerpt.count;
    run->last_kept = builder->excerpt.last_kept;
}

/* What is left goes to the events, except for what units will take. */
static void prepare_excerpt(struct st_run_builder *builder) {
    size_t memory = builder->memory, used = memory ? st_memory_in_use() : 0;
    size_t room = used < memory ? (memory - used) / 4 * 3 : 0;
    size_t least = memory / 4 + (memory > 0); /* 0 would mean any amount */
    builder->excerpt.memory = room > least ? room : least;
    builder->excerpt.is_used =
        builder->keeps_events && st_excerpt_pays(builder->fed, builder->excerpt.memory);
}

void st_run_end_pass(struct st_run *run) {
    struct st_run_builder *builder = run->builder;
    if (builder->keeps_events && is_last_pass(run))
        end_keeping(run);
    if (wants_pass(builder->model))
        st_model_end_pass(builder->model);
    if (wants_pass(builder->shared_model))
        st_model_end_pass(builder->shared_model);
    prepare_excerpt(builder);
    builder->fed = builder->checked = 0;
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
