/* A report of what was found in a program that is or was checked while it runs. */
#ifndef SERIATIM_SESSION_LIVE_REPORT_H
#define SERIATIM_SESSION_LIVE_REPORT_H

#include "session/watched_program.h"

/* Is called with a report that may be changed, and that is valid until it returns. */
typedef void st_live_report_user(void *context, struct st_report *report);

/* `name` is what the report calls the program; `with_spec`: there was a specification. */
void st_live_report(struct st_live_check *check, const char *name, bool with_spec,
                    st_live_report_user *use, void *context);

#endif
