#include "report/load/merged_runs.h"

#include "base/memory.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Invariant: `merged` is NULL before the first run; then it is a result, and all event numbers in
 * it are at most `events`. Of each fingerprint: how often it was seen, how many of its violations
 * are in `merged`, and the last run that had it. */
struct st_merged_runs {
    size_t each;
    json_t *merged;
    json_t *times, *kept, *last;
    uint64_t events;
    size_t run_count, cycle_count;
    char *text; /* what was loaded last */
};

struct st_merged_runs *st_merged_runs_new(size_t each) {
    struct st_merged_runs *runs = st_alloc(1, sizeof *runs);
    runs->each = each;
    runs->times = json_object();
    runs->kept = json_object();
    runs->last = json_object();
    return runs;
}

void st_merged_runs_free(struct st_merged_runs *runs) {
    json_decref(runs->merged);
    json_decref(runs->times);
    json_decref(runs->kept);
    json_decref(runs->last);
    free(runs->text);
    free(runs);
}

/* ---- numbers ---- */

static uint64_t number_in(const json_t *object, const char *key) {
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static void set_number(json_t *object, const char *key, uint64_t value) {
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

static void add_number(json_t *object, const char *key, uint64_t more) {
    set_number(object, key, number_in(object, key) + more);
}

void st_shift_events(json_t *value, uint64_t by) {
    static const char *const keys[] = {"event", "begin", "end", "first", "first_bad_event"};
    const char *key;
    json_t *part;
    size_t index;
    if (json_is_array(value)) {
        json_array_foreach(value, index, part) st_shift_events(part, by);
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if ((part = json_object_get(value, keys[i])) && json_is_integer(part))
            json_integer_set(part, json_integer_value(part) + (json_int_t)by);
    json_object_foreach(value, key, part) st_shift_events(part, by);
}

/* ---- violations ---- */

/* Its fingerprint; "" where it has none. */
static const char *print_of(const json_t *violation) {
    const char *text = json_string_value(json_object_get(violation, "fingerprint"));
    return text ? text : "";
}

/* How often each finding of a run was seen there: older results do not say so. */
static json_t *count_findings(const json_t *violations) {
    json_t *counts = json_object(), *violation;
    size_t index;
    json_array_foreach(violations, index, violation) {
        const char *print = print_of(violation);
        uint64_t times = number_in(json_object_get(violation, "cause"), "count");
        if (!times)
            times = number_in(counts, print) + 1;
        set_number(counts, print, times);
    }
    return counts;
}

static void merge_violations(struct st_merged_runs *runs, json_t *violations) {
    json_t *kept = json_object_get(runs->merged, "violations"), *violation, *count;
    json_t *counts = count_findings(violations);
    const char *print;
    size_t index;
    json_object_foreach(counts, print, count) {
        add_number(runs->times, print, (uint64_t)json_integer_value(count));
        set_number(runs->last, print, runs->run_count);
    }
    json_array_foreach(violations, index, violation) {
        print = print_of(violation);
        if (number_in(runs->kept, print) >= runs->each)
            continue;
        add_number(runs->kept, print, 1);
        json_object_del(violation, "story");
        json_array_append(kept, violation);
    }
    json_decref(counts);
}

/* ---- the rest ---- */

/* Two that are missing are the same, too. */
static bool is_same(const json_t *one, const json_t *other) {
    return (!one && !other) || json_equal(one, other);
}

static json_t *find_row(json_t *rows, const json_t *row) {
    size_t index;
    json_t *same;
    json_array_foreach(rows, index, same) {
        if (is_same(json_object_get(same, "name"), json_object_get(row, "name")) &&
            is_same(json_object_get(same, "executable"), json_object_get(row, "executable")))
            return same;
    }
    return NULL;
}

static void merge_blocks(json_t *blocks, json_t *others) {
    size_t index;
    json_t *row;
    json_array_foreach(others, index, row) {
        json_t *same = find_row(blocks, row);
        if (!same) {
            json_array_append(blocks, row);
            continue;
        }
        if (!number_in(same, "violated") && json_object_get(row, "depth"))
            json_object_set(same, "depth", json_object_get(row, "depth"));
        add_number(same, "executed", number_in(row, "executed"));
        add_number(same, "violated", number_in(row, "violated"));
    }
}

static void merge_trace(json_t *trace, const json_t *other) {
    static const char *const sums[] = {"events", "threads",  "variables",
                                       "locks",  "channels", "blocks"};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        add_number(trace, sums[i], number_in(other, sums[i]));
    if (number_in(other, "deepest") > number_in(trace, "deepest"))
        set_number(trace, "deepest", number_in(other, "deepest"));
}

/* Not serializable if one is not; undecided if one is. */
static void merge_verdict(json_t *merged, const json_t *other) {
    json_t *ours = json_object_get(merged, "serializable");
    json_t *theirs = json_object_get(other, "serializable");
    if (json_is_false(theirs) || (json_is_null(theirs) && !json_is_false(ours)))
        json_object_set(merged, "serializable", theirs);
    if (json_is_null(json_object_get(merged, "first_bad_event")))
        json_object_set(merged, "first_bad_event", json_object_get(other, "first_bad_event"));
}

/* One cycle is enough to see that there is one; it is shown if no block is violated. */
static void merge_cycle(json_t *merged, json_t *result, uint64_t events) {
    static const char *const keys[] = {"cycle", "cycle_fingerprint"};
    if (json_array_size(json_object_get(merged, keys[0])))
        return;
    st_shift_events(json_object_get(result, keys[0]), events);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set(merged, keys[i], json_object_get(result, keys[i]));
}

static void merge_run(struct st_merged_runs *runs, json_t *result) {
    static const char *const sums[] = {"violation_count", "violated_blocks", "runs"};
    json_t *merged = runs->merged;
    st_shift_events(json_object_get(result, "violations"), runs->events);
    merge_trace(json_object_get(merged, "trace"), json_object_get(result, "trace"));
    json_t *bad = json_object_get(result, "first_bad_event");
    if (json_is_integer(bad))
        json_integer_set(bad, json_integer_value(bad) + (json_int_t)runs->events);
    merge_verdict(merged, result);
    if (json_array_size(json_object_get(result, "cycle")))
        merge_cycle(merged, result, runs->events);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (json_object_get(merged, sums[i]))
            add_number(merged, sums[i], number_in(result, sums[i]));
    merge_violations(runs, json_object_get(result, "violations"));
    merge_blocks(json_object_get(merged, "blocks"), json_object_get(result, "blocks"));
}

/* The first of them, with what others cannot be added to left out. */
static json_t *start_with(json_t *result) {
    static const char *const own[] = {
        "story",     "summary",   "suppressions", "baseline",    "states",   "findings",
        "processes", "unchecked", "coverage",     "predictions", "programs", "findings_left_out"};
    json_t *merged = json_copy(result);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        json_object_del(merged, own[i]);
    json_object_set_new(merged, "violations", json_array());
    return merged;
}

static bool is_result(const json_t *result) {
    return json_is_array(json_object_get(result, "violations")) &&
           json_is_object(json_object_get(result, "trace")) &&
           json_is_array(json_object_get(result, "blocks"));
}

int st_merged_runs_add(struct st_merged_runs *runs, const char *name, const char *text,
                       size_t length, struct st_error *error) {
    json_error_t cause;
    json_t *result = json_loadb(text, length, 0, &cause);
    if (!is_result(result)) {
        json_decref(result);
        return st_fail(error, name, ST_AT_FILE, 0,
                       "is no result of one engine of check, run or hunt, which could be merged "
                       "with others");
    }
    runs->run_count++;
    runs->cycle_count += json_array_size(json_object_get(result, "cycle")) > 0;
    if (!runs->merged) {
        runs->merged = start_with(result);
        merge_violations(runs, json_object_get(result, "violations"));
    } else {
        merge_run(runs, result);
    }
    runs->events = number_in(json_object_get(runs->merged, "trace"), "events");
    json_decref(result);
    return 0;
}

size_t st_merged_runs_hidden(const struct st_merged_runs *runs) {
    bool violated = json_array_size(json_object_get(runs->merged, "violations")) > 0;
    return violated ? runs->cycle_count : 0;
}

void st_merged_runs_prune(struct st_merged_runs *runs) {
    json_t *kept = json_object_get(runs->merged, "violations"), *left = json_array(), *violation;
    size_t index;
    json_array_foreach(kept, index, violation) {
        if (runs->run_count < 2 || number_in(runs->last, print_of(violation)) > 1)
            json_array_append(left, violation);
    }
    json_object_set_new(runs->merged, "violations", left);
}

/* ---- all together ---- */

static void set_times(struct st_merged_runs *runs) {
    json_t *violation;
    size_t index;
    json_array_foreach(json_object_get(runs->merged, "violations"), index, violation) {
        json_t *cause = json_object_get(violation, "cause");
        if (cause)
            set_number(cause, "count", number_in(runs->times, print_of(violation)));
    }
}

struct st_loaded *st_merged_runs_load(struct st_merged_runs *runs, const char *name,
                                      struct st_error *error) {
    set_times(runs);
    free(runs->text);
    runs->text = json_dumps(runs->merged, 0);
    return st_report_load(name, runs->text, strlen(runs->text), error);
}
