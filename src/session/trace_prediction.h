/* Predictors over a trace.
 *
 *     struct st_trace_prediction prediction = {.plan = &plan};
 *     if (st_trace_prediction_read(&prediction, &input, pass, &error) == 0) {
 *         st_trace_prediction_run(&prediction, &input);
 *         ... a report with prediction.predictions, and input.symbols ...
 *     }
 *     st_trace_prediction_free(&prediction);
 */
#ifndef SERIATIM_SESSION_TRACE_PREDICTION_H
#define SERIATIM_SESSION_TRACE_PREDICTION_H

#include "predict/analysis.h"
#include "session/trace_input.h"

struct st_trace_prediction {
    const struct st_predict_plan *plan;
    struct st_run *run;
    struct st_predictions predictions;
    struct st_predictions portions; /* of the blocks that were judged while the run was read */
};

/* st_trace_input_pass, or what a command puts around it. */
typedef int st_trace_pass(struct st_trace_input *input, st_trace_input_feed *feed, void *context,
                          struct st_error *error);

/* Reads a run, as often as the plan needs the trace, with the blocks that are wanted. NULL with an
 * error. Release it with st_run_free. */
struct st_run *st_trace_read_run(struct st_trace_input *input, const struct st_predict_plan *plan,
                                 const struct st_blocks_wanted *wanted, st_trace_pass *pass,
                                 struct st_error *error);

/* The same with all blocks, for the prediction. */
int st_trace_prediction_read(struct st_trace_prediction *prediction, struct st_trace_input *input,
                             st_trace_pass *pass, struct st_error *error);

/* Runs the predictors. With one that answers in tiers, or if the plan asks for all depths, blocks
 * in blocks are judged, too. If not all that it takes is in memory, the trace is read again for
 * each depth, and if that fails, a caveat says so. It is read once more for the events of the
 * schedules that were found; if that fails, reports show the schedules as numbers. Locations are
 * those of st_trace_input_symbols. To be called once.
 */
void st_trace_prediction_run(struct st_trace_prediction *prediction, struct st_trace_input *input);

void st_trace_prediction_free(struct st_trace_prediction *prediction);

/* ---- witnesses as traces: a schedule that `seriatim check` can read ---- */

/* The first violation with a witness that is a trace. NULL if there is none. */
const struct st_predicted_block *st_find_witness(const struct st_predictions *predictions);

/* Writes the witness of the block to a file as STD text. st_trace_input_symbols must have been
 * called. 0, or -1 with an error. */
int st_write_witness(struct st_trace_input *input, const struct st_predicted_block *block,
                     const char *path, struct st_error *error);

#endif
