#include "spec/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *at) {
    return at + strspn(at, " \t");
}

static size_t word_length(const char *at) {
    return strcspn(at, " \t#");
}

int st_line_fail(const struct st_line *line, const char *missing) {
    char quoted[80] = "the end of the line";
    size_t length = word_length(line->at);
    if (length)
        st_quote(quoted, sizeof quoted, line->at, length);
    return st_fail(line->error, line->name, ST_AT_LINE, line->number, "expected %s, not %s",
                   missing, quoted);
}

bool st_line_take_word(struct st_line *line, const char *word) {
    size_t length = word_length(line->at);
    if (length != strlen(word) || memcmp(line->at, word, length) != 0)
        return false;
    line->at = skip_blanks(line->at + length);
    return true;
}

int st_line_take_pattern(struct st_line *line, struct st_pattern *pattern) {
    const char *missing;
    if (!word_length(line->at))
        return st_line_fail(line, "a pattern");
    const char *rest = st_pattern_parse(pattern, line->at, &missing);
    if (!rest)
        return st_fail(line->error, line->name, ST_AT_LINE, line->number, "expected %s", missing);
    line->at = skip_blanks(rest);
    return 0;
}

bool st_line_is_over(const struct st_line *line) {
    return !*line->at || *line->at == '#';
}

/* Removes the line end, LF or CR LF. */
static int start_line(struct st_line *line, char *text, size_t length) {
    if (strlen(text) != length)
        return st_fail(line->error, line->name, ST_AT_LINE, line->number,
                       "zero byte; this is no %s", line->what);
    if (length && text[length - 1] == '\n')
        text[--length] = '\0';
    if (length && text[length - 1] == '\r')
        text[--length] = '\0';
    line->at = skip_blanks(text);
    return 0;
}

int st_lines_parse(struct st_line *line, FILE *file,
                   int (*parse)(struct st_line *line, void *context), void *context) {
    char *text = NULL;
    size_t room = 0;
    int result = 0;
    ssize_t length;
    line->number = 0;
    while (result == 0 && (errno = 0, length = getline(&text, &room, file)) >= 0) {
        line->number++;
        result = start_line(line, text, (size_t)length);
        if (result == 0)
            result = parse(line, context);
    }
    if (result == 0 && !feof(file))
        result =
            st_fail(line->error, line->name, ST_AT_FILE, 0, "cannot read: %s", strerror(errno));
    free(text);
    return result;
}

int st_lines_load(struct st_line *line, const char *path,
                  int (*parse)(struct st_line *line, void *context), void *context) {
    bool standard = strcmp(path, "-") == 0;
    line->name = standard ? "standard input" : path;
    FILE *file = standard ? stdin : fopen(path, "re");
    if (!file)
        return st_fail(line->error, path, ST_AT_FILE, 0, "cannot open: %s", strerror(errno));
    int result = st_lines_parse(line, file, parse, context);
    if (!standard)
        fclose(file);
    return result;
}
