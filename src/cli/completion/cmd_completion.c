/* seriatim completion: prints the completion script for a shell. */
#include "cli/completion/completion.h"

#include "base/output.h"
#include "cli/common_options.h"
#include "cli/compiler/compiler.h"
#include "cli/messages.h"

#include <ctype.h>
#include <string.h>

/* What help calls the name of a file. */
static const char *const file_words[] = {"FILE", "TRACE", "RESULT", "IN", "OUT", "DIR"};

/* Does the text begin with such a word? */
static bool is_file_word(const char *text) {
    size_t length = 0;
    while (isupper((unsigned char)text[length]))
        length++;
    for (size_t i = 0; i < sizeof file_words / sizeof *file_words; i++)
        if (strlen(file_words[i]) == length && memcmp(file_words[i], text, length) == 0)
            return true;
    return false;
}

enum place value_place(const struct st_option *option) {
    if (st_option_choice(option, 0))
        return PLACE_WORD;
    bool text = option->kind == ST_TEXT || option->kind == ST_TEXTS;
    return text && is_file_word(option->value) ? PLACE_FILE : PLACE_ANY;
}

enum place operand_place(const struct command *command) {
    if (command->run_untouched)
        return PLACE_COMPILER;
    if (command->operands_end_options)
        return PLACE_PROGRAM;
    if (islower((unsigned char)*command->operands))
        return PLACE_WORD;
    return is_file_word(command->operands) ? PLACE_FILE : PLACE_ANY;
}

void write_value_words(FILE *file, const struct st_option *option) {
    for (size_t i = 0; st_option_choice(option, i); i++)
        fprintf(file, "%s%s", i ? " " : "", st_option_choice(option, i));
}

void write_operand_words(FILE *file, const struct command *command) {
    for (const char *letter = command->operands; *letter; letter++)
        fputc(*letter == '|' ? ' ' : *letter, file);
}

const struct language *command_language(const struct command *command) {
    return strcmp(command->name, language_c.command) == 0 ? &language_c : &language_cxx;
}

void write_script(FILE *file, const char *script, void (*write_table)(FILE *file)) {
    static const char mark[] = "@TABLE@\n";
    const char *place = strstr(script, mark);
    fwrite(script, 1, (size_t)(place - script), file);
    write_table(file);
    fputs(place + strlen(mark), file);
}

/* ---- the command ---- */

struct values {
    struct common_values common;
    const char *output;
};

static const struct shell {
    const char *name;
    void (*write)(FILE *file);
} shells[] = {{"bash", write_bash_completion}, {"zsh", write_zsh_completion}};

static const struct shell *find_shell(const char *name, struct st_error *error) {
    char quoted[80];
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, name) == 0)
            return &shells[i];
    st_fail(error, "completion", ST_AT_FILE, 0, "unknown shell %s; it must be bash or zsh",
            st_quote(quoted, sizeof quoted, name, strlen(name)));
    return NULL;
}

static enum status run(const void *given, const char *const *operands) {
    const struct values *values = given;
    struct st_output output;
    struct st_error error;
    const struct shell *shell = find_shell(operands[0], &error);
    if (!shell || st_output_open(&output, values->output, NULL, &error) < 0)
        return complain(&error);
    shell->write(output.file);
    return st_output_finish(&output, &error) < 0 ? complain(&error) : STATUS_CLEAN;
}

static const struct st_option options[] = {
    OUTPUT_OPTION(struct values),
    COMMON_OPTIONS,
};

const struct command cmd_completion = {
    .name = "completion",
    .operands = "bash|zsh",
    .summary = "print the completion script for a shell",
    .description =
        "Prints a script with which bash or zsh completes commands, options and their\n"
        "values. It is installed where the shells look for it; this command is for other\n"
        "cases. In ~/.bashrc:\n\n"
        "  source <(seriatim completion bash)\n\n"
        "In ~/.zshrc, after compinit:\n\n"
        "  source <(seriatim completion zsh)\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
