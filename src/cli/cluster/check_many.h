/* Checks several traces: in this process, or on all ranks of a crew. */
#ifndef SERIATIM_CLI_CLUSTER_CHECK_MANY_H
#define SERIATIM_CLI_CLUSTER_CHECK_MANY_H

#include "cli/cmd_check.h"

/* The names end with NULL; one that begins with @ is that of a file with names, one a line. */
enum status check_many(const struct check_values *values, const char *const *names);

#endif
