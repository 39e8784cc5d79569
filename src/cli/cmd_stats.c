/* seriatim stats: counts what a trace consists of, and lists the accesses that race. */
#include "base/json.h"
#include "base/output.h"
#include "check/clock.h"
#include "cli/common_options.h"
#include "cli/messages.h"
#include "report/report.h"
#include "report/story/story.h"
#include "report/text/text_writer.h"
#include "report/calls.h"
#include "session/race_list.h"

#include <inttypes.h>
#include <stdlib.h>
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

enum { FACT_COUNT = 16 };

static void list_facts(const struct st_trace *trace, uint64_t known, struct fact list[FACT_COUNT]) {
    const struct st_facts *facts = st_trace_facts(trace);
    const struct st_symbols *symbols = st_trace_symbols(trace);
    const struct fact all[FACT_COUNT] = {
        {"events", "events", facts->events},
        {"threads", "threads", symbols->threads.count},
        {"variables", "variables", symbols->variables.count},
        {"locks", "locks", st_lock_count(symbols)},
        {"channels", "channels", st_signal_count(symbols)},
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
        {"accesses with values", "accesses_with_values", known},
    };
    memcpy(list, all, sizeof all);
}

static double bytes_per_event(const struct st_trace *trace) {
    uint64_t done, total;
    st_trace_progress(trace, &done, &total);
    return (double)done / (double)st_trace_facts(trace)->events;
}

/* ---- text ---- */

static void put_access(const struct st_text_writer *text, const struct st_place *place) {
    char buffer[ST_LOCATION_SIZE];
    bool located = *st_user_location(text->symbols, NULL, place->event.loc, buffer);
    fputs(located ? " " : "", text->file);
    st_put_location(text, place->event.loc);
    fprintf(text->file, " (event %" PRIu64 ")", place->number);
}

static void put_pair(const struct st_text_writer *text, const struct st_race_pair *pair) {
    fputs("  ", text->file);
    st_put_thread(text, pair->from.event.thread);
    fputc(' ', text->file);
    char *action = st_action_text(text->symbols, &pair->from.event, false);
    st_put_name(text, action);
    free(action);
    put_access(text, &pair->from);
    fputs(", ", text->file);
    st_put_thread(text, pair->to.event.thread);
    fputs(pair->to.event.op == ST_READ ? " read it" : " wrote it", text->file);
    put_access(text, &pair->to);
    if (pair->count > 1)
        fprintf(text->file, " and %" PRIu64 " more like it", pair->count - 1);
    fputc('\n', text->file);
}

static void write_races_text(const struct st_race_list *list, const struct st_symbols *symbols,
                             FILE *file) {
    struct st_text_writer text = {.file = file, .symbols = symbols};
    uint64_t shown = 0;
    fprintf(file, "%-24s ", "data races");
    if (st_race_list_gave_up(list)) {
        fprintf(file, "not known: %s\n", st_race_list_gave_up(list));
        return;
    }
    if (!list->accesses) {
        fputs("none\n", file);
        return;
    }
    fprintf(file, "%" PRIu64 " access%s to ", list->accesses, list->accesses == 1 ? "" : "es");
    st_put_count(&text, list->variables, "variable");
    fputc('\n', file);
    for (size_t i = 0; i < list->pair_count; i++) {
        put_pair(&text, &list->pairs[i]);
        shown += list->pairs[i].count;
    }
    if (shown < list->accesses)
        fprintf(file, "  and %" PRIu64 " more\n", list->accesses - shown);
}

static void write_text(const struct st_trace *trace, const char *path, const struct fact *list,
                       const struct st_race_list *races, FILE *file) {
    const struct st_facts *facts = st_trace_facts(trace);
    fprintf(file, "%-24s %s\n", "trace", path);
    fprintf(file, "%-24s %s%s\n", "format", st_trace_format(trace),
            st_trace_truncated(trace) ? ", truncated" : "");
    fprintf(file, "%-24s %.2f\n", "bytes per event", bytes_per_event(trace));
    for (size_t i = 0; i < FACT_COUNT; i++) {
        fprintf(file, "%-24s %" PRIu64 "\n", list[i].label, list[i].count);
        for (int op = 0; i == 0 && op < ST_OP_COUNT; op++)
            fprintf(file, "  %-22s %" PRIu64 "\n", st_op_word((enum st_op)op), facts->ops[op]);
    }
    write_races_text(races, st_trace_symbols(trace), file);
}

/* ---- JSON ---- */

static void write_place(const char *key, const struct st_place *place,
                        const struct st_symbols *symbols, struct st_json *json) {
    char buffer[ST_LOCATION_SIZE];
    char *op = st_op_text(symbols, &place->event);
    st_json_key(json, key);
    st_json_flat_object(json);
    st_json_number_field(json, "event", place->number);
    st_json_string_field(json, "thread", st_name(&symbols->threads, place->event.thread));
    st_json_string_field(json, "op", op);
    st_json_string_field(json, "loc", st_user_location(symbols, NULL, place->event.loc, buffer));
    st_json_object_end(json);
    free(op);
}

