#include "base/options.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_WIDTH = 80, HELP_COLUMN = 26, QUOTED = 80, LISTED = 256, LONGEST_WORD = 63 };
#define LONGEST_TIME 1e9 /* seconds */

struct parser {
    const struct st_option *table;
    void *values;
    const char *source; /* for messages: the command, or the environment variable */
    bool mixed;         /* options may come behind operands */
    struct st_error *error;
};

bool st_parse_number(const char *text, size_t length, uint64_t *number) {
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned char)text[i] - (unsigned)'0';
        if (digit > 9 || value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *number = value;
    return length > 0;
}

/* Digits, with a point among or before them if wanted. */
static bool parse_seconds(const char *text, double *seconds) {
    size_t digits = strspn(text, "0123456789");
    size_t fraction = text[digits] == '.' ? strspn(text + digits + 1, "0123456789") : 0;
    size_t length = digits + (text[digits] == '.') + fraction;
    *seconds = strtod(text, NULL);
    return digits + fraction > 0 && !text[length] && *seconds <= LONGEST_TIME;
}

const char *st_option_choice(const struct st_option *option, size_t index) {
    if (option->choice)
        return option->choice(index);
    return option->choices ? option->choices[index] : NULL;
}

/* Levenshtein distance of two short words. */
static int distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    int row[LONGEST_WORD + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[b_length];
}

int st_likeness(const char *typed, const char *word) {
    size_t a = strlen(typed), b = strlen(word);
    if (a == 0 || a > LONGEST_WORD || b > LONGEST_WORD)
        return -1;
    if (a < b && strncmp(typed, word, a) == 0)
        return 0; /* an abbreviation */
    int far = distance(typed, a, word, b);
    int allowed = a < 4 ? 1 : a < 8 ? 2 : 3;
    return far <= allowed ? far : -1;
}

static int unknown_option(const struct parser *parser, const char *shown, const char *name) {
    char quoted[QUOTED];
    st_quote(quoted, sizeof quoted, shown, strlen(shown));
    const struct st_option *nearest = NULL;
    int best = -1;
    for (const struct st_option *option = parser->table; option->name; option++) {
        int likeness = st_likeness(name, option->name);
        if (likeness >= 0 && (best < 0 || likeness < best)) {
            best = likeness;
            nearest = option;
        }
    }
    if (nearest)
        return st_fail(parser->error, parser->source, ST_AT_FILE, 0,
                       "unknown option %s; did you mean '--%s'?", quoted, nearest->name);
    return st_fail(parser->error, parser->source, ST_AT_FILE, 0, "unknown option %s", quoted);
}

/* "text, json or sarif" */
static const char *list_choices(const struct st_option *option, char buffer[LISTED]) {
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; st_option_choice(option, i) && used < LISTED; i++) {
        const char *link = i == 0 ? "" : st_option_choice(option, i + 1) ? ", " : " or ";
        used += (size_t)snprintf(buffer + used, LISTED - used, "%s%s", link,
                                 st_option_choice(option, i));
    }
    return buffer;
}

