/* The public predictor: keeps the events of a run, and gives them to a prediction engine at its
 * end. */
#include "base/memory.h"
#include "library/intake.h"
#include "predict/analysis.h"

#include <stdlib.h>

enum { DEFAULT_KEEP = 1000, DEFAULT_TIMEOUT = 10 };

struct seriatim_predictor {
    const struct st_predictor *engine;
    struct st_predict_options options;
    size_t keep;
    struct st_intake intake;
    struct st_event *events;
    size_t event_capacity;
    struct st_predictions predictions; /* with one item, when the intake is finished */

    /* What was handed out last. */
    seriatim_predicted_block block;
    seriatim_deadlock deadlock;
    uint64_t *variables;
    seriatim_place *places;
    seriatim_edge *path;
    seriatim_changed_read *reads;
    seriatim_wait *waits;
    size_t variable_capacity, place_capacity, path_capacity, read_capacity, wait_capacity;
};

static const struct st_predictor *engine_at(size_t index) {
    if (index == 0)
        return &st_tiers;
    return index <= st_predictor_count() ? st_predictors[index - 1] : NULL;
}

const char *seriatim_predictor_engine_name(size_t index) {
    const struct st_predictor *engine = engine_at(index);
    return engine ? engine->name : NULL;
}

const char *seriatim_predictor_engine_summary(size_t index) {
    const struct st_predictor *engine = engine_at(index);
    return engine ? engine->summary : NULL;
}

seriatim_predictor *seriatim_predictor_new(const char *engine_name) {
    const struct st_predictor *engine = engine_name ? st_predictor_find(engine_name) : &st_tiers;
    if (!engine)
        return NULL;
    seriatim_predictor *predictor = st_alloc(1, sizeof *predictor);
    predictor->engine = engine;
    predictor->options.timeout = DEFAULT_TIMEOUT;
    predictor->keep = DEFAULT_KEEP;
    st_intake_init(&predictor->intake);
    return predictor;
}

void seriatim_predictor_free(seriatim_predictor *predictor) {
    if (!predictor)
        return;
    if (predictor->intake.finished)
        st_predictions_free(&predictor->predictions);
    st_intake_free(&predictor->intake);
    free(predictor->events);
    free(predictor->variables);
    free(predictor->places);
    free(predictor->path);
    free(predictor->reads);
    free(predictor->waits);
    free(predictor);
}

void seriatim_predictor_jobs(seriatim_predictor *predictor, unsigned jobs) {
    predictor->options.jobs = jobs;
}

void seriatim_predictor_timeout(seriatim_predictor *predictor, double seconds) {
    predictor->options.timeout = seconds;
}

void seriatim_predictor_keep(seriatim_predictor *predictor, size_t limit) {
    predictor->keep = limit;
}

/* ---- Events ---------------------------------------------------------------------------------- */

int seriatim_predictor_event(seriatim_predictor *predictor, uint64_t thread, seriatim_op op,
                             uint64_t operand, uint64_t loc) {
    struct st_event event;
    struct st_intake *intake = &predictor->intake;
    if (st_intake_event(intake, thread, op, operand, loc, &event) < 0)
        return -1;
    st_reserve(&predictor->events, &predictor->event_capacity, (size_t)intake->events);
    predictor->events[intake->events - 1] = event;
    return 0;
}

/* Events are kept, so the next access gets a number of its own. */
void seriatim_predictor_forget_variable(seriatim_predictor *predictor, uint64_t variable) {
    struct st_map64 *variables = &predictor->intake.ids[ST_ID_VARIABLE];
    if (st_map64_find(variables, variable) != ST_MAP64_NONE)
        st_map64_renew(variables, variable);
}

const char *seriatim_predictor_error(const seriatim_predictor *predictor) {
    return predictor->intake.error;
}

/* ---- The result ------------------------------------------------------------------------------ */

static void run(seriatim_predictor *predictor) {
    const struct st_analysis analysis = {.predictor = predictor->engine};
    struct st_predict_plan plan = {
        .options = predictor->options, .analyses = &analysis, .analysis_count = 1};
    /* An engine takes 0 for no limit. */
    if (predictor->keep != SIZE_MAX)
        plan.options.limit = predictor->keep ? predictor->keep : 1;
    st_predict_events(&plan, predictor->events, (size_t)predictor->intake.events,
                      &predictor->predictions);
    predictor->intake.finished = true;
}

static size_t listed(const seriatim_predictor *predictor) {
    if (!predictor->intake.finished)
        return 0;
    size_t count = predictor->predictions.items[0].listed;
    return count < predictor->keep ? count : predictor->keep;
}

