#include "spec/line.h"

#include "base/memory.h"

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
static void start_line(struct st_line *line, char *text, size_t length) {
    if (length && text[length - 1] == '\n')
        length--;
    if (length && text[length - 1] == '\r')
        length--;
    text[length] = '\0';
    line->at = skip_blanks(text);
}

/* Puts the next line into `text`, which has room for ST_LONGEST_LINE bytes and two more. Returns
 * its length, 0 at the end of the file, or -1. */
static long take_line(const struct st_line *line, FILE *file, char *text) {
    size_t length = 0;
    int c = 0;
    while (c != '\n' && (errno = 0, c = getc_unlocked(file)) != EOF) {
        if (c == '\0')
            return st_fail(line->error, line->name, ST_AT_LINE, line->number,
                           "zero byte; this is no %s", line->what);
        if (length > ST_LONGEST_LINE)
            return st_fail(line->error, line->name, ST_AT_LINE, line->number,
                           "the line is longer than %d bytes; this is no %s", ST_LONGEST_LINE,
                           line->what);
        text[length++] = (char)c;
    }
    if (c == EOF && ferror(file))
        return st_fail(line->error, line->name, ST_AT_FILE, 0, "cannot read: %s", strerror(errno));
    return (long)length;
}

int st_lines_parse(struct st_line *line, FILE *file,
                   int (*parse)(struct st_line *line, void *context), void *context) {
    char *text = st_alloc(ST_LONGEST_LINE + 2, 1);
    size_t all = 0;
    int result = 0;
    long length;
    line->number = 1;
    while (result == 0 && (length = take_line(line, file, text)) != 0) {
        all += length > 0 ? (size_t)length : 0;
        if (length < 0) {
            result = -1;
        } else if (all > ST_LARGEST_LINES) {
            result =
                st_fail(line->error, line->name, ST_AT_FILE, 0,
                        "is larger than %d MB; this is no %s", ST_LARGEST_LINES >> 20, line->what);
        } else {
            start_line(line, text, (size_t)length);
            result = parse(line, context);
            line->number++;
        }
    }
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
