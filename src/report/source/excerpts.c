#include "report/source/source.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/map64.h"
#include "report/calls.h"
#include "symbol/user_code.h"

#include <stdlib.h>
#include <string.h>

enum {
    AROUND = 5,                 /* so many lines are shown before and after one */
    LONGEST_LINE = 500,         /* in bytes; the rest of a line is left out */
    LARGEST_EXCERPTS = 8 << 20, /* of all files together */
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
    size_t left_out;                /* files, since others were large */
};

/* ---- What is spoken of ---- */

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
    want(all, st_user_location(report->symbols, report->details, loc, buffer));
    if (!report->details)
        return;
    struct st_detail detail;
    report->details->lookup(report->details->context, loc, &detail);
    for (const char *const *frame = detail.stack; *frame; frame += 2)
        if (st_is_user_code(frame[0], frame[1]))
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

/* The lines between which the block was cut. */
static void want_gap(struct sources *all, const struct st_block_gap *gap) {
    if (!gap)
        return;
    want(all, gap->left);
    want(all, gap->back);
}

static void want_findings(struct sources *all, const struct st_report *report,
                          const struct st_findings *findings) {
    for (size_t i = 0; i < findings->kept; i++) {
        const struct st_violation *violation = &findings->violations[i];
        want_location(all, report, violation->begin_loc);
        want_gap(all, violation->gap);
        want_location(all, report, violation->event.event.loc);
        want_edges(all, report, violation->path, violation->path_length);
        want_edges(all, report, &violation->closing, 1);
    }
    want_edges(all, report, findings->cycle, findings->cycle_length);
}

static void want_places(struct sources *all, const struct st_report *report,
                        const struct st_place *places, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (places[i].number)
            want_location(all, report, places[i].event.loc);
}

static void want_prediction(struct sources *all, const struct st_report *report,
                            const struct st_prediction *prediction) {
    for (size_t i = 0; i < prediction->listed; i++) {
        const struct st_predicted_block *block = &prediction->blocks[i];
        if (!st_is_reported(block))
            continue;
        want_location(all, report, block->begin_loc);
        want_gap(all, block->gap);
        want_places(all, report, block->events, block->event_count);
        want_edges(all, report, block->path, block->path_length);
    }
    for (size_t i = 0; i < prediction->race_count; i++) {
        want_places(all, report, &prediction->races[i].first, 1);
        want_places(all, report, &prediction->races[i].second, 1);
    }
}

static void want_predictions(struct sources *all, const struct st_report *report) {
    const struct st_predictions *predictions = st_report_predictions(report);
    for (size_t i = 0; i < predictions->count; i++)
        want_prediction(all, report, &predictions->items[i]);
    for (size_t i = 0; i < predictions->deadlock_count; i++)
        for (size_t k = 0; k < predictions->deadlocks[i].count; k++) {
            want_places(all, report, &predictions->deadlocks[i].waits[k].holds, 1);
            want_places(all, report, &predictions->deadlocks[i].waits[k].wants, 1);
        }
}

static void maybe_want(struct sources *all, const char *location) {
    if (location)
        want(all, location);
}

static void want_failures(struct sources *all, const struct st_hunt_facts *hunt) {
    for (size_t i = 0; hunt && i < hunt->failure_count; i++) {
        const struct st_failure *failure = &hunt->failures[i];
        maybe_want(all, failure->loc);
        for (size_t k = 0; k < failure->stuck_count; k++)
            maybe_want(all, failure->stuck[k].loc);
        for (size_t k = 0; k < failure->observation.course_count; k++)
            maybe_want(all, failure->observation.course[k].loc);
    }
}

/* ---- Excerpts ---- */

static int by_number(const void *a, const void *b) {
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return one < other ? -1 : one > other;
}

/* About so many bytes of JSON in a page. */
static size_t written_length(const char *line, size_t length) {
    size_t written = length;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)line[i];
        written += c < ' ' || strchr("<>&'", c) ? 5 : strchr("\"\\", c) ? 1 : c >= 0x80 ? 2 : 0;
    }
    return written;
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
    all->written += written_length(buffer, length) + 4;
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

static void write_full_path(const struct st_report *report, const char *path,
                            struct st_json *json) {
    char *full =
        report->editor_url && *report->editor_url ? st_whole_path(report->folder, path) : NULL;
    if (full)
        st_json_string_field(json, "full", full);
    free(full);
}

/* `text` is NULL when the file is newer than what ran. */
static void write_file(struct sources *all, const struct st_report *report, uint32_t path,
                       const char *text, struct st_json *json) {
    struct source *source = &all->sources[path];
    qsort(source->lines, source->count, sizeof *source->lines, by_number);
    st_json_object(json);
    st_json_key(json, "path");
    st_json_string(json, st_name(&all->paths, path));
    write_full_path(report, st_name(&all->paths, path), json);
    if (!text) {
        st_json_key(json, "newer");
        st_json_bool(json, true);
    }
    st_json_key(json, "parts");
    st_json_array(json);
    if (text)
        write_parts(all, source, text, json);
    st_json_array_end(json);
    st_json_object_end(json);
}

static void write_source(struct sources *all, const struct st_report *report, uint32_t path,
                         struct st_json *json) {
    char *text;
    size_t size;
    if (all->written >= LARGEST_EXCERPTS) {
        all->left_out++;
        return;
    }
    enum st_source_outcome outcome =
        st_source_read(report->folder, st_name(&all->paths, path), report->built, &text, &size);
    if (outcome == ST_SOURCE_NOT_THERE)
        return;
    write_file(all, report, path, text, json);
    free(text);
}

void st_excerpts_json(const struct st_report *report, struct st_json *json) {
    struct sources all = {.written = 0};
    st_names_init(&all.paths);
    struct st_result_list results = st_report_results(report);
    for (size_t i = 0; i < results.count; i++)
        want_findings(&all, report, results.items[i].findings);
    want_predictions(&all, report);
    want_failures(&all, report->hunt);
    st_json_object(json);
    st_json_string_field(json, "editor_url", report->editor_url ? report->editor_url : "");
    st_json_key(json, "files");
    st_json_array(json);
    for (uint32_t path = 0; path < all.paths.count; path++) {
        write_source(&all, report, path, json);
        free(all.sources[path].lines);
    }
    st_json_array_end(json);
    st_json_number_field(json, "left_out", all.left_out);
    st_json_object_end(json);
    free(all.sources);
    st_names_free(&all.paths);
    st_set64_free(&all.seen_lines);
    st_set64_free(&all.seen_locations);
}
