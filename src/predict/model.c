#include "predict/model.h"

#include "base/memory.h"
#include "predict/followers.h"
#include "predict/survey.h"
#include "predict/unit_maker.h"

#include <stdlib.h>

enum pass {
    PASS_SURVEY, /* what are barriers? who quarrels about what, if there are none? */
    PASS_AGAIN,  /* the same with barriers, if there are any */
    PASS_UNITS,
    PASS_NONE
};

struct st_model_builder {
    enum pass pass;
    struct st_barriers barriers;
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
    st_survey_init(&builder->survey, options->order, NULL, &model->locksets);
    st_order_init(&builder->order, options->order, &builder->barriers);
    model->periods = &builder->order.periods;
    return model;
}

void st_model_free(struct st_model *model) {
    if (!model)
        return;
    struct st_model_builder *builder = model->builder;
    st_followers_free(model->followers);
    st_unit_maker_free(builder->maker);
    st_order_free(&builder->order);
    st_survey_free(&builder->survey);
    st_barriers_free(&builder->barriers);
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

size_t st_model_memory(const struct st_model *model) {
    size_t bytes = model->unit_capacity * sizeof *model->units +
                   model->instance_capacity * sizeof *model->instances +
                   model->occurrence_capacity * sizeof *model->occurrences +
                   model->spot_capacity * sizeof *model->spots +
                   model->variable_count * sizeof *model->variables +
                   model->lock_count * sizeof *model->locks + st_shapes_memory(&model->shapes) +
                   st_locksets_memory(&model->locksets) + st_periods_memory(model->periods);
    if (model->followers)
        bytes += st_followers_memory(model->followers);
    for (size_t i = 0; i < model->unit_count; i++)
        bytes += st_unit_shape(model, (uint32_t)i)->count * sizeof(struct st_spot);
    return bytes;
}

/* ---- passes ---- */

bool st_model_wants_pass(const struct st_model *model) {
    return model->builder->pass != PASS_NONE;
}

void st_model_feed(struct st_model *model, const struct st_event *events, size_t count,
                   uint64_t first) {
    struct st_model_builder *builder = model->builder;
    switch (builder->pass) {
    case PASS_SURVEY:
        for (size_t i = 0; i < count; i++) {
            st_barriers_event(&builder->barriers, &events[i]);
            st_survey_event(&builder->survey, &events[i]);
        }
        break;
    case PASS_AGAIN:
        for (size_t i = 0; i < count; i++)
            st_survey_event(&builder->survey, &events[i]);
        break;
    case PASS_UNITS:
        for (size_t i = 0; i < count; i++) {
            st_followers_event(model->followers, &events[i], first + i);
            st_unit_maker_event(builder->maker, &events[i], first + i);
        }
        break;
    case PASS_NONE:
        break;
    }
}

static bool has_ordering_channels(const struct st_model *model) {
    const struct st_barriers *barriers = &model->builder->barriers;
    for (uint32_t i = 0; i < barriers->count; i++)
        if (model->options.order == ST_MODEL_ALL || st_is_barrier(barriers, i))
            return true;
    return false;
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

/* Takes over what the survey found; what it needed to find it is not needed any more. */
static void take_facts(struct st_model *model) {
    struct st_survey *survey = &model->builder->survey;
    model->variable_count = survey->variable_count;
    model->variables = st_alloc(model->variable_count + 1, sizeof *model->variables);
    model->first_atomic_lock = (uint32_t)survey->lock_count;
    model->lock_count = survey->lock_count;
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
    st_survey_init(survey, model->options.order, NULL, &model->locksets);
}

void st_model_end_pass(struct st_model *model) {
    struct st_model_builder *builder = model->builder;
    if (builder->pass == PASS_SURVEY && has_ordering_channels(model)) {
        st_survey_free(&builder->survey);
        st_survey_init(&builder->survey, model->options.order, &builder->barriers,
                       &model->locksets);
        builder->pass = PASS_AGAIN;
    } else if (builder->pass == PASS_UNITS) {
        st_unit_maker_finish(builder->maker);
        st_followers_finish(model->followers);
        builder->pass = PASS_NONE;
    } else {
        take_facts(model);
        model->followers = st_followers_new(model, &builder->order);
        builder->maker = st_unit_maker_new(model, &builder->order);
        builder->pass = PASS_UNITS;
    }
}
