/* Excerpts of the sources that a report speaks of, to be shown beside it.
 *
 * Sources are what the locations of the report name. One that is not there or must not be opened
 * (report/source/source_file.h) is left out: a report is complete without it. */
#ifndef SERIATIM_REPORT_SOURCE_EXCERPTS_H
#define SERIATIM_REPORT_SOURCE_EXCERPTS_H

#include "base/json.h"
#include "report/report.h"

/* {"files": [{"path": "a.c", "parts": [{"first": 21, "lines": ["...", ...]}, ...]}, ...]}
 * Files that are newer than what ran have "newer": true and no parts. */
void st_excerpts_json(const struct st_report *report, struct st_json *json);

#endif
