/* The table of commands. Help, manual pages and shell completion are all written from it. */
#ifndef SERIATIM_CLI_COMMANDS_H
#define SERIATIM_CLI_COMMANDS_H

#include "cli/command.h"

extern const struct command *const commands[]; /* NULL stands behind the last */

/* The command `help` is not in the table: it only shows what is. */
#define HELP_COMMAND "help"
#define HELP_SUMMARY "show the help of a command: seriatim help check"

extern const struct st_option common_options[]; /* of every command */
extern const struct st_option top_options[];    /* of seriatim itself, instead of a command */

const struct command *find_command(const char *name); /* NULL if there is none */

#endif
