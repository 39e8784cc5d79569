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
 * Read-only from then on, and so for any number of threads at once. Outermost blocks are judged.
 * When that is done, st_run_go_deeper makes the next ones the outermost, without the trace. If that
 * is not possible, st_run_read_deeper does it with one more pass. */
#ifndef SERIATIM_PREDICT_RUN_H
#define SERIATIM_PREDICT_RUN_H

#include "predict/excerpt.h"
#include "predict/model/model.h"
#include "predict/run_fit.h"
#include "predict/some_blocks.h"
#include "trace/values.h"

struct st_run;

struct st_run_needs {
    struct st_model_options model;
    bool events;     /* in memory */
    bool excerpt;    /* of those that count only, even if the run is short */
    unsigned depths; /* so many depths of blocks will be judged; 0 counts as 1 */
    size_t memory;   /* bytes that the process may use; 0: any amount */
    bool sparse;     /* the model, if that is possible, even if there is enough memory */
    bool narrow;     /* and even with gaps */
    size_t portion;  /* so many transactions at most are judged at a time; 0: as many as fit */
    /* If not all blocks fit into memory, those that are there are judged by this function in the
     * middle of a pass, and then dropped; the last ones are there at its end. NULL: what does not
     * fit is not judged. */
    void (*judge)(void *context, const struct st_run *run);
    void *judge_context;
    bool shared_model; /* a second model, with variables that are shared, but not contended */
    struct st_blocks_wanted blocks; /* the outermost of these are judged */
};

struct st_run {
    const struct st_model *model;
    const struct st_model *shared_model; /* NULL: not needed */
    /* Those that can be searched. NULL: not needed. Number numbers[i] is events[i], or number i + 1
     * if there are no numbers. */
    const struct st_event *events;
    const uint64_t *numbers;
    const struct st_value_numbers
        *values; /* of the events (predict/tas/tas.h); NULL: none is known */
    size_t event_count;
    uint64_t last_kept;    /* 0: all events of the run that count are there. Otherwise those to this
                            * number are; there was no memory for more */
    struct st_run_fit fit; /* how much of the run is judged */
    bool is_portion;       /* more blocks will follow, which are not there yet */
    const struct st_name_counts *empty; /* blocks that neither the model nor the events have,
                                         * because they did nothing that counts; NULL: none */
    struct st_run_builder *builder;
};

struct st_run *st_run_new(const struct st_run_needs *needs);
void st_run_free(struct st_run *run);

bool st_run_wants_pass(const struct st_run *run);
void st_run_feed(struct st_run *run, const struct st_event *events, size_t count, uint64_t first);
void st_run_end_pass(struct st_run *run);

/* Can there be blocks inside those that were judged? */
bool st_run_may_have_deeper(const struct st_run *run);

/* Is all there that it takes to judge them? */
bool st_run_can_go_deeper(const struct st_run *run);

/* The outermost blocks are no blocks any more, those directly inside them are the outermost. False:
 * there is not enough memory for that beside what is there. Then comes st_run_read_deeper. */
bool st_run_go_deeper(struct st_run *run);

/* The same, for which it wants one more pass over the trace, or two. What it knows of the values of
 * events is forgotten. */
void st_run_read_deeper(struct st_run *run);

/* If not all blocks were wanted, or it went deeper: are there any? */
bool st_run_has_blocks(const struct st_run *run);

/* Values will be known. Before the last pass. */
void st_run_expect_values(struct st_run *run);

/* What is known of the values of the first `count` events of the trace, which must outlive the run.
 * After the last pass. */
void st_run_set_values(struct st_run *run, const struct st_value_numbers *values, size_t count);

/* The same for a trace in memory, which must outlive the run. */
struct st_run *st_run_of_events(const struct st_run_needs *needs, const struct st_event *events,
                                size_t count);

#endif
