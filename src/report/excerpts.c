#include "report/excerpts.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/set64.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    AROUND = 5,                    /* so many lines are shown before and after one */
    LONGEST_LINE = 500,            /* in bytes; the rest of a line is left out */
    LARGEST_SOURCE = 16 << 20,     /* a file that is larger was not written by hand */
    LARGEST_EXCERPTS = 8 << 20,    /* of all files together */
    HIGHEST_LINE = LARGEST_SOURCE, /* which has no more lines than bytes */
};

/* The lines of one file that somebody speaks of. */
struct source {
    uint32_t *lines;
    size_t count, capacity;
};

/* Invariant: sources[i] belongs to the file with the name i. */
struct sources {
    struct st_names paths;
    struct source *sources;
    size_t capacity;
    struct st_set64 seen_lines;     /* of a file: name << 32 | line */
    struct st_set64 seen_locations; /* plus 1 */
    size_t written;                 /* bytes, so far */
};

/* ---- What is spoken of ---- */

/* The number that text[0 .. *length) ends with, behind a colon; *length becomes what is before. */
static bool cut_number(const char *text, size_t *length, uint64_t *number) {
    size_t start = *length;
    while (start && text[start - 1] >= '0' && text[start - 1] <= '9')
        start--;
    size_t digits = *length - start;
    if (start < 2 || text[start - 1] != ':' || digits == 0 || digits > 9)
        return false;
    *number = 0;
    for (size_t i = start; i < *length; i++)
        *number = *number * 10 + (uint64_t)(text[i] - '0');
    *length = start - 1;
    return true;
}

size_t st_split_location(const char *text, uint32_t *line) {
    size_t length = strlen(text);
    uint64_t last, before;
    if (!cut_number(text, &length, &last))
        return 0;
    if (cut_number(text, &length, &before))
        last = before; /* it was the column */
    if (last == 0 || last > HIGHEST_LINE)
        return 0;
    *line = (uint32_t)last;
    return length;
}

static void want(struct sources *all, const char *location) {
    uint32_t line;
    size_t length = st_split_location(location, &line);
    if (!length)
        return;
    uint32_t path = st_names_add(&all->paths, location, length);
    if (path == ST_NAMES_FULL || !st_set64_add(&all->seen_lines, (uint64_t)path << 32 | line))
        return;
    st_reserve(&all->sources, &all->capacity, (size_t)path + 1);
    struct source *source = &all->sources[path];
    st_reserve(&source->lines, &source->capacity, source->count + 1);
    source->lines[source->count++] = line;
}

static void want_location(struct sources *all, const struct st_report *report, uint64_t loc) {
    char buffer[ST_LOCATION_SIZE];
    if (!st_set64_add(&all->seen_locations, loc + 1))
        return;
    want(all, st_location_text(report->symbols, loc, buffer));
    if (!report->details)
        return;
    struct st_detail detail;
    report->details->tell(report->details->context, loc, &detail);
    for (const char *const *frame = detail.stack; *frame; frame += 2)
        want(all, frame[1]);
}

static void want_edges(struct sources *all, const struct st_report *report,
                       const struct st_edge *edges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (edges[i].from.number)
            want_location(all, report, edges[i].from.event.loc);
        if (edges[i].to.number)
            want_location(all, report, edges[i].to.event.loc);
    }
}

static void want_findings(struct sources *all, const struct st_report *report,
                          const struct st_findings *findings) {
    for (size_t i = 0; i < findings->kept; i++) {
        const struct st_violation *violation = &findings->violations[i];
        char buffer[ST_LOCATION_SIZE];
        want(all, st_location_text(report->symbols, violation->begin_loc, buffer));
        want_location(all, report, violation->event.event.loc);
        want_edges(all, report, violation->path, violation->path_length);
        want_edges(all, report, &violation->closing, 1);
    }
    want_edges(all, report, findings->cycle, findings->cycle_length);
}

/* ---- Files ---- */

