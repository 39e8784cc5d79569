#include "spec/spec.h"

#include "base/memory.h"
#include "base/names.h"
#include "spec/pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct glob {
    struct st_pattern pattern;
    size_t rank;
};

/* The lines about one subject. Names without glob characters are looked up, since an inferred
 * specification may have a hundred thousand of them; globs are tried one by one.
 * Invariants: ranks[i] is the rank of the last line with the name i; globs have growing ranks. */
struct lines {
    struct st_names names;
    size_t *ranks, rank_capacity;
    struct glob *globs;
    size_t glob_count, glob_capacity;
};

struct st_spec {
    struct lines lines[ST_SPEC_SUBJECTS];
    bool *atomic; /* by rank; atomic[0] is for blocks that no line matches */
    size_t last_rank, atomic_capacity;
    uint64_t section_line;
};

/* The line at hand. */
struct parser {
    struct st_spec *spec;
    const char *name;
    uint64_t line;
    const char *at; /* what is still to be read of it */
    struct st_error *error;
};

static const char *skip_blanks(const char *at) {
    return at + strspn(at, " \t");
}

static size_t word_length(const char *at) {
    return strcspn(at, " \t#");
}

static int fail(const struct parser *parser, const char *missing) {
    char quoted[80] = "the end of the line";
    size_t length = word_length(parser->at);
    if (length)
        st_quote(quoted, sizeof quoted, parser->at, length);
    return st_fail(parser->error, parser->name, ST_AT_LINE, parser->line, "expected %s, not %s",
                   missing, quoted);
}

/* Takes the next word if it is this one. */
static bool take_word(struct parser *parser, const char *word) {
    size_t length = word_length(parser->at);
    if (length != strlen(word) || memcmp(parser->at, word, length) != 0)
        return false;
    parser->at = skip_blanks(parser->at + length);
    return true;
}

static int take_end(const struct parser *parser, const char *missing) {
    return !*parser->at || *parser->at == '#' ? 0 : fail(parser, missing);
}

static void add_line(struct st_spec *spec, enum st_spec_subject subject, bool atomic,
                     struct st_pattern pattern) {
    struct lines *lines = &spec->lines[subject];
    size_t rank = ++spec->last_rank;
    st_reserve(&spec->atomic, &spec->atomic_capacity, rank + 1);
    spec->atomic[rank] = atomic;
    spec->atomic[0] &= !atomic;
    if (!pattern.literal) {
        st_reserve(&lines->globs, &lines->glob_capacity, lines->glob_count + 1);
        lines->globs[lines->glob_count++] = (struct glob){pattern, rank};
        return;
    }
    uint32_t name = st_names_add(&lines->names, pattern.text, strlen(pattern.text));
    st_reserve(&lines->ranks, &lines->rank_capacity, (size_t)name + 1);
    lines->ranks[name] = rank;
    free(pattern.text);
}

/* What stands behind `atomic function` and the like: a pattern, and nothing more. */
static int parse_pattern(struct parser *parser, enum st_spec_subject subject, bool atomic) {
    struct st_pattern pattern;
    const char *missing;
    if (!word_length(parser->at))
        return fail(parser, "a pattern");
    const char *rest = st_pattern_parse(&pattern, parser->at, &missing);
    if (!rest)
        return st_fail(parser->error, parser->name, ST_AT_LINE, parser->line, "expected %s",
                       missing);
    parser->at = skip_blanks(rest);
    if (take_end(parser, "nothing behind the pattern (one with blanks goes in double quotes)") <
        0) {
        free(pattern.text);
        return -1;
    }
    add_line(parser->spec, subject, atomic, pattern);
    return 0;
}

static int parse_section(struct parser *parser) {
    if (!parser->spec->section_line)
        parser->spec->section_line = parser->line;
    return take_end(parser, "nothing behind 'atomic section'");
}

