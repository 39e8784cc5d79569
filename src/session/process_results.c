#include "session/process_results.h"

#include "base/memory.h"
#include "report/load/merged_runs.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Invariant: `merged` is NULL before the first process; then it is a result as st_report_json
 * writes it, without stories, and all event numbers in it are at most `events`. */
struct st_process_results {
    uint64_t limit;
    json_t *merged;
    json_t *fingerprints; /* of the violations that are kept, as keys, with their programs */
    json_t *blocks;       /* the rows of `merged`, by program and name */
    json_t *programs;     /* the rows of `merged`, by name */
    uint64_t events;
    char *text;       /* what was loaded last */
    char **processes; /* a JSON object each */
    size_t count, capacity;
};

struct st_process_results *st_process_results_new(uint64_t limit) {
    struct st_process_results *results = st_alloc(1, sizeof *results);
    results->limit = limit;
    results->fingerprints = json_object();
    results->blocks = json_object();
    results->programs = json_object();
    return results;
}

static void set_program(json_t *object, const char *executable) {
    json_object_set_new(object, "program", json_string(st_program_name(executable)));
    json_object_set_new(object, "executable", json_string(executable));
}

/* A key for something of a program, to be released. */
static char *key_of(const char *program, const json_t *name) {
    const char *text = json_is_string(name) ? json_string_value(name) : "";
    size_t size = strlen(program) + strlen(text) + 2;
    char *key = st_alloc(size, 1);
    snprintf(key, size, "%s\n%s", program, text);
    return key;
}

/* Rows are both in `merged` and in the tables, so those of the copy are made from its own. */
static void index_rows(struct st_process_results *results) {
    json_t *row;
    size_t index;
    json_array_foreach(json_object_get(results->merged, "blocks"), index, row) {
        char *key = key_of(json_string_value(json_object_get(row, "executable")),
                           json_object_get(row, "name"));
        json_object_set(results->blocks, key, row);
        free(key);
    }
    json_array_foreach(json_object_get(results->merged, "programs"), index, row) json_object_set(
        results->programs, json_string_value(json_object_get(row, "executable")), row);
}

struct st_process_results *st_process_results_copy(const struct st_process_results *results) {
    struct st_process_results *copy = st_process_results_new(results->limit);
    copy->merged = results->merged ? json_deep_copy(results->merged) : NULL;
    json_object_update(copy->fingerprints, results->fingerprints);
    copy->events = results->events;
    if (copy->merged)
        index_rows(copy);
    for (size_t i = 0; i < results->count; i++) {
        st_reserve(&copy->processes, &copy->capacity, copy->count + 1);
        copy->processes[copy->count++] = st_strdup(results->processes[i]);
    }
    return copy;
}

void st_process_results_free(struct st_process_results *results) {
    if (!results)
        return;
    for (size_t i = 0; i < results->count; i++)
        free(results->processes[i]);
    json_decref(results->merged);
    json_decref(results->fingerprints);
    json_decref(results->blocks);
    json_decref(results->programs);
    free(results->processes);
    free(results->text);
    free(results);
}

size_t st_process_results_count(const struct st_process_results *results) {
    return results->count;
}

/* ---- numbers ---- */

