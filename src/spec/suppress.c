#include "spec/suppress.h"

#include "base/memory.h"
#include "spec/line.h"

#include <stdlib.h>
#include <string.h>

const char *st_clause_word(enum st_clause clause) {
    static const char *const words[] = {[ST_CLAUSE_FUNCTION] = "function",
                                        [ST_CLAUSE_FILE] = "file",
                                        [ST_CLAUSE_BY] = "by",
                                        [ST_CLAUSE_ON] = "on"};
    return words[clause];
}

static void free_suppression(struct st_suppression *suppression) {
    for (int i = 0; i < ST_CLAUSES; i++)
        free(suppression->patterns[i].text);
    free(suppression->file);
    free(suppression->reason);
}

/* Takes a word and its pattern, if there is one. Returns how many: 1 or 0, or -1. */
static int take_clause(struct st_line *line, struct st_suppression *suppression) {
    struct st_line before = *line;
    for (enum st_clause clause = 0; clause < ST_CLAUSES; clause++) {
        if (!st_line_take_word(line, st_clause_word(clause)))
            continue;
        if (!suppression->patterns[clause].text)
            return st_line_take_pattern(line, &suppression->patterns[clause]) < 0 ? -1 : 1;
        return st_line_fail(&before, "each clause once");
    }
    return 0;
}

static int parse_clauses(struct st_line *line, struct st_suppression *suppression) {
    int result, count = 0;
    while ((result = take_clause(line, suppression)) > 0)
        count++;
    if (result == 0 && count == 0)
        return st_line_fail(line, "'function', 'file', 'by' or 'on'");
    return result;
}

/* The rest of the line, without trailing blanks. */
static int parse_reason(struct st_line *line, struct st_suppression *suppression) {
    if (!st_line_take_word(line, "because"))
        return st_line_fail(line, "'function', 'file', 'by', 'on' or 'because'");
    if (!*line->at)
        return st_line_fail(line, "a reason after 'because'");
    suppression->reason = st_strdup(line->at);
    size_t length = strlen(suppression->reason);
    while (strchr(" \t", suppression->reason[length - 1]))
        suppression->reason[--length] = '\0';
    return 0;
}

static int parse_line(struct st_line *line, void *context) {
    struct st_suppressions *all = context;
    if (st_line_is_over(line))
        return 0;
    if (!st_line_take_word(line, "suppress"))
        return st_line_fail(line, "'suppress'");
    struct st_suppression suppression = {.line = line->number};
    suppression.cycle = st_line_take_word(line, "cycle");
    if (parse_clauses(line, &suppression) < 0 || parse_reason(line, &suppression) < 0) {
        free_suppression(&suppression);
        return -1;
    }
    suppression.file = st_strdup(line->name);
    st_reserve(&all->items, &all->capacity, all->count + 1);
    all->items[all->count++] = suppression;
    return 0;
}

int st_suppressions_load(struct st_suppressions *suppressions, const char *path,
                         struct st_error *error) {
    struct st_line line = {.what = "file of suppressions", .error = error};
    return st_lines_load(&line, path, parse_line, suppressions);
}

void st_suppressions_free(struct st_suppressions *suppressions) {
    for (size_t i = 0; i < suppressions->count; i++)
        free_suppression(&suppressions->items[i]);
    free(suppressions->items);
    *suppressions = (struct st_suppressions){0};
}
