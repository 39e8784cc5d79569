/* A result that was saved as JSON, as findings again, so that it can be written in any format.
 *
 * Everything that a report needs is in the JSON of `check` and `run`: writing it as JSON once more
 * gives the same text, but for fields that this version does not know. */
#ifndef SERIATIM_REPORT_LOAD_LOAD_H
#define SERIATIM_REPORT_LOAD_LOAD_H

#include "report/report.h"

struct st_loaded;

/* Reads text[0 .. length), behind which is a zero byte; both `name`, for messages, and the text
 * must outlive the result. NULL with an error that names the line. */
struct st_loaded *st_report_load(const char *name, const char *text, size_t length,
                                 struct st_error *error);
void st_loaded_free(struct st_loaded *loaded);

/* It lives as long as what was loaded; a copy may be changed. */
const struct st_report *st_loaded_report(const struct st_loaded *loaded);

/* Could this be the start of a saved result, rather than of a trace? */
bool st_is_result(const char *text, size_t length);

#endif