static uint64_t number_in(const json_t *object, const char *key) {
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static void set_number(json_t *object, const char *key, uint64_t value) {
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

static void add_number(json_t *object, const json_t *other, const char *key) {
    set_number(object, key, number_in(object, key) + number_in(other, key));
}

static void keep_larger(json_t *object, const json_t *other, const char *key) {
    if (number_in(other, key) > number_in(object, key))
        set_number(object, key, number_in(other, key));
}

static void keep_true(json_t *object, const json_t *other, const char *key) {
    if (json_is_true(json_object_get(other, key)))
        json_object_set_new(object, key, json_true());
}

/* ---- merging ---- */

/* One of each kind is always kept. */
static void merge_violation(struct st_process_results *results, const char *program,
                            json_t *violation) {
    json_t *kept = json_object_get(results->merged, "violations");
    char *key = key_of(program, json_object_get(violation, "fingerprint"));
    bool known = json_object_get(results->fingerprints, key);
    if (!known || !results->limit || json_array_size(kept) < results->limit) {
        set_program(violation, program);
        json_array_append(kept, violation);
        json_object_set_new(results->fingerprints, key, json_true());
    }
    free(key);
}

static void merge_row(json_t *same, const json_t *row) {
    bool deeper =
        number_in(same, "violated") &&
        (!number_in(row, "violated") || number_in(same, "depth") <= number_in(row, "depth"));
    if (!deeper && json_object_get(row, "depth"))
        set_number(same, "depth", number_in(row, "depth"));
    add_number(same, row, "executed");
    add_number(same, row, "violated");
}

static void merge_block(struct st_process_results *results, const char *program, json_t *row) {
    char *key = key_of(program, json_object_get(row, "name"));
    json_t *same = json_object_get(results->blocks, key);
    if (same) {
        merge_row(same, row);
    } else {
        set_program(row, program);
        json_array_append(json_object_get(results->merged, "blocks"), row);
        json_object_set(results->blocks, key, row);
    }
    free(key);
}

static void merge_trace(json_t *trace, const json_t *other) {
    static const char *const sums[] = {"events", "threads",  "variables",
                                       "locks",  "channels", "blocks"};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        add_number(trace, other, sums[i]);
    keep_larger(trace, other, "deepest");
    keep_larger(trace, other, "built");
    keep_true(trace, other, "truncated");
    keep_true(trace, other, "cut");
}

/* Not serializable if one is not; undecided if one is. */
static void merge_verdict(json_t *merged, const json_t *other, bool with_proof) {
    json_t *ours = json_object_get(merged, "serializable");
    json_t *theirs = json_object_get(other, "serializable");
    if (json_is_false(theirs) || (json_is_null(theirs) && !json_is_false(ours)))
        json_object_set(merged, "serializable", theirs);
    static const char *const firsts[] = {"first_bad_event", "gave_up", "cycle", "cycle_fingerprint",
                                         "coverage"};
    for (size_t i = 0; with_proof && i < sizeof firsts / sizeof *firsts; i++) {
        json_t *value = json_object_get(other, firsts[i]);
        json_t *before = json_object_get(merged, firsts[i]);
        if (value && !json_is_null(value) && (!before || json_is_null(before)))
            json_object_set(merged, firsts[i], value);
    }
}

static void merge_repairs(json_t *merged, json_t *repairs) {
    json_t *kept = json_object_get(merged, "repairs"), *repair, *same;
    size_t index, at;
    json_array_foreach(repairs, index, repair) {
        bool found = false;
        json_array_foreach(kept, at, same) {
            if (!json_equal(json_object_get(same, "kind"), json_object_get(repair, "kind")))
                continue;
            add_number(same, repair, "count");
            found = true;
        }
        if (!found)
            json_array_append(kept, repair);
    }
}

static void merge_program(struct st_process_results *results, const char *program,
                          const json_t *result) {
    json_t *row = json_object_get(results->programs, program);
    if (!row) {
        row = json_object();
        set_program(row, program);
        json_object_set_new(row, "serializable", json_true());
        json_object_set_new(results->programs, program, row);
        json_array_append(json_object_get(results->merged, "programs"), row);
    }
    set_number(row, "processes", number_in(row, "processes") + 1);
    set_number(row, "events",
               number_in(row, "events") + number_in(json_object_get(result, "trace"), "events"));
    add_number(row, result, "violation_count");
    set_number(row, "unchecked",
               number_in(row, "unchecked") + (json_object_get(result, "unchecked") != NULL));
    merge_verdict(row, result, false);
}

static void merge_into(struct st_process_results *results, const char *program, json_t *result) {
    json_t *merged = results->merged, *part;
    size_t index;
    st_shift_events(result, results->events);
    merge_program(results, program, result);
    merge_trace(json_object_get(merged, "trace"), json_object_get(result, "trace"));
    merge_verdict(merged, result, true);
    add_number(merged, result, "violation_count");
    keep_true(merged, result, "stopped");
    keep_larger(merged, result, "peak_state_bytes");
    json_object_set_new(merged, "time_seconds",
                        json_real(json_number_value(json_object_get(merged, "time_seconds")) +
                                  json_number_value(json_object_get(result, "time_seconds"))));
    json_array_foreach(json_object_get(result, "violations"), index, part)
        merge_violation(results, program, part);
    json_array_foreach(json_object_get(result, "blocks"), index, part)
        merge_block(results, program, part);
    merge_repairs(merged, json_object_get(result, "repairs"));
}

/* The first result of a program, with nothing in it yet, for the others to be added to. */
static json_t *make_empty(const json_t *result) {
    static const char *const same[] = {"schema", "engine", "relation", "outermost_only",
                                       "blames_closers"};
    static const char *const counts[] = {"events",   "threads", "variables", "locks",
                                         "channels", "blocks",  "deepest"};
    json_t *merged = json_object(), *trace = json_object();
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        json_object_set(merged, same[i], json_object_get(result, same[i]));
    json_object_set_new(trace, "file", json_string(""));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        set_number(trace, counts[i], 0);
    json_object_set_new(merged, "trace", trace);
    json_object_set_new(merged, "serializable", json_true());
    json_object_set_new(merged, "first_bad_event", json_null());
    set_number(merged, "violation_count", 0);
    json_object_set_new(merged, "violations", json_array());
    json_object_set_new(merged, "blocks", json_array());
    json_object_set_new(merged, "programs", json_array());
    json_object_set_new(merged, "repairs", json_array());
    json_object_set_new(merged, "stopped", json_false());
    return merged;
}

/* ---- a process ---- */

static void describe_process(json_t *result, const struct st_process_facts *facts) {
    json_t *violation;
    size_t index;
    json_array_foreach(json_object_get(result, "violations"), index, violation)
        set_number(violation, "pid", (uint64_t)facts->pid);
    set_number(result, "pid", (uint64_t)facts->pid);
    set_program(result, facts->program);
    json_object_set_new(result, "forked", json_boolean(facts->forked));
    json_object_set_new(result, "complete", json_boolean(facts->complete));
    json_object_set_new(result, "status",
                        facts->status < 0 ? json_null() : json_integer(facts->status));
}

static void keep_process(struct st_process_results *results, const json_t *result) {
    st_reserve(&results->processes, &results->capacity, results->count + 1);
    results->processes[results->count++] = json_dumps(result, JSON_COMPACT);
}

static void drop_stories(json_t *result) {
    json_t *violation;
    size_t index;
    json_object_del(result, "story");
    json_array_foreach(json_object_get(result, "violations"), index, violation)
        json_object_del(violation, "story");
}

int st_process_results_add(struct st_process_results *results, const struct st_process_facts *facts,
                           const char *json, size_t length, struct st_error *error) {
    json_error_t cause;
    json_t *result = json_loadb(json, length, 0, &cause);
    if (!json_is_object(result)) {
        json_decref(result);
        return st_fail(error, facts->program, ST_AT_FILE, 0, "has no result of process %ld",
                       (long)facts->pid);
    }
    describe_process(result, facts);
    keep_process(results, result);
    drop_stories(result);
    if (!results->merged)
        results->merged = make_empty(result);
    merge_into(results, facts->program, result);
    results->events += number_in(json_object_get(result, "trace"), "events");
    json_decref(result);
    return 0;
}

/* ---- all together ---- */

struct st_loaded *st_process_results_load(struct st_process_results *results, const char *command,
                                          struct st_error *error) {
    json_t *trace = json_object_get(results->merged, "trace");
    json_object_set_new(trace, "file", json_string(command));
    free(results->text);
    results->text = json_dumps(results->merged, 0);
    return st_report_load(command, results->text, strlen(results->text), error);
}

void st_process_results_write(const struct st_process_results *results, const char *document,
                              FILE *file) {
    json_error_t cause;
    json_t *all = json_loads(document, 0, &cause), *list = json_array();
    for (size_t i = 0; i < results->count; i++)
        json_array_append_new(list, json_loads(results->processes[i], 0, &cause));
    json_object_set_new(all, "processes", list);
    json_dumpf(all, file, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', file);
    json_decref(all);
}
