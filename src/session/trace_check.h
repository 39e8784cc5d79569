/* Runs one engine, or several side by side, over a trace.
 *
 *     st_trace_check_start(&check, engines, count, relation, keep, false);
 *     if (st_trace_check_read(&check, &input, &error) == 0) {
 *         st_trace_check_mark_races(&check, &input);
 *         struct st_result *results = st_trace_check_results(&check, &input);
 *         ... a report with these results, and input.symbols ...
 *         free(results);
 *     }
 *     st_trace_check_free(&check);
 */
#ifndef SERIATIM_SESSION_TRACE_CHECK_H
#define SERIATIM_SESSION_TRACE_CHECK_H

#include "session/engine_run.h"
#include "session/trace_input.h"

struct st_trace_check {
    struct st_engine_run *runs;
    size_t count;
    enum st_relation relation;
};

/* keep: how many violations to keep in full; 0 keeps all. first_only: an engine stops at its first
 * finding, and reading stops when all have. */
void st_trace_check_start(struct st_trace_check *check, const struct st_engine *const *engines,
                          size_t count, enum st_relation relation, size_t keep, bool first_only);
void st_trace_check_free(struct st_trace_check *check);

/* Reads the trace. Afterwards the findings are in order. */
int st_trace_check_read(struct st_trace_check *check, struct st_trace_input *input,
                        struct st_error *error);

/* Did reading stop early, because every engine had found something? */
bool st_trace_check_stopped(const struct st_trace_check *check);

/* Marks the conflicts in findings that are data races. This reads the trace a second time, so it
 * is done only if a finding has a conflict. If something goes wrong, or memory runs out, less is
 * known about races, and that is all; why, or NULL. */
const char *st_trace_check_mark_races(struct st_trace_check *check,
                                      const struct st_trace_input *input);

/* What each engine found, with locations of st_trace_input_symbols. Valid as long as the check;
 * release with free(). Call this once. */
struct st_result *st_trace_check_results(struct st_trace_check *check,
                                         struct st_trace_input *input);

#endif
