/* An observed run as predictors see it: the model of the run, and its events for those that need
 * them. Of a long run, only events that count are kept (predict/excerpt.h).
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
    bool events;       /* in memory */
    size_t memory;     /* bytes that the process may use; 0: any amount */
    bool shared_model; /* a second model, with variables that are shared, but not contended */
    struct st_blocks_wanted blocks; /* the outermost of these are judged */
};

struct st_run {
    const struct st_model *model;
    const struct st_model *shared_model; /* NULL: not needed */
    /* NULL: not needed. Number numbers[i] is events[i], or number i + 1 if there are no numbers. */
    const struct st_event *events;
    const uint64_t *numbers;
    size_t event_count;
    uint64_t last_kept;   /* 0: all events of the run that count are there. Otherwise those to this
                           * number are; there was no memory for more */
    uint64_t last_judged; /* 0: the run is judged as a whole. Otherwise to this event: there was no
                           * memory for more */
    uint64_t unjudged_blocks;         /* outermost blocks that begin after it */
    const uint64_t *unjudged_by_name; /* the same by name + 1; 0: without one */
    size_t unjudged_names;
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
