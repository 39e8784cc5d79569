/* Parts of the text report that do not depend on what was looked for. */
#ifndef SERIATIM_REPORT_TEXT_TEXT_PARTS_H
#define SERIATIM_REPORT_TEXT_TEXT_PARTS_H

#include "report/triage/rank.h"
#include "report/triage/triage.h"
#include "report/text/text_writer.h"

/* How often each block ran, and how often it was what `title` says. The rows that were come first;
 * rows that are left out are counted as being what `word` says, or never. */
void st_put_block_table(const struct st_text_writer *text, const struct st_block_row *rows,
                        size_t count, const char *title, const char *word);

/* "12 events, 3 threads, ..." */
void st_put_facts(const struct st_text_writer *text, const struct st_report *report);

/* Why the lines of some files are not quoted, if there are such. */
void st_put_newer_sources(const struct st_text_writer *text);

/* " (1 new, 2 known)", for the line that sums up. The report must have a triage. */
void st_put_states(const struct st_text_writer *text, const struct st_report *report);

/* The same for what is counted in these marks. */
void st_put_marks(const struct st_text_writer *text, const struct st_marks *marks);

/* Which suppressions matched what, which are not used, and how the baseline differs. */
void st_put_triage(const struct st_text_writer *text, const struct st_report *report);

/* Three digits and a unit. */
void st_scale_time(char *buffer, size_t size, double seconds);

#endif
