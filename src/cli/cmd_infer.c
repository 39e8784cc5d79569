/* seriatim infer: writes a specification of the blocks that were never violated in some traces. */
#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "cli/common_options.h"
#include "cli/messages.h"
#include "report/report.h"
#include "session/inference.h"
#include "spec/pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct values {
    struct common_values common;
    bool repair;
    unsigned relation, format;
    const char *output;
};

/* The named blocks in the order in which they are listed. */
struct ranking {
    const struct st_inferred_block **blocks;
    size_t count;
    size_t atomic; /* how many of them, at the start, were never violated */
};

/* ---- the specification ---- */

/* Texts from a trace may contain anything; here they must not end a comment or control the
 * terminal. */
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

/* Writes `before`, the location and `after`; nothing if there is no location. */
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

static void put_header(const struct st_inference *inference, const struct ranking *ranking,
                       FILE *file) {
    uint64_t events = 0;
    fputs("# Blocks that were never violated, inferred by seriatim from:\n", file);
    for (size_t i = 0; i < inference->trace_count; i++) {
        const struct st_inferred_trace *trace = &inference->traces[i];
        fputs("#   ", file);
        put_text(trace->path, file);
        fputs(" (", file);
        put_count(trace->events, "event", file);
        if (trace->unusual)
            fprintf(file, "; --%s", st_relation_name(trace->relation));
        fputs(trace->truncated ? "; truncated)\n" : ")\n", file);
        events += trace->events;
    }
    fputs("# ", file);
    put_count(events, "event", file);
    fputs(", ", file);
    put_count(ranking->count, "block name", file);
    fprintf(file, ": %zu never violated, %zu violated.\n\n", ranking->atomic,
            ranking->count - ranking->atomic);
}

