/* Decides which findings are new, by suppressions and by earlier results as a baseline. */
#ifndef SERIATIM_SESSION_FILTERS_H
#define SERIATIM_SESSION_FILTERS_H

#include "report/load/merged_runs.h"
#include "base/options.h"
#include "report/load/load.h"
#include "report/triage/baseline.h"
#include "report/triage/triage.h"
#include "spec/suppress.h"
#include "trace/format.h"

struct st_filter_files {
    struct st_texts suppressions, baselines;
    const char *root; /* of the sources; NULL: the repository's */
};

struct st_filters {
    const struct st_filter_files *files;
    struct st_suppressions suppressions;
    struct st_baseline baseline;
    char *root;
};

/* Reads the files, which must outlive the filters. `inputs` lists what else is read, ending with
 * NULL: only one of all these can be standard input. `command` is for errors that concern no file.
 * On -1 there is nothing to close. */
int st_filters_open(struct st_filters *filters, const struct st_filter_files *files,
                    const char *command, const char *const *inputs, struct st_error *error);
void st_filters_close(struct st_filters *filters);

/* The same for a command that reads a trace and, unless it is NULL, a specification. */
int st_filters_open_for_trace(struct st_filters *filters, const struct st_filter_files *files,
                              const char *command, const char *trace, const char *spec,
                              struct st_error *error);

/* What such a command must not overwrite, ending with NULL. It may overwrite a baseline, which was
 * read by then. */
enum { ST_FILTER_INPUTS = ST_MOST_TEXTS + 3 };
void st_filters_list_inputs(const struct st_filter_files *files, const char *trace,
                            const char *spec, const char *inputs[ST_FILTER_INPUTS]);

/* Is there any file? */
bool st_filters_wanted(const struct st_filter_files *files);

/* How many violations to keep so that `limit` findings, or all of them (0), can be listed: several
 * are one finding. For those that are not kept, it is unknown whether they are new. */
size_t st_filters_keep(uint64_t limit);

/* The same for blocks that could be cut, of which `limit` are listed. */
size_t st_filters_keep_predicted(const struct st_filter_files *files, uint64_t limit);

/* Marks the findings of a report that are suppressed or in the baseline, if there is a file, and
 * leaves the first `limit` of them (0: all) in it. Release the triaged after the report. */
struct st_triaged *st_filters_apply(const struct st_filters *filters, struct st_report *report,
                                    uint64_t limit);

/* ---- saved results ---- */

/* Reads the rest of an input, which is a result in JSON, if it looks like one. */
int st_result_text(struct st_input *input, struct st_error *error);

/* Adds the result that was saved in the file. */
int st_add_saved_run(struct st_merged_runs *runs, const char *path, struct st_error *error);

/* Reads the rest of an input, which is a result in JSON. NULL with an error. Release with
 * st_loaded_free. */
struct st_loaded *st_result_read(struct st_input *input, struct st_error *error);

#endif
