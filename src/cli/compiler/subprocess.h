/* Running another program and keeping the beginning of what it says. */
#ifndef SERIATIM_CLI_COMPILER_SUBPROCESS_H
#define SERIATIM_CLI_COMPILER_SUBPROCESS_H

#include <stddef.h>

enum { CHILD_SIGNALLED = 256, CHILD_TIMED_OUT = 1024 };

/* Runs words[0], found through PATH, with nothing on its standard input, waits for its end, and
 * keeps the first size - 1 bytes of its standard output and error, terminated, in `output`; the
 * rest is read and dropped. `words` end with NULL. `environment` ends with NULL; NULL means ours.
 *
 * Returns its exit status, CHILD_SIGNALLED + the signal that ended it, or CHILD_TIMED_OUT when it
 * was killed after that many seconds; -1 with errno when it could not be started. */
int child_run(const char *const *words, char *const *environment, int seconds, char *output,
              size_t size);

/* Our environment with other settings ("LC_ALL=C", ending with NULL) instead of ours or added to
 * it. Release with free(); the texts are still those of the environment and of the caller. */
char **child_environment(const char *const *settings);

#endif
