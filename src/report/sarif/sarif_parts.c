#define _GNU_SOURCE
#include "report/sarif/sarif_parts.h"

#include "base/memory.h"
#include "report/text_buffer.h"
#include "report/json/json_fields.h"
#include "report/source/source_file.h"
#include "report/calls.h"
#include "report/story/story.h"
#include "report/user_line.h"

#include <stdlib.h>
#include <string.h>

/* ---- Messages ---- */

/* Braces mark what is to be filled in, unless they are doubled. */
static char *double_braces(const char *text) {
    char *copy = st_alloc(2 * strlen(text) + 1, 1), *end = copy;
    for (; *text; text++) {
        if (*text == '{' || *text == '}')
            *end++ = *text;
        *end++ = *text;
    }
    return copy;
}

static void put_words(struct st_json *json, const char *key, const char *words) {
    char *text = double_braces(words);
    string_field(json, key, text);
    free(text);
}

void st_sarif_message(struct st_sarif *sarif, const char *key, const char *text,
                      const char *markdown) {
    st_json_key(&sarif->json, key);
    st_json_flat_object(&sarif->json);
    put_words(&sarif->json, "text", text);
    if (markdown)
        put_words(&sarif->json, "markdown", markdown);
    st_json_object_end(&sarif->json);
}

char *st_markdown(const char *text) {
    char *copy = st_alloc(2 * strlen(text) + 1, 1), *end = copy;
    for (; *text; text++) {
        if (strchr("\\`*_[]()<>#+-!|&~", *text))
            *end++ = '\\';
        *end++ = *text;
    }
    return copy;
}

/* ---- Places ---- */

static bool is_plain(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           strchr("-._~/", c);
}

/* Bytes that mean something else in a URI are written as %XX. */
static void put_uri(FILE *file, const char *path) {
    for (; *path; path++) {
        if (is_plain(*path))
            fputc(*path, file);
        else
            fprintf(file, "%%%02X", (unsigned char)*path);
    }
}

void st_sarif_artifact(struct st_sarif *sarif, const char *path) {
    struct st_text_buffer buffer;
    size_t length = sarif->folder ? strlen(sarif->folder) : 0;
    if (length && strncmp(path, sarif->folder, length) == 0)
        path += length;
    bool absolute = *path == '/';
    FILE *file = st_text_buffer_open(&buffer);
    fputs(absolute ? "file://" : "", file);
    put_uri(file, path);
    char *uri = st_text_buffer_close(&buffer);
    st_json_key(&sarif->json, "artifactLocation");
    st_json_flat_object(&sarif->json);
    string_field(&sarif->json, "uri", uri);
    if (!absolute)
        string_field(&sarif->json, "uriBaseId", "SRCROOT");
    st_json_object_end(&sarif->json);
    free(uri);
}

/* "physicalLocation": {...} if the text names a line of a file; otherwise the trace, if it may be
 * shown instead. */
static void put_physical(struct st_sarif *sarif, const char *location, bool or_trace) {
    struct st_json *json = &sarif->json;
    uint32_t line;
    size_t length = st_split_location(location, &line);
    bool trace = or_trace && strcmp(sarif->report->trace, "-") != 0;
    if (!length && !trace)
        return;
    char *path = st_strdup(length ? location : sarif->report->trace);
    if (length)
        path[length] = '\0';
    st_json_key(json, "physicalLocation");
    st_json_flat_object(json);
    st_sarif_artifact(sarif, path);
    if (length) {
        st_json_key(json, "region");
        st_json_flat_object(json);
        number_field(json, "startLine", line);
        st_json_object_end(json);
    }
    st_json_object_end(json);
    free(path);
}

static void put_logical(struct st_sarif *sarif, const char *function) {
    struct st_json *json = &sarif->json;
    if (!*function)
        return;
    st_json_key(json, "logicalLocations");
    st_json_array(json);
    st_json_flat_object(json);
    string_field(json, "fullyQualifiedName", function);
    string_field(json, "kind", "function");
    st_json_object_end(json);
    st_json_array_end(json);
}

