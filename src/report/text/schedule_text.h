/* A foreseen schedule as a table: a column for each thread, time downwards.
 *
 *               t1         t2
 *     event 1   begins f
 *   > event 2   reads x
 *     ... 37 events of t2, 2 of t3 ...
 *   > event 50             writes x
 *   > event 3   reads x
 *               sees the write of event 50 instead of the initial value
 *
 * Steps of the finding are marked and always shown; what is far from them is left out. */
#ifndef SERIATIM_REPORT_TEXT_SCHEDULE_TEXT_H
#define SERIATIM_REPORT_TEXT_SCHEDULE_TEXT_H

#include "report/text/writer.h"

/* What is known of the witness of a block; nothing if it has none. Where its events are not known,
 * their numbers have to do. */
void st_put_schedule(const struct st_text *text, const struct st_foreseen *block);

#endif
