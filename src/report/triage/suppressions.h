/* Which findings a suppression (spec/suppress.h) is about. The body also has
 * st_report_suppressions, which writes lines that match. */
#ifndef SERIATIM_REPORT_TRIAGE_SUPPRESSIONS_H
#define SERIATIM_REPORT_TRIAGE_SUPPRESSIONS_H

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

/* A line that suppresses this finding and those like it; the reason is left to the user. Release
 * with free(). */
char *st_suppression_line(const struct st_report *report, const struct st_violation *violation);

#endif
