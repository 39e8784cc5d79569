#define _GNU_SOURCE /* asprintf */
#include "symbol/java_sites.h"

#include "base/map64.h"
#include "base/memory.h"
#include "base/names.h"
#include "symbol/frames.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Invariant: lines[i] is row i as it was written, with zero bytes in place of its first tabs once
 * it was asked for; `begun` is what has come of the next one. */
struct st_java_sites {
    int fd;                  /* -1: there is no file */
    struct st_map64 numbers; /* of rows, if they have one: all have, and are not in their order */
    bool numbered;
    char **lines;
    size_t count, capacity;
    bool *parsed;
    size_t parsed_capacity;
    struct st_java_row *rows;
    size_t row_capacity;
    char *begun;
    size_t begun_length, begun_capacity;
    char *base, *sources;
    struct st_names files; /* as they were written, */
    char **found;          /* and as they are shown */
    size_t found_capacity;
};

bool st_is_java_module(const char *path) {
    return strncmp(path, ST_JAVA_MODULE, strlen(ST_JAVA_MODULE)) == 0;
}

/* The program says which file it is; ours is a regular one. */
static int open_file(const char *path) {
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Files of agents have names of their own. */
static bool is_temporary(const char *path) {
    static const char start[] = "seriatim-java-";
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, start, strlen(start)) == 0;
}

struct st_java_sites *st_java_sites_open(const char *path, const char *base, const char *sources) {
    struct st_java_sites *sites = st_alloc(1, sizeof *sites);
    path += strlen(ST_JAVA_MODULE);
    sites->fd = open_file(path);
    sites->base = base ? st_strdup(base) : NULL;
    sites->sources = sources ? st_strdup(sources) : NULL;
    st_names_init(&sites->files);
    st_map64_init(&sites->numbers);
    if (sites->fd >= 0 && is_temporary(path))
        unlink(path);
    return sites;
}

void st_java_sites_free(struct st_java_sites *sites) {
    if (!sites)
        return;
    if (sites->fd >= 0)
        close(sites->fd);
    for (size_t i = 0; i < sites->count; i++)
        free(sites->lines[i]);
    for (size_t i = 0; i < sites->found_capacity; i++)
        free(sites->found[i]);
    free(sites->lines);
    free(sites->parsed);
    free(sites->rows);
    free(sites->begun);
    free(sites->base);
    free(sites->sources);
    free(sites->found);
    st_names_free(&sites->files);
    st_map64_free(&sites->numbers);
    free(sites);
}

/* ---- reading ---- */

/* "#17" and a tab before a row. */
static void take_number(struct st_java_sites *sites, char *line) {
    char *end = line;
    uint64_t number = line[0] == '#' ? strtoul(line + 1, &end, 10) : UINT64_MAX;
    if (*end == '\t')
        memmove(line, end + 1, strlen(end + 1) + 1);
    sites->numbered = true;
    st_map64_renew(&sites->numbers, number);
}

/* Where in `lines` the row is, which may not be there yet. */
static size_t place_of(struct st_java_sites *sites, uint64_t number) {
    if (!sites->numbered)
        return (size_t)number;
    return st_map64_find(&sites->numbers, number); /* none is larger than any */
}

static void add_line(struct st_java_sites *sites, const char *text, size_t length) {
    st_reserve(&sites->lines, &sites->capacity, sites->count + 1);
    char *line = st_alloc(length + 1, 1);
    memcpy(line, text, length);
    sites->lines[sites->count++] = line;
    if (line[0] == '#' || sites->numbered)
        take_number(sites, line);
}

static void take_lines(struct st_java_sites *sites) {
    char *at = sites->begun, *end = at + sites->begun_length, *stop;
    while ((stop = memchr(at, '\n', (size_t)(end - at)))) {
        add_line(sites, at, (size_t)(stop - at));
        at = stop + 1;
    }
    sites->begun_length = (size_t)(end - at);
    memmove(sites->begun, at, sites->begun_length);
}

static void read_more(struct st_java_sites *sites) {
    enum { PIECE = 1 << 16 };
    ssize_t got;
    if (sites->fd < 0)
        return;
    do {
        st_reserve(&sites->begun, &sites->begun_capacity, sites->begun_length + PIECE);
        got = read(sites->fd, sites->begun + sites->begun_length, PIECE);
        if (got > 0) {
            sites->begun_length += (size_t)got;
            take_lines(sites);
        }
    } while (got > 0);
}

/* ---- source files ---- */

/* The file below a folder, as a user should see it; NULL: it is not there. */
static char *look_below(const char *base, const char *folder, const char *inner, const char *file) {
    char *path, *directory;
    if (asprintf(&path, "%s/%s%s", folder, inner, file) < 0)
        return NULL;
    bool there = access(path, R_OK) == 0;
    free(path);
    if (!there || asprintf(&directory, "%s/%s", folder, inner) < 0)
        return NULL;
    char *shown = st_source_path(base, directory, file);
    free(directory);
    return shown;
}

