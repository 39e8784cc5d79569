/* The report as SARIF 2.1.0, the format of OASIS for what analysers find: a run for each engine,
 * and a result for each finding that the text shows. What was cut in the same place of the code is
 * one result with a count. Paths are relative to the folder in which seriatim runs, wherever they
 * can be. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "report/json/json_parts.h"
#include "report/predicted_violation.h"
#include "report/sarif/sarif_result.h"
#include "report/sarif/sarif_size.h"
#include "report/triage/finding_groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Findings ---- */

static void put_violation(struct st_sarif *sarif, const struct st_result *result,
                          const struct st_violation_group *group) {
    const struct st_violation *violation = group->violation;
    size_t index = (size_t)(violation - result->findings->violations);
    struct st_story story = st_violation_story(sarif->report, result, group);
    st_sarif_result(
        sarif, &(struct st_sarif_finding){.story = &story,
                                          .violation = violation,
                                          .proof = &violation->event,
                                          .other = &violation->closing.from,
                                          .fingerprint = st_fingerprint(sarif->report, violation),
                                          .mark = st_violation_mark(sarif->report, result, index)});
    st_story_free(&story);
}

/* A cycle, or a mere verdict. */
static void put_cycle(struct st_sarif *sarif, const struct st_result *result) {
    const struct st_findings *findings = result->findings;
    struct st_story story = st_cycle_story(sarif->report, result);
    struct st_sarif_finding finding = {.story = &story, .mark = {.state = ST_NEW}};
    if (findings->cycle_length) {
        finding.proof = &findings->cycle[findings->cycle_length - 1].to;
        finding.fingerprint = st_cycle_fingerprint(sarif->report, findings);
        finding.mark = st_cycle_mark(sarif->report, result);
    }
    st_sarif_result(sarif, &finding);
    st_story_free(&story);
}

static void put_predicted(struct st_sarif *sarif, const struct st_prediction *prediction,
                          const struct st_predicted_group *group) {
    const struct st_predicted_block *block = group->block;
    size_t index = (size_t)(block - prediction->blocks);
    struct st_story story = st_predicted_story(sarif->report, prediction, group);
    struct st_violation violation = st_predicted_violation(block);
    st_sarif_result(sarif, &(struct st_sarif_finding){
                               .story = &story,
                               .violation = &violation,
                               .proof = &violation.event,
                               .other = &violation.closing.from,
                               .fingerprint = st_predicted_fingerprint(sarif->report, block),
                               .mark = st_predicted_mark(sarif->report, prediction, index),
                               .verdict = st_block_verdict_name(block->verdict),
                               .pattern = block->pattern});
    free(violation.path);
    st_story_free(&story);
}

/* A finding that is about all of its steps alike. Takes the story over. */
static void put_steps(struct st_sarif *sarif, struct st_story story) {
    size_t count = story.steps.count;
    struct st_place *places = st_alloc(count, sizeof *places);
    for (size_t i = 0; i < count; i++)
        places[i] = story.steps.items[i].place;
    st_sarif_result(sarif, &(struct st_sarif_finding){
                               .story = &story,
                               .proof = places,
                               .other = count > 1 ? &places[1] : NULL,
                               .fingerprint = st_steps_fingerprint(sarif->report, places, count),
                               .mark = {.state = ST_NEW}});
    free(places);
    st_story_free(&story);
}

static void put_failure(struct st_sarif *sarif, const struct st_failure *failure) {
    struct st_story story = st_failure_story(sarif->report, failure);
    struct st_place place = {.event = {.loc = failure->place}};
    struct st_sarif_finding finding = {.story = &story, .mark = {.state = ST_NEW}};
    if (failure->place)
        finding.proof = &place;
    snprintf(finding.fingerprint.text, sizeof finding.fingerprint.text, "%s", failure->fingerprint);
    st_sarif_result(sarif, &finding);
    st_story_free(&story);
}

static void put_results(struct st_sarif *sarif, const struct st_result *result) {
    for (size_t i = 0; sarif->report->hunt && i < sarif->report->hunt->failure_count; i++)
        put_failure(sarif, &sarif->report->hunt->failures[i]);
    struct st_violation_groups groups = st_group_violations(sarif->report, result);
    for (size_t i = 0; i < groups.count; i++)
        put_violation(sarif, result, &groups.items[i]);
    if (st_result_has_cycle(result))
        put_cycle(sarif, result);
    st_violation_groups_free(&groups);
}

