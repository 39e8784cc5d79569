/* What the user sees of a program that was watched. */
#ifndef SERIATIM_CLI_WATCH_MESSAGES_H
#define SERIATIM_CLI_WATCH_MESSAGES_H

#include "cli/command.h"
#include "watch/watch.h"

/* Warns of what was not seen: a program without our runtime, events that are missing. */
void warn_of_watch(const struct st_watch *watch, const char *program);

/* The program's own status; or, if that says that all is well, another one: trouble if nothing was
 * seen of it, `found` otherwise. */
enum status watch_status(const struct st_watch *watch, int found);

#endif