/* Where builds have their sources: Maven, Gradle, Android, and others. */
static char *find_source(const char *base, const char *sources, const char *file) {
    static const char *const inner[] = {
        "",  "src/main/java/", "src/test/java/", "src/", "app/src/main/java/", "java/", "test/",
        NULL};
    const char *const folders[] = {base, sources};
    for (size_t i = 0; i < 2; i++)
        for (const char *const *at = inner; folders[i] && *at; at++) {
            char *shown = look_below(base, folders[i], *at, file);
            if (shown)
                return shown;
        }
    return st_strdup(file);
}

static const char *shown_file(struct st_java_sites *sites, const char *file) {
    uint32_t number = st_names_add(&sites->files, file, strlen(file));
    st_reserve(&sites->found, &sites->found_capacity, (size_t)number + 1);
    if (!sites->found[number])
        sites->found[number] =
            *file ? find_source(sites->base, sites->sources, file) : st_strdup("");
    return sites->found[number];
}

/* ---- rows ---- */

/* Cuts a column off: it ends at the next tab, and `rest` is what is behind that. */
static char *next_column(char **rest) {
    char *column = *rest;
    size_t length = strcspn(column, "\t");
    *rest = column + length + (column[length] != '\0');
    column[length] = '\0';
    return column;
}

/* "bank.Account" and "deposit" are "bank.Account.deposit". The tab between them is a period then,
 * and the name ends where the second one does. */
static const char *join_columns(char **rest) {
    char *class = next_column(rest);
    next_column(rest);
    class[strlen(class)] = '.';
    return class;
}

static enum st_java_kind kind_of(const char *column) {
    static const char kinds[] = {
        [ST_JAVA_NOTHING] = '?', [ST_JAVA_METHOD] = 'M',  [ST_JAVA_SITE] = 'S',
        [ST_JAVA_OBJECTS] = 'C', [ST_JAVA_STATICS] = 'T', [ST_JAVA_ARRAYS] = 'A',
        [ST_JAVA_OTHERS] = 'L'};
    for (size_t i = 1; i < sizeof kinds; i++)
        if (column[0] == kinds[i] && !column[1])
            return (enum st_java_kind)i;
    return ST_JAVA_NOTHING;
}

static const struct st_java_row nothing = {.name = "", .file = "", .descriptor = "", .rest = ""};

/* Where the agent has not said whether there is a loop, there may be one. */
static char unknown_flags[] = "l";

static struct st_java_row parse(struct st_java_sites *sites, char *line) {
    struct st_java_row row = nothing;
    enum st_java_kind kind = kind_of(next_column(&line));
    bool is_code = kind == ST_JAVA_METHOD || kind == ST_JAVA_SITE;
    if (kind == ST_JAVA_NOTHING || (is_code && !strchr(line, '\t')))
        return row;
    row.kind = kind;
    if (is_code) {
        row.name = join_columns(&line);
        row.descriptor = next_column(&line);
        row.file = shown_file(sites, next_column(&line));
        bool has_flags = strchr(line, '\t') != NULL;
        row.line = (unsigned)strtoul(next_column(&line), NULL, 10);
        if (!has_flags)
            line = unknown_flags;
    } else {
        row.name = next_column(&line);
    }
    row.rest = line;
    return row;
}

struct st_java_row st_java_row(struct st_java_sites *sites, uint64_t offset) {
    size_t number = place_of(sites, offset / ST_JAVA_ROW_BYTES);
    if (number >= sites->count) {
        read_more(sites);
        number = place_of(sites, offset / ST_JAVA_ROW_BYTES);
    }
    if (number >= sites->count)
        return nothing;
    st_reserve(&sites->parsed, &sites->parsed_capacity, sites->count);
    st_reserve(&sites->rows, &sites->row_capacity, sites->count);
    if (!sites->parsed[number]) {
        sites->parsed[number] = true;
        sites->rows[number] = parse(sites, sites->lines[number]);
    }
    return sites->rows[number];
}

/* ---- members ---- */

/* Column `index` of a list; its length is 0 if there is none. */
static const char *find_column(const char *list, uint64_t index, size_t *length) {
    for (; *list && index; index--) {
        list += strcspn(list, "\t");
        list += *list != '\0';
    }
    *length = strcspn(list, "\t");
    return list;
}

void st_java_member(const struct st_java_row *row, uint64_t offset, char *buffer, size_t size) {
    enum { HEADER = 8, BYTES = 8 };
    size_t length;
    buffer[0] = '\0';
    if (offset < HEADER)
        return;
    uint64_t index = (offset - HEADER) / BYTES;
    if (row->kind == ST_JAVA_ARRAYS && *row->rest) {
        snprintf(buffer, size, "[*]"); /* one variable for all elements */
    } else if (row->kind == ST_JAVA_ARRAYS || (row->kind == ST_JAVA_OTHERS && index)) {
        snprintf(buffer, size, "[%" PRIu64 "]", index);
    } else if (row->kind == ST_JAVA_OBJECTS || row->kind == ST_JAVA_STATICS) {
        const char *name = find_column(row->rest, index, &length);
        if (length)
            snprintf(buffer, size, ".%.*s", (int)length, name);
    }
}
