/* Parts of manual pages, in the language mdoc(7), from the tables of commands and options. */
#ifndef SERIATIM_MANUAL_MDOC_H
#define SERIATIM_MANUAL_MDOC_H

#include "cli/command.h"

/* The usage of a command: all its options, then its operands. */
void mdoc_synopsis(FILE *file, const struct command *command);

/* The entry of an option in a list: its forms, and its help as a sentence. Names of the command's
 * operands are marked as such (NULL: there is no command). */
void mdoc_option(FILE *file, const struct st_option *option, const struct command *command);

/* The entries of all commands in a list. */
void mdoc_commands(FILE *file);

#endif
