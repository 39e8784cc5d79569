/* A finding told as a colleague would: what was cut, by whom, step by step, and why no serial order
 * explains it. */
#ifndef SERIATIM_REPORT_STORY_H
#define SERIATIM_REPORT_STORY_H

#include "report/paragraphs.h"
#include "report/words.h"

/* A violated block. `row` has the counts of its name; NULL when they are not known. */
void st_put_violation(const struct st_text *text, const struct st_findings *findings,
                      const struct st_paragraph *paragraph, const struct st_block_row *row);

/* Does the engine blame the block for a cycle, without knowing whether it was cut? */
bool st_is_blamed(const struct st_findings *findings, const struct st_violation *violation);

/* "transfer was not atomic in thread T1: T2 came in between" */
void st_say_violation(const struct st_text *text, const struct st_violation *violation,
                      bool blamed);

/* The trace is not serializable, and yet no block was cut. */
void st_put_cycle(const struct st_text *text, const struct st_findings *findings);

#endif