void seriatim_predictor_finish(seriatim_predictor *predictor, seriatim_prediction *result) {
    if (!predictor->intake.finished)
        run(predictor);
    static const int serializable[] = {
        [ST_UNDECIDED] = -1,
        [ST_SERIALIZABLE] = 1,
        [ST_NOT_SERIALIZABLE] = 0,
    };
    const struct st_prediction *prediction = &predictor->predictions.items[0];
    *result = (seriatim_prediction){
        .serializable = serializable[prediction->atomic],
        .notion = prediction->notion,
        .blocks = prediction->block_count,
        .atomic = prediction->by[ST_BLOCK_ATOMIC],
        .undecided = prediction->by[ST_BLOCK_TIMEOUT],
        .potential = prediction->by[ST_BLOCK_POTENTIAL],
        .violations = prediction->by[ST_BLOCK_VIOLATION],
        .may_miss = prediction->may_miss,
        .caveats = prediction->caveats,
        .caveat_count = prediction->caveat_count,
        .listed = listed(predictor),
        .deadlocks = predictor->predictions.deadlock_count,
        .more_deadlocks = predictor->predictions.more_deadlocks,
        .events = predictor->intake.events,
        .refused = predictor->intake.refused,
    };
}

/* ---- What is handed out ---------------------------------------------------------------------- */

_Static_assert((int)SERIATIM_OUTLOOK_ATOMIC == (int)ST_BLOCK_ATOMIC &&
                   (int)SERIATIM_OUTLOOK_UNDECIDED == (int)ST_BLOCK_TIMEOUT &&
                   (int)SERIATIM_OUTLOOK_POTENTIAL == (int)ST_BLOCK_POTENTIAL &&
                   (int)SERIATIM_OUTLOOK_VIOLATION == (int)ST_BLOCK_VIOLATION,
               "the public outlooks are numbered like the inner ones");

static const uint64_t *public_variables(seriatim_predictor *predictor,
                                        const struct st_predicted_block *block) {
    if (!block->variable_count)
        return NULL;
    st_reserve(&predictor->variables, &predictor->variable_capacity, block->variable_count);
    for (size_t i = 0; i < block->variable_count; i++)
        predictor->variables[i] =
            st_intake_id(&predictor->intake, ST_ID_VARIABLE, block->variables[i]);
    return predictor->variables;
}

static const seriatim_place *public_places(seriatim_predictor *predictor,
                                           const struct st_predicted_block *block) {
    if (!block->event_count)
        return NULL;
    st_reserve(&predictor->places, &predictor->place_capacity, block->event_count);
    for (size_t i = 0; i < block->event_count; i++)
        predictor->places[i] = st_intake_place(&predictor->intake, &block->events[i]);
    return predictor->places;
}

static const seriatim_edge *public_path(seriatim_predictor *predictor,
                                        const struct st_predicted_block *block) {
    if (!block->path_length)
        return NULL;
    st_reserve(&predictor->path, &predictor->path_capacity, block->path_length);
    for (size_t i = 0; i < block->path_length; i++)
        predictor->path[i] = st_intake_edge(&predictor->intake, &block->path[i]);
    return predictor->path;
}

static const seriatim_changed_read *public_reads(seriatim_predictor *predictor,
                                                 const struct st_predicted_block *block) {
    if (!block->broken_count)
        return NULL;
    st_reserve(&predictor->reads, &predictor->read_capacity, block->broken_count);
    for (size_t i = 0; i < block->broken_count; i++)
        predictor->reads[i] = (seriatim_changed_read){.event = block->broken[i].event,
                                                      .sees = block->broken[i].sees,
                                                      .saw = block->broken[i].saw};
    return predictor->reads;
}

const seriatim_predicted_block *seriatim_predictor_block(seriatim_predictor *predictor,
                                                         size_t index) {
    if (index >= listed(predictor))
        return NULL;
    const struct st_predicted_block *block = &predictor->predictions.items[0].blocks[index];
    predictor->block = (seriatim_predicted_block){
        .thread = st_intake_id(&predictor->intake, ST_ID_THREAD, block->thread),
        .block = st_intake_id(&predictor->intake, ST_ID_BLOCK, block->block),
        .begin = block->begin,
        .begin_loc = block->begin_loc,
        .end = block->end,
        .outlook = (seriatim_outlook)block->verdict,
        .pattern = block->pattern,
        .why = block->why,
        .variables = public_variables(predictor, block),
        .variable_count = block->variable_count,
        .events = public_places(predictor, block),
        .event_count = block->event_count,
        .path = public_path(predictor, block),
        .path_length = block->path_length,
        .schedule = block->witness,
        .schedule_length = block->witness_length,
        .changed_reads = public_reads(predictor, block),
        .changed_read_count = block->broken_count,
    };
    return &predictor->block;
}

const seriatim_deadlock *seriatim_predictor_deadlock(seriatim_predictor *predictor, size_t index) {
    if (!predictor->intake.finished || index >= predictor->predictions.deadlock_count)
        return NULL;
    const struct st_predicted_deadlock *deadlock = &predictor->predictions.deadlocks[index];
    st_reserve(&predictor->waits, &predictor->wait_capacity, deadlock->count);
    for (size_t i = 0; i < deadlock->count; i++)
        predictor->waits[i] = (seriatim_wait){
            .holds = st_intake_place(&predictor->intake, &deadlock->waits[i].holds),
            .wants = st_intake_place(&predictor->intake, &deadlock->waits[i].wants)};
    predictor->deadlock = (seriatim_deadlock){.waits = predictor->waits, .length = deadlock->count};
    return &predictor->deadlock;
}
