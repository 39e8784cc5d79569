/* The report as SARIF 2.1.0, the format of OASIS for what analysers find. A run for each engine, a
 * result for each finding as the text tells them: what was cut in the same place of the code is one
 * result with a count, and blocks around another that was cut by the same are named with it.
 *
 * Nothing in it depends on where the program was loaded or how events were numbered, but for names
 * that do. Paths are relative to the folder in which seriatim runs, wherever they can be. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "report/draft.h"
#include "report/hint.h"
#include "report/json_fields.h"
#include "report/sarif_parts.h"
#include "report/sarif_rules.h"
#include "report/story.h"

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

/* ---- Messages ---- */

static struct st_text start_text(const struct st_sarif *sarif, struct st_draft *draft) {
    return (struct st_text){.file = st_draft_open(draft),
                            .symbols = sarif->report->symbols,
                            .details = sarif->report->details};
}

/* A hint where there is one, and the blocks around. */
static void say_more(const struct st_text *text, const struct st_paragraph *paragraph,
                     bool blamed) {
    struct st_draft draft;
    struct st_text hint = *text;
    hint.file = st_draft_open(&draft);
    bool said = !blamed && st_say_hint(&hint, paragraph->violation);
    char *words = st_draft_close(&draft);
    if (said)
        fprintf(text->file, " Hint: %s.", words);
    free(words);
    for (size_t i = 0; i < paragraph->around_count; i++) {
        fputs(i ? ", " : " Cut by the same: ", text->file);
        st_put_block(text, paragraph->around[i]);
    }
    if (paragraph->around_count)
        fputc('.', text->file);
}

/* The sentence once more, and the steps as a list. */
static char *make_markdown(const struct st_sarif *sarif, const char *sentence,
                           const struct steps *steps) {
    struct st_draft draft;
    char *escaped = st_markdown(sentence);
    FILE *file = st_draft_open(&draft);
    fprintf(file, "%s\n", escaped);
    free(escaped);
    for (size_t i = 0; i < steps->count; i++) {
        const struct st_place *step = &steps->items[i];
        char *deed = st_sarif_deed(sarif, step), *safe = st_markdown(deed);
        char *thread = st_markdown(st_name(&sarif->report->symbols->threads, step->event.thread));
        fprintf(file, "\n%zu. **%s** %s", i + 1, thread, safe);
        free(deed);
        free(safe);
        free(thread);
    }
    return st_draft_close(&draft);
}

static void put_message(struct st_sarif *sarif, char *sentence, const struct steps *steps) {
    char *markdown = make_markdown(sarif, sentence, steps);
    st_sarif_message(sarif, "message", sentence, markdown);
    free(markdown);
    free(sentence);
}

/* ---- What results have in common ---- */

static void put_fingerprint(struct st_sarif *sarif, struct st_fingerprint fingerprint) {
    st_json_key(&sarif->json, "partialFingerprints");
    st_json_flat_object(&sarif->json);
    string_field(&sarif->json, "seriatim/v1", fingerprint.text);
    st_json_object_end(&sarif->json);
}

static void put_suppression(struct st_sarif *sarif, const struct st_suppressing_line *line) {
    struct st_json *json = &sarif->json;
    st_json_flat_object(json);
    string_field(json, "kind", "external");
    string_field(json, "status", "accepted");
    string_field(json, "justification", line->reason);
    st_json_key(json, "location");
    st_json_flat_object(json);
    st_json_key(json, "physicalLocation");
    st_json_flat_object(json);
    st_sarif_artifact(sarif, line->file);
    st_json_key(json, "region");
    st_json_flat_object(json);
    number_field(json, "startLine", line->line);
    st_json_object_end(json);
    st_json_object_end(json);
    st_json_object_end(json);
    st_json_object_end(json);
}

/* A list that is empty says that somebody asked. */
static void put_mark(struct st_sarif *sarif, struct st_mark mark) {
    const struct st_triage *triage = sarif->report->triage;
    if (!triage)
        return;
    if (triage->suppresses) {
        st_json_key(&sarif->json, "suppressions");
        st_json_array(&sarif->json);
        if (mark.state == ST_SUPPRESSED)
            put_suppression(sarif, &triage->lines[mark.line]);
        st_json_array_end(&sarif->json);
    }
    if (triage->baseline_count)
        string_field(&sarif->json, "baselineState", mark.in_baseline ? "unchanged" : "new");
}

