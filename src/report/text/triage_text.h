/* What became of the findings, in words. */
#ifndef SERIATIM_REPORT_TEXT_TRIAGE_TEXT_H
#define SERIATIM_REPORT_TEXT_TRIAGE_TEXT_H

#include "report/triage/triage.h"
#include "report/text/text_writer.h"

/* " (1 new, 2 known)", for the line that sums up. The report must have a triage. */
void st_put_states(const struct st_text *text, const struct st_report *report);

/* The same for what is counted in these marks. */
void st_put_marks(const struct st_text *text, const struct st_marks *marks);

/* Which suppressions matched what, which are not used, and how the baseline differs. */
void st_put_triage(const struct st_text *text, const struct st_report *report);

#endif
