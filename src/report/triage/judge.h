/* Holds findings against suppressions and a baseline. */
#ifndef SERIATIM_REPORT_TRIAGE_JUDGE_H
#define SERIATIM_REPORT_TRIAGE_JUDGE_H

#include "report/triage/baseline.h"
#include "report/triage/triage.h"
#include "spec/suppress.h"

struct st_judgement;

/* Gives the report a triage, and results of its own with at most `limit` violations each (0: all):
 * new ones rather than known ones and those rather than suppressed ones; among these, the names of
 * blocks share the places. `suppressions` and `baseline` may each be NULL. What the report had must
 * outlive the judgement, and the judgement outlives the report. */
struct st_judgement *st_judge(struct st_report *report, const struct st_suppressions *suppressions,
                              const struct st_baseline *baseline, size_t limit);
void st_judgement_free(struct st_judgement *judgement);

#endif
