/* Runs another program and keeps the beginning of its output. */
#ifndef SERIATIM_CLI_COMPILER_SUBPROCESS_H
#define SERIATIM_CLI_COMPILER_SUBPROCESS_H

#include <stddef.h>

enum { CHILD_SIGNALLED = 256, CHILD_TIMED_OUT = 1024 };

/* Runs words[0], found through PATH, with empty standard input, and waits for it to end. Keeps the
 * first size - 1 bytes of its standard output and error in `output`, terminated; the rest is read
 * and dropped. `words` ends with NULL, and so does `environment`; NULL means ours.
 *
 * Returns its exit status, CHILD_SIGNALLED + the signal that ended it, or CHILD_TIMED_OUT if it
 * was killed after that many seconds; -1 with errno if it could not be started. */
int child_run(const char *const *words, char *const *environment, int seconds, char *output,
              size_t size);

/* Our environment with these settings ("LC_ALL=C", ending with NULL) replaced or added. Release
 * with free(); the strings still belong to the environment and the caller. */
char **child_environment(const char *const *settings);

#endif
