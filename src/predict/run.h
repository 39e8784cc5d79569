/* An observed run as predictors see it: the model of the run, and all its events for those that
 * need them.
 *
 * The trace is fed as often as it takes to make the models:
 *
 *     struct st_run *run = st_run_new(&needs);
 *     while (st_run_wants_pass(run)) {
 *         ... st_run_feed(run, events, count, first) for all batches of the trace ...
 *         st_run_end_pass(run);
 *     }
 *
 * Read-only from then on, and so for any number of threads at once. */
#ifndef SERIATIM_PREDICT_RUN_H
#define SERIATIM_PREDICT_RUN_H

#include "predict/model/model.h"
#include "predict/some_blocks.h"

struct st_run_needs {
    struct st_model_options model;
    bool events;       /* all of them, in memory */
    bool shared_model; /* a second model, with variables that are shared, but not contended */
    struct st_blocks_wanted blocks; /* the outermost of these are judged */
};

struct st_run {
    const struct st_model *model;
    const struct st_model *shared_model; /* NULL: not needed */
    const struct st_event *events;       /* NULL: not needed; event number i + 1 is events[i] */
    size_t event_count;
    struct st_run_builder *builder;
};

struct st_run *st_run_new(const struct st_run_needs *needs);
void st_run_free(struct st_run *run);

bool st_run_wants_pass(const struct st_run *run);
void st_run_feed(struct st_run *run, const struct st_event *events, size_t count, uint64_t first);
void st_run_end_pass(struct st_run *run);

/* How many blocks there are that were wanted, if not all were. */
uint64_t st_run_wanted_blocks(const struct st_run *run);

/* The same for a trace in memory, which must outlive the run. */
struct st_run *st_run_of_events(const struct st_run_needs *needs, const struct st_event *events,
                                size_t count);

#endif
