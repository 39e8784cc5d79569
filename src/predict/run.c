#include "predict/run.h"

#include "base/memory.h"
#include "predict/nesting.h"

#include <stdlib.h>
#include <string.h>

struct st_run_builder {
    struct st_model *model, *shared_model;
    struct st_some_blocks some;
    unsigned below;    /* how many others the blocks are inside that were wanted first */
    bool has_blocks;   /* that were wanted */
    bool needs_events; /* somebody searches them */
    bool keeps_events; /* those of the last pass */
    bool wants_excerpt;
    bool wants_sparse, wants_narrow; /* model */
    size_t portion;                  /* transactions in memory at most, or 0 */
    void (*judge)(void *context, const struct st_run *run); /* a portion; NULL: nobody does */
    void *judge_context;
    bool reads_kept;           /* events, instead of the trace */
    bool starved;              /* there is no room for them and for what is made of them */
    unsigned depths;           /* that can be judged without the trace, the first included */
    unsigned depth;            /* so many are unmarked */
    bool was_surveyed;         /* the first pass is over */
    struct st_nesting nesting; /* of the first pass */
    uint64_t fed;              /* events of the pass so far, or of the last one */
    struct st_excerpt excerpt;
    struct st_event *events; /* of a short run: all of them */
    size_t event_capacity;
    struct st_value_numbers *values; /* of the events */
};

struct st_run *st_run_new(const struct st_run_needs *needs) {
    struct st_run *run = st_alloc(1, sizeof *run);
    struct st_run_builder *builder = st_alloc(1, sizeof *builder);
    struct st_model_options shared = needs->model;
    shared.keep_shared = true;
    builder->model = st_model_new(&needs->model);
    if (needs->shared_model)
        builder->shared_model = st_model_new(&shared);
    builder->some.wanted = needs->blocks;
    builder->below = needs->blocks.below;
    builder->depths = needs->depths;
    builder->needs_events = needs->events;
    builder->keeps_events = needs->events || needs->depths > 1;
    builder->wants_excerpt = needs->excerpt;
    builder->wants_sparse = needs->sparse || needs->narrow;
    builder->wants_narrow = needs->narrow;
    builder->portion = needs->portion;
    builder->judge = needs->judge;
    builder->judge_context = needs->judge_context;
    builder->excerpt.depths = needs->depths;
    *run = (struct st_run){.model = builder->model,
                           .shared_model = builder->shared_model,
                           .fit.memory = needs->memory,
                           .builder = builder};
    return run;
}

void st_run_free(struct st_run *run) {
    if (!run)
        return;
    st_model_free(run->builder->model);
    st_model_free(run->builder->shared_model);
    st_some_blocks_free(&run->builder->some);
    st_nesting_free(&run->builder->nesting);
    free(run->builder->events);
    st_excerpt_free(&run->builder->excerpt);
    st_run_fit_free(&run->fit);
    free(run->builder->values);
    free(run->builder);
    free(run);
}

/* ---- passes over the trace ---- */

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

static void feed_model(struct st_model *model, const struct st_event_batch *batch) {
    if (!wants_pass(model))
        return;
    if (!batch->numbers)
        st_model_feed(model, batch->events, batch->count, batch->first);
    for (size_t i = 0; batch->numbers && i < batch->count; i++)
        st_model_feed(model, &batch->events[i], 1, batch->numbers[i]);
}

/* False: no more can be spared. */
static bool spare(struct st_run *run) {
    return !run->shared_model && st_model_spare(run->builder->model);
}

/* As many events of the excerpt as can be searched in the memory that is left. */
static void show_excerpt(struct st_run *run) {
    const struct st_excerpt *excerpt = &run->builder->excerpt;
    size_t room = st_run_fit_room(&run->fit, st_model_judging_bytes(run->model));
    run->events = excerpt->events;
    run->numbers = excerpt->numbers;
    run->event_count = st_excerpt_searchable(excerpt, room);
    run->last_kept = excerpt->last_kept;
    if (run->event_count < excerpt->count)
        run->last_kept = run->event_count ? excerpt->numbers[run->event_count - 1] : 1;
}

/* False: there is nothing to judge, or nobody who does it. */
static bool judge_portion(struct st_run *run) {
    struct st_run_builder *builder = run->builder;
    if (!builder->judge || !st_model_portion(run->model))
        return false;
    if (run->numbers)
        show_excerpt(run);
    run->is_portion = true;
    st_model_show_portion(builder->model);
    builder->judge(builder->judge_context, run);
    st_model_drop_portion(builder->model);
    run->is_portion = false;
    return true;
}

/* To prepare for judging takes long, so a small portion goes on growing for a while. False: there
 * are no portions. */
