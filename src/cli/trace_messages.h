/* How far the work is, on one line of standard error: only on a terminal, only when it takes
 * longer than a second. */
#ifndef SERIATIM_CLI_TRACE_MESSAGES_H
#define SERIATIM_CLI_TRACE_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

struct progress;

/* NULL when standard error is no terminal. Release with free(). The others accept NULL. */
struct progress *progress_new(void);

/* Is it time to show the line again? */
bool progress_is_due(struct progress *progress);

/* done of total bytes, or (total 0) a number of events. */
void progress_show(struct progress *progress, const char *name, uint64_t done, uint64_t total,
                   uint64_t events);

/* Takes the line away, if there is one. */
void progress_clear(struct progress *progress);

#endif
