/* Analysing a run: the chosen predictors, one after the other, and the search for deadlocks.
 *
 *     struct st_predict_plan plan = {.analyses = &(struct st_analysis){&st_tas, NULL},
 *                                    .analysis_count = 1};
 *     struct st_predictions predictions;
 *     st_predict_events(&plan, events, count, &predictions);
 *     ...
 *     st_predictions_free(&predictions);
 */
#ifndef SERIATIM_PREDICT_ANALYSIS_H
#define SERIATIM_PREDICT_ANALYSIS_H

#include "predict/predictor.h"

/* A predictor and its own options; NULL stands for the defaults. */
struct st_analysis {
    const struct st_predictor *predictor;
    const void *own;
};

/* What to find out about a run. */
struct st_predict_plan {
    struct st_predict_options options;
    const struct st_analysis *analyses;
    size_t analysis_count;
    bool all_depths; /* judge inner blocks even where nothing around them was found cut */
};

/* What the analyses of the plan need to see of the run. */
struct st_run_needs st_predict_needs(const struct st_predict_plan *plan);

/* Runs the analyses of the plan, and looks for deadlocks. The run must have what st_predict_needs
 * asked for, and be complete. *predictions is filled from scratch. */
void st_predict_run(const struct st_predict_plan *plan, const struct st_run *run,
                    struct st_predictions *predictions);

/* All at once, for a trace in memory: events[i] is event number i + 1, validated. */
void st_predict_events(const struct st_predict_plan *plan, const struct st_event *events,
                       size_t count, struct st_predictions *predictions);

#endif
