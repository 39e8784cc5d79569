#define _GNU_SOURCE
#include "report/triage/fingerprint.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "report/calls.h"
#include "report/predicted_violation.h"
#include "report/source/source.h"
#include "report/triage/gaps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* A change of what is hashed makes every finding a new one, and must change this. */
static const char version[] = "seriatim fingerprint 2\n";

/* ---- Names without what changes from run to run ---- */

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Where a number begins that is a line, an index, an offset, an address or the how-manieth:
 * "bank.c:21", "count[3]", "+8", "0x7ffc01", "lock #2". */
static bool starts_number(const char *text, size_t at) {
    if (text[at] < '0' || text[at] > '9')
        return false;
    return at == 0 ? text[1] == 'x' : strchr(":[+#", text[at - 1]) || text[at + 1] == 'x';
}

/* Of a path, only the name of the file: "heap block of 8 bytes from /home/me/bank.c:12 (make)". */
static const char *skip_folders(const char *text) {
    size_t length = strcspn(text, " ");
    const char *slash = memrchr(text, '/', length);
    return slash ? slash + 1 : text;
}

static void put_stable(FILE *file, const char *text) {
    for (size_t i = 0; text[i]; i++) {
        if (i == 0 || text[i - 1] == ' ')
            i = (size_t)(skip_folders(text + i) - text);
        if (starts_number(text, i))
            while (is_word(text[i]))
                i++;
        if (!text[i])
            break;
        fputc(text[i], file);
    }
}

/* Names of functions mean what they say, but for code without one ("libx.so+0x12") and for critical
 * sections and turns of loops, which are named after lines. */
static void put_function(FILE *file, const char *name) {
    if (strstr(name, "+0x") || strncmp(name, "section of ", 11) == 0 ||
        strncmp(name, "0x", 2) == 0 || strncmp(name, ST_TURN_OF, strlen(ST_TURN_OF)) == 0)
        put_stable(file, name);
    else
        fputs(name, file);
}

/* The file of a location, the library's own for a block of a library, without line and folders;
 * nothing for mere numbers. */
static void put_file(FILE *file, const struct st_report *report, uint64_t loc) {
    char buffer[ST_LOCATION_SIZE];
    uint32_t line;
    const char *text = st_innermost_line(report->symbols, report->details, loc, buffer).location;
    size_t length = st_split_location(text, &line);
    const char *slash = memrchr(text, '/', length);
    const char *name = slash ? slash + 1 : text;
    fwrite(name, 1, length - (size_t)(name - text), file);
}

/* ---- Parts of findings ---- */

/* "acq balance_of" */
static void put_step(FILE *file, const struct st_report *report, const struct st_place *place) {
    if (!place->number)
        return; /* only its thread is known */
    struct st_calls calls = st_calls_at(report->details, place->event.loc);
    fprintf(file, "%s ", st_op_std((enum st_op)place->event.written));
    if (calls.count)
        put_function(file, calls.frames[0].function);
    else
        put_file(file, report, place->event.loc);
    st_calls_free(&calls);
}

/* Threads are numbered as they come, so the names of those that were forked say nothing. */
static void put_edge(FILE *file, const struct st_report *report, const struct st_edge *edge) {
    fprintf(file, "%s ", st_edge_kind_name(edge->kind));
    if (edge->kind != ST_EDGE_FORK && edge->kind != ST_EDGE_JOIN && edge->to.number)
        put_stable(file, st_edge_subject(report->symbols, edge));
    fputs("\n  ", file);
    put_step(file, report, &edge->from);
    fputs("\n  ", file);
    put_step(file, report, &edge->to);
    fputc('\n', file);
}

static struct st_fingerprint hash(const char *text) {
    XXH128_hash_t value = XXH3_128bits(text, strlen(text));
    struct st_fingerprint fingerprint;
    snprintf(fingerprint.text, sizeof fingerprint.text, "%016" PRIx64 "%016" PRIx64, value.high64,
             value.low64);
    return fingerprint;
}

/* As JSON keeps texts, so that a finding from a saved result is still the same: what is no UTF-8 is
 * U+FFFD. */
