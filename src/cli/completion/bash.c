/* What bash's script needs to know: a branch of a `case` for each command. */
#include "cli/compiler/compiler.h"
#include "cli/completion/completion.h"

#include <stdint.h>

/* The options, short and long. */
static void write_options(FILE *file, const struct st_option *table) {
    fputs("        options='", file);
    for (const struct st_option *option = table; option->name; option++) {
        if (option->letter)
            fprintf(file, "-%c ", option->letter);
        fprintf(file, "--%s%s", option->name, option[1].name ? " " : "'\n");
    }
}

static void write_value(FILE *file, const char *name, const struct st_option *option) {
    static const char *const words[] = {
        [PLACE_ANY] = "any", [PLACE_FILE] = "file", [PLACE_WORD] = "word "};
    fprintf(file, "            '%s %s", name, words[value_place(option)]);
    if (value_place(option) == PLACE_WORD)
        write_value_words(file, option);
    fputs("'\n", file);
}

static void write_values(FILE *file, const struct st_option *table) {
    fputs("        values=(\n", file);
    for (const struct st_option *option = table; option->name; option++) {
        char name[80];
        if (option->kind == ST_FLAG)
            continue;
        snprintf(name, sizeof name, "--%s", option->name);
        write_value(file, name, option);
        if (!option->letter)
            continue;
        snprintf(name, sizeof name, "-%c", option->letter);
        write_value(file, name, option);
    }
    fputs("        )\n", file);
}

static void write_operand(FILE *file, const struct command *command) {
    const struct language *language = command_language(command); /* for a PLACE_COMPILER */
    fputs("        operand='", file);
    switch (operand_place(command)) {
    case PLACE_ANY:
        fputs("any", file);
        break;
    case PLACE_FILE:
        fputs("file", file);
        break;
    case PLACE_WORD:
        fputs("word ", file);
        write_operand_words(file, command);
        break;
    case PLACE_PROGRAM:
        fputs("program", file);
        break;
    case PLACE_COMPILER:
        fprintf(file, "compiler %s %s", language->variable, language->compiler);
        break;
    }
    fprintf(file, "' most=%zu\n        ;;\n",
            command->most_operands < INT32_MAX ? command->most_operands : INT32_MAX);
}

/* The branch for what takes a command: seriatim itself, and its help. */
static void write_taker(FILE *file, const char *name, const struct st_option *table) {
    fprintf(file, "    %s)\n", name);
    if (table)
        write_options(file, table);
    fputs("        operand='word", file);
    for (const struct command *const *command = commands; *command; command++)
        fprintf(file, " %s", (*command)->name);
    fputs(table ? " " HELP_COMMAND "' most=1\n        ;;\n" : "' most=1\n        ;;\n", file);
}

static void write_table(FILE *file) {
    write_taker(file, "''", top_options);
    write_taker(file, HELP_COMMAND, NULL);
    for (const struct command *const *command = commands; *command; command++) {
        fprintf(file, "    %s)\n", (*command)->name);
        if (command_options(*command)) {
            write_options(file, command_options(*command));
            write_values(file, command_options(*command));
        }
        write_operand(file, *command);
    }
}

void write_bash_completion(FILE *file) {
    write_script(file, bash_script, write_table);
}
