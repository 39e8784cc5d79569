#include "report/source/source.h"

#include "base/memory.h"
#include "base/names.h"
#include "report/source/source_file.h"

#include <stdlib.h>
#include <string.h>

struct source {
    bool asked;
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

/* No report quotes from more than this, all files together. */
enum { ALL_LIMIT = 64 << 20 };

static void open_source(struct st_sources *sources, struct source *source, const char *path) {
    if (sources->total >= ALL_LIMIT)
        return;
    enum st_source_fate fate =
        st_source_read(sources->folder, path, sources->built, &source->text, &source->size);
    if (fate == ST_SOURCE_READ)
        sources->total += source->size;
    else if (fate == ST_SOURCE_NEWER && !sources->newer++)
        sources->first_newer = st_strdup(path);
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

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

bool st_source_line(struct st_sources *sources, const char *location, const char **line,
                    size_t *length) {
    uint32_t number;
    size_t path_length = st_split_location(location, &number);
    const struct source *source = path_length ? find_source(sources, location, path_length) : NULL;
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