static bool judge_portion_if_it_pays(struct st_run *run) {
    enum { LEAST_SHARE = 16 };
    if (!run->builder->judge || !st_model_makes_portions(run->model))
        return false;
    if (st_model_portion_bytes(run->model) >= run->fit.memory / LEAST_SHARE)
        judge_portion(run);
    return true;
}

/* Returns how many of the events are judged. */
static size_t feed_models(struct st_run *run, const struct st_event_batch *all) {
    struct st_event_batch batch = *all;
    batch.count = st_run_fit_count(&run->fit, all, is_last_pass(run));
    if (!batch.count)
        return 0;
    if (is_last_pass(run) && run->builder->wants_sparse && !run->model->sparse)
        spare(run);
    if (st_model_makes_pieces(run->model) && run->builder->wants_narrow && !run->model->has_gaps)
        spare(run);
    feed_model(run->builder->model, &batch);
    feed_model(run->builder->shared_model, &batch);
    run->builder->fed += batch.count;
    if (run->builder->portion && st_model_portion(run->model) >= run->builder->portion)
        judge_portion(run);
    return batch.count;
}

/* If memory is used up, events that only spare us another pass go first, then units without which
 * most blocks can be judged. */
static void check_memory(struct st_run *run, uint64_t last) {
    struct st_run_builder *builder = run->builder;
    struct st_excerpt *excerpt = &builder->excerpt;
    size_t judging = st_model_judging_bytes(run->model);
    if (st_model_makes_pieces(run->model))
        judging += run->fit.memory / 8; /* portions will need room */
    if (!st_run_fit_is_full(&run->fit, last, judging))
        return;
    if (builder->keeps_events && excerpt->is_used &&
        st_excerpt_shrink(excerpt, st_run_fit_room(&run->fit, judging)))
        return;
    if (builder->reads_kept && st_model_makes_pieces(run->model))
        builder->starved = true;
    else if (!spare(run) && !judge_portion_if_it_pays(run))
        st_run_fit_end_at(&run->fit, last);
}

void st_run_feed(struct st_run *run, const struct st_event *all, size_t total, uint64_t first) {
    struct st_run_builder *builder = run->builder;
    const struct st_event *events = st_some_blocks_of(&builder->some, all, total);
    struct st_event_batch batch = {.events = events, .first = first, .count = total};
    size_t count = feed_models(run, &batch);
    if (!count)
        return;
    if (!builder->was_surveyed)
        st_nesting_feed(&builder->nesting, events, count);
    if (builder->keeps_events && is_last_pass(run))
        keep_events(run, events, count, first);
    check_memory(run, first + count - 1);
}

static void end_keeping(struct st_run *run) {
    struct st_run_builder *builder = run->builder;
    builder->keeps_events = false;
    if (!builder->excerpt.is_used)
        return;
    st_excerpt_finish(&builder->excerpt);
    show_excerpt(run);
}

/* If the pass was the last one, it may be wanted once more. */
static void end_models_pass(struct st_run *run) {
    struct st_run_builder *builder = run->builder;
    if (wants_pass(builder->model))
        st_model_end_pass(builder->model);
    if (wants_pass(builder->shared_model))
        st_model_end_pass(builder->shared_model);
    st_run_fit_end_pass(&run->fit);
    if (wants_pass(builder->model) && is_last_pass(run))
        st_run_fit_restart(&run->fit);
}

/* The next pass may be the last. If the blocks in blocks are to be judged from the excerpt, it may
 * take half of the memory that is left, units the rest. */
static void prepare_excerpt(struct st_run *run) {
    struct st_run_builder *builder = run->builder;
    size_t room = st_run_fit_room(&run->fit, 0);
    bool deeper = builder->depths > 1 && st_run_may_have_deeper(run);
    builder->excerpt.memory = deeper ? room / 2 : room / 8;
    builder->excerpt.is_used =
        builder->keeps_events && (builder->wants_excerpt || st_excerpt_pays(builder->fed, room));
}

void st_run_end_pass(struct st_run *run) {
    struct st_run_builder *builder = run->builder;
    bool last = is_last_pass(run);
    builder->was_surveyed = true;
    end_models_pass(run);
    if (!last)
        prepare_excerpt(run);
    else if (builder->keeps_events)
        end_keeping(run);
    else if (run->numbers)
        show_excerpt(run); /* there may be room for more */
    builder->fed = 0;
    builder->has_blocks = builder->some.begun > 0;
    st_some_blocks_restart(&builder->some);
}

void st_run_expect_values(struct st_run *run) {
    run->builder->excerpt.keeps_inner = true;
}

