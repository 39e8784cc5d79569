#define _GNU_SOURCE
#include "report/source/source.h"

#include "base/memory.h"
#include "base/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static char *full_path(const char *folder, const char *path) {
    if (!folder || *path == '/')
        return st_strdup(path);
    size_t size = strlen(folder) + strlen(path) + 2;
    char *full = st_alloc(size, 1);
    snprintf(full, size, "%s/%s", folder, path);
    return full;
}

/* Reads up to `size` bytes; how many, or 0 after an error. */
static size_t read_all(int fd, char *text, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t count = read(fd, text + done, size - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return 0;
        if (count == 0)
            break;
        done += (size_t)count;
    }
    return done;
}

/* A file with a zero byte is no text. */
static enum st_source_outcome read_open(int fd, time_t built, char **text, size_t *size) {
    struct stat status;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size <= 0 ||
        status.st_size > ST_LARGEST_SOURCE)
        return ST_SOURCE_NOT_THERE;
    if (built && status.st_mtime > built)
        return ST_SOURCE_NEWER;
    *text = st_alloc((size_t)status.st_size + 1, 1);
    *size = read_all(fd, *text, (size_t)status.st_size);
    if (*size && !memchr(*text, '\0', *size))
        return ST_SOURCE_READ;
    free(*text);
    *text = NULL;
    return ST_SOURCE_NOT_THERE;
}

char *st_whole_path(const char *folder, const char *path) {
    char *full = full_path(folder, path), *real = realpath(full, NULL);
    free(full);
    return real;
}

/* Without waiting, in case it is a pipe that somebody has given the name of a source file. A
 * symbolic link with such a name must lead to a file with such a name: sources in other folders
 * are found, and bank.c -> /etc/shadow is not. */
enum st_source_outcome st_source_read(const char *folder, const char *path, time_t built,
                                      char **text, size_t *size) {
    *text = NULL;
    if (!looks_like_source(path))
        return ST_SOURCE_NOT_THERE;
    char *real = st_whole_path(folder, path);
    int fd = -1;
    if (real && looks_like_source(real))
        fd = open(real, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
    free(real);
    if (fd < 0)
        return ST_SOURCE_NOT_THERE;
    enum st_source_outcome outcome = read_open(fd, built, text, size);
    close(fd);
    return outcome;
}

/* The number that text[0 .. *length) ends with, behind a colon; *length becomes what is before. */
static bool take_number(const char *text, size_t *length, uint64_t *number) {
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
    if (!take_number(text, &length, &last))
        return 0;
    if (take_number(text, &length, &before))
        last = before; /* it was the column */
    if (last == 0 || last > ST_LARGEST_SOURCE)
        return 0;
    *line = (uint32_t)last;
    return length;
}

/* ---- Lines ---- */

/* A report asks for many lines of a file, so it is searched for their beginnings once. */
struct source {
    bool asked;
    char *text; /* NULL: nothing to quote from */
    size_t size;
    uint32_t *starts; /* of the lines, in the text */
    size_t line_count, line_capacity;
};

/* files[i] is the file with name i. */
struct st_sources {
    const char *folder;
    time_t built;
    struct st_names names;
    struct source *files;
    size_t file_capacity, total;
    size_t newer;
    char *first_newer;
};

struct st_sources *st_sources_new(const char *folder, time_t built) {
    struct st_sources *sources = st_alloc(1, sizeof *sources);
    sources->folder = folder;
    sources->built = built;
    st_names_init(&sources->names);
    return sources;
}

void st_sources_free(struct st_sources *sources) {
    for (uint32_t i = 0; i < sources->names.count; i++) {
        free(sources->files[i].text);
        free(sources->files[i].starts);
    }
    free(sources->files);
    free(sources->first_newer);
    st_names_free(&sources->names);
    free(sources);
}

size_t st_sources_newer(const struct st_sources *sources, const char **first) {
    *first = sources->first_newer;
    return sources->newer;
}

/* No report quotes from more than this, all files together. */
enum { ALL_LIMIT = 64 << 20 };

static void find_lines(struct source *source) {
    const char *at = source->text, *end = source->text + source->size;
    while (at && at < end) {
        st_reserve(&source->starts, &source->line_capacity, source->line_count + 1);
        source->starts[source->line_count++] = (uint32_t)(at - source->text);
        at = memchr(at, '\n', (size_t)(end - at));
        at += at != NULL;
    }
}

static void open_source(struct st_sources *sources, struct source *source, const char *path) {
    if (sources->total >= ALL_LIMIT)
        return;
    enum st_source_outcome outcome =
        st_source_read(sources->folder, path, sources->built, &source->text, &source->size);
    if (outcome == ST_SOURCE_READ) {
        sources->total += source->size;
        find_lines(source);
    } else if (outcome == ST_SOURCE_NEWER && !sources->newer++) {
        sources->first_newer = st_strdup(path);
    }
}

static const struct source *find_source(struct st_sources *sources, const char *path,
                                        size_t length) {
    uint32_t number = st_names_add(&sources->names, path, length);
    if (number == ST_NAMES_FULL)
        return NULL;
    st_reserve(&sources->files, &sources->file_capacity, (size_t)number + 1);
    struct source *source = &sources->files[number];
    if (!source->asked) {
        source->asked = true;
        open_source(sources, source, st_name(&sources->names, number));
    }
    return source;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static const struct source *source_of(struct st_sources *sources, const char *location,
                                      uint32_t *number) {
    size_t length = st_split_location(location, number);
    const struct source *source = length ? find_source(sources, location, length) : NULL;
    return source && source->text ? source : NULL;
}

/* Line `number` without the blanks around it, and its length. */
static size_t trim_line(const struct source *source, uint32_t number, const char **line) {
    const char *at = source->text + source->starts[number - 1];
    const char *end =
        source->text + (number < source->line_count ? source->starts[number] : source->size);
    if (end[-1] == '\n')
        end--;
    while (at < end && is_blank(*at))
        at++;
    while (at < end && is_blank(end[-1]))
        end--;
    *line = at;
    return (size_t)(end - at);
}

bool st_source_line(struct st_sources *sources, const char *location, const char **line,
                    size_t *length) {
    uint32_t number;
    const struct source *source = source_of(sources, location, &number);
    if (!source || number > source->line_count)
        return false;
    *length = trim_line(source, number, line);
    return *length != 0;
}

size_t st_source_repeats(struct st_sources *sources, const char *location, uint32_t first) {
    const char *line, *text;
    size_t length, count = 0;
    uint32_t last;
    if (!st_source_line(sources, location, &line, &length))
        return 0;
    const struct source *source = source_of(sources, location, &last);
    for (uint32_t number = first ? first : 1; number < last; number++)
        count += trim_line(source, number, &text) == length && memcmp(text, line, length) == 0;
    return count;
}