static void start_result(struct st_sarif *sarif, enum st_sarif_rule rule) {
    st_json_object(&sarif->json);
    st_sarif_rule_fields(&sarif->json, rule);
    string_field(&sarif->json, "level", "warning");
}

static void put_related(struct st_sarif *sarif, const struct st_place *place, const char *message) {
    struct st_draft draft;
    if (!place->number)
        return;
    char *deed = st_sarif_deed(sarif, place);
    fprintf(st_draft_open(&draft), "%s: %s %s", message,
            st_name(&sarif->report->symbols->threads, place->event.thread), deed);
    char *words = st_draft_close(&draft);
    st_sarif_location(sarif, place, NULL, words);
    free(words);
    free(deed);
}

/* ---- Violated blocks ---- */

static void put_locations(struct st_sarif *sarif, const struct st_violation *violation) {
    const char *block = st_target_name(sarif->report->symbols, ST_BEGIN, violation->block);
    char *deed = st_sarif_deed(sarif, &violation->event);
    st_json_key(&sarif->json, "locations");
    st_json_array(&sarif->json);
    st_sarif_location(sarif, &violation->event, block, deed);
    st_json_array_end(&sarif->json);
    free(deed);
}

static void put_related_locations(struct st_sarif *sarif, const struct st_violation *violation) {
    struct st_place begin = st_begin_place(violation);
    st_json_key(&sarif->json, "relatedLocations");
    st_json_array(&sarif->json);
    put_related(sarif, &begin, "the block begins");
    if (violation->path_length) {
        put_related(sarif, &violation->path[0].from, "others get to see the block");
        put_related(sarif, &violation->path[0].to, "and depend on it");
    }
    if (violation->closing.to.number)
        put_related(sarif, &violation->closing.from, "the block depends on them");
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
                          const struct st_paragraph *paragraph) {
    const struct st_violation *violation = paragraph->violation;
    bool blamed = st_is_blamed(result->findings, violation);
    struct steps steps = steps_of(violation);
    struct st_draft draft;
    struct st_text text = start_text(sarif, &draft);
    st_say_violation(&text, violation, blamed);
    fputc('.', text.file);
    say_more(&text, paragraph, blamed);
    char *sentence = st_draft_close(&draft);

    start_result(sarif, blamed ? ST_RULE_BLAMED : ST_RULE_VIOLATION);
    put_locations(sarif, violation);
    put_related_locations(sarif, violation);
    st_sarif_code_flow(sarif, steps.items, steps.count, violation->thread);
    put_message(sarif, sentence, &steps);
    put_stacks(sarif, violation);
    put_fingerprint(sarif, st_fingerprint(sarif->report, violation));
    number_field(&sarif->json, "occurrenceCount", paragraph->count);
    put_mark(sarif, st_violation_mark(sarif->report, result,
                                      (size_t)(violation - result->findings->violations)));
    st_json_object_end(&sarif->json);
    free(steps.items);
}

static void put_violations(struct st_sarif *sarif, const struct st_result *result,
                           enum st_state state, const struct st_block_row *rows, size_t count) {
    struct st_paragraphs paragraphs = st_paragraphs_make(sarif->report, result, state, rows, count);
    for (size_t i = 0; i < paragraphs.count; i++)
        put_violation(sarif, result, &paragraphs.items[i]);
    st_paragraphs_free(&paragraphs);
}

/* ---- Cycles and mere verdicts ---- */