static char *make_valid(char *text) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    for (const char *at = text; *at;) {
        size_t length = st_utf8_length(at);
        if (length)
            fwrite(at, 1, length, file);
        else
            fputs("\xef\xbf\xbd", file);
        at += length ? length : 1;
    }
    free(text);
    return st_text_buffer_close(&buffer);
}

static struct st_fingerprint hash_text(struct st_text_buffer *buffer) {
    char *text = make_valid(st_text_buffer_close(buffer));
    struct st_fingerprint fingerprint = hash(text);
    free(text);
    return fingerprint;
}

/* The block and its file. */
static void put_block(FILE *file, const struct st_report *report, uint32_t block, uint64_t loc) {
    fputs(version, file);
    put_function(file, st_target_name(report->symbols, ST_BEGIN, block));
    fputc('\n', file);
    put_file(file, report, loc);
    fputc('\n', file);
}

struct st_fingerprint st_gap_fingerprint(const struct st_report *report, uint32_t block,
                                         uint64_t begin_loc, const char *key) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    put_block(file, report, block, begin_loc);
    fputs(key, file);
    return hash_text(&buffer);
}

struct st_fingerprint st_fingerprint(const struct st_report *report,
                                     const struct st_violation *violation) {
    if (violation->gap)
        return violation->gap->fingerprint;
    struct st_block_gap *gap = st_make_gap(report, violation);
    struct st_fingerprint fingerprint = gap->fingerprint;
    st_block_gap_free(gap);
    return fingerprint;
}

struct st_fingerprint st_predicted_fingerprint(const struct st_report *report,
                                               const struct st_predicted_block *block) {
    struct st_violation violation = st_predicted_violation(block);
    struct st_fingerprint fingerprint = st_fingerprint(report, &violation);
    free(violation.path);
    return fingerprint;
}

void st_put_stable_step(FILE *file, const struct st_report *report, const struct st_place *place) {
    if (!place->number)
        return; /* only its thread is known */
    const struct st_event *event = &place->event;
    enum st_op op = (enum st_op)event->written;
    fprintf(file, "%s ", st_op_std(op));
    if (op != ST_FORK && op != ST_JOIN) /* threads are numbered as they come */
        put_stable(file, st_target_name(report->symbols, op, event->target));
}

struct st_fingerprint st_steps_fingerprint(const struct st_report *report,
                                           const struct st_place *steps, size_t count) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    fputs(version, file);
    for (size_t i = 0; i < count; i++) {
        const struct st_event *event = &steps[i].event;
        put_step(file, report, &steps[i]);
        fputc(' ', file);
        put_stable(file,
                   st_target_name(report->symbols, (enum st_op)event->written, event->target));
        fputc('\n', file);
    }
    return hash_text(&buffer);
}

/* ---- Cycles ---- */

static void put_transaction(FILE *file, const struct st_report *report,
                            const struct st_transaction *transaction) {
    if (transaction->first && !transaction->unary)
        put_function(file, st_target_name(report->symbols, ST_BEGIN, transaction->block));
    fputc('\n', file);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The dependences in the order of their texts: a cycle has no first one. */
struct st_fingerprint st_cycle_fingerprint(const struct st_report *report,
                                           const struct st_findings *findings) {
    size_t count = findings->cycle_length;
    char **edges = st_alloc(count, sizeof *edges);
    struct st_text_buffer buffer;
    for (size_t i = 0; i < count; i++) {
        FILE *file = st_text_buffer_open(&buffer);
        put_edge(file, report, &findings->cycle[i]);
        if (findings->cycle_ends) {
            put_transaction(file, report, &findings->cycle_ends[i].from);
            put_transaction(file, report, &findings->cycle_ends[i].to);
        }
        edges[i] = st_text_buffer_close(&buffer);
    }
    qsort(edges, count, sizeof *edges, by_text);
    fprintf(st_text_buffer_open(&buffer), "%scycle\n", version);
    for (size_t i = 0; i < count; i++) {
        fputs(edges[i], buffer.file);
        free(edges[i]);
    }
    free(edges);
    return hash_text(&buffer);
}
