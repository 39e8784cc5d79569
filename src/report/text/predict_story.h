/* What could happen in another schedule, told as a colleague would: what could be cut, by whom, in
 * which order the steps would come, and why no serial order explains it. */
#ifndef SERIATIM_REPORT_TEXT_PREDICT_STORY_H
#define SERIATIM_REPORT_TEXT_PREDICT_STORY_H

#include "report/triage/forecasts.h"
#include "report/text/writer.h"

/* "transfer may be cut in thread T1: T2 may come in between, R-W-R on x". `notion` is what atomic
 * means to the analysis. */
void st_say_foreseen(const struct st_text *text, const struct st_foreseen *block,
                     const char *notion);

/* "R-W-R on x, y and 3 more"; nothing where nothing is known. */
void st_say_pattern(const struct st_text *text, const struct st_foreseen *block);

/* What an analysis said, with a capital and a full stop if it left that to us. */
void st_say_sentence(const struct st_text *text, const char *words);

/* The steps in the order of the foreseen schedule, and what follows from them. */
void st_put_foreseen(const struct st_text *text, const struct st_foreseen *block,
                     const char *notion);

/* All of it. `row` has the counts of its name; NULL when they are not known. */
void st_put_forecast(const struct st_text *text, const struct st_prediction *prediction,
                     const struct st_forecast *forecast, const struct st_block_row *row);

void st_put_deadlock(const struct st_text *text, const struct st_foreseen_deadlock *deadlock);
/* "T1 and T2 may wait for each other for ever" */
void st_say_deadlock(const struct st_text *text, const struct st_foreseen_deadlock *deadlock);

/* `count` races are at the same lines. */
void st_put_foreseen_race(const struct st_text *text, const struct st_foreseen_race *race,
                          size_t count);
/* "T1 and T2 may access x at the same time" */
void st_say_race(const struct st_text *text, const struct st_foreseen_race *race);

#endif
