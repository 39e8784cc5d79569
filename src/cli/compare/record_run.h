/* Records a run of a program for a command that needs its trace only for a while. */
#ifndef SERIATIM_CLI_COMPARE_RECORD_RUN_H
#define SERIATIM_CLI_COMPARE_RECORD_RUN_H

#include "base/error.h"
#include "session/java/java_program.h"

/* Runs the program, and writes the trace of its first process to the path. What the program prints
 * goes to standard error, so that it does not mix with a table. That it fails is no error, unless
 * there is no trace. */
int record_run(const char *command, const struct st_java_options *java, const char *const *words,
               const char *path, struct st_error *error);

#endif
