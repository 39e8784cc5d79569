/* The folder that paths start from in what is passed on to others: SARIF, and suppressions. Where
 * somebody runs seriatim, or builds the program, is none of their business. */
#ifndef SERIATIM_REPORT_SOURCE_ROOT_H
#define SERIATIM_REPORT_SOURCE_ROOT_H

#include "report/report.h"

/* The root with a slash at its end: `given`, or else the folder of the repository that the current
 * one is in. NULL: it is in none. Release with free(). */
char *st_source_root(const char *given);

/* A path from the root on, where it is below it; otherwise as it is. Release with free(). */
char *st_root_path(const struct st_report *report, const char *path);

#endif
