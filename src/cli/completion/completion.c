#include "cli/completion/completion.h"

#include "cli/compiler/compiler.h"

#include <ctype.h>
#include <string.h>

/* What help calls the name of a file. */
static const char *const file_words[] = {"FILE", "TRACE", "RESULT", "IN", "OUT"};

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
