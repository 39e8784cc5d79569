/* Shell completion, written from the tables of commands and options. The script for a shell is a
 * file in completion/, which knows how the shell works. Its line @TABLE@ is replaced by what there
 * is to complete. */
#ifndef SERIATIM_CLI_COMPLETION_COMPLETION_H
#define SERIATIM_CLI_COMPLETION_COMPLETION_H

#include "cli/command.h"

void write_bash_completion(FILE *file);
void write_zsh_completion(FILE *file);

/* The files in completion/, as texts. */
extern const char bash_script[], zsh_script[];

/* Writes a script, with the output of write_table in place of the line @TABLE@. */
void write_script(FILE *file, const char *script, void (*write_table)(FILE *file));

/* What may appear at a place in the command line. */
enum place {
    PLACE_ANY,      /* a number, or any text */
    PLACE_FILE,     /* the name of a file */
    PLACE_WORD,     /* one of some words */
    PLACE_PROGRAM,  /* a program, followed by its arguments */
    PLACE_COMPILER, /* all arguments are for a compiler */
};

enum place value_place(const struct st_option *option);
enum place operand_place(const struct command *command);

/* Writes the words of a PLACE_WORD with blanks between them. */
void write_value_words(FILE *file, const struct st_option *option);
void write_operand_words(FILE *file, const struct command *command);

/* The language of a command whose operands are a PLACE_COMPILER. */
const struct language *command_language(const struct command *command);

#endif
