#define _GNU_SOURCE
#include "report/source/source_file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
static enum st_source_fate read_open(int fd, time_t built, char **text, size_t *size) {
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

/* Without waiting, in case it is a pipe that somebody has given the name of a source file. */
enum st_source_fate st_source_read(const char *folder, const char *path, time_t built, char **text,
                                   size_t *size) {
    *text = NULL;
    if (!looks_like_source(path))
        return ST_SOURCE_NOT_THERE;
    char *full = full_path(folder, path);
    int fd = open(full, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    free(full);
    if (fd < 0)
        return ST_SOURCE_NOT_THERE;
    enum st_source_fate fate = read_open(fd, built, text, size);
    close(fd);
    return fate;
}

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
    if (last == 0 || last > ST_LARGEST_SOURCE)
        return 0;
    *line = (uint32_t)last;
    return length;
}