/* The width of a text in columns; a character of several bytes takes one. */
static int width_of(const char *text) {
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* Comments are aligned, except after names so long that the others would be far from theirs. */
enum { WIDEST = 48 };

static void put_atomic(const struct ranking *ranking, FILE *file) {
    char **patterns = st_alloc(ranking->atomic + 1, sizeof *patterns);
    int column = 0;
    for (size_t i = 0; i < ranking->atomic; i++) {
        patterns[i] = st_pattern_of(ranking->blocks[i]->name);
        int width = width_of(patterns[i]);
        if (width > column && width <= WIDEST)
            column = width;
    }
    for (size_t i = 0; i < ranking->atomic; i++) {
        int padding = column - width_of(patterns[i]);
        fprintf(file, "atomic function %s%*s  # ", patterns[i], padding > 0 ? padding : 0, "");
        put_count(ranking->blocks[i]->counts.executed, "run", file);
        fputs(", never violated\n", file);
        free(patterns[i]);
    }
    free(patterns);
    /* A file without an `atomic` line would make every block atomic. */
    if (!ranking->atomic)
        fputs("ignore function *  # no block name remains\n", file);
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
static void put_example(const struct st_symbols *symbols, const struct st_inferred_block *block,
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

static void put_refuted(const struct st_inference *inference, const struct ranking *ranking,
                        FILE *file) {
    if (ranking->atomic < ranking->count)
        fputs("\n# Violated, the most rarely violated first:\n", file);
    for (size_t i = ranking->atomic; i < ranking->count; i++) {
        const struct st_inferred_block *block = ranking->blocks[i];
        char *pattern = st_pattern_of(block->name);
        fprintf(file, "# %s: violated in %" PRIu64 " of ", pattern, block->counts.violated);
        put_count(block->counts.executed, "run", file);
        if (block->trace)
            put_example(&inference->symbols, block, file);
        fputc('\n', file);
        free(pattern);
    }
}

static void put_unnamed(const struct st_block_counts *unnamed, FILE *file) {
    if (!unnamed->executed)
        return;
    fputs("\n# Blocks without a name cannot be listed: ", file);
    put_count(unnamed->executed, "run", file);
    fprintf(file, ", %" PRIu64 " of them violated.\n", unnamed->violated);
}

static void write_spec(const struct st_inference *inference, const struct ranking *ranking,
                       FILE *file) {
    put_header(inference, ranking, file);
    put_atomic(ranking, file);
    put_refuted(inference, ranking, file);
    put_unnamed(&inference->unnamed.counts, file);
}

/* ---- JSON ---- */

static void location_field(struct st_json *json, const char *key, const struct st_symbols *symbols,
                           uint64_t loc) {
    char buffer[ST_LOCATION_SIZE];
    st_json_string_field(json, key, st_location_text(symbols, loc, buffer));
}

static void write_place(const struct st_symbols *symbols, const char *key,
                        const struct st_place *place, struct st_json *json) {
    char *op = st_op_text(symbols, &place->event);
    st_json_key(json, key);
    st_json_flat_object(json);
    st_json_number_field(json, "event", place->number);
    st_json_string_field(json, "thread", st_name(&symbols->threads, place->event.thread));
    st_json_string_field(json, "op", op);
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
    st_json_string_field(json, "kind", st_edge_kind_name(closing->kind));
    st_json_string_field(json, "on", st_edge_subject(symbols, closing));
    st_json_object_end(json);
}

static void write_example(const struct st_symbols *symbols, const struct st_inferred_block *block,
                          struct st_json *json) {
    const struct st_violation *example = &block->example;
    st_json_key(json, "example");
    st_json_flat_object(json);
    st_json_string_field(json, "trace", block->trace);
    st_json_string_field(json, "thread", st_name(&symbols->threads, example->thread));
    st_json_number_field(json, "begin", example->begin);
    st_json_key(json, "end");
    if (example->end)
        st_json_number(json, example->end);
    else
        st_json_null(json);
    st_json_number_field(json, "event", example->event.number);
    location_field(json, "begin_loc", symbols, example->begin_loc);
    write_closing(symbols, &example->closing, json);
    st_json_object_end(json);
}

static void write_blocks(const struct st_inference *inference, const char *key,
                         const struct st_inferred_block **blocks, size_t count,
                         struct st_json *json) {
    st_json_key(json, key);
    st_json_array(json);
    for (size_t i = 0; i < count; i++) {
        const struct st_inferred_block *block = blocks[i];
        st_json_flat_object(json);
        st_json_string_field(json, "name", block->name);
        st_json_number_field(json, "executed", block->counts.executed);
        if (block->counts.violated)
            st_json_number_field(json, "violated", block->counts.violated);
        if (block->trace)
            write_example(&inference->symbols, block, json);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_traces(const struct st_inference *inference, struct st_json *json) {
    st_json_key(json, "traces");
    st_json_array(json);
    for (size_t i = 0; i < inference->trace_count; i++) {
        st_json_flat_object(json);
        st_json_string_field(json, "file", inference->traces[i].path);
        st_json_number_field(json, "events", inference->traces[i].events);
        st_json_key(json, "cut");
        st_json_bool(json, inference->traces[i].truncated);
        st_json_string_field(json, "relation", st_relation_name(inference->traces[i].relation));
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_json(const struct st_inference *inference, const struct ranking *ranking,
                       FILE *file) {
    struct st_json json;
    st_json_start(&json, file);
    st_json_object(&json);
    st_json_string_field(&json, "schema", "seriatim-infer/1");
    write_traces(inference, &json);
    write_blocks(inference, "atomic", ranking->blocks, ranking->atomic, &json);
    write_blocks(inference, "refuted", ranking->blocks + ranking->atomic,
                 ranking->count - ranking->atomic, &json);
    st_json_key(&json, "unnamed");
    st_json_flat_object(&json);
    st_json_number_field(&json, "executed", inference->unnamed.counts.executed);
    st_json_number_field(&json, "violated", inference->unnamed.counts.violated);
    st_json_object_end(&json);
    st_json_object_end(&json);
    st_json_finish(&json);
}

/* ---- the command ---- */

static int add_trace(struct st_inference *inference, const char *path, const struct values *values,
                     struct st_error *error) {
    struct st_reading reading;
    if (open_reading(&reading, path,
                     (values->repair ? ST_TRACE_REPAIR : 0) | ST_TRACE_AHEAD | ST_TRACE_LIVES |
                         ST_TRACE_PACKED,
                     values->common.quiet, error) < 0)
        return -1;
    int result = st_inference_read(inference, path, &reading, values->relation, error);
    end_reading(&reading, result == 0);
    st_reading_close(&reading);
    return result;
}

static void write_inference(struct st_inference *inference, unsigned format, FILE *file) {
    struct ranking ranking = {.count = inference->names.count};
    ranking.blocks = st_inference_rank(inference, &ranking.atomic);
    if (format == FORMAT_JSON)
        write_json(inference, &ranking, file);
    else
        write_spec(inference, &ranking, file);
    free(ranking.blocks);
}

static int infer(struct st_inference *inference, const struct values *values,
                 const char *const *paths, struct st_output *output, struct st_error *error) {
    for (; *paths; paths++) {
        if (add_trace(inference, *paths, values, error) < 0) {
            st_output_abandon(output);
            return -1;
        }
    }
    write_inference(inference, values->format, output->file);
    return st_output_finish(output, error);
}

static enum status run(const void *given, const char *const *operands) {
    const struct values *values = given;
    struct st_output output;
    struct st_error error;
    if (st_output_open(&output, values->output, operands, &error) < 0)
        return complain(&error);
    struct st_inference inference;
    st_inference_init(&inference);
    int result = infer(&inference, values, operands, &output, &error);
    st_inference_free(&inference);
    return result < 0 ? complain(&error) : STATUS_CLEAN;
}

static const struct st_option options[] = {
    RELATION_OPTIONS(struct values),
    REPAIR_OPTION(struct values),
    FORMAT_OPTION(struct values),
    OUTPUT_OPTION(struct values),
    COMMON_OPTIONS,
};

const struct command cmd_infer = {
    .name = "infer",
    .operands = "TRACE...",
    .summary = "write a specification of the blocks that were never violated",
    .description =
        "Reads one or more traces and writes a specification for check --spec: the blocks\n"
        "that were never violated, and how often they ran. The violated blocks follow as\n"
        "comments, the most rarely violated first, each with an example.\n\n"
        "Exit status: 0 success, whether or not blocks were violated; 2 error.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .run = run,
};
