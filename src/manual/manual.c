/* manual PAGE.1.in PAGE.1: writes a manual page. Run by the build.
 *
 * Prose is written by hand. These lines are replaced by what the tables of the commands say, so
 * that a page can neither forget an option nor invent one:
 *
 *     @COMMANDS@    the list of commands
 *     @SYNOPSIS@    the usage of the command that the file is named after
 *     @OPTIONS@     the list of its options; in seriatim.1.in, of those that all commands have
 *     @--limit@     what follows is appended to the help of this option
 *     @END@         ends the options
 */
#include "cli/command.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- mdoc from tables ---- */

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

/* The entry of an option in a list: its forms, and its help as a sentence. Names of the command's
 * operands are marked as such (NULL: there is no command). */
static void mdoc_option(FILE *file, const struct st_option *option, const struct command *command) {
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

/* The usage of a command: all its options, then its operands. */
static void mdoc_synopsis(FILE *file, const struct command *command) {
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

/* The entries of all commands in a list. */
static void mdoc_commands(FILE *file) {
    for (const struct command *const *command = commands; *command; command++) {
        write_summary(file, (*command)->name, (*command)->summary);
        fprintf(file, "; see\n.Xr seriatim-%s 1 .\n",
                *command == &cmd_cxx ? cmd_cc.name : (*command)->name);
    }
    write_summary(file, HELP_COMMAND, HELP_SUMMARY);
    fputs(".\n", file);
}

/* ---- pages ---- */

enum { MOST_ADDITIONS = 64 };

struct page {
    const char *path;
    FILE *in, *out;
    const struct command *command; /* NULL in seriatim.1.in */
    char *line;
    size_t line_capacity, line_number;
    bool has_options;
};

/* What the page adds to the help of an option. */
struct addition {
    const struct st_option *option;
    char *text;
    size_t length;
    FILE *file; /* to write the text with */
};

static _Noreturn void give_up(const struct page *page, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%zu: ", page->path, page->line_number);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static bool read_line(struct page *page) {
    page->line_number++;
    return getline(&page->line, &page->line_capacity, page->in) >= 0;
}

static bool is_mark(const struct page *page, const char *mark) {
    size_t length = strlen(mark);
    return strncmp(page->line, mark, length) == 0 && strcmp(page->line + length, "\n") == 0;
}

/* The option in a line "@--limit@". */
static const struct st_option *find_option(const struct page *page, const struct st_option *table) {
    for (const struct st_option *option = table; option->name; option++) {
        char mark[80];
        snprintf(mark, sizeof mark, "@--%s@", option->name);
        if (is_mark(page, mark))
            return option;
    }
    give_up(page, "the command has no such option: %.*s", (int)strcspn(page->line, "\n"),
            page->line);
}

/* Reads what the page adds to options, up to @END@. */
static size_t read_additions(struct page *page, const struct st_option *table,
                             struct addition additions[MOST_ADDITIONS]) {
    size_t count = 0;
    while (read_line(page) && !is_mark(page, "@END@")) {
        if (page->line[0] == '@') {
            struct addition *next = &additions[count++];
            if (count == MOST_ADDITIONS)
                give_up(page, "there are too many options");
            next->option = find_option(page, table);
            for (size_t i = 0; i + 1 < count; i++)
                if (additions[i].option == next->option)
                    give_up(page, "--%s comes twice", next->option->name);
            next->file = open_memstream(&next->text, &next->length);
        } else if (count == 0) {
            give_up(page, "a line like @--limit@ must say which option this is about");
        } else {
            fputs(page->line, additions[count - 1].file);
        }
    }
    if (feof(page->in))
        give_up(page, "@END@ is missing");
    for (size_t i = 0; i < count; i++)
        fclose(additions[i].file);
    return count;
}

static void write_options(struct page *page) {
    const struct st_option *table = page->command ? command_options(page->command) : common_options;
    struct addition additions[MOST_ADDITIONS];
    size_t count = read_additions(page, table, additions);
    fputs(".Bl -tag -width Ds\n", page->out);
    for (const struct st_option *option = table; option->name; option++) {
        mdoc_option(page->out, option, page->command);
        for (size_t i = 0; i < count; i++)
            if (additions[i].option == option)
                fputs(additions[i].text, page->out);
    }
    fputs(".El\n", page->out);
    for (size_t i = 0; i < count; i++)
        free(additions[i].text);
    page->has_options = true;
}

static void write_line(struct page *page) {
    if (page->line[0] != '@')
        fputs(page->line, page->out);
    else if (is_mark(page, "@COMMANDS@"))
        mdoc_commands(page->out);
    else if (is_mark(page, "@SYNOPSIS@") && page->command)
        mdoc_synopsis(page->out, page->command);
    else if (is_mark(page, "@OPTIONS@"))
        write_options(page);
    else
        give_up(page, "this line means nothing: %.*s", (int)strcspn(page->line, "\n"), page->line);
}

/* The command that the file is named after. */
static const struct command *page_command(struct page *page) {
    static const char begin[] = "seriatim-", end[] = ".1.in";
    const char *slash = strrchr(page->path, '/'), *name = slash ? slash + 1 : page->path;
    if (strcmp(name, "seriatim.1.in") == 0)
        return NULL;
    for (const struct command *const *command = commands; *command; command++) {
        size_t length = strlen((*command)->name);
        if (strncmp(name, begin, strlen(begin)) == 0 &&
            strncmp(name + strlen(begin), (*command)->name, length) == 0 &&
            strcmp(name + strlen(begin) + length, end) == 0)
            return *command;
    }
    give_up(page, "there is no command for this page");
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fputs("usage: manual PAGE.1.in PAGE.1\n", stderr);
        return 2;
    }
    struct page page = {.path = argv[1], .in = fopen(argv[1], "r")};
    page.out = page.in ? fopen(argv[2], "w") : NULL;
    if (!page.out) {
        perror(page.in ? argv[2] : argv[1]);
        return 1;
    }
    page.command = page_command(&page);
    while (read_line(&page))
        write_line(&page);
    if (!page.has_options && !(page.command && page.command->run_untouched))
        give_up(&page, "@OPTIONS@ is missing");
    free(page.line);
    fclose(page.in);
    if (ferror(page.out) | (fclose(page.out) != 0)) {
        perror(argv[2]);
        return 1;
    }
    return 0;
}
