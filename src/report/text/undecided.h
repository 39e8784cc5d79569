/* Blocks of which an analysis does not know whether they can be cut, since it gave up. */
#ifndef SERIATIM_REPORT_TEXT_UNDECIDED_H
#define SERIATIM_REPORT_TEXT_UNDECIDED_H

#include "report/text/text_writer.h"

/* "1 of 3 blocks took too long, and no other is cut in ..." : the verdict when nothing else was
 * found. There is at least one such block. */
void st_say_undecided(const struct st_text *text, const struct st_report *report,
                      const struct st_prediction *prediction);

/* A paragraph with a line for each of them that is listed; nothing if there are none. */
void st_put_undecided(const struct st_text *text, const struct st_report *report,
                      const struct st_prediction *prediction);

#endif