/* Deadlocks belong to no analysis and come with the first. */
static void put_prediction(struct st_sarif *sarif, const struct st_prediction *prediction) {
    const struct st_predictions *all = sarif->report->predictions;
    struct st_predicted_groups groups = st_group_predictions(sarif->report, prediction);
    for (size_t i = 0; i < groups.count; i++)
        put_predicted(sarif, prediction, &groups.items[i]);
    st_predicted_groups_free(&groups);
    size_t race_count;
    struct st_race_group *races = st_group_races(sarif->report, prediction, &race_count);
    for (size_t i = 0; i < race_count; i++)
        put_steps(sarif, st_race_story(sarif->report, races[i].race, races[i].count));
    free(races);
    for (size_t i = 0; prediction == all->items && i < all->deadlock_count; i++)
        put_steps(sarif, st_deadlock_story(sarif->report, &all->deadlocks[i]));
}

/* ---- A run ---- */

static void put_tool(struct st_json *json) {
    st_json_key(json, "tool");
    st_json_object(json);
    st_json_key(json, "driver");
    st_json_object(json);
    st_json_string_field(json, "name", "seriatim");
    st_json_string_field(json, "version", SERIATIM_VERSION);
    st_json_string_field(json, "semanticVersion", SERIATIM_VERSION);
    st_sarif_rules(json);
    st_json_object_end(json);
    st_json_object_end(json);
}

static void put_notification(struct st_sarif *sarif, const char *level, const char *text) {
    st_json_flat_object(&sarif->json);
    st_json_string_field(&sarif->json, "level", level);
    st_sarif_message(sarif, "message", text, NULL);
    st_json_object_end(&sarif->json);
}

