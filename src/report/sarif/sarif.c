/* The report as SARIF 2.1.0, the format of OASIS for what analysers find. A run for each engine, a
 * result for each finding as the text tells them: what was cut in the same place of the code is one
 * result with a count, and blocks around another that was cut by the same are named with it.
 *
 * Nothing in it depends on where the program was loaded or how events were numbered, but for names
 * that do. Paths are relative to the folder in which seriatim runs, wherever they can be. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "report/json/json_fields.h"
#include "report/sarif/sarif_results.h"
#include "report/triage/finding_groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Steps ---- */

/* The events of a finding; each once and in order when they are complete. */
struct steps {
    struct st_place *items;
    size_t count, capacity;
};

static void add_step(struct steps *steps, const struct st_place *place) {
    if (!place->number)
        return;
    st_reserve(&steps->items, &steps->capacity, steps->count + 1);
    steps->items[steps->count++] = *place;
}

static void add_edges(struct steps *steps, const struct st_edge *edges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        add_step(steps, &edges[i].from);
        add_step(steps, &edges[i].to);
    }
}

static int by_number(const void *left, const void *right) {
    const struct st_place *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void complete(struct steps *steps) {
    size_t count = 0;
    qsort(steps->items, steps->count, sizeof *steps->items, by_number);
    for (size_t i = 0; i < steps->count; i++)
        if (i == 0 || steps->items[i].number != steps->items[count - 1].number)
            steps->items[count++] = steps->items[i];
    steps->count = count;
}

static struct steps steps_of(const struct st_violation *violation) {
    struct steps steps = {0};
    struct st_place begin = st_begin_place(violation);
    add_step(&steps, &begin);
    add_edges(&steps, violation->path, violation->path_length);
    if (!violation->path_length)
        add_edges(&steps, &violation->closing, 1);
    add_step(&steps, &violation->event);
    complete(&steps);
    return steps;
}

/* ---- Violated blocks ---- */

static void put_locations(struct st_sarif *sarif, const struct st_violation *violation) {
    char *deed = st_sarif_deed(sarif, &violation->event);
    st_json_key(&sarif->json, "locations");
    st_json_array(&sarif->json);
    st_sarif_block_location(sarif, violation, deed);
    st_json_array_end(&sarif->json);
    free(deed);
}

static void put_related_locations(struct st_sarif *sarif, const struct st_violation *violation) {
    struct st_place begin = st_begin_place(violation);
    st_json_key(&sarif->json, "relatedLocations");
    st_json_array(&sarif->json);
    st_sarif_related(sarif, &begin, "the block begins");
    if (violation->path_length) {
        st_sarif_related(sarif, &violation->path[0].from, "others get to see the block");
        st_sarif_related(sarif, &violation->path[0].to, "and depend on it");
    }
    if (violation->closing.to.number)
        st_sarif_related(sarif, &violation->closing.from, "the block depends on them");
    st_json_array_end(&sarif->json);
}

static void put_stacks(struct st_sarif *sarif, const struct st_violation *violation) {
    if (!st_sarif_has_stack(sarif, &violation->event))
        return;
    st_json_key(&sarif->json, "stacks");
    st_json_array(&sarif->json);
    st_sarif_stack(sarif, NULL, &violation->event, "where the block went on");
    st_sarif_stack(sarif, NULL, &violation->closing.from, "where another thread came in between");
    st_json_array_end(&sarif->json);
}

static void put_violation(struct st_sarif *sarif, const struct st_result *result,
                          const struct st_violation_group *group) {
    const struct st_violation *violation = group->violation;
    struct steps steps = steps_of(violation);
    struct st_story story = st_violation_story(sarif->report, result, group);
    char *sentence = st_sarif_words(&story);

    st_sarif_result(sarif, story.kind == ST_STORY_BLAMED ? ST_RULE_BLAMED : ST_RULE_VIOLATION);
    st_story_free(&story);
    put_locations(sarif, violation);
    put_related_locations(sarif, violation);
    st_sarif_code_flow(sarif, steps.items, steps.count, violation->thread);
    st_sarif_sentence(sarif, sentence, steps.items, steps.count);
    put_stacks(sarif, violation);
    st_sarif_fingerprint(sarif, st_fingerprint(sarif->report, violation));
    number_field(&sarif->json, "occurrenceCount", group->count);
    st_sarif_mark(sarif, st_violation_mark(sarif->report, result,
                                           (size_t)(violation - result->findings->violations)));
    st_json_object_end(&sarif->json);
    free(steps.items);
}

/* ---- Cycles and mere verdicts ---- */

static void put_cycle(struct st_sarif *sarif, const struct st_result *result) {
    const struct st_findings *findings = result->findings;
    struct steps steps = {0};
    add_edges(&steps, findings->cycle, findings->cycle_length);
    complete(&steps);
    const struct st_place *last = &findings->cycle[findings->cycle_length - 1].to;
    char *deed = st_sarif_deed(sarif, last);

    st_sarif_result(sarif, ST_RULE_CYCLE);
    st_json_key(&sarif->json, "locations");
    st_json_array(&sarif->json);
    st_sarif_location(sarif, last, deed);
    st_json_array_end(&sarif->json);
    st_json_key(&sarif->json, "relatedLocations");
    st_json_array(&sarif->json);
    for (size_t i = 0; i < steps.count; i++)
        st_sarif_related(sarif, &steps.items[i], "in the cycle");
    st_json_array_end(&sarif->json);
    st_sarif_code_flow(sarif, steps.items, steps.count, last->event.thread);
    st_sarif_sentence(
        sarif,
        st_strdup("No serial order explains the trace, although no single block was cut: "
                  "its transactions wait for each other in a cycle."),
        steps.items, steps.count);
    st_sarif_fingerprint(sarif, st_cycle_fingerprint(sarif->report, findings));
    st_sarif_mark(sarif, st_cycle_mark(sarif->report, result));
    st_json_object_end(&sarif->json);
    free(steps.items);
    free(deed);
}

static void put_verdict(struct st_sarif *sarif) {
    st_sarif_result(sarif, ST_RULE_VERDICT);
    st_sarif_message(sarif, "message", "No serial order explains the trace.", NULL);
    if (strcmp(sarif->report->trace, "-") != 0) {
        st_json_key(&sarif->json, "locations");
        st_json_array(&sarif->json);
        st_json_flat_object(&sarif->json);
        st_json_key(&sarif->json, "physicalLocation");
        st_json_flat_object(&sarif->json);
        st_sarif_artifact(sarif, sarif->report->trace);
        st_json_object_end(&sarif->json);
        st_json_object_end(&sarif->json);
        st_json_array_end(&sarif->json);
    }
    st_sarif_mark(sarif, (struct st_mark){.state = ST_NEW});
    st_json_object_end(&sarif->json);
}

/* ---- A run ---- */

static void put_results(struct st_sarif *sarif, const struct st_result *result) {
    struct st_violation_groups groups = st_group_violations(sarif->report, result);
    for (size_t i = 0; i < groups.count; i++)
        put_violation(sarif, result, &groups.items[i]);
    if (st_result_has_cycle(result) && result->findings->cycle_length)
        put_cycle(sarif, result);
    else if (st_result_has_cycle(result))
        put_verdict(sarif);
    st_violation_groups_free(&groups);
}

static void put_tool(struct st_json *json) {
    st_json_key(json, "tool");
    st_json_object(json);
    st_json_key(json, "driver");
    st_json_object(json);
    string_field(json, "name", "seriatim");
    string_field(json, "version", SERIATIM_VERSION);
    string_field(json, "semanticVersion", SERIATIM_VERSION);
    st_sarif_rules(json);
    st_json_object_end(json);
    st_json_object_end(json);
}

static void put_notification(struct st_sarif *sarif, const char *level, const char *text) {
    st_json_flat_object(&sarif->json);
    string_field(&sarif->json, "level", level);
    st_sarif_message(sarif, "message", text, NULL);
    st_json_object_end(&sarif->json);
}

/* What all results of a trace have to say of it. */
static void put_trace_notifications(struct st_sarif *sarif) {
    char text[160];
    if (sarif->report->cut)
        put_notification(sarif, "warning", "The trace is cut off: only its beginning was read.");
    for (int kind = 0; kind < ST_MALFORMED_COUNT; kind++) {
        if (!sarif->report->repairs->kinds[kind].count)
            continue;
        snprintf(text, sizeof text, "The trace was repaired: %s (%" PRIu64 " events).",
                 st_malformed_text((enum st_malformed)kind),
                 sarif->report->repairs->kinds[kind].count);
        put_notification(sarif, "warning", text);
    }
}

static void put_missing(struct st_sarif *sarif, uint64_t missing, const char *what) {
    char text[160];
    if (!missing)
        return;
    snprintf(text, sizeof text, "%" PRIu64 " more %s blocks are not listed; --limit 0 lists all.",
             missing, what);
    put_notification(sarif, "note", text);
}

/* What one engine found, or one analysis foresaw; the other is NULL. */
struct run {
    const struct st_result *result;
    const struct st_prediction *prediction;
    const char *engine;
    enum st_verdict verdict;
};

static void put_prediction_notifications(struct st_sarif *sarif,
                                         const struct st_prediction *prediction) {
    uint64_t missing = st_all_reported(prediction);
    char text[160];
    for (size_t i = 0; i < prediction->listed; i++)
        missing -= st_is_reported(&prediction->blocks[i]);
    uint64_t open = prediction->by[ST_FORESEEN_TIMEOUT];
    if (open) {
        snprintf(text, sizeof text, "%" PRIu64 " block%s took too long and %s not decided.", open,
                 open == 1 ? "" : "s", open == 1 ? "was" : "were");
        put_notification(sarif, "warning", text);
    }
    for (size_t i = 0; i < prediction->caveat_count; i++)
        put_notification(sarif, "note", prediction->caveats[i]);
    put_missing(sarif, missing, "reported");
}

/* What a reader of the results should know. */
static void put_notifications(struct st_sarif *sarif, const struct run *run) {
    st_json_key(&sarif->json, "toolExecutionNotifications");
    st_json_array(&sarif->json);
    if (run->result && run->result->findings->gave_up)
        put_notification(sarif, "error", run->result->findings->gave_up);
    put_trace_notifications(sarif);
    if (run->result)
        put_missing(sarif, st_all_violated(run->result->findings) - run->result->findings->kept,
                    "violated");
    else
        put_prediction_notifications(sarif, run->prediction);
    st_json_array_end(&sarif->json);
}

static void put_invocation(struct st_sarif *sarif, const struct run *run) {
    struct st_json *json = &sarif->json;
    st_json_key(json, "invocations");
    st_json_array(json);
    st_json_object(json);
    bool_field(json, "executionSuccessful", run->verdict != ST_UNDECIDED);
    if (sarif->report->has_status)
        number_field(json, "exitCode", (uint64_t)sarif->report->status);
    put_notifications(sarif, run);
    st_json_object_end(json);
    st_json_array_end(json);
}

/* Where relative paths start; where that is, is nobody's business. */
static void put_bases(struct st_sarif *sarif) {
    st_json_key(&sarif->json, "originalUriBaseIds");
    st_json_object(&sarif->json);
    st_json_key(&sarif->json, "SRCROOT");
    st_json_flat_object(&sarif->json);
    st_sarif_message(sarif, "description", "The folder in which seriatim ran.", NULL);
    st_json_object_end(&sarif->json);
    st_json_object_end(&sarif->json);
}

static void put_properties(struct st_sarif *sarif, const struct run *run) {
    struct st_json *json = &sarif->json;
    st_json_key(json, "properties");
    st_json_flat_object(json);
    string_field(json, "engine", run->engine);
    string_field(json, "trace", sarif->report->trace);
    st_json_key(json, run->result ? "serializable" : "atomic");
    if (run->verdict == ST_UNDECIDED)
        st_json_null(json);
    else
        st_json_bool(json, run->verdict == ST_SERIALIZABLE);
    if (run->result && run->result->findings->names_blocks)
        number_field(json, "violatedBlocks", st_all_violated(run->result->findings));
    if (run->prediction)
        number_field(json, "reportedBlocks", st_all_reported(run->prediction));
    st_json_object_end(json);
}

static void put_run(struct st_sarif *sarif, const struct run *run) {
    struct st_json *json = &sarif->json;
    char id[64];
    snprintf(id, sizeof id, "seriatim/%s/", run->engine);
    st_json_object(json);
    put_tool(json);
    put_invocation(sarif, run);
    st_json_key(json, "automationDetails");
    st_json_flat_object(json);
    string_field(json, "id", id);
    st_json_object_end(json);
    put_bases(sarif);
    st_json_key(json, "results");
    st_json_array(json);
    if (run->result)
        put_results(sarif, run->result);
    else
        st_sarif_prediction(sarif, run->prediction);
    st_json_array_end(json);
    put_properties(sarif, run);
    st_json_object_end(json);
}

static void put_runs(struct st_sarif *sarif) {
    const struct st_report *report = sarif->report;
    struct st_result_list results = st_report_results(report);
    const struct st_predictions *predictions = st_report_predictions(report);
    for (size_t i = 0; i < results.count; i++) {
        const struct st_result *result = &results.items[i];
        put_run(sarif, &(struct run){.result = result,
                                     .engine = result->engine,
                                     .verdict = result->findings->verdict});
    }
    for (size_t i = 0; i < predictions->count; i++) {
        const struct st_prediction *prediction = &predictions->items[i];
        put_run(sarif, &(struct run){.prediction = prediction,
                                     .engine = prediction->engine,
                                     .verdict = prediction->atomic});
    }
}

/* With a slash at its end; NULL where it is not known. */
static char *current_folder(const struct st_report *report) {
    char *folder = report->folder ? st_strdup(report->folder) : get_current_dir_name();
    if (!folder)
        return NULL;
    size_t length = strlen(folder);
    char *result = st_alloc(length + 2, 1);
    memcpy(result, folder, length);
    if (length && folder[length - 1] != '/')
        result[length] = '/';
    free(folder);
    return result;
}

void st_report_sarif(const struct st_report *report, FILE *file) {
    struct st_sarif sarif = {.report = report};
    struct st_json *json = &sarif.json;
    char *folder = current_folder(report);
    sarif.folder = folder;
    st_json_start(json, file);
    st_json_object(json);
    string_field(json, "$schema",
                 "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                 "sarif-schema-2.1.0.json");
    string_field(json, "version", "2.1.0");
    st_json_key(json, "runs");
    st_json_array(json);
    put_runs(&sarif);
    st_json_array_end(json);
    st_json_object_end(json);
    st_json_finish(json);
    free(folder);
}
