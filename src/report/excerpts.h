/* Excerpts of the sources that a report speaks of, to be shown beside it.
 *
 * Sources are what the locations of the report name, relative to the current directory. Locations
 * may come from anywhere, and a page is passed on: nothing but a regular file with the name of a
 * source file is opened. One that is not there, is huge or is no text is left out in silence: a
 * report is complete without it. */
#ifndef SERIATIM_REPORT_EXCERPTS_H
#define SERIATIM_REPORT_EXCERPTS_H

#include "base/json.h"
#include "report/report.h"

/* {"files": [{"path": "a.c", "parts": [{"first": 21, "lines": ["...", ...]}, ...]}, ...]} */
void st_excerpts_json(const struct st_report *report, struct st_json *json);

/* "a.c:21" and "a.c:21:5" are line 21 of a.c: returns the length of the file's name and sets the
 * line. 0 when the text is no such thing. */
size_t st_split_location(const char *text, uint32_t *line);

#endif