static struct st_user_line line_of(const struct st_sarif *sarif, uint64_t loc,
                                   char buffer[ST_LOCATION_SIZE]) {
    return st_user_line(sarif->report->symbols, sarif->report->details, loc, buffer);
}

static struct st_detail detail_of(const struct st_sarif *sarif, uint64_t loc) {
    static const char *const none[] = {NULL};
    struct st_detail detail = {"", none, none};
    if (sarif->report->details)
        sarif->report->details->lookup(sarif->report->details->context, loc, &detail);
    return detail;
}

static void put_location(struct st_sarif *sarif, const char *location, const char *function,
                         const char *message) {
    st_json_flat_object(&sarif->json);
    put_physical(sarif, location, true);
    put_logical(sarif, function);
    st_sarif_message(sarif, "message", message, NULL);
    st_json_object_end(&sarif->json);
}

void st_sarif_location(struct st_sarif *sarif, const struct st_place *place, const char *message) {
    char buffer[ST_LOCATION_SIZE];
    struct st_user_line line = line_of(sarif, place->event.loc, buffer);
    put_location(sarif, line.location, line.function, message);
}

/* Of the calls that led to the step, the one that was made in the block itself. */
void st_sarif_block_location(struct st_sarif *sarif, const struct st_violation *violation,
                             const char *message) {
    const struct st_report *report = sarif->report;
    char buffer[ST_LOCATION_SIZE];
    const char *block = st_target_name(report->symbols, ST_BEGIN, violation->block);
    struct st_user_line line = line_of(sarif, violation->event.event.loc, buffer);
    struct st_calls around = st_calls_at(report->details, violation->begin_loc);
    struct st_calls calls = st_calls_at(report->details, violation->event.event.loc);
    if (around.count && calls.count) {
        const struct st_frame_text *frame = &calls.frames[st_calls_new(&calls, &around) - 1];
        line = (struct st_user_line){frame->function, frame->location};
    }
    put_location(sarif, line.location, *line.function ? line.function : block, message);
    st_calls_free(&around);
    st_calls_free(&calls);
}

/* ---- Stacks ---- */

bool st_sarif_has_stack(const struct st_sarif *sarif, const struct st_place *place) {
    return place->number && *detail_of(sarif, place->event.loc).stack;
}

static void put_frame(struct st_sarif *sarif, const char *function, const char *location) {
    struct st_json *json = &sarif->json;
    st_json_flat_object(json);
    st_json_key(json, "location");
    st_json_flat_object(json);
    put_physical(sarif, location, false);
    put_logical(sarif, function);
    st_json_object_end(json);
    st_json_object_end(json);
}

void st_sarif_stack(struct st_sarif *sarif, const char *key, const struct st_place *place,
                    const char *message) {
    struct st_json *json = &sarif->json;
    if (!st_sarif_has_stack(sarif, place))
        return;
    if (key)
        st_json_key(json, key);
    st_json_object(json);
    if (message)
        st_sarif_message(sarif, "message", message, NULL);
    st_json_key(json, "frames");
    st_json_array(json);
    struct st_detail detail = detail_of(sarif, place->event.loc);
    for (const char *const *frame = detail.stack; *frame; frame += 2)
        put_frame(sarif, frame[0], frame[1]);
    st_json_array_end(json);
    st_json_object_end(json);
}

/* ---- Steps of threads ---- */