static void write_races_json(const struct st_race_list *list, const struct st_symbols *symbols,
                             struct st_json *json) {
    if (st_race_list_gave_up(list)) {
        st_json_null(json);
        return;
    }
    st_json_object(json);
    st_json_number_field(json, "accesses", list->accesses);
    st_json_number_field(json, "variables", list->variables);
    st_json_key(json, "pairs");
    st_json_array(json);
    for (size_t i = 0; i < list->pair_count; i++) {
        const struct st_race_pair *pair = &list->pairs[i];
        st_json_flat_object(json);
        st_json_string_field(json, "variable",
                             st_target_name(symbols, ST_READ, pair->to.event.target));
        st_json_number_field(json, "count", pair->count);
        write_place("from", &pair->from, symbols, json);
        write_place("to", &pair->to, symbols, json);
        st_json_object_end(json);
    }
    st_json_array_end(json);
    st_json_object_end(json);
}

static void write_json(const struct st_trace *trace, const char *path, const struct fact *list,
                       const struct st_race_list *races, FILE *file) {
    struct st_json json;
    st_json_start(&json, file);
    st_json_object(&json);
    st_json_string_field(&json, "schema", "seriatim-stats/1");
    st_json_string_field(&json, "file", path);
    st_json_string_field(&json, "format", st_trace_format(trace));
    st_json_key(&json, "cut");
    st_json_bool(&json, st_trace_truncated(trace));
    st_json_key(&json, "bytes_per_event");
    st_json_real(&json, bytes_per_event(trace));
    for (size_t i = 0; i < FACT_COUNT; i++) {
        st_json_number_field(&json, list[i].key, list[i].count);
    }
    st_json_key(&json, "operations");
    st_json_flat_object(&json);
    for (int op = 0; op < ST_OP_COUNT; op++) {
        st_json_number_field(&json, st_op_word((enum st_op)op), st_trace_facts(trace)->ops[op]);
    }
    st_json_object_end(&json);
    st_json_key(&json, "races");
    write_races_json(races, st_trace_symbols(trace), &json);
    st_json_object_end(&json);
    st_json_finish(&json);
}

/* ---- the command ---- */

/* How many of the events have a value of which something is known. */
static uint64_t count_known(const struct st_event *events, const struct st_access_value *values,
                            size_t count) {
    uint64_t known = 0;
    for (size_t i = 0; values && i < count; i++)
        known += values[i].known && events[i].written <= ST_WRITE;
    return known;
}

static int read_all(struct st_reading *reading, struct st_race_list *races, uint64_t *known,
                    struct st_error *error) {
    struct st_event *events;
    uint64_t first;
    long count;
    while ((count = st_reading_next(reading, &events, &first, error)) > 0) {
        size_t ended_count;
        const struct st_variable_run *ended = st_trace_ended(reading->trace, &ended_count);
        st_race_list_forget(races, ended, ended_count);
        st_race_list_feed(races, events, (size_t)count, first);
        *known += count_known(events, st_trace_values(reading->trace), (size_t)count);
    }
    end_reading(reading, count == 0);
    return (int)count;
}

static int write_stats(struct st_reading *reading, const struct values *values, const char *path,
                       struct st_race_list *races, struct st_output *output,
                       struct st_error *error) {
    struct fact list[FACT_COUNT];
    uint64_t known = 0;
    if (read_all(reading, races, &known, error) < 0) {
        st_output_abandon(output);
        return -1;
    }
    st_race_list_finish(races, st_trace_symbols(reading->trace));
    list_facts(reading->trace, known, list);
    if (values->format == FORMAT_JSON)
        write_json(reading->trace, path, list, races, output->file);
    else
        write_text(reading->trace, path, list, races, output->file);
    return st_output_finish(output, error);
}

static enum status run(const void *given, const char *const *operands) {
    const struct values *values = given;
    struct st_reading reading;
    struct st_race_list races;
    struct st_output output;
    struct st_error error;
    if (open_reading(&reading, operands[0],
                     (values->repair ? ST_TRACE_REPAIR : 0) | ST_TRACE_AHEAD | ST_TRACE_LIVES |
                         ST_TRACE_PACKED | ST_TRACE_VALUES,
                     values->common.quiet, &error) < 0)
        return complain(&error);
    int result = st_output_open(&output, values->output, operands, &error);
    st_race_list_init(&races);
    if (result == 0)
        result = write_stats(&reading, values, operands[0], &races, &output, &error);
    st_race_list_free(&races);
    st_reading_close(&reading);
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
        "Counts what a trace consists of, and its data races: conflicting accesses that\n"
        "no synchronisation orders. TRACE is a file in any format, or - for standard\n"
        "input.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
