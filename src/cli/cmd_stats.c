/* seriatim stats: what a trace consists of, and which of its accesses race. */
#include "base/json.h"
#include "session/race_list.h"
#include "cli/shared.h"

#include <inttypes.h>
#include <string.h>

struct values {
    struct common_values common;
    bool repair;
    unsigned format;
    const char *output;
};

/* A line of the result: a label for people and a key for programs. */
struct fact {
    const char *label, *key;
    uint64_t count;
};

static size_t count_names(const struct st_facts *facts) {
    size_t names = 0;
    for (size_t i = 0; i < facts->executed_count; i++)
        names += facts->executed[i] != 0;
    return names;
}

enum { FACT_COUNT = 15 };

static void list_facts(const struct st_trace *trace, struct fact list[FACT_COUNT]) {
    const struct st_facts *facts = st_trace_facts(trace);
    const struct st_symbols *symbols = st_trace_symbols(trace);
    const struct fact all[FACT_COUNT] = {
        {"events", "events", facts->events},
        {"threads", "threads", symbols->threads.count},
        {"variables", "variables", symbols->variables.count},
        {"locks", "locks", symbols->locks.count},
        {"channels", "channels", symbols->channels.count},
        {"blocks", "blocks", facts->ops[ST_BEGIN]},
        {"  outermost", "outermost_blocks", facts->outermost_blocks},
        {"  unnamed", "unnamed_blocks", facts->unnamed_blocks},
        {"  different names", "block_names", count_names(facts)},
        {"  deepest nesting", "deepest_nesting", facts->deepest},
        {"  open at the end", "open_blocks", facts->open_blocks},
        {"events outside blocks", "unary_events", facts->unary},
        {"re-entrant lock events", "nested_lock_events", facts->nested},
        {"locks held at the end", "held_locks", facts->held_locks},
        {"dropped events", "dropped_events", facts->dropped},
    };
    memcpy(list, all, sizeof all);
}

static double bytes_per_event(const struct st_trace *trace) {
    uint64_t done, total;
    st_trace_progress(trace, &done, &total);
    return (double)done / (double)st_trace_facts(trace)->events;
}

static void write_text(const struct st_trace *trace, const char *path, const struct fact *list,
                       struct race_list *races, FILE *file) {
    const struct st_facts *facts = st_trace_facts(trace);
    fprintf(file, "%-24s %s\n", "trace", path);
    fprintf(file, "%-24s %s%s\n", "format", st_trace_format(trace),
            st_trace_cut(trace) ? ", cut off" : "");
    fprintf(file, "%-24s %.2f\n", "bytes per event", bytes_per_event(trace));
    for (size_t i = 0; i < FACT_COUNT; i++) {
        fprintf(file, "%-24s %" PRIu64 "\n", list[i].label, list[i].count);
        for (int op = 0; i == 0 && op < ST_OP_COUNT; op++)
            fprintf(file, "  %-22s %" PRIu64 "\n", st_op_word((enum st_op)op), facts->ops[op]);
    }
    race_list_write_text(races, st_trace_symbols(trace), file);
}

static void write_json(const struct st_trace *trace, const char *path, const struct fact *list,
                       struct race_list *races, FILE *file) {
    struct st_json json;
    st_json_start(&json, file);
    st_json_object(&json);
    st_json_key(&json, "schema");
    st_json_string(&json, "seriatim-stats/1");
    st_json_key(&json, "file");
    st_json_string(&json, path);
    st_json_key(&json, "format");
    st_json_string(&json, st_trace_format(trace));
    st_json_key(&json, "cut");
    st_json_bool(&json, st_trace_cut(trace));
    st_json_key(&json, "bytes_per_event");
    st_json_real(&json, bytes_per_event(trace));
    for (size_t i = 0; i < FACT_COUNT; i++) {
        st_json_key(&json, list[i].key);
        st_json_number(&json, list[i].count);
    }
    st_json_key(&json, "operations");
    st_json_flat_object(&json);
    for (int op = 0; op < ST_OP_COUNT; op++) {
        st_json_key(&json, st_op_word((enum st_op)op));
        st_json_number(&json, st_trace_facts(trace)->ops[op]);
    }
    st_json_object_end(&json);
    st_json_key(&json, "races");
    race_list_write_json(races, st_trace_symbols(trace), &json);
    st_json_object_end(&json);
    st_json_finish(&json);
}

static int read_all(struct reading *reading, struct race_list *races, struct st_error *error) {
    struct st_event *events;
    uint64_t first;
    long count;
    while ((count = reading_next(reading, &events, &first, error)) > 0)
        race_list_feed(races, events, (size_t)count, first);
    reading_end(reading, count == 0);
    return (int)count;
}

static int write_stats(struct reading *reading, const struct values *values, const char *path,
                       struct race_list *races, struct st_output *output, struct st_error *error) {
    struct fact list[FACT_COUNT];
    if (read_all(reading, races, error) < 0) {
        st_output_abandon(output);
        return -1;
    }
    list_facts(reading->trace, list);
    if (values->format == FORMAT_JSON)
        write_json(reading->trace, path, list, races, output->file);
    else
        write_text(reading->trace, path, list, races, output->file);
    return st_output_finish(output, error);
}

static enum status run(const void *given, const char *const *operands) {
    const struct values *values = given;
    struct reading reading;
    struct race_list races;
    struct st_output output;
    struct st_error error;
    if (reading_open(&reading, operands[0], (values->repair ? ST_TRACE_REPAIR : 0) | ST_TRACE_AHEAD,
                     values->common.quiet, &error) < 0)
        return complain(&error);
    int result = st_output_open(&output, values->output, operands, &error);
    race_list_init(&races);
    if (result == 0)
        result = write_stats(&reading, values, operands[0], &races, &output, &error);
    race_list_free(&races);
    reading_close(&reading);
    return result < 0 ? complain(&error) : STATUS_CLEAN;
}

static const struct st_option options[] = {
    REPAIR_OPTION(struct values),
    FORMAT_OPTION(struct values),
    OUTPUT_OPTION(struct values),
    COMMON_OPTIONS,
};

const struct command cmd_stats = {
    .name = "stats",
    .operands = "TRACE",
    .summary = "count the events, threads, variables, locks and blocks of a trace",
    .description =
        "Counts what a trace consists of, and the accesses in it that race: nothing but\n"
        "chance orders them. TRACE is a file in any format, or - for standard input.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
