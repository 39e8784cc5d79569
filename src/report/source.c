#define _GNU_SOURCE
#include "report/source.h"

#include "base/memory.h"
#include "base/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No source file is larger, and no report quotes from more. */
enum { FILE_LIMIT = 16 << 20, ALL_LIMIT = 64 << 20 };

struct source {
    bool asked, newer;
    char *text; /* NULL: nothing to quote from */
    size_t size;
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
    for (uint32_t i = 0; i < sources->names.count; i++)
        free(sources->files[i].text);
    free(sources->files);
    free(sources->first_newer);
    st_names_free(&sources->names);
    free(sources);
}

size_t st_sources_newer(const struct st_sources *sources, const char **first) {
    *first = sources->first_newer;
    return sources->newer;
}

/* ---- files ---- */

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

static char *full_path(const struct st_sources *sources, const char *path) {
    if (!sources->folder || *path == '/')
        return st_strdup(path);
    size_t size = strlen(sources->folder) + strlen(path) + 2;
    char *full = st_alloc(size, 1);
    snprintf(full, size, "%s/%s", sources->folder, path);
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

static void note_newer(struct st_sources *sources, const char *path) {
    if (!sources->newer++)
        sources->first_newer = st_strdup(path);
}

/* A file with a zero byte is no text. */
static void load(struct st_sources *sources, struct source *source, int fd, const char *path) {
    struct stat status;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size <= 0 ||
        status.st_size > FILE_LIMIT || sources->total + (size_t)status.st_size > ALL_LIMIT)
        return;
    if (sources->built && status.st_mtime > sources->built) {
        note_newer(sources, path);
        return;
    }
    source->text = st_alloc((size_t)status.st_size, 1);
    source->size = read_all(fd, source->text, (size_t)status.st_size);
    if (source->size == 0 || memchr(source->text, '\0', source->size)) {
        free(source->text);
        source->text = NULL;
        return;
    }
    sources->total += source->size;
}

/* Without waiting, in case it is a pipe that somebody has given the name of a source file. */
static void open_source(struct st_sources *sources, struct source *source, const char *path) {
    if (!looks_like_source(path))
        return;
    char *full = full_path(sources, path);
    int fd = open(full, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0) {
        load(sources, source, fd, path);
        close(fd);
    }
    free(full);
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

/* ---- lines ---- */

/* "bank.c:21" is line 21, and the length of "bank.c". 0 when there is no line in it. */
static uint64_t parse_location(const char *location, size_t *length) {
    const char *colon = strrchr(location, ':');
    uint64_t line = 0;
    if (!colon || colon == location || !colon[1])
        return 0;
    for (const char *digit = colon + 1; *digit; digit++) {
        if (*digit < '0' || *digit > '9' || line > UINT32_MAX)
            return 0;
        line = 10 * line + (uint64_t)(*digit - '0');
    }
    *length = (size_t)(colon - location);
    return line;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

bool st_source_line(struct st_sources *sources, const char *location, const char **line,
                    size_t *length) {
    size_t path_length;
    uint64_t number = parse_location(location, &path_length);
    const struct source *source = number ? find_source(sources, location, path_length) : NULL;
    if (!source || !source->text)
        return false;
    const char *at = source->text, *end = at + source->size;
    for (; number > 1 && at; number--) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at && at + 1 < end ? at + 1 : NULL;
    }
    if (!at)
        return false;
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    end = newline ? newline : end;
    while (at < end && is_blank(*at))
        at++;
    while (at < end && is_blank(end[-1]))
        end--;
    *line = at;
    *length = (size_t)(end - at);
    return at < end;
}
