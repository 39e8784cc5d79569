/* A foreseen schedule as a table: a column for each thread, time downwards, as far as there is room
 * for it. */
#ifndef SERIATIM_REPORT_SCHEDULE_TEXT_H
#define SERIATIM_REPORT_SCHEDULE_TEXT_H

#include "report/words.h"

/* The end of the witness of a block; nothing if it has none. Where its events are not known, their
 * numbers have to do. */
void st_put_schedule(const struct st_text *text, const struct st_foreseen *block);

#endif
