/* What infer found, as a specification file and as JSON. */
#include "session/inference.h"

#include "base/json.h"
#include "base/memory.h"
#include "report/report.h"
#include "spec/pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const struct tally_block *block;
    const char *name;
};

/* The block names in the order in which they are listed. */
struct ranking {
    struct row *rows;
    size_t count;
    size_t atomic; /* how many of them, at the start, were never cut */
};

/* a/b against c/d. */
static int compare_shares(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    unsigned __int128 left = (unsigned __int128)a * d, right = (unsigned __int128)c * b;
    return (left > right) - (left < right);
}

/* A block that is rarely cut is likely to be meant atomic, the more so the more often it ran. */
static int compare_rows(const void *left, const void *right) {
    const struct row *a = left, *b = right;
    int order = compare_shares(a->block->violated, a->block->executed, b->block->violated,
                               b->block->executed);
    if (order)
        return order;
    if (a->block->executed != b->block->executed)
        return a->block->executed > b->block->executed ? -1 : 1;
    return strcmp(a->name, b->name);
}

static struct ranking rank_names(const struct tally *tally) {
    struct ranking ranking = {.count = tally->names.count};
    ranking.rows = st_alloc(ranking.count + 1, sizeof *ranking.rows);
    for (uint32_t i = 0; i < ranking.count; i++) {
        ranking.rows[i] = (struct row){&tally->blocks[i], st_name(&tally->names, i)};
        ranking.atomic += !tally->blocks[i].violated;
    }
    qsort(ranking.rows, ranking.count, sizeof *ranking.rows, compare_rows);
    return ranking;
}

/* ---- The specification ---- */

/* Texts from a trace may hold anything; here they must not end a comment or obey a terminal. */
static void put_text(const char *text, FILE *file) {
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            fprintf(file, "\\x%02x", (unsigned char)*text);
        else
            fputc(*text, file);
    }
}

