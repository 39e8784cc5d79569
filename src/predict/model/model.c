#include "predict/model/model.h"

#include "base/memory.h"
#include "predict/model/contention.h"
#include "predict/model/observers.h"
#include "predict/model/unit_maker.h"

#include <stdlib.h>

enum pass {
    PASS_SURVEY, /* what are channels used for? What is contended if they impose no order? */
    PASS_AGAIN,  /* what is contended if some do */
    PASS_UNITS,
    PASS_NONE
};

struct st_model_builder {
    enum pass pass;
    struct st_barriers barriers;
    struct st_onces onces;
    struct st_rwlocks rwlocks;
    struct st_survey survey;
    struct st_order order;
    struct st_unit_maker *maker;
};

struct st_model *st_model_new(const struct st_model_options *options) {
    struct st_model *model = st_alloc(1, sizeof *model);
    struct st_model_builder *builder = st_alloc(1, sizeof *builder);
    model->options = *options;
    model->builder = builder;
    st_shapes_init(&model->shapes);
    st_locksets_init(&model->locksets);
    st_barriers_init(&builder->barriers);
    st_onces_init(&builder->onces);
    st_rwlocks_init(&builder->rwlocks);
    st_survey_init(&builder->survey, options->order, NULL, NULL, &model->locksets);
    st_order_init(&builder->order, options->order, &builder->barriers, &builder->onces);
    model->rwlocks = &builder->rwlocks;
    model->periods = &builder->order.periods;
    return model;
}

void st_model_free(struct st_model *model) {
    if (!model)
        return;
    struct st_model_builder *builder = model->builder;
    st_observers_free(model->observers);
    st_unit_maker_free(builder->maker);
    st_order_free(&builder->order);
    st_survey_free(&builder->survey);
    st_barriers_free(&builder->barriers);
    st_onces_free(&builder->onces);
    st_rwlocks_free(&builder->rwlocks);
    free(builder);
    for (size_t i = 0; i < model->unit_count; i++)
        free(model->units[i].spots);
    free(model->units);
    free(model->instances);
    free(model->occurrences);
    free(model->spots);
    free(model->variables);
    free(model->locks);
    st_shapes_free(&model->shapes);
    st_locksets_free(&model->locksets);
    free(model);
}

/* ---- passes ---- */

bool st_model_wants_pass(const struct st_model *model) {
    return model->builder->pass != PASS_NONE;
}

bool st_model_makes_units(const struct st_model *model) {
    return model->builder->pass == PASS_UNITS;
}

static void take_event(struct st_model *model, const struct st_event *event, uint64_t number) {
    struct st_model_builder *builder = model->builder;
    switch (builder->pass) {
    case PASS_SURVEY:
        st_barriers_event(&builder->barriers, event);
        st_onces_event(&builder->onces, event);
        st_rwlocks_event(&builder->rwlocks, event);
        st_survey_event(&builder->survey, event);
        break;
    case PASS_AGAIN:
        st_survey_event(&builder->survey, event);
        break;
    case PASS_UNITS:
        st_observers_event(model->observers, event, number);
        st_unit_maker_event(builder->maker, event, number);
        break;
    case PASS_NONE:
        break;
    }
}

void st_model_feed(struct st_model *model, const struct st_event *events, size_t count,
                   uint64_t first) {
    struct st_rwlocks *rwlocks = &model->builder->rwlocks;
    if (!rwlocks->count) { /* as always in the first pass */
        for (size_t i = 0; i < count; i++)
            take_event(model, &events[i], first + i);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        st_rwlocks_translate(rwlocks, &events[i], first + i);
        for (size_t j = 0; j < rwlocks->step_count; j++)
            take_event(model, &rwlocks->steps[j].event, rwlocks->steps[j].number);
    }
}

/* Was it wrong to assume that channels order nothing? */
static bool has_channels(const struct st_model *model) {
    const struct st_order *order = &model->builder->order;
    for (uint32_t i = 0; i < model->builder->barriers.count; i++)
        if (st_order_counts(order, i))
            return true;
    return model->builder->rwlocks.count > 0;
}

static void survey_again(struct st_model *model) {
    struct st_model_builder *builder = model->builder;
    st_survey_free(&builder->survey);
    st_survey_init(&builder->survey, model->options.order, &builder->barriers, &builder->onces,
                   &model->locksets);
    builder->pass = PASS_AGAIN;
}

static void take_locks(struct st_model *model, const struct st_survey *survey) {
    for (size_t i = 0; i < survey->lock_count; i++) {
        const struct st_lock_facts *facts = &survey->locks[i];
        model->locks[i] = (struct st_model_lock){.shared = facts->shared,
                                                 .contended = facts->contended,
                                                 .protectors = facts->protectors};
    }
    for (size_t i = 0; i < model->variable_count; i++)
        if (model->variables[i].indivisible)
            model->locks[model->variables[i].lock] = (struct st_model_lock){
                .shared = model->variables[i].shared, .contended = model->variables[i].contended};
}

/* Keeps what the survey found and frees the rest. */
static void take_facts(struct st_model *model) {
    struct st_model_builder *builder = model->builder;
    struct st_survey *survey = &builder->survey;
    model->variable_count = survey->variable_count;
    model->variables = st_alloc(model->variable_count + 1, sizeof *model->variables);
    model->lock_count = builder->rwlocks.first_lock + st_rwlocks_lock_count(&builder->rwlocks);
    model->first_atomic_lock = (uint32_t)model->lock_count;
    for (size_t i = 0; i < model->variable_count; i++) {
        const struct st_variable_facts *facts = &survey->variables[i];
        model->variables[i] = (struct st_model_variable){.shared = facts->shared,
                                                         .written = facts->written,
                                                         .contended = facts->contended,
                                                         .indivisible = facts->indivisible,
                                                         .plain = facts->plain};
        if (facts->indivisible)
            model->variables[i].lock = (uint32_t)model->lock_count++;
    }
    model->locks = st_alloc(model->lock_count + 1, sizeof *model->locks);
    take_locks(model, survey);
    model->channel_events = survey->channel_events;
    st_survey_free(survey);
    st_survey_init(survey, model->options.order, NULL, NULL, &model->locksets);
}

void st_model_end_pass(struct st_model *model) {
    struct st_model_builder *builder = model->builder;
    if (builder->pass == PASS_SURVEY)
        st_rwlocks_number(&builder->rwlocks, (uint32_t)builder->survey.lock_count);
    bool dropped = builder->pass == PASS_AGAIN && st_rwlocks_drop_broken(&builder->rwlocks);
    if (dropped || (builder->pass == PASS_SURVEY && has_channels(model))) {
        survey_again(model);
    } else if (builder->pass == PASS_UNITS) {
        st_unit_maker_finish(builder->maker);
        st_observers_finish(model->observers);
        builder->pass = PASS_NONE;
    } else {
        take_facts(model);
        model->observers = st_observers_new(model, &builder->order);
        builder->maker = st_unit_maker_new(model, &builder->order);
        builder->pass = PASS_UNITS;
    }
}
