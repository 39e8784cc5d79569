/* Shell completion, written from the tables of commands and options. A script for a shell is a file
 * in completion/, which knows how the shell works, with the line @TABLE@ in it, in whose place
 * comes what there is to complete. */
#ifndef SERIATIM_CLI_COMPLETION_COMPLETION_H
#define SERIATIM_CLI_COMPLETION_COMPLETION_H

#include "cli/command.h"

void write_bash_completion(FILE *file);
void write_zsh_completion(FILE *file);

/* The files in completion/, as texts. */
extern const char bash_script[], zsh_script[];

/* Writes a script with what write_table writes in the place of the line @TABLE@. */
void write_script(FILE *file, const char *script, void (*write_table)(FILE *file));

/* What may stand in a place of the command line. */
enum place {
    PLACE_ANY,      /* a number, or a text of which a shell knows nothing */
    PLACE_FILE,     /* the name of a file */
    PLACE_WORD,     /* one of some words */
    PLACE_PROGRAM,  /* a program, and what follows is for it */
    PLACE_COMPILER, /* everything is for a compiler */
};

enum place value_place(const struct st_option *option);
enum place operand_place(const struct command *command);

/* Writes the words of a PLACE_WORD with blanks between them. */
void write_value_words(FILE *file, const struct st_option *option);
void write_operand_words(FILE *file, const struct command *command);

/* The language of a command whose operands are a PLACE_COMPILER. */
const struct language *command_language(const struct command *command);

#endif