void st_run_set_values(struct st_run *run, const struct st_value_numbers *values, size_t count) {
    struct st_run_builder *builder = run->builder;
    free(builder->values);
    builder->values = st_alloc(run->event_count + 1, sizeof *builder->values);
    for (size_t i = 0; i < run->event_count; i++) {
        uint64_t number = run->numbers ? run->numbers[i] : i + 1;
        if (number <= count)
            builder->values[i] = values[number - 1];
    }
    run->values = builder->values;
}

bool st_run_has_blocks(const struct st_run *run) {
    return run->builder->has_blocks;
}

/* ---- blocks in blocks ---- */

/* With names that are wanted, `below` counts blocks of other names, too, which are not there. */
bool st_run_may_have_deeper(const struct st_run *run) {
    const struct st_run_builder *builder = run->builder;
    return builder->some.wanted.is_wanted || builder->nesting.deepest > builder->depth + 1;
}

bool st_run_can_go_deeper(const struct st_run *run) {
    const struct st_run_builder *builder = run->builder;
    return builder->depth + 1 < builder->depths && run->events && !builder->excerpt.last_kept &&
           !run->fit.last_judged;
}

static size_t kept_count(const struct st_run *run) {
    return run->numbers ? run->builder->excerpt.count : run->event_count;
}

/* One pass over the events that are kept. */
static void feed_kept(struct st_run *run, const struct st_event *events) {
    enum { BATCH = 1 << 16 };
    for (size_t i = 0; i < kept_count(run) && !run->builder->starved; i += BATCH) {
        size_t left = kept_count(run) - i;
        struct st_event_batch batch = {.events = events + i,
                                       .numbers = run->numbers ? run->numbers + i : NULL,
                                       .first = i + 1,
                                       .count = left < BATCH ? left : BATCH};
        size_t count = feed_models(run, &batch);
        if (count)
            check_memory(run, st_batch_number(&batch, count - 1));
    }
    if (!run->builder->starved)
        end_models_pass(run);
}

/* The models know from the passes over the trace what they must know before they make units. */
static void make_units_again(struct st_run *run, const struct st_event *events) {
    struct st_run_builder *builder = run->builder;
    st_model_restart_units(builder->model);
    if (builder->shared_model)
        st_model_restart_units(builder->shared_model);
    builder->reads_kept = true;
    while (st_run_wants_pass(run) && !builder->starved)
        feed_kept(run, events);
    builder->reads_kept = false;
    if (run->numbers)
        show_excerpt(run);
}

bool st_run_go_deeper(struct st_run *run) {
    struct st_run_builder *builder = run->builder;
    const struct st_excerpt *excerpt = &builder->excerpt;
    struct st_event *events = run->numbers ? excerpt->events : builder->events;
    builder->depth++;
    bool any = st_unmark_outermost(events, kept_count(run)) > 0;
    run->empty = builder->depth < excerpt->empty_capacity ? &excerpt->empty[builder->depth] : NULL;
    for (size_t i = 0; run->empty && i < run->empty->capacity; i++)
        any |= run->empty->items[i] > 0;
    builder->has_blocks = any;
    make_units_again(run, events);
    return !builder->starved;
}

static void forget_events(struct st_run *run) {
    struct st_run_builder *builder = run->builder;
    free(builder->events);
    free(builder->values);
    st_excerpt_free(&builder->excerpt);
    builder->events = NULL;
    builder->values = NULL;
    builder->event_capacity = 0;
    builder->excerpt = (struct st_excerpt){.is_used = builder->excerpt.is_used,
                                           .keeps_inner = builder->excerpt.keeps_inner};
    run->events = NULL;
    run->numbers = NULL;
    run->values = NULL;
    run->event_count = 0;
    run->last_kept = 0;
    run->empty = NULL;
}

void st_run_read_deeper(struct st_run *run) {
    struct st_run_builder *builder = run->builder;
    forget_events(run);
    builder->depths = 0;
    builder->depth += !builder->starved;
    builder->starved = false;
    builder->some.wanted.below = builder->below + builder->depth;
    builder->keeps_events = builder->needs_events;
    st_model_restart_units(builder->model);
    if (builder->shared_model)
        st_model_restart_units(builder->shared_model);
    st_run_fit_restart(&run->fit);
    builder->excerpt.memory = st_run_fit_room(&run->fit, 0) / 8;
}

struct st_run *st_run_of_events(const struct st_run_needs *needs, const struct st_event *events,
                                size_t count) {
    struct st_run *run = st_run_new(needs);
    run->events = events;
    run->event_count = count;
    run->builder->keeps_events = false;
    run->builder->depths = 1; /* the events are not its own */
    while (st_run_wants_pass(run)) {
        st_run_feed(run, events, count, 1);
        st_run_end_pass(run);
    }
    return run;
}
