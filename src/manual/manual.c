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
#include "manual/mdoc.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