static bool looks_like_source(const char *path) {
    static const char *const endings[] = {"c",   "cc",  "cpp", "cxx", "c++", "C",    "h",    "hh",
                                          "hpp", "hxx", "h++", "H",   "inc", "inl",  "ipp",  "tcc",
                                          "txx", "def", "y",   "l",   "m",   "mm",   "java", "kt",
                                          "go",  "rs",  "d",   "zig", "cs",  "swift"};
    const char *name = strrchr(path, '/');
    const char *dot = strrchr(name ? name : path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot + 1, endings[i]) == 0)
            return true;
    return false;
}

static bool read_all(int fd, char *text, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t got = read(fd, text + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* The whole text with a zero behind it, or NULL. Waits for nobody: a path may name anything. */
static char *load(const char *path) {
    struct stat status;
    char *text = NULL;
    if (!looks_like_source(path))
        return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
        status.st_size <= LARGEST_SOURCE) {
        size_t size = (size_t)status.st_size;
        text = st_alloc(size + 1, 1);
        if (!read_all(fd, text, size) || memchr(text, '\0', size)) {
            free(text);
            text = NULL;
        }
    }
    close(fd);
    return text;
}

/* ---- Excerpts ---- */

static int by_number(const void *a, const void *b) {
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return one < other ? -1 : one > other;
}

static void write_line(struct sources *all, const char *line, size_t length, struct st_json *json) {
    char buffer[LONGEST_LINE + 1];
    if (length && line[length - 1] == '\r')
        length--;
    if (length > LONGEST_LINE)
        length = LONGEST_LINE;
    memcpy(buffer, line, length);
    buffer[length] = '\0';
    st_json_string(json, buffer);
    all->written += length + 4;
}

/* Is this line to be shown? *next is the index of the first wanted line that is not too far above;
 * lines come in order. */
static bool is_shown(const struct source *source, uint32_t number, size_t *next) {
    while (*next < source->count && source->lines[*next] + AROUND < number)
        ++*next;
    return *next < source->count && source->lines[*next] <= number + AROUND;
}

static void open_part(uint32_t first, struct st_json *json) {
    st_json_flat_object(json);
    st_json_key(json, "first");
    st_json_number(json, first);
    st_json_key(json, "lines");
    st_json_array(json);
}

static void close_part(struct st_json *json) {
    st_json_array_end(json);
    st_json_object_end(json);
}

static void write_parts(struct sources *all, const struct source *source, const char *text,
                        struct st_json *json) {
    bool open = false;
    size_t next = 0;
    for (uint32_t number = 1; *text && all->written < LARGEST_EXCERPTS; number++) {
        size_t length = strcspn(text, "\n");
        bool shown = is_shown(source, number, &next);
        if (shown && !open)
            open_part(number, json);
        else if (!shown && open)
            close_part(json);
        open = shown;
        if (shown)
            write_line(all, text, length, json);
        text += text[length] ? length + 1 : length;
    }
    if (open)
        close_part(json);
}

static void write_source(struct sources *all, uint32_t path, struct st_json *json) {
    struct source *source = &all->sources[path];
    char *text = all->written < LARGEST_EXCERPTS ? load(st_name(&all->paths, path)) : NULL;
    if (!text)
        return;
    qsort(source->lines, source->count, sizeof *source->lines, by_number);
    st_json_object(json);
    st_json_key(json, "path");
    st_json_string(json, st_name(&all->paths, path));
    st_json_key(json, "parts");
    st_json_array(json);
    write_parts(all, source, text, json);
    st_json_array_end(json);
    st_json_object_end(json);
    free(text);
}

void st_excerpts_json(const struct st_report *report, struct st_json *json) {
    struct sources all = {.written = 0};
    st_names_init(&all.paths);
    for (size_t i = 0; i < report->result_count; i++)
        want_findings(&all, report, report->results[i].findings);
    st_json_object(json);
    st_json_key(json, "files");
    st_json_array(json);
    for (uint32_t path = 0; path < all.paths.count; path++) {
        write_source(&all, path, json);
        free(all.sources[path].lines);
    }
    st_json_array_end(json);
    st_json_object_end(json);
    free(all.sources);
    st_names_free(&all.paths);
    st_set64_free(&all.seen_lines);
    st_set64_free(&all.seen_locations);
}
