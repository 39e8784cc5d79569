/* A finding told as a colleague would: what was cut, by whom, step by step, and why no serial order
 * explains it. */
#ifndef SERIATIM_REPORT_TEXT_STORY_TEXT_H
#define SERIATIM_REPORT_TEXT_STORY_TEXT_H

#include "report/triage/groups.h"
#include "report/text/writer.h"

/* A violated block. `row` has the counts of its name; NULL when they are not known. */
void st_put_violation(const struct st_text *text, const struct st_findings *findings,
                      const struct st_paragraph *paragraph, const struct st_block_row *row);

/* Does the engine blame the block for a cycle, without knowing whether it was cut? */
bool st_is_blamed(const struct st_findings *findings, const struct st_violation *violation);

/* "transfer was not atomic in thread T1: T2 came in between" */
void st_say_violation(const struct st_text *text, const struct st_violation *violation,
                      bool blamed);

/* Parts of it, for blocks that could be cut as well. */

/* "transfer", "A block without a name" */
void st_say_subject(const struct st_text *text, const struct st_violation *violation);

/* Who came in between: "T2", "T2 and T3", "T2, T3, T4 and others" */
void st_say_others(const struct st_text *text, const struct st_violation *violation);

/* What the arrival at the end of the dependence number i of the path means: "so T2 comes after
 * transfer". */
void st_say_arrival(const struct st_text *text, const struct st_violation *violation, size_t i);

/* How often blocks of this name were cut, or the like: " (cut in 3 of its 8 runs)". */
void st_say_share(const struct st_text *text, const char *cut, const struct st_block_row *row);

/* "No serial order has T2's work both after and before transfer." */
void st_put_conclusion(const struct st_text *text, const struct st_violation *violation);

/* What to look at first, where the finding leaves no doubt about it; otherwise nothing. */
void st_put_hint(const struct st_text *text, const struct st_violation *violation);

/* The trace is not serializable, and yet no block was cut. */
void st_put_cycle(const struct st_text *text, const struct st_findings *findings);

#endif
