/* What `run` and `record` have in common: a program that is started and watched. */
#ifndef SERIATIM_CLI_WATCH_MESSAGES_H
#define SERIATIM_CLI_WATCH_MESSAGES_H

#include "cli/command.h"
#include "watch/watch.h"

/* Starts the program: NULL or a specification in *spec. -1 after a complaint. */
int watching_start(struct st_watch *watch, struct st_spec **spec, const char *spec_path,
                   const char *const *words, struct st_translation *translation);

/* The path with the process that is watched for each "%p", to be freed. */
char *watching_path(const char *path, pid_t process);

/* Warns of what was not seen: a program without our runtime, events that are missing. */
void watching_warn(const struct st_watch *watch, const char *program);

/* The program's own status; or, if that says that all is well, another one: trouble if nobody told
 * anything, `found` otherwise. */
enum status watching_status(const struct st_watch *watch, int found);

#endif
