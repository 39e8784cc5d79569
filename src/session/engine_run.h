/* An engine on the events of a run: what it found, how long it took, and its peak memory. */
#ifndef SERIATIM_SESSION_ENGINE_RUN_H
#define SERIATIM_SESSION_ENGINE_RUN_H

#include "check/engine.h"
#include "report/report.h"

struct st_engine_run {
    const struct st_engine *engine;
    void *state;
    struct st_findings findings;
    double seconds;    /* of processor time */
    size_t peak_bytes; /* see st_engine_run_note_memory */
    bool first_only;   /* stop at the first finding */
    bool stopped;      /* it was found: the engine gets no more events */
};

/* keep: how many violations to keep in full; 0 keeps all. */
void st_engine_run_start(struct st_engine_run *run, const struct st_engine *engine, size_t keep,
                         bool first_only);
void st_engine_run_free(struct st_engine_run *run);

/* Feeds events; `first` is the number of the first one. `at` is NULL unless a program is checked
 * while it runs, which requires the engine witness: see st_witness_feed_at. */
void st_engine_run_feed(struct st_engine_run *run, const struct st_event *events,
                        const uint64_t *at, size_t count, uint64_t first);

/* The lives of these variables have ended. */
void st_engine_run_forget(struct st_engine_run *run, const struct st_variable_run *ended,
                          size_t count);

/* There are no more events, after that many. Does nothing if the engine has stopped. */
void st_engine_run_finish(struct st_engine_run *run, uint64_t events);

/* Measures the memory of the engine. This costs more than an event does. */
void st_engine_run_note_memory(struct st_engine_run *run);

bool st_engine_run_has_found(const struct st_engine_run *run);

/* What was found so far, with the violations in order; the engine can continue. Locations may be
 * changed there, as they are copies; the rest is the run's. */
struct st_findings st_engine_run_snapshot(const struct st_engine_run *run);
void st_engine_run_free_snapshot(struct st_findings *findings);

/* For a report. `findings` are those of the run or a snapshot of them. */
struct st_result st_engine_run_result(const struct st_engine_run *run,
                                      const struct st_findings *findings);

#endif
