#include "spec/spec.h"

#include "base/memory.h"
#include "base/names.h"
#include "spec/line.h"
#include "spec/published.h"
#include "trace/symbols.h"

#include <stdlib.h>
#include <string.h>

struct glob {
    struct st_pattern pattern;
    size_t rank;
};

/* The lines about one subject. Names without glob characters are in a table, because an inferred
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
    bool no_starts;
    uint64_t cutoff; /* of arrays, plus 1; 0: none */
};

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

/* The rest of a line such as `atomic function`: a pattern, and nothing more. */
static int parse_pattern(struct st_spec *spec, struct st_line *line, enum st_spec_subject subject,
                         bool atomic) {
    struct st_pattern pattern;
    if (st_line_take_pattern(line, &pattern) < 0)
        return -1;
    if (!st_line_is_over(line)) {
        free(pattern.text);
        return st_line_fail(line,
                            "nothing after the pattern (one with blanks goes in double quotes)");
    }
    add_line(spec, subject, atomic, pattern);
    return 0;
}

static int parse_section(struct st_spec *spec, const struct st_line *line) {
    if (!spec->section_line)
        spec->section_line = line->number;
    return st_line_is_over(line) ? 0 : st_line_fail(line, "nothing after 'atomic section'");
}

/* "ignore elements from 3" */
static int parse_elements(struct st_spec *spec, struct st_line *line) {
    char *end;
    if (!st_line_take_word(line, "from"))
        return st_line_fail(line, "'from' and a number after 'elements'");
    struct st_pattern number;
    if (st_line_take_pattern(line, &number) < 0)
        return -1;
    unsigned long long from = strtoull(number.text, &end, 10);
    bool good = *number.text >= '0' && *number.text <= '9' && !*end && from < UINT32_MAX;
    free(number.text);
    if (!good)
        return st_line_fail(line, "a number after 'from'");
    spec->cutoff = (uint64_t)from + 1;
    return st_line_is_over(line) ? 0 : st_line_fail(line, "nothing after the number");
}

static int parse_thread_functions(struct st_spec *spec, struct st_line *line, bool atomic) {
    if (!st_line_take_word(line, "functions"))
        return st_line_fail(line, "'functions' after 'thread'");
    spec->no_starts = !atomic;
    return st_line_is_over(line) ? 0 : st_line_fail(line, "nothing after 'thread functions'");
}

static int ignore_method(struct st_spec *spec, struct st_line *line, char *name, size_t length) {
    add_line(spec, ST_SPEC_FUNCTION, false, (struct st_pattern){name, true});
    line->at += length;
    line->at += strspn(line->at, " \t");
    return st_line_is_over(line) ? 0 : st_line_fail(line, "nothing after the method");
}

static int parse_line(struct st_line *line, void *context) {
    struct st_spec *spec = context;
    if (st_line_is_over(line))
        return 0;
    char *method;
    size_t length = st_published_method(line->at, &method);
    if (length)
        return ignore_method(spec, line, method, length);
    bool atomic = st_line_take_word(line, "atomic");
    if (!atomic && !st_line_take_word(line, "ignore"))
        return st_line_fail(line, "'atomic' or 'ignore'");
    if (st_line_take_word(line, "function"))
        return parse_pattern(spec, line, ST_SPEC_FUNCTION, atomic);
    if (st_line_take_word(line, "file"))
        return parse_pattern(spec, line, ST_SPEC_FILE, atomic);
    if (st_line_take_word(line, "thread"))
        return parse_thread_functions(spec, line, atomic);
    if (!atomic && st_line_take_word(line, "elements"))
        return parse_elements(spec, line);
    if (atomic && st_line_take_word(line, "section"))
        return parse_section(spec, line);
    return st_line_fail(line, atomic ? "'function', 'file', 'section' or 'thread' after 'atomic'"
                                     : "'function', 'file', 'elements' or 'thread' after 'ignore'");
}

static struct st_spec *new_spec(void) {
    struct st_spec *spec = st_alloc(1, sizeof *spec);
    for (int i = 0; i < ST_SPEC_SUBJECTS; i++)
        st_names_init(&spec->lines[i].names);
    st_reserve(&spec->atomic, &spec->atomic_capacity, 1);
    spec->atomic[0] = true;
    return spec;
}

static struct st_spec *unless_failed(struct st_spec *spec, int result) {
    if (result == 0)
        return spec;
    st_spec_free(spec);
    return NULL;
}

struct st_spec *st_spec_read(FILE *file, const char *name, struct st_error *error) {
    struct st_line line = {.name = name, .what = "specification", .error = error};
    struct st_spec *spec = new_spec();
    return unless_failed(spec, st_lines_parse(&line, file, parse_line, spec));
}

struct st_spec *st_spec_load(const char *path, struct st_error *error) {
    struct st_line line = {.what = "specification", .error = error};
    struct st_spec *spec = new_spec();
    return unless_failed(spec, st_lines_load(&line, path, parse_line, spec));
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

bool st_spec_wants_starts(const struct st_spec *spec) {
    return !spec->no_starts;
}

static size_t rank_of(const struct lines *lines, const char *text) {
    uint32_t name = st_names_find(&lines->names, text, strlen(text));
    size_t rank = name == ST_NAMES_FULL ? 0 : lines->ranks[name];
    for (size_t i = lines->glob_count; i-- > 0 && lines->globs[i].rank > rank;)
        if (st_pattern_matches(&lines->globs[i].pattern, text))
            return lines->globs[i].rank;
    return rank;
}

/* What a thread starts with is known by the name of its function, too. */
size_t st_spec_rank(const struct st_spec *spec, enum st_spec_subject subject, const char *text) {
    const struct lines *lines = &spec->lines[subject];
    size_t rank = rank_of(lines, text), length;
    const char *function;
    if (subject != ST_SPEC_FUNCTION || !st_block_is_start(text, &function, &length))
        return rank;
    char *name = st_strdup(function);
    name[length] = '\0';
    size_t other = rank_of(lines, name);
    free(name);
    return other > rank ? other : rank;
}

bool st_spec_calls_atomic(const struct st_spec *spec, size_t function_rank, size_t file_rank) {
    return spec->atomic[function_rank > file_rank ? function_rank : file_rank];
}

bool st_spec_mentions(const struct st_spec *spec, enum st_spec_subject subject) {
    return spec->lines[subject].names.count || spec->lines[subject].glob_count;
}

uint64_t st_spec_cutoff(const struct st_spec *spec) {
    return spec->cutoff ? spec->cutoff - 1 : UINT64_MAX;
}

uint64_t st_spec_section_line(const struct st_spec *spec) {
    return spec->section_line;
}
