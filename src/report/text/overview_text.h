/* The first screen: each finding in a line. */
#ifndef SERIATIM_REPORT_TEXT_OVERVIEW_TEXT_H
#define SERIATIM_REPORT_TEXT_OVERVIEW_TEXT_H

#include "report/story/story.h"
#include "report/text/columns.h"
#include "report/text/text_parts.h"

enum { ST_OVERVIEW_COLUMNS = 5 };

/* `columns` are so many, and empty; two of the heads differ between reports. */
void st_start_overview(struct st_columns *columns, const char *subject, const char *frequency);

/* Takes over the line. */
void st_add_overview(const struct st_text_writer *text, struct st_columns *columns,
                     struct st_overview line);

/* Prints the lines and an empty one, and releases them. */
void st_put_overview(const struct st_text_writer *text, struct st_columns *columns);

#endif