static void put_cycle(struct st_sarif *sarif, const struct st_result *result) {
    const struct st_findings *findings = result->findings;
    struct steps steps = {0};
    add_edges(&steps, findings->cycle, findings->cycle_length);
    complete(&steps);
    const struct st_place *last = &findings->cycle[findings->cycle_length - 1].to;
    char *deed = st_sarif_deed(sarif, last);

    start_result(sarif, ST_RULE_CYCLE);
    st_json_key(&sarif->json, "locations");
    st_json_array(&sarif->json);
    st_sarif_location(sarif, last, NULL, deed);
    st_json_array_end(&sarif->json);
    st_json_key(&sarif->json, "relatedLocations");
    st_json_array(&sarif->json);
    for (size_t i = 0; i < steps.count; i++)
        put_related(sarif, &steps.items[i], "in the cycle");
    st_json_array_end(&sarif->json);
    st_sarif_code_flow(sarif, steps.items, steps.count, last->event.thread);
    put_message(sarif,
                st_strdup("No serial order explains the trace, although no single block was cut: "
                          "its transactions wait for each other in a cycle."),
                &steps);
    put_fingerprint(sarif, st_cycle_fingerprint(sarif->report, findings));
    put_mark(sarif, st_cycle_mark(sarif->report, result));
    st_json_object_end(&sarif->json);
    free(steps.items);
    free(deed);
}

static void put_verdict(struct st_sarif *sarif) {
    start_result(sarif, ST_RULE_VERDICT);
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
    put_mark(sarif, (struct st_mark){.state = ST_NEW});
    st_json_object_end(&sarif->json);
}

/* ---- A run ---- */

static void put_results(struct st_sarif *sarif, const struct st_result *result) {
    size_t count;
    struct st_block_row *rows = st_rank_blocks(sarif->report, result->findings, &count);
    st_json_key(&sarif->json, "results");
    st_json_array(&sarif->json);
    for (enum st_state state = 0; state < ST_STATES; state++)
        put_violations(sarif, result, state, rows, count);
    if (st_result_has_cycle(result) && result->findings->cycle_length)
        put_cycle(sarif, result);
    else if (st_result_has_cycle(result))
        put_verdict(sarif);
    st_json_array_end(&sarif->json);
    free(rows);
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

/* What a reader of the results should know. */
static void put_notifications(struct st_sarif *sarif, const struct st_result *result) {
    const struct st_findings *findings = result->findings;
    uint64_t missing = st_all_violated(findings) - findings->kept;
    char text[160];
    st_json_key(&sarif->json, "toolExecutionNotifications");
    st_json_array(&sarif->json);
    if (findings->gave_up)
        put_notification(sarif, "error", findings->gave_up);
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
    if (missing) {
        snprintf(text, sizeof text,
                 "%" PRIu64 " more violated blocks are not listed; --limit 0 lists all.", missing);
        put_notification(sarif, "note", text);
    }
    st_json_array_end(&sarif->json);
}

static void put_invocation(struct st_sarif *sarif, const struct st_result *result) {
    struct st_json *json = &sarif->json;
    st_json_key(json, "invocations");
    st_json_array(json);
    st_json_object(json);
    bool_field(json, "executionSuccessful", result->findings->verdict != ST_UNDECIDED);
    if (sarif->report->has_status)
        number_field(json, "exitCode", (uint64_t)sarif->report->status);
    put_notifications(sarif, result);
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

static void put_properties(struct st_sarif *sarif, const struct st_result *result) {
    struct st_json *json = &sarif->json;
    st_json_key(json, "properties");
    st_json_flat_object(json);
    string_field(json, "engine", result->engine);
    string_field(json, "trace", sarif->report->trace);
    st_json_key(json, "serializable");
    if (result->findings->verdict == ST_UNDECIDED)
        st_json_null(json);
    else
        st_json_bool(json, result->findings->verdict == ST_SERIALIZABLE);
    if (result->findings->names_blocks)
        number_field(json, "violatedBlocks", st_all_violated(result->findings));
    st_json_object_end(json);
}

static void put_run(struct st_sarif *sarif, const struct st_result *result) {
    struct st_json *json = &sarif->json;
    char id[64];
    snprintf(id, sizeof id, "seriatim/%s/", result->engine);
    st_json_object(json);
    put_tool(json);
    put_invocation(sarif, result);
    st_json_key(json, "automationDetails");
    st_json_flat_object(json);
    string_field(json, "id", id);
    st_json_object_end(json);
    put_bases(sarif);
    put_results(sarif, result);
    put_properties(sarif, result);
    st_json_object_end(json);
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
    for (size_t i = 0; i < report->result_count; i++)
        put_run(&sarif, &report->results[i]);
    st_json_array_end(json);
    st_json_object_end(json);
    st_json_finish(json);
    free(folder);
}
