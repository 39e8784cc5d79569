#include "manual/mdoc.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST_TEXT = 1024 };

/* The text in lower case, the style for names of values and operands. */
static void write_small(FILE *file, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        fputc(tolower((unsigned char)text[i]), file);
}

/* Escapes a word: a backslash means something to mdoc, and so do a dot and a quote at the start of
 * a line. Names of files and the like must not be broken at the end of a line. */
static void write_plain(FILE *file, const char *text, size_t length) {
    if (strcspn(text, "._%/") + 1 < length)
        fputs("\\%", file);
    else if (*text == '\'')
        fputs("\\&", file);
    for (size_t i = 0; i < length; i++)
        fputs(text[i] == '\\' ? "\\e" : (char[]){text[i], '\0'}, file);
}

static size_t count_capitals(const char *text) {
    size_t length = 0;
    while (isupper((unsigned char)text[length]))
        length++;
    return length;
}

/* Does the text contain the word in capitals, as a whole word? */
static bool has_word(const char *text, const char *word, size_t length) {
    while (text && *text) {
        size_t next = count_capitals(text);
        if (next == length && memcmp(text, word, length) == 0)
            return true;
        text += next ? next : 1;
    }
    return false;
}

/* Is the word a name for the value or an operand ("FILE"), or made of such ("A-", with "A-B")? */
static bool is_name(const char *word, size_t length, const struct st_option *option,
                    const struct command *command) {
    size_t found = 0;
    for (size_t i = 0; i < length;) {
        size_t part = count_capitals(word + i);
        if (part > length - i)
            part = length - i;
        if (!part && word[i] != '-')
            return false;
        if (part && !has_word(option->value, word + i, part) &&
            !(command && has_word(command->operands, word + i, part)))
            return false;
        found += part;
        i += part ? part : 1;
    }
    return found > 0;
}

static bool is_choice(const char *word, size_t length, const struct st_option *option) {
    for (size_t i = 0; st_option_choice(option, i); i++)
        if (strlen(st_option_choice(option, i)) == length &&
            memcmp(st_option_choice(option, i), word, length) == 0)
            return true;
    return false;
}

/* A line with a macro; brackets and punctuation around its word must be separate words there. */
static void write_macro(FILE *file, const char *macro, const char *word, size_t before,
                        size_t length, const char *behind) {
    fprintf(file, "\n.%s%s%.*s ", macro, before ? " " : "", (int)before, word);
    write_small(file, word + before, length);
    for (; *behind && *behind != ' '; behind++)
        fprintf(file, " %c", *behind);
}

/* Writes a word of a sentence: on its own line if it is a name, otherwise after the previous word.
 * Lines may be of any length, because mdoc fills them again. */
static void write_sentence_word(FILE *file, const char *word, size_t length,
                                const struct st_option *option, const struct command *command,
                                bool *fresh) {
    size_t before = strspn(word, "(");
    size_t core = length - before;
    while (core && strchr(",.;:)", word[before + core - 1]))
        core--;
    const char *name = word + before, *behind = name + core;
    const char *macro = is_name(name, core, option, command) ? "Ar"
                        : is_choice(name, core, option)      ? "Cm"
                                                             : NULL;
    if (macro) {
        write_macro(file, macro, word, before, core, behind);
        *fresh = true;
        return;
    }
    if (core > 2 && strncmp(name, "--", 2) == 0) {
        write_macro(file, "Fl", word, before, 0, "");
        fprintf(file, "%.*s", (int)core - 1, name + 1);
        for (; behind < word + length; behind++)
            fprintf(file, " %c", *behind);
        *fresh = true;
        return;
    }
    fputs(*fresh ? "\n" : " ", file);
    write_plain(file, word, length);
    *fresh = false;
}

/* The help of an option, as a sentence. */
static void write_sentence(FILE *file, const struct st_option *option,
                           const struct command *command) {
    char text[LONGEST_TEXT];
    st_option_text(option, text, sizeof text - 1);
    text[0] = (char)toupper((unsigned char)text[0]);
    strcat(text, ".");
    bool fresh = true;
    for (const char *word = text; *word;) {
        size_t length = strcspn(word, " ");
        write_sentence_word(file, word, length, option, command, &fresh);
        word += length + strspn(word + length, " ");
    }
    fputc('\n', file);
}

static void write_value(FILE *file, const struct st_option *option) {
    if (option->kind == ST_FLAG)
        return;
    fputs(" Ar ", file);
    write_small(file, option->value, strlen(option->value));
}

void mdoc_option(FILE *file, const struct st_option *option, const struct command *command) {
    fputs(".It ", file);
    if (option->letter)
        fprintf(file, "Fl %c , ", option->letter);
    fprintf(file, "Fl -%s", option->name);
    write_value(file, option);
    write_sentence(file, option, command);
}

/* One word of the operands: "TRACE...", "RESULT|TRACE", "[--]", "[ARGUMENT...]", "bash|zsh". */
static void write_operand(FILE *file, const char *word, size_t length) {
    bool optional = *word == '[';
    if (optional) {
        word++;
        length -= 2;
    }
    fputs(optional ? ".Op " : ".", file);
    if (*word == '-') {
        fprintf(file, "Fl %.*s\n", (int)length - 1, word + 1);
        return;
    }
    fputs(isupper((unsigned char)*word) ? "Ar " : "Cm ", file);
    for (size_t i = 0; i < length; i++) {
        if (word[i] == '|')
            fputs(" | ", file);
        else
            fprintf(file, "%s%c", word[i] == '.' && word[i - 1] != '.' ? " " : "",
                    tolower((unsigned char)word[i]));
    }
    fputc('\n', file);
}

/* These two cannot be combined with others. */
static bool stands_alone(const struct st_option *option) {
    return strcmp(option->name, "help") == 0 || strcmp(option->name, "version") == 0;
}

void mdoc_synopsis(FILE *file, const struct command *command) {
    fprintf(file, ".Nm seriatim %s\n", command->name);
    for (const struct st_option *option = command_options(command); option->name; option++) {
        if (stands_alone(option))
            continue;
        if (option->letter)
            fprintf(file, ".Op Fl %c", option->letter);
        else
            fprintf(file, ".Op Fl -%s", option->name);
        write_value(file, option);
        fputc('\n', file);
    }
    for (const char *word = command->operands; *word;) {
        size_t length = strcspn(word, " ");
        write_operand(file, word, length);
        word += length + strspn(word + length, " ");
    }
}

static void write_summary(FILE *file, const char *name, const char *summary) {
    fprintf(file, ".It Cm %s\n%c%s", name, toupper((unsigned char)*summary), summary + 1);
}

void mdoc_commands(FILE *file) {
    for (const struct command *const *command = commands; *command; command++) {
        write_summary(file, (*command)->name, (*command)->summary);
        fprintf(file, "; see\n.Xr seriatim-%s 1 .\n",
                *command == &cmd_cxx ? cmd_cc.name : (*command)->name);
    }
    write_summary(file, HELP_COMMAND, HELP_SUMMARY);
    fputs(".\n", file);
}