static void put_count(uint64_t count, const char *noun, FILE *file) {
    fprintf(file, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

/* `before`, the location and `after`; nothing where a trace has no location. */
static void put_location(const struct st_symbols *symbols, uint64_t loc, const char *before,
                         const char *after, FILE *file) {
    char buffer[ST_LOCATION_SIZE];
    const char *text = st_location_text(symbols, loc, buffer);
    if (!*text)
        return;
    fputs(before, file);
    if (!(loc & ST_LOC_NAME))
        fputs("location ", file);
    put_text(text, file);
    fputs(after, file);
}

static void put_header(const struct tally *tally, const struct ranking *ranking, FILE *file) {
    uint64_t events = 0;
    fputs("# Blocks that were never cut, inferred by seriatim from:\n", file);
    for (size_t i = 0; i < tally->trace_count; i++) {
        const struct tally_trace *trace = &tally->traces[i];
        fputs("#   ", file);
        put_text(trace->path, file);
        fputs(" (", file);
        put_count(trace->events, "event", file);
        fputs(trace->cut ? "; cut off)\n" : ")\n", file);
        events += trace->events;
    }
    fputs("# ", file);
    put_count(events, "event", file);
    fputs(", ", file);
    put_count(ranking->count, "block name", file);
    fprintf(file, ": %zu never cut, %zu cut.\n\n", ranking->atomic,
            ranking->count - ranking->atomic);
}

/* Columns of a text; a letter of several bytes is one. */
static int width_of(const char *text) {
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* Comments stand below each other, but for names so long that others would be far from theirs. */
enum { WIDEST = 48 };

static void put_atomic(const struct ranking *ranking, FILE *file) {
    char **patterns = st_alloc(ranking->atomic + 1, sizeof *patterns);
    int column = 0;
    for (size_t i = 0; i < ranking->atomic; i++) {
        patterns[i] = st_pattern_of(ranking->rows[i].name);
        int width = width_of(patterns[i]);
        if (width > column && width <= WIDEST)
            column = width;
    }
    for (size_t i = 0; i < ranking->atomic; i++) {
        int padding = column - width_of(patterns[i]);
        fprintf(file, "atomic function %s%*s  # ", patterns[i], padding > 0 ? padding : 0, "");
        put_count(ranking->rows[i].block->executed, "run", file);
        fputs(", never cut\n", file);
        free(patterns[i]);
    }
    free(patterns);
    /* A file without an `atomic` line would call everything atomic. */
    if (!ranking->atomic)
        fputs("ignore function *  # no block name is left\n", file);
}

/* "T2 came in between at bank.c:37, lock savings.lock" */
static void put_intruder(const struct st_symbols *symbols, const struct st_edge *closing,
                         FILE *file) {
    static const char *const subjects[] = {
        [ST_EDGE_CONFLICT] = "variable", [ST_EDGE_LOCK] = "lock",    [ST_EDGE_FORK] = "fork of",
        [ST_EDGE_JOIN] = "join of",      [ST_EDGE_SYNC] = "channel",
    };
    if (!closing->to.number) {
        fputs("another thread came in between", file);
        return;
    }
    put_text(st_name(&symbols->threads, closing->from.event.thread), file);
    fputs(" came in between", file);
    if (!closing->from.number)
        return;
    put_location(symbols, closing->from.event.loc, " at ", "", file);
    fprintf(file, ", %s ", subjects[closing->kind]);
    put_text(st_edge_subject(symbols, closing), file);
}

/* "first in bank.std, T1, events 15 to 32 (bank.c:21): ..." */
static void put_example(const struct st_symbols *symbols, const struct tally_block *block,
                        FILE *file) {
    const struct st_violation *example = &block->example;
    fputs("; first in ", file);
    put_text(block->trace, file);
    fputs(", ", file);
    put_text(st_name(&symbols->threads, example->thread), file);
    if (example->end)
        fprintf(file, ", events %" PRIu64 " to %" PRIu64, example->begin, example->end);
    else
        fprintf(file, ", from event %" PRIu64 " to the end", example->begin);
    put_location(symbols, example->begin_loc, " (", ")", file);
    fputs(": ", file);
    put_intruder(symbols, &example->closing, file);
}

static void put_refuted(const struct tally *tally, const struct ranking *ranking, FILE *file) {
    if (ranking->atomic < ranking->count)
        fputs("\n# Cut by other threads, the most rarely cut first:\n", file);
    for (size_t i = ranking->atomic; i < ranking->count; i++) {
        const struct row *row = &ranking->rows[i];
        char *pattern = st_pattern_of(row->name);
        fprintf(file, "# %s: cut in %" PRIu64 " of ", pattern, row->block->violated);
        put_count(row->block->executed, "run", file);
        if (row->block->trace)
            put_example(&tally->symbols, row->block, file);
        fputc('\n', file);
        free(pattern);
    }
}

static void put_unnamed(const struct tally_block *unnamed, FILE *file) {
    if (!unnamed->executed)
        return;
    fputs("\n# Blocks without a name cannot be listed: ", file);
    put_count(unnamed->executed, "run", file);
    fprintf(file, ", %" PRIu64 " of them cut.\n", unnamed->violated);
}

void tally_write_spec(const struct tally *tally, FILE *file) {
    struct ranking ranking = rank_names(tally);
    put_header(tally, &ranking, file);
    put_atomic(&ranking, file);
    put_refuted(tally, &ranking, file);
    put_unnamed(&tally->unnamed, file);
    free(ranking.rows);
}

/* ---- JSON ---- */

static void string_field(struct st_json *json, const char *key, const char *text) {
    st_json_key(json, key);
    st_json_string(json, text);
}

static void number_field(struct st_json *json, const char *key, uint64_t number) {
    st_json_key(json, key);
    st_json_number(json, number);
}

static void location_field(struct st_json *json, const char *key, const struct st_symbols *symbols,
                           uint64_t loc) {
    char buffer[ST_LOCATION_SIZE];
    string_field(json, key, st_location_text(symbols, loc, buffer));
}

static void write_place(const struct st_symbols *symbols, const char *key,
                        const struct st_place *place, struct st_json *json) {
    char *op = st_op_text(symbols, &place->event);
    st_json_key(json, key);
    st_json_flat_object(json);
    number_field(json, "event", place->number);
    string_field(json, "thread", st_name(&symbols->threads, place->event.thread));
    string_field(json, "op", op);
    location_field(json, "loc", symbols, place->event.loc);
    st_json_object_end(json);
    free(op);
}

static void write_closing(const struct st_symbols *symbols, const struct st_edge *closing,
                          struct st_json *json) {
    st_json_key(json, "closing");
    if (!closing->from.number) {
        st_json_null(json);
        return;
    }
    st_json_flat_object(json);
    write_place(symbols, "from", &closing->from, json);
    write_place(symbols, "to", &closing->to, json);
    string_field(json, "kind", st_edge_kind_name(closing->kind));
    string_field(json, "on", st_edge_subject(symbols, closing));
    st_json_object_end(json);
}

static void write_example(const struct st_symbols *symbols, const struct tally_block *block,
                          struct st_json *json) {
    const struct st_violation *example = &block->example;
    st_json_key(json, "example");
    st_json_flat_object(json);
    string_field(json, "trace", block->trace);
    string_field(json, "thread", st_name(&symbols->threads, example->thread));
    number_field(json, "begin", example->begin);
    st_json_key(json, "end");
    if (example->end)
        st_json_number(json, example->end);
    else
        st_json_null(json);
    number_field(json, "event", example->event.number);
    location_field(json, "begin_loc", symbols, example->begin_loc);
    write_closing(symbols, &example->closing, json);
    st_json_object_end(json);
}

static void write_blocks(const struct tally *tally, const char *key, const struct row *rows,
                         size_t count, struct st_json *json) {
    st_json_key(json, key);
    st_json_array(json);
    for (size_t i = 0; i < count; i++) {
        const struct tally_block *block = rows[i].block;
        st_json_flat_object(json);
        string_field(json, "name", rows[i].name);
        number_field(json, "executed", block->executed);
        if (block->violated)
            number_field(json, "violated", block->violated);
        if (block->trace)
            write_example(&tally->symbols, block, json);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_traces(const struct tally *tally, struct st_json *json) {
    st_json_key(json, "traces");
    st_json_array(json);
    for (size_t i = 0; i < tally->trace_count; i++) {
        st_json_flat_object(json);
        string_field(json, "file", tally->traces[i].path);
        number_field(json, "events", tally->traces[i].events);
        st_json_key(json, "cut");
        st_json_bool(json, tally->traces[i].cut);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

void tally_write_json(const struct tally *tally, FILE *file) {
    struct ranking ranking = rank_names(tally);
    struct st_json json;
    st_json_start(&json, file);
    st_json_object(&json);
    string_field(&json, "schema", "seriatim-infer/1");
    write_traces(tally, &json);
    write_blocks(tally, "atomic", ranking.rows, ranking.atomic, &json);
    write_blocks(tally, "refuted", ranking.rows + ranking.atomic, ranking.count - ranking.atomic,
                 &json);
    st_json_key(&json, "unnamed");
    st_json_flat_object(&json);
    number_field(&json, "executed", tally->unnamed.executed);
    number_field(&json, "violated", tally->unnamed.violated);
    st_json_object_end(&json);
    st_json_object_end(&json);
    st_json_finish(&json);
    free(ranking.rows);
}
