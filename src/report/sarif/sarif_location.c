#include "report/sarif/sarif_location.h"

#include "base/memory.h"
#include "base/output.h"
#include "report/source/source.h"
#include "report/source_root.h"

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

static void put_escaped(struct st_json *json, const char *key, const char *words) {
    char *text = double_braces(words);
    st_json_string_field(json, key, text);
    free(text);
}

void st_sarif_message(struct st_sarif *sarif, const char *key, const char *text,
                      const char *markdown) {
    st_json_key(&sarif->json, key);
    st_json_flat_object(&sarif->json);
    put_escaped(&sarif->json, "text", text);
    if (markdown)
        put_escaped(&sarif->json, "markdown", markdown);
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

/* ---- Files ---- */

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

static void put_artifact(struct st_sarif *sarif, const char *path) {
    struct st_text_buffer buffer;
    size_t length = sarif->folder ? strlen(sarif->folder) : 0;
    char *from_root = st_root_path(sarif->report, path);
    path = from_root;
    if (!sarif->report->root && length && strncmp(path, sarif->folder, length) == 0)
        path += length;
    bool absolute = *path == '/';
    FILE *file = st_text_buffer_open(&buffer);
    fputs(absolute ? "file://" : "", file);
    put_uri(file, path);
    char *uri = st_text_buffer_close(&buffer);
    st_json_key(&sarif->json, "artifactLocation");
    st_json_flat_object(&sarif->json);
    st_json_string_field(&sarif->json, "uri", uri);
    if (!absolute)
        st_json_string_field(&sarif->json, "uriBaseId", "SRCROOT");
    st_json_object_end(&sarif->json);
    free(from_root);
    free(uri);
}

void st_sarif_file(struct st_sarif *sarif, const char *path, uint32_t line) {
    struct st_json *json = &sarif->json;
    st_json_key(json, "physicalLocation");
    st_json_flat_object(json);
    put_artifact(sarif, path);
    if (line) {
        st_json_key(json, "region");
        st_json_flat_object(json);
        st_json_number_field(json, "startLine", line);
        st_json_object_end(json);
    }
    st_json_object_end(json);
}

/* ---- Places ---- */

/* False when the location names no line of a file. */
static bool put_line(struct st_sarif *sarif, const char *location) {
    uint32_t line;
    size_t length = st_split_location(location, &line);
    if (!length)
        return false;
    char *path = st_strdup(location);
    path[length] = '\0';
    st_sarif_file(sarif, path, line);
    free(path);
    return true;
}

static void put_function(struct st_sarif *sarif, const char *function) {
    struct st_json *json = &sarif->json;
    if (!*function)
        return;
    st_json_key(json, "logicalLocations");
    st_json_array(json);
    st_json_flat_object(json);
    st_json_string_field(json, "fullyQualifiedName", function);
    st_json_string_field(json, "kind", "function");
    st_json_object_end(json);
    st_json_array_end(json);
}

void st_sarif_place(struct st_sarif *sarif, const char *location, const char *function) {
    if (!put_line(sarif, location) && strcmp(sarif->report->trace, "-") != 0)
        st_sarif_file(sarif, sarif->report->trace, 0);
    put_function(sarif, function);
}

struct st_detail st_sarif_detail(const struct st_sarif *sarif, const struct st_place *place) {
    static const char *const none[] = {NULL};
    const struct st_details *details = sarif->report->details;
    struct st_detail detail = {"", none, none, false, NULL};
    if (details && place->number)
        details->lookup(details->context, place->event.loc, &detail);
    return detail;
}

/* ---- Stacks ---- */

static void put_frame(struct st_sarif *sarif, const char *function, const char *location) {
    struct st_json *json = &sarif->json;
    st_json_flat_object(json);
    st_json_key(json, "location");
    st_json_flat_object(json);
    put_line(sarif, location);
    put_function(sarif, function);
    st_json_object_end(json);
    st_json_object_end(json);
}

void st_sarif_stack(struct st_sarif *sarif, const struct st_place *place, const char *message) {
    struct st_json *json = &sarif->json;
    struct st_detail detail = st_sarif_detail(sarif, place);
    st_json_object(json);
    if (message)
        st_sarif_message(sarif, "message", message, NULL);
    st_json_key(json, "frames");
    st_json_array(json);
    for (const char *const *frame = detail.stack; *frame; frame += 2)
        put_frame(sarif, frame[0], frame[1]);
    st_json_array_end(json);
    st_json_object_end(json);
}

void st_sarif_calls(struct st_sarif *sarif, const struct st_calls *calls) {
    struct st_json *json = &sarif->json;
    st_json_object(json);
    st_json_key(json, "frames");
    st_json_array(json);
    for (size_t i = 0; i < calls->count; i++)
        put_frame(sarif, calls->frames[i].function, calls->frames[i].location);
    st_json_array_end(json);
    st_json_object_end(json);
}
