/* Checks a trace, for the commands check and report. */
#ifndef SERIATIM_CLI_CMD_CHECK_H
#define SERIATIM_CLI_CMD_CHECK_H

#include "cli/report_output.h"

struct check_values {
    struct common_values common;
    unsigned engine;   /* index in st_engines, or one past the last: all of them */
    unsigned relation; /* enum st_relation */
    const char *spec;
    uint64_t limit;
    bool first, repair, strict;
    unsigned format; /* index in st_report_formats */
    const char *output;
    struct filter_values filters;
};

enum status check_path(const struct check_values *values, const char *path);

#endif
