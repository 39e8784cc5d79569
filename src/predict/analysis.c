#include "predict/analysis.h"

#include "base/memory.h"
#include "predict/deadlock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The options of an analysis that has none of its own are the defaults: all zero. To be freed. */
static void *make_defaults(const struct st_analysis *analysis) {
    return analysis->own ? NULL : st_alloc(1, analysis->predictor->own_size + 1);
}

/* Is none of them interested in inner variables? */
static bool ends_are_enough(const struct st_predict_plan *plan) {
    bool enough = plan->options.notion == ST_NOTION_CONFLICT && !plan->options.as_published;
    for (size_t i = 0; i < plan->analysis_count; i++)
        enough &= plan->analyses[i].predictor->ends_are_enough;
    return enough;
}

struct st_run_needs st_predict_needs(const struct st_predict_plan *plan) {
    struct st_run_needs needs = {.model = {.order = plan->options.order,
                                           .data = plan->options.relation == ST_DATA,
                                           .ends_only = ends_are_enough(plan)},
                                 .memory = plan->options.memory};
    needs.model.may_be_sparse = needs.model.ends_only && plan->options.order == ST_MODEL_BARRIERS;
    st_observers_add(&needs.model.observers, &st_deadlock_observer, 0);
    for (size_t i = 0; i < plan->analysis_count; i++) {
        const struct st_analysis *analysis = &plan->analyses[i];
        void *defaults = make_defaults(analysis);
        needs.events |= analysis->predictor->reads_events;
        if (analysis->predictor->prepare)
            analysis->predictor->prepare(&plan->options, defaults ? defaults : analysis->own,
                                         &needs);
        free(defaults);
    }
    return needs;
}

/* What the model of the run leaves out limits what an analysis of it can say. */
static void add_model_caveats(const struct st_model *model,
                              const struct st_predictions *predictions,
                              struct st_prediction *prediction) {
    if (model->options.order == ST_MODEL_BARRIERS && model->channel_events)
        st_prediction_caveat(prediction,
                             model->options.data
                                 ? "Conditions, and signals that are given more than once, do not "
                                   "order anything here: what they guard may be reported falsely "
                                   "(--sync=all takes the order that was observed for granted)."
                                 : "Conditions and semaphores do not order anything here, as in "
                                   "the papers: what they guard may be reported falsely "
                                   "(--sync=all takes the order that was observed for granted).");
    if (model->options.order == ST_MODEL_ALL && model->channel_events)
        st_prediction_may_miss(prediction,
                               "Conditions and semaphores order things as they did in this run "
                               "(--sync=all): other orders were not looked at.");
    if (predictions->deadlock_count || predictions->more_deadlocks)
        st_prediction_may_miss(prediction,
                               "The analysis assumes that no schedule ends in deadlock, but the "
                               "locks of this run may: a block that can be cut may be missed.");
    if (predictions->more_deadlocks)
        st_prediction_caveat(prediction, "There may be more potential deadlocks than are listed.");
}

static void run_analysis(const struct st_analysis *analysis,
                         const struct st_predict_options *options, const struct st_run *run,
                         struct st_prediction *prediction) {
    const struct st_predictor *predictor = analysis->predictor;
    void *defaults = make_defaults(analysis);
    double start = processor_time();
    st_prediction_init(prediction);
    prediction->engine = predictor->result_name ? predictor->result_name : predictor->name;
    prediction->notion = predictor->notion ? predictor->notion : st_notion_names[options->notion];
    prediction->gives_traces = predictor->gives_traces;
    predictor->run(run, options, defaults ? defaults : analysis->own, prediction);
    prediction->seconds = processor_time() - start;
    prediction->stopped = (prediction->stopped || prediction->by[ST_BLOCK_TIMEOUT]) &&
                          st_total_time_is_up(options->total);
    if (prediction->stopped)
        st_prediction_caveat(prediction, st_total_time_is_interrupted(options->total)
                                             ? "The analysis was interrupted: what it had not "
                                               "looked at by then is not decided."
                                             : "The time for all blocks together was over "
                                               "(--total-timeout): what was not looked at by then "
                                               "is not decided.");
    free(defaults);
}

/* Says what did not fit into memory. */
static void add_memory_caveats(const struct st_run *run, bool reads_events,
                               struct st_prediction *prediction) {
    char sentence[400];
    if (run->fit.last_judged && !run->is_portion) {
        snprintf(sentence, sizeof sentence,
                 "Only the first %" PRIu64
                 " events fitted into memory: blocks that begin later were "
                 "not judged, and count as not decided. Give it more (--memory), or record less (a "
                 "specification, a shorter run).",
                 run->fit.last_judged);
        st_prediction_ends_early(prediction, sentence);
        for (size_t i = 0; i < run->fit.unjudged_names; i++)
            st_prediction_leave_out(prediction, (uint32_t)(i - 1), run->fit.unjudged_by_name[i]);
    }
    if (run->model->has_gaps && prediction->by[ST_BLOCK_TIMEOUT])
        st_prediction_may_miss(prediction,
                               "There was not enough memory for all that blocks do. A block that "
                               "locks alone do not protect, and that nothing in memory was seen to "
                               "cut, counts as not decided (--memory gives it more).");
    /* In tiers, proofs are sought for what is possible; what else needs one has its own caveat. */
    if (reads_events && run->last_kept &&
        !(prediction->in_tiers && !prediction->by[ST_BLOCK_POTENTIAL]))
        st_prediction_may_miss(prediction,
                               "There was not enough memory to look for feasible schedules in the "
                               "whole run: blocks towards its end may be cut for certain without a "
                               "proof (--memory gives it more).");
}

static void add_atomic_blocks(const struct st_name_counts *counts,
                              struct st_prediction *prediction) {
    for (size_t i = 0; i < counts->capacity; i++)
        st_prediction_add_atomic(prediction, (uint32_t)(i - 1), counts->items[i]);
}

/* Blocks that did nothing that counts, and those that were not worth the memory. */
static void add_unlisted_blocks(const struct st_run *run, struct st_prediction *prediction) {
    if (run->empty && !run->is_portion)
        add_atomic_blocks(run->empty, prediction);
    if (run->model->sparse)
        add_atomic_blocks(&run->model->guarded, prediction);
}

void st_predict_run(const struct st_predict_plan *plan, const struct st_run *run,
                    struct st_predictions *predictions) {
    *predictions = (struct st_predictions){.count = plan->analysis_count};
    predictions->items = st_alloc(plan->analysis_count, sizeof *predictions->items);
    st_deadlocks_find(run->model, 0, predictions);
    struct st_predict_options options = plan->options;
    options.may_deadlock = predictions->deadlock_count || predictions->more_deadlocks;
    for (size_t i = 0; i < plan->analysis_count; i++) {
        run_analysis(&plan->analyses[i], &options, run, &predictions->items[i]);
        add_unlisted_blocks(run, &predictions->items[i]);
        add_memory_caveats(run, plan->analyses[i].predictor->reads_events, &predictions->items[i]);
        if (plan->analyses[i].predictor->reads_model)
            add_model_caveats(run->model, predictions, &predictions->items[i]);
    }
}

void st_predict_events(const struct st_predict_plan *plan, const struct st_event *events,
                       size_t count, struct st_predictions *predictions) {
    struct st_run_needs needs = st_predict_needs(plan);
    struct st_run *run = st_run_of_events(&needs, events, count);
    st_predict_run(plan, run, predictions);
    st_run_free(run);
}
