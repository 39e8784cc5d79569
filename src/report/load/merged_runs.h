/* Results of several runs of a program as one: counts add up, and what several runs have found is
 * one finding. */
#ifndef SERIATIM_REPORT_LOAD_MERGED_RUNS_H
#define SERIATIM_REPORT_LOAD_MERGED_RUNS_H

#include "report/load/load.h"

#include <jansson.h>

struct st_merged_runs;

/* each: so many violations of a finding are kept at most. */
struct st_merged_runs *st_merged_runs_new(size_t each);
void st_merged_runs_free(struct st_merged_runs *runs);

/* Adds a result that check, run or hunt has saved; `name` is that of its file. -1 with an error if
 * it is none, or cannot be added to the others. */
int st_merged_runs_add(struct st_merged_runs *runs, const char *name, const char *text,
                       size_t length, struct st_error *error);

/* How many of them were not serializable, but had no violated block: a report does not show that if
 * others have one. */
size_t st_merged_runs_hidden(const struct st_merged_runs *runs);

/* Leaves out what was found only in the first of them. */
void st_merged_runs_prune(struct st_merged_runs *runs);

/* All of them as one result, called `name`; NULL with an error. It lives as long as the runs are
 * not changed; release it with st_loaded_free. */
struct st_loaded *st_merged_runs_load(struct st_merged_runs *runs, const char *name,
                                      struct st_error *error);

/* Of a saved result, or a part of one: event numbers go on where those of the one before end. */
void st_shift_events(json_t *value, uint64_t by);

#endif
