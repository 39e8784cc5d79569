/* A story as text: its headline, its steps and what follows from them, line by line. */
#ifndef SERIATIM_REPORT_TEXT_STORY_TEXT_H
#define SERIATIM_REPORT_TEXT_STORY_TEXT_H

#include "report/story/story.h"
#include "report/text/text_writer.h"

/* `remark` stands in parentheses behind the headline; NULL: what the story says of the frequency.
 */
void st_print_story(const struct st_text *text, const struct st_story *story, const char *remark);

/* The schedule of a story as a table: a column for each thread, time downwards.
 *
 *               t1         t2
 *     event 1   begins f
 *   > event 2   reads x
 *     ... 37 events of t2, 2 of t3 ...
 *   > event 50             writes x
 *   > event 3   reads x
 *               sees the write of event 50 instead of the initial value
 *
 * Steps of the finding are marked. */
void st_print_schedule(const struct st_text *text, const struct st_story *story);

#endif
