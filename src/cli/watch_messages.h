/* What the user sees about a program that was watched. */
#ifndef SERIATIM_CLI_WATCH_MESSAGES_H
#define SERIATIM_CLI_WATCH_MESSAGES_H

#include "cli/command.h"
#include "watch/watch.h"

/* Warns about what was not seen: a program without our runtime, missing events. */
void warn_of_watch(const struct st_watch *watch, const char *program);

/* The program's own status, unless it is success; then trouble if nothing of the program was seen,
 * and `found` otherwise. */
enum status watch_status(const struct st_watch *watch, int found);

#endif