static bool find_choice(const struct st_option *option, const char *text, unsigned *index) {
    for (unsigned i = 0; st_option_choice(option, i); i++) {
        if (strcmp(st_option_choice(option, i), text) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static int bad_choice(const struct parser *parser, const struct st_option *option,
                      const char *text) {
    char quoted[QUOTED], listed[LISTED], what[LONGEST_WORD + 1] = "";
    for (size_t i = 0; option->value[i] && i < LONGEST_WORD; i++)
        what[i] = (char)tolower((unsigned char)option->value[i]);
    return st_fail(parser->error, parser->source, ST_AT_FILE, 0,
                   "unknown %s %s for '--%s'; it must be %s", what,
                   st_quote(quoted, sizeof quoted, text, strlen(text)), option->name,
                   list_choices(option, listed));
}

static int set_text(const struct parser *parser, const struct st_option *option, const char *text,
                    void *value) {
    struct st_texts *texts = value;
    if (!*text)
        return st_fail(parser->error, parser->source, ST_AT_FILE, 0,
                       "option '--%s' needs a %s that is not empty", option->name, option->value);
    const char *refusal = option->refusal ? option->refusal(text) : NULL;
    if (refusal)
        return st_fail(parser->error, parser->source, ST_AT_FILE, 0, "option '--%s' %s",
                       option->name, refusal);
    if (option->kind == ST_TEXT)
        *(const char **)value = text;
    else if (texts->count == ST_MOST_TEXTS)
        return st_fail(parser->error, parser->source, ST_AT_FILE, 0,
                       "option '--%s' can be given %d times at most", option->name, ST_MOST_TEXTS);
    else
        texts->items[texts->count++] = text;
    return 0;
}

static int set_value(const struct parser *parser, const struct st_option *option,
                     const char *text) {
    void *value = (char *)parser->values + option->offset;
    char quoted[QUOTED];
    unsigned index;
    switch (option->kind) {
    case ST_FLAG:
        if (option->sets)
            *(unsigned *)value = option->sets;
        else
            *(bool *)value = true;
        return 0;
    case ST_TEXT:
    case ST_TEXTS:
        return set_text(parser, option, text, value);
    case ST_NUMBER:
        if (st_parse_number(text, strlen(text), value))
            return 0;
        return st_fail(parser->error, parser->source, ST_AT_FILE, 0,
                       "option '--%s' needs a whole number, not %s", option->name,
                       st_quote(quoted, sizeof quoted, text, strlen(text)));
    case ST_SECONDS:
        if (parse_seconds(text, value))
            return 0;
        return st_fail(parser->error, parser->source, ST_AT_FILE, 0,
                       "option '--%s' needs a number of seconds, such as 10 or 0.5, not %s",
                       option->name, st_quote(quoted, sizeof quoted, text, strlen(text)));
    case ST_CHOICE:
        return find_choice(option, text, value) ? 0 : bad_choice(parser, option, text);
    case ST_CHOICES:
        if (!find_choice(option, text, &index))
            return bad_choice(parser, option, text);
        *(unsigned *)value |= 1u << index;
        return 0;
    }
    return 0;
}

/* What the user gave, unlike a default, is noted where that is wanted. */
static int take_value(const struct parser *parser, const struct st_option *option,
                      const char *text) {
    if (option->given)
        *(const char **)((char *)parser->values + option->given) = parser->source;
    return set_value(parser, option, text);
}

static int set_defaults(const struct parser *parser) {
    for (const struct st_option *option = parser->table; option->name; option++)
        if (option->initial && set_value(parser, option, option->initial) < 0)
            return -1;
    return 0;
}

static int missing_value(const struct parser *parser, const struct st_option *option) {
    return st_fail(parser->error, parser->source, ST_AT_FILE, 0, "option '--%s' needs a value: %s",
                   option->name, option->value);
}

/* One "--name", "--name=value" or "--name value"; *at moves over the value where it is taken. */
static int parse_long(const struct parser *parser, char **words, int count, int *at) {
    const char *word = words[*at] + 2;
    size_t length = strcspn(word, "=");
    const char *given = word[length] ? word + length + 1 : NULL;
    for (const struct st_option *option = parser->table; option->name; option++) {
        if (strlen(option->name) != length || memcmp(option->name, word, length) != 0)
            continue;
        if (option->kind == ST_FLAG && given)
            return st_fail(parser->error, parser->source, ST_AT_FILE, 0,
                           "option '--%s' takes no value", option->name);
        if (option->kind != ST_FLAG && !given) {
            if (*at + 1 >= count)
                return missing_value(parser, option);
            given = words[++*at];
        }
        return take_value(parser, option, given);
    }
    char name[LONGEST_WORD + 1] = "";
    if (length < sizeof name)
        memcpy(name, word, length);
    return unknown_option(parser, words[*at], name);
}

/* Letters behind one dash: flags together, and a value at once ("-oFILE") or as the next word. */
static int parse_letters(const struct parser *parser, char **words, int count, int *at) {
    for (const char *letter = words[*at] + 1; *letter; letter++) {
        const struct st_option *option = parser->table;
        while (option->name && option->letter != *letter)
            option++;
        if (!option->name) /* "-limit" is likely to be meant as "--limit" */
            return unknown_option(parser, words[*at], words[*at] + 1);
        if (option->kind != ST_FLAG) {
            if (letter[1])
                return take_value(parser, option, letter + 1);
            if (*at + 1 >= count)
                return missing_value(parser, option);
            return take_value(parser, option, words[++*at]);
        }
        if (take_value(parser, option, NULL) < 0)
            return -1;
    }
    return 0;
}

static void add_operand(struct st_operands *operands, const char *word) {
    st_reserve(&operands->words, &operands->capacity, operands->count + 2);
    operands->words[operands->count++] = word;
}

static int parse_words(const struct parser *parser, struct st_operands *operands, int count,
                       char **words) {
    bool only_operands = false; /* from here on */
    for (int i = 0; i < count; i++) {
        const char *word = words[i];
        if (only_operands || word[0] != '-' || !word[1]) {
            add_operand(operands, word);
            only_operands |= !parser->mixed;
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
            operands->dashes = operands->count;
        } else {
            int result = word[1] == '-' ? parse_long(parser, words, count, &i)
                                        : parse_letters(parser, words, count, &i);
            if (result < 0)
                return -1;
        }
    }
    return 0;
}

/* Splits text at blanks, in place. Returns the number of words in *words, which is allocated. */
static int split_words(char *text, char ***words) {
    size_t count = 0, capacity = 0;
    char *rest = NULL;
    *words = NULL;
    for (char *word = strtok_r(text, " \t\r\n", &rest); word;
         word = strtok_r(NULL, " \t\r\n", &rest)) {
        st_reserve(words, &capacity, count + 1);
        (*words)[count++] = word;
    }
    return (int)count;
}

static int parse_environment(const struct parser *parser, struct st_operands *operands,
                             const char *text) {
    if (!text)
        return 0;
    operands->environment = st_strdup(text);
    char **words;
    int count = split_words(operands->environment, &words);
    int result = parse_words(parser, operands, count, words);
    free(words);
    if (result == 0 && operands->count) {
        char quoted[QUOTED];
        const char *word = operands->words[0];
        result = st_fail(parser->error, parser->source, ST_AT_FILE, 0, "%s is not an option",
                         st_quote(quoted, sizeof quoted, word, strlen(word)));
    }
    return result;
}

int st_options_parse(const struct st_option *table, void *values, struct st_operands *operands,
                     const char *command, bool mixed, int argc, char **argv, const char *variable,
                     const char *environment, struct st_error *error) {
    memset(operands, 0, sizeof *operands);
    operands->dashes = SIZE_MAX;
    struct parser outer = {table, values, variable, true, error};
    struct parser inner = {table, values, command, mixed, error};
    if (set_defaults(&inner) < 0 || parse_environment(&outer, operands, environment) < 0)
        return -1;
    return parse_words(&inner, operands, argc, argv);
}

void st_operands_free(struct st_operands *operands) {
    free(operands->words);
    free(operands->environment);
    memset(operands, 0, sizeof *operands);
}

/* Writes words from the given column on, breaking lines at blanks; ends the line. */
static void write_wrapped(FILE *file, const char *text, int column) {
    int at = column;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (at > column && at + 1 + length > HELP_WIDTH) {
            fprintf(file, "\n%*s", column, "");
            at = column;
        }
        at += fprintf(file, "%s%.*s", at > column ? " " : "", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

void st_option_text(const struct st_option *option, char *buffer, size_t size) {
    char listed[LISTED];
    int used = snprintf(buffer, size, "%s", option->help);
    if (st_option_choice(option, 0))
        used += snprintf(buffer + used, size - (size_t)used, ": %s", list_choices(option, listed));
    if (option->initial)
        used += snprintf(buffer + used, size - (size_t)used, " (default %s)", option->initial);
    if (option->note)
        snprintf(buffer + used, size - (size_t)used, "; %s", option->note);
}

void st_options_help(const struct st_option *table, FILE *file) {
    for (const struct st_option *option = table; option->name; option++) {
        char text[1024];
        int at = option->letter ? fprintf(file, "  -%c, --%s", option->letter, option->name)
                                : fprintf(file, "      --%s", option->name);
        if (option->value)
            at += fprintf(file, " %s", option->value);
        if (at > HELP_COLUMN - 2) { /* two blanks, for the eye */
            fputc('\n', file);
            at = 0;
        }
        fprintf(file, "%*s", HELP_COLUMN - at, "");
        st_option_text(option, text, sizeof text);
        write_wrapped(file, text, HELP_COLUMN);
    }
}
