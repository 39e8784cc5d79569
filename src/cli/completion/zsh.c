/* What zsh's script needs to know: the arguments of its function _arguments for each command. */
#include "cli/compiler/compiler.h"
#include "cli/completion/completion.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

/* A text inside single quotes, with a backslash before the characters in `special`. */
static void write_quoted(FILE *file, const char *text, const char *special) {
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", file);
        else if (*text == '\\' || strchr(special, *text))
            fputc('\\', file);
        fputc(*text, file);
    }
}

/* The name of an option's value, and how to complete it. */
static void write_value(FILE *file, const struct st_option *option) {
    if (option->kind == ST_FLAG)
        return;
    fputc(':', file);
    for (const char *letter = option->value; *letter; letter++)
        fputc(tolower((unsigned char)*letter), file);
    switch (value_place(option)) {
    case PLACE_FILE:
        fputs(":_files", file);
        break;
    case PLACE_WORD:
        fputs(":(", file);
        write_value_words(file, option);
        fputc(')', file);
        break;
    default:
        fputs(": ", file); /* a message, and no matches */
    }
}

/* One line. The short and the long form exclude each other. A star marks what may be repeated. */
static void write_option(FILE *file, const struct st_option *option) {
    bool flag = option->kind == ST_FLAG;
    fputs(" \\\n            ", file);
    if (option->letter)
        fprintf(file, "'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name, option->letter,
                flag ? "" : "+", option->name, flag ? "" : "=");
    else
        fprintf(file, "'%s--%s%s[",
                option->kind == ST_TEXTS || option->kind == ST_CHOICES ? "*" : "", option->name,
                flag ? "" : "=");
    write_quoted(file, option->help, "[]:");
    fputc(']', file);
    write_value(file, option);
    fputc('\'', file);
}

static void write_options(FILE *file, const struct st_option *table) {
    for (const struct st_option *option = table; option->name; option++)
        write_option(file, option);
}

static void write_operands(FILE *file, const struct command *command) {
    bool words = operand_place(command) == PLACE_WORD;
    if (operand_place(command) == PLACE_PROGRAM) {
        fputs(" \\\n            '(-):program:_seriatim_programs' '*::argument:_seriatim_program'",
              file);
        return;
    }
    if (command->most_operands == SIZE_MAX)
        fputs(" \\\n            '*:file:_files'", file);
    for (size_t i = 1; command->most_operands != SIZE_MAX && i <= command->most_operands; i++) {
        fprintf(file, " \\\n            '%zu:%s", i, words ? "word:(" : "file:_files");
        if (words)
            write_operand_words(file, command);
        fputs(words ? ")'" : "'", file);
    }
}

/* The branch of a command in a `case`. */
static void write_branch(FILE *file, const struct command *command) {
    fprintf(file, "    '%s')\n        ", command->name);
    if (operand_place(command) == PLACE_COMPILER) {
        const struct language *language = command_language(command);
        fprintf(file, "_seriatim_compile %s %s", language->variable, language->compiler);
    } else {
        fprintf(file, "_arguments -s -S%s", command->operands_end_options ? " -A '-*'" : "");
        write_options(file, command_options(command));
        write_operands(file, command);
    }
    fputs("\n        ;;\n", file);
}

static void write_summary(FILE *file, const char *name, const char *summary) {
    fprintf(file, "        '%s:", name);
    write_quoted(file, summary, "");
    fputs("'\n", file);
}

static void write_table(FILE *file) {
    fputs("_seriatim_commands() {\n    local -a commands=(\n", file);
    for (const struct command *const *command = commands; *command; command++)
        write_summary(file, (*command)->name, (*command)->summary);
    write_summary(file, HELP_COMMAND, HELP_SUMMARY);
    fputs("    )\n    _describe -t commands command commands\n}\n\n"
          "_seriatim_top() {\n    _arguments -s -S '1:command:_seriatim_commands'",
          file);
    write_options(file, top_options);
    fputs("\n}\n\n_seriatim_command() {\n    case $words[1] in\n", file);
    for (const struct command *const *command = commands; *command; command++)
        write_branch(file, *command);
    fputs("    " HELP_COMMAND ")\n        _arguments '1:command:_seriatim_commands'\n"
          "        ;;\n    esac\n}\n",
          file);
}

void write_zsh_completion(FILE *file) {
    write_script(file, zsh_script, write_table);
}
