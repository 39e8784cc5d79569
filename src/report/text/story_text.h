/* A story as text: its headline, its steps and what follows from them, line by line. */
#ifndef SERIATIM_REPORT_TEXT_STORY_TEXT_H
#define SERIATIM_REPORT_TEXT_STORY_TEXT_H

#include "report/story/story.h"
#include "report/text/text_writer.h"

/* `remark` stands in parentheses behind the headline; NULL: what the story says of the frequency.
 */
void st_print_story(const struct st_text_writer *text, const struct st_story *story,
                    const char *remark);

/* The steps of a story, one below the other, so that the eye goes down the threads and actions:
 *
 *       event 9   T1  released lock checking.lock
 *                     in    withdraw    bank.c:25  pthread_mutex_unlock(&account->lock);
 *                     from  transfer    bank.c:42  withdraw(from, amount);
 *       event 14  T2  acquired lock checking.lock  so T2 comes after transfer
 *                     in    balance_of  bank.c:35  pthread_mutex_lock(&account->lock);
 *
 * Where the calls are not known, the location stands behind the action and its line of source
 * below. When the lines are too wide for the terminal, what follows from a step goes to a line of
 * its own, and so does the source; what still does not fit is cut if it is source, and only then.
 * Threads that the headline introduces with the functions that they start with have short names. */
void st_print_steps(const struct st_text_writer *text, const char *headline,
                    const struct st_story_steps *steps);

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
void st_print_schedule(const struct st_text_writer *text, const struct st_story *story);

#endif