char *st_sarif_deed(const struct st_sarif *sarif, const struct st_place *place) {
    char buffer[ST_LOCATION_SIZE];
    uint32_t line;
    struct st_text_buffer words;
    const struct st_symbols *symbols = sarif->report->symbols;
    const char *location = line_of(sarif, place->event.loc, buffer).location;
    char *action =
        st_action_text(symbols, &place->event, st_report_predictions(sarif->report)->count);
    FILE *file = st_text_buffer_open(&words);
    fputs(action, file);
    if (*location && !st_split_location(location, &line))
        fprintf(file, " at %s%s", place->event.loc & ST_LOC_NAME ? "" : "location ", location);
    free(action);
    return st_text_buffer_close(&words);
}

/* In words that the standard proposes. */
static void put_kinds(struct st_json *json, enum st_op op) {
    static const char *const kinds[][2] = {
        [ST_READ] = {"memory", "value"},    [ST_WRITE] = {"memory", "value"},
        [ST_ACQUIRE] = {"acquire", "lock"}, [ST_RELEASE] = {"release", "lock"},
        [ST_FORK] = {"call", "resource"},   [ST_JOIN] = {"return", "resource"},
        [ST_BEGIN] = {"enter", "scope"},    [ST_END] = {"exit", "scope"},
        [ST_SEND] = {"release", "value"},   [ST_RECEIVE] = {"acquire", "value"},
    };
    st_json_key(json, "kinds");
    st_json_array(json);
    st_json_string(json, kinds[op][0]);
    st_json_string(json, kinds[op][1]);
    st_json_array_end(json);
}

static void put_locks(struct st_sarif *sarif, const struct st_place *place) {
    struct st_detail detail = detail_of(sarif, place->event.loc);
    struct st_text_buffer buffer;
    if (!*detail.locks)
        return;
    FILE *file = st_text_buffer_open(&buffer);
    for (const char *const *lock = detail.locks; *lock; lock++)
        fprintf(file, "%s%s", lock == detail.locks ? "" : ", ", *lock);
    char *locks = st_text_buffer_close(&buffer);
    st_json_key(&sarif->json, "state");
    st_json_flat_object(&sarif->json);
    st_sarif_message(sarif, "locks held", locks, NULL);
    st_json_object_end(&sarif->json);
    free(locks);
}

static void put_step(struct st_sarif *sarif, const struct st_place *place, size_t order) {
    char *deed = st_sarif_deed(sarif, place);
    st_json_object(&sarif->json);
    st_json_key(&sarif->json, "location");
    st_sarif_location(sarif, place, deed);
    put_kinds(&sarif->json, (enum st_op)place->event.written);
    number_field(&sarif->json, "executionOrder", order);
    put_locks(sarif, place);
    st_sarif_stack(sarif, "stack", place, NULL);
    st_json_object_end(&sarif->json);
    free(deed);
}

static void put_thread_flow(struct st_sarif *sarif, const struct st_place *steps, size_t count,
                            uint32_t thread) {
    struct st_json *json = &sarif->json;
    st_json_object(json);
    string_field(json, "id", st_name(&sarif->report->symbols->threads, thread));
    st_json_key(json, "locations");
    st_json_array(json);
    for (size_t i = 0; i < count; i++)
        if (steps[i].event.thread == thread)
            put_step(sarif, &steps[i], i + 1);
    st_json_array_end(json);
    st_json_object_end(json);
}

void st_sarif_code_flow(struct st_sarif *sarif, const struct st_place *steps, size_t count,
                        uint32_t home) {
    struct st_json *json = &sarif->json;
    bool *told = st_alloc(sarif->report->symbols->threads.count, sizeof *told);
    st_json_key(json, "codeFlows");
    st_json_array(json);
    st_json_object(json);
    st_json_key(json, "threadFlows");
    st_json_array(json);
    put_thread_flow(sarif, steps, count, home);
    told[home] = true;
    for (size_t i = 0; i < count; i++) {
        uint32_t thread = steps[i].event.thread;
        if (!told[thread])
            put_thread_flow(sarif, steps, count, thread);
        told[thread] = true;
    }
    free(told);
    st_json_array_end(json);
    st_json_object_end(json);
    st_json_array_end(json);
}