/* What all results of a trace have to say of it. */
static void put_trace_notifications(struct st_sarif *sarif) {
    char text[160];
    if (sarif->report->file_truncated)
        put_notification(sarif, "warning", "The file is truncated: only its beginning was read.");
    for (int kind = 0; kind < ST_MALFORMED_COUNT; kind++) {
        if (!sarif->report->repairs->kinds[kind].count)
            continue;
        snprintf(text, sizeof text, "The trace was repaired: %s (events: %" PRIu64 ").",
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

/* What became of predictions that a hunt tried. Those that were confirmed are results, too. */
static void put_tried_notifications(struct st_sarif *sarif) {
    const struct st_hunt_facts *hunt = sarif->report->hunt;
    for (size_t i = 0; hunt && i < hunt->prediction_count; i++) {
        if (st_tried_is_folded(hunt, i))
            continue;
        char *sentence = st_tried_text(hunt, i);
        put_notification(sarif, "note", sentence);
        free(sentence);
    }
}

static void put_prediction_notifications(struct st_sarif *sarif,
                                         const struct st_prediction *prediction) {
    uint64_t missing = st_all_reported(prediction);
    char text[160];
    for (size_t i = 0; i < prediction->listed; i++)
        missing -= st_is_reported(&prediction->blocks[i]);
    uint64_t open = prediction->by[ST_BLOCK_TIMEOUT];
    if (open) {
        snprintf(text, sizeof text, "%" PRIu64 " block%s %s not decided.", open,
                 open == 1 ? "" : "s", open == 1 ? "was" : "were");
        put_notification(sarif, "warning", text);
    }
    for (size_t i = 0; i < prediction->caveat_count; i++)
        put_notification(sarif, "note", prediction->caveats[i]);
    put_missing(sarif, missing, "reported");
}

static void put_unchecked(struct st_sarif *sarif) {
    struct st_unchecked unchecked = st_report_unchecked(sarif->report);
    if (unchecked.what) {
        size_t size = strlen(unchecked.what) + 32;
        char *text = st_alloc(size, 1);
        snprintf(text, size, "Nothing was checked: %s.", unchecked.what);
        put_notification(sarif, "warning", text);
        free(text);
    }
    for (size_t i = 0; i < unchecked.count; i++)
        put_notification(sarif, "warning", unchecked.reasons[i]);
    st_unchecked_free(&unchecked);
}

/* What a reader of the results should know. */
static void put_notifications(struct st_sarif *sarif, const struct run *run) {
    st_json_key(&sarif->json, "toolExecutionNotifications");
    st_json_array(&sarif->json);
    if (run->result && run->result->findings->gave_up)
        put_notification(sarif, "error", run->result->findings->gave_up);
    put_trace_notifications(sarif);
    put_unchecked(sarif);
    put_tried_notifications(sarif);
    if (run->result && run->result->findings->kept > ST_SARIF_RESULTS)
        put_notification(sarif, "note",
                         "At most 25000 findings are listed: GitHub takes no more of them.");
    if (sarif->left_out) {
        char text[160];
        snprintf(text, sizeof text,
                 "%" PRIu64 " more finding%s not listed: GitHub takes no files above 10 MB after "
                 "compression.",
                 sarif->left_out, sarif->left_out == 1 ? " is" : "s are");
        put_notification(sarif, "note", text);
    }
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
    st_json_bool_field(json, "executionSuccessful", run->verdict != ST_UNDECIDED);
    if (sarif->report->has_status)
        st_json_number_field(json, "exitCode", (uint64_t)sarif->report->status);
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
    st_sarif_message(sarif, "description",
                     sarif->report->root ? "The root of the sources."
                                         : "The folder in which seriatim ran.",
                     NULL);
    st_json_object_end(&sarif->json);
    st_json_object_end(&sarif->json);
}

static void put_properties(struct st_sarif *sarif, const struct run *run) {
    struct st_json *json = &sarif->json;
    st_json_key(json, "properties");
    st_json_flat_object(json);
    st_json_string_field(json, "engine", run->engine);
    st_json_string_field(json, "trace", sarif->report->trace);
    if (run->result)
        st_json_string_field(json, "relation", st_relation_name(sarif->report->relation));
    st_json_key(json, run->result ? "serializable" : "atomic");
    if (run->verdict == ST_UNDECIDED)
        st_json_null(json);
    else
        st_json_bool(json, run->verdict == ST_SERIALIZABLE);
    if (run->result && run->result->findings->names_blocks)
        st_json_number_field(json, "violatedBlocks", st_all_violated(run->result->findings));
    if (run->prediction)
        st_json_number_field(json, "reportedBlocks", st_all_reported(run->prediction));
    st_json_object_end(json);
}

static void put_run(struct st_sarif *sarif, const struct run *run) {
    struct st_json *json = &sarif->json;
    char id[64];
    snprintf(id, sizeof id, "seriatim/%s/", run->engine);
    st_json_object(json);
    put_tool(json);
    sarif->results = sarif->left_out = 0;
    st_json_key(json, "automationDetails");
    st_json_flat_object(json);
    st_json_string_field(json, "id", id);
    st_json_object_end(json);
    put_bases(sarif);
    st_json_key(json, "results");
    st_json_array(json);
    if (run->result)
        put_results(sarif, run->result);
    else
        put_prediction(sarif, run->prediction);
    st_json_array_end(json);
    put_invocation(sarif, run); /* it says how many results were left out */
    put_properties(sarif, run);
    st_json_object_end(json);
}

static void put_result_runs(struct st_sarif *sarif, struct st_result_list results) {
    for (size_t i = 0; i < results.count; i++) {
        const struct st_result *result = &results.items[i];
        put_run(sarif, &(struct run){.result = result,
                                     .engine = result->engine,
                                     .verdict = result->findings->verdict});
    }
}

static void put_prediction_runs(struct st_sarif *sarif, const struct st_predictions *predictions) {
    for (size_t i = 0; i < predictions->count; i++) {
        const struct st_prediction *prediction = &predictions->items[i];
        put_run(sarif, &(struct run){.prediction = prediction,
                                     .engine = prediction->engine,
                                     .verdict = prediction->atomic});
    }
}

static void put_runs(struct st_sarif *sarif) {
    const struct st_report *report = sarif->report;
    switch (report->kind) {
    case ST_REPORT_RESULT:
    case ST_REPORT_COMPARISON:
        put_result_runs(sarif, report->results);
        break;
    case ST_REPORT_PREDICTION:
    case ST_REPORT_PREDICTION_COMPARISON:
        put_prediction_runs(sarif, report->predictions);
        break;
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
    FILE *measured = st_sarif_measure(file, &sarif.size);
    st_json_start(json, measured);
    st_json_object(json);
    st_json_string_field(json, "$schema",
                         "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                         "sarif-schema-2.1.0.json");
    st_json_string_field(json, "version", "2.1.0");
    st_json_key(json, "runs");
    st_json_array(json);
    put_runs(&sarif);
    st_json_array_end(json);
    st_json_object_end(json);
    st_json_finish(json);
    fclose(measured);
    st_sarif_size_free(sarif.size);
    free(folder);
}
