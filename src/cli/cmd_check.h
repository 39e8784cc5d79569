/* Checks a trace, for the commands check and report. */
#ifndef SERIATIM_CLI_CMD_CHECK_H
#define SERIATIM_CLI_CMD_CHECK_H

#include "cli/report_output.h"

struct check_values {
    struct common_values common;
    unsigned
        engine; /* index in st_engines, then in st_other_engines, or one past: all of the first */
    unsigned relation; /* enum st_relation */
    const char *spec;
    uint64_t limit;
    bool first, repair, strict, as_published;
    unsigned format; /* index in st_report_formats */
    const char *output, *resume;
    struct filter_values filters;
};

/* Checks a trace and writes a report, in the format of the values, to an open file; complaints are
 * about `name`, and the trace is at `place`. No filters are applied. */
enum status check_into(const struct check_values *values, const char *name, const char *place,
                       FILE *file);

/* Does it run several engines side by side? */
bool check_compares(const struct check_values *values);

enum status check_path(const struct check_values *values, const char *path);

#endif
