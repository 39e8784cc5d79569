/* Which findings a suppression (spec/suppress.h) is about. */
#ifndef SERIATIM_REPORT_TRIAGE_MATCH_H
#define SERIATIM_REPORT_TRIAGE_MATCH_H

#include "report/report.h"
#include "spec/suppress.h"

/* `by` is matched with the functions on the stacks of what other threads did, or with the names of
 * the threads where no stack is known. */
bool st_suppression_matches(const struct st_suppression *suppression,
                            const struct st_report *report, const struct st_violation *violation);

/* `function` is matched with each block of the cycle, and `by` with all that anybody did. */
bool st_suppression_matches_cycle(const struct st_suppression *suppression,
                                  const struct st_report *report,
                                  const struct st_findings *findings);

/* The user's file at a location, as a pattern sees it: without line and column, and "" for mere
 * numbers.
 * Release with free(). */
char *st_file_of(const struct st_report *report, uint64_t loc);

#endif