static int parse_line(struct parser *parser) {
    parser->at = skip_blanks(parser->at);
    if (!*parser->at || *parser->at == '#')
        return 0;
    bool atomic = take_word(parser, "atomic");
    if (!atomic && !take_word(parser, "ignore"))
        return fail(parser, "'atomic' or 'ignore'");
    if (take_word(parser, "function"))
        return parse_pattern(parser, ST_SPEC_FUNCTION, atomic);
    if (take_word(parser, "file"))
        return parse_pattern(parser, ST_SPEC_FILE, atomic);
    if (atomic && take_word(parser, "section"))
        return parse_section(parser);
    return fail(parser, atomic ? "'function', 'file' or 'section' behind 'atomic'"
                               : "'function' or 'file' behind 'ignore'");
}

/* Takes off the line end, LF or CR LF. */
static int parse_raw_line(struct parser *parser, char *text, size_t length) {
    if (strlen(text) != length)
        return st_fail(parser->error, parser->name, ST_AT_LINE, parser->line,
                       "zero byte; this is no specification");
    if (length && text[length - 1] == '\n')
        text[--length] = '\0';
    if (length && text[length - 1] == '\r')
        text[--length] = '\0';
    parser->at = text;
    return parse_line(parser);
}

static int parse_file(struct parser *parser, FILE *file) {
    char *text = NULL;
    size_t room = 0;
    int result = 0;
    ssize_t length;
    while (result == 0 && (errno = 0, length = getline(&text, &room, file)) >= 0) {
        parser->line++;
        result = parse_raw_line(parser, text, (size_t)length);
    }
    if (result == 0 && !feof(file))
        result =
            st_fail(parser->error, parser->name, ST_AT_FILE, 0, "cannot read: %s", strerror(errno));
    free(text);
    return result;
}

static struct st_spec *new_spec(void) {
    struct st_spec *spec = st_alloc(1, sizeof *spec);
    for (int i = 0; i < ST_SPEC_SUBJECTS; i++)
        st_names_init(&spec->lines[i].names);
    st_reserve(&spec->atomic, &spec->atomic_capacity, 1);
    spec->atomic[0] = true;
    return spec;
}

struct st_spec *st_spec_read(FILE *file, const char *name, struct st_error *error) {
    struct parser parser = {.spec = new_spec(), .name = name, .error = error};
    if (parse_file(&parser, file) == 0)
        return parser.spec;
    st_spec_free(parser.spec);
    return NULL;
}

struct st_spec *st_spec_load(const char *path, struct st_error *error) {
    if (strcmp(path, "-") == 0)
        return st_spec_read(stdin, "standard input", error);
    FILE *file = fopen(path, "re");
    if (!file) {
        st_fail(error, path, ST_AT_FILE, 0, "cannot open: %s", strerror(errno));
        return NULL;
    }
    struct st_spec *spec = st_spec_read(file, path, error);
    fclose(file);
    return spec;
}

void st_spec_free(struct st_spec *spec) {
    if (!spec)
        return;
    for (int i = 0; i < ST_SPEC_SUBJECTS; i++) {
        struct lines *lines = &spec->lines[i];
        for (size_t j = 0; j < lines->glob_count; j++)
            free(lines->globs[j].pattern.text);
        free(lines->globs);
        free(lines->ranks);
        st_names_free(&lines->names);
    }
    free(spec->atomic);
    free(spec);
}

size_t st_spec_rank(const struct st_spec *spec, enum st_spec_subject subject, const char *text) {
    const struct lines *lines = &spec->lines[subject];
    uint32_t name = st_names_find(&lines->names, text, strlen(text));
    size_t rank = name == ST_NAMES_FULL ? 0 : lines->ranks[name];
    for (size_t i = lines->glob_count; i-- > 0 && lines->globs[i].rank > rank;)
        if (st_pattern_matches(&lines->globs[i].pattern, text))
            return lines->globs[i].rank;
    return rank;
}

bool st_spec_calls_atomic(const struct st_spec *spec, size_t function_rank, size_t file_rank) {
    return spec->atomic[function_rank > file_rank ? function_rank : file_rank];
}

bool st_spec_mentions(const struct st_spec *spec, enum st_spec_subject subject) {
    return spec->lines[subject].names.count || spec->lines[subject].glob_count;
}

uint64_t st_spec_section_line(const struct st_spec *spec) {
    return spec->section_line;
}
