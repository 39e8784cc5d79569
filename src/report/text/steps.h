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
 */
#ifndef SERIATIM_REPORT_TEXT_STEPS_H
#define SERIATIM_REPORT_TEXT_STEPS_H

#include "report/story/story.h"
#include "report/text/text_writer.h"

void st_print_steps(const struct st_text *text, const struct st_story_steps *steps);

#endif
