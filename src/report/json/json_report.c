/* The JSON of `seriatim check`: the contract "seriatim-check/1". Fields may be added, never changed
 * or taken away. */
#include "report/json/json_report.h"

#include "base/output.h"
#include "report/json/json_parts.h"
#include "report/json/page_choice.h"
#include "report/triage/finding_groups.h"
#include "report/triage/weight.h"
#include "report/calls.h"

#include <stdlib.h>

static const char *schema(const struct st_report *report) {
    return report->schema ? report->schema : ST_CHECK_SCHEMA;
}

/* The begin as an event, with all that is known of it. */
static void write_entry(const struct st_report *report, const struct st_violation *violation,
                        struct st_json *json) {
    struct st_place begin = st_begin_place(violation);
    st_json_key(json, "entry");
    st_write_place(report, &begin, json);
}

/* Nothing where there was one process only. */
static void write_program(const char *executable, struct st_json *json) {
    if (!executable)
        return;
    st_json_string_field(json, "program", st_program_name(executable));
    st_json_string_field(json, "executable", executable);
}

static void write_violation(const struct st_report *report, const struct st_result *result,
                            const struct st_violation_group *group, struct st_json *json) {
    const struct st_violation *violation = group->violation;
    size_t index = (size_t)(violation - result->findings->violations);
    struct st_story story = st_violation_story(report, result, group);
    const struct st_symbols *symbols = report->symbols;
    char buffer[ST_LOCATION_SIZE];
    st_json_object(json);
    st_json_string_field(json, "block", st_target_name(symbols, ST_BEGIN, violation->block));
    st_json_string_field(json, "thread", st_name(&symbols->threads, violation->thread));
    st_json_number_field(json, "begin", violation->begin);
    st_write_event_number(json, "end", violation->end);
    st_json_number_field(json, "depth", violation->depth);
    st_json_number_field(json, "event", violation->event.number);
    if (violation->waited)
        st_json_bool_field(json, "waited", true);
    if (st_came_to_namesake(symbols, violation))
        st_json_bool_field(json, "namesake", true);
    if (violation->process)
        st_json_number_field(json, "pid", violation->process);
    write_program(violation->program, json);
    st_json_string_field(json, "fingerprint", st_fingerprint(report, violation).text);
    if (violation->gap)
        st_write_gap(violation->gap, json);
    st_write_mark(report, st_violation_mark(report, result, index), "", json);
    st_json_string_field(json, "begin_loc",
                         st_user_location(symbols, report->details, violation->begin_loc, buffer));
    write_entry(report, violation, json);
    st_json_key(json, "proof");
    st_write_place(report, &violation->event, json);
    st_json_key(json, "closing");
    if (violation->closing.from.number)
        st_write_edge(report, &violation->closing, NULL, json);
    else
        st_json_null(json);
    st_json_key(json, "cut_by");
    if (violation->closing.to.number)
        st_json_string(json, st_name(&symbols->threads, violation->closing.from.event.thread));
    else
        st_json_null(json);
    if (violation->observation)
        st_write_observation(violation->observation, json);
    st_write_path(report, violation->path, violation->path_length, json);
    st_json_key(json, "story");
    st_write_story(&story, json);
    st_json_object_end(json);
    st_story_free(&story);
}

/* ---- What a page has room for ---- */

/* A result that is being written. */
struct listing {
    const struct st_report *report;
    const struct st_result *result;
    const struct st_violation_groups *groups;
    struct st_page_choice choice; /* of the violations that are kept */
};

static char *finding_key(const struct listing *listing, const struct st_violation *violation) {
    size_t index = (size_t)(violation - listing->result->findings->violations);
    struct st_mark mark = st_violation_mark(listing->report, listing->result, index);
    struct st_text_buffer buffer;
    fprintf(st_text_buffer_open(&buffer), "%d %s %s", (int)mark.state,
            st_fingerprint(listing->report, violation).text,
            violation->program ? violation->program : "");
    return st_text_buffer_close(&buffer);
}

static void write_listed(void *context, size_t item, struct st_json *json) {
    struct listing *listing = context;
    write_violation(listing->report, listing->result, &listing->groups->by_violation[item], json);
}

static void choose_violations(struct listing *listing, const struct st_json *json) {
    const struct st_findings *findings = listing->result->findings;
    struct st_page_choice *choice = &listing->choice;
    st_page_choice_init(choice, findings->kept);
    if (!json->in_page)
        return;
    for (size_t i = 0; i < listing->groups->count; i++) {
        char *key = finding_key(listing, listing->groups->items[i].violation);
        st_page_choice_rank(choice, key);
        free(key);
    }
    for (size_t i = 0; i < findings->kept; i++) {
        char *key = finding_key(listing, &findings->violations[i]);
        st_page_choice_add(choice, i, key, listing->groups->by_violation[i].count > 0);
        free(key);
    }
    st_page_choose(choice, json, write_listed, listing);
    for (size_t i = 0; i < findings->kept; i++)
        if (choice->chosen[i] && findings->violations[i].path_length > ST_PAGE_EDGES)
            choice->edges += findings->violations[i].path_length - ST_PAGE_EDGES;
}

/* The index of a violation among those that are written. */
static uint64_t written_index(const struct listing *listing, size_t index) {
    uint64_t written = 0;
    if (!listing->choice.left_out)
        return index;
    for (size_t i = 0; i < index; i++)
        written += listing->choice.chosen[i];
    return written;
}

/* Where there is only one way, the finding itself says it. */
static void write_variants(const struct st_overview *line, struct st_json *json) {
    if (line->variant_count < 2)
        return;
    st_json_key(json, "variants");
    st_json_array(json);
    for (size_t i = 0; i < line->variant_count; i++) {
        const struct st_variant *variant = &line->variants[i];
        st_json_flat_object(json);
        st_json_string_field(json, "what", variant->subject);
        st_json_string_field(json, "by", variant->function);
        st_json_string_field(json, "at", variant->place);
        st_json_number_field(json, "count", variant->count);
        st_json_object_end(json);
    }
    st_json_array_end(json);
    if (line->more_variants)
        st_json_number_field(json, "variants_left_out", line->more_variants);
}

/* A finding in a line, as text reports begin with; `violation` is the index of the one that stands
 * for it. */
static void write_overview(const struct listing *listing, const struct st_violation_group *group,
                           struct st_json *json) {
    const struct st_report *report = listing->report;
    const struct st_result *result = listing->result;
    const struct st_violation *violation = group->violation;
    size_t index = (size_t)(violation - result->findings->violations);
    if (!listing->choice.chosen[index])
        return;
    struct st_overview line = st_overview_of(report, result, group);
    st_json_object(json);
    st_json_number_field(json, "rank", line.rank);
    st_json_string_field(json, "function", line.function);
    st_json_string_field(json, "what", line.subject);
    st_json_string_field(json, "how_often", line.frequency);
    st_json_string_field(json, "look_at", line.place);
    st_json_string_field(json, "why_here", line.why_here);
    st_json_bool_field(json, "by_design", line.by_design);
    st_json_string_field(json, "state", st_state_name(group->state));
    st_json_string_field(json, "fingerprint", st_fingerprint(report, violation).text);
    st_json_number_field(json, "count", group->count);
    st_json_number_field(json, "violation", written_index(listing, index));
    write_variants(&line, json);
    st_json_object_end(json);
    st_overview_free(&line);
}

static void write_overviews(const struct listing *listing, struct st_json *json) {
    st_json_number_field(json, "findings_left_out", listing->result->findings->left_out);
    st_json_key(json, "findings");
    st_json_array(json);
    for (size_t i = 0; i < listing->groups->count; i++)
        write_overview(listing, &listing->groups->items[i], json);
    st_json_array_end(json);
}

static void write_cycle(const struct st_report *report, const struct st_result *result,
                        struct st_json *json) {
    const struct st_findings *findings = result->findings;
    bool cut = json->in_page && findings->cycle_length > ST_PAGE_EDGES;
    st_json_key(json, "cycle");
    st_write_edges(report, findings->cycle, findings->cycle_ends,
                   cut ? ST_PAGE_EDGES : findings->cycle_length, json);
    if (!st_result_has_cycle(result))
        return;
    st_json_string_field(json, "cycle_fingerprint", st_cycle_fingerprint(report, findings).text);
    st_write_mark(report, st_cycle_mark(report, result), "cycle_", json);
}

static void write_cycle_story(const struct st_report *report, const struct st_result *result,
                              struct st_json *json) {
    struct st_story story = st_cycle_story(report, result);
    st_json_key(json, "story");
    st_write_story(&story, json);
    st_story_free(&story);
}

static void write_violations(const struct st_report *report, const struct st_result *result,
                             const struct st_violation_groups *groups, struct st_json *json) {
    const struct st_findings *findings = result->findings;
    struct listing listing = {.report = report, .result = result, .groups = groups};
    choose_violations(&listing, json);
    st_json_key(json, "violation_count");
    if (findings->names_blocks)
        st_json_number(json, findings->violation_count);
    else
        st_json_null(json);
    st_json_number_field(json, "violated_blocks", findings->all_violated);
    write_overviews(&listing, json);
    st_json_key(json, "violations");
    st_json_array(json);
    for (size_t i = 0; i < findings->kept; i++)
        if (listing.choice.chosen[i])
            write_listed(&listing, i, json);
    st_json_array_end(json);
    st_write_left_out_of_page(&listing.choice, json);
    st_page_choice_free(&listing.choice);
    if (findings->cycle_length)
        write_cycle(report, result, json);
    if (st_result_has_cycle(result))
        write_cycle_story(report, result, json);
}

static void write_blocks(const struct st_findings *findings,
                         const struct st_violation_groups *groups, struct st_json *json) {
    st_json_key(json, "blocks");
    st_json_array(json);
    for (size_t i = 0; i < groups->row_count && !(json->in_page && i == ST_PAGE_ROWS); i++) {
        const struct st_block_row *row = &groups->rows[i];
        st_json_flat_object(json);
        st_json_string_field(json, "name", row->name);
        write_program(row->program, json);
        st_json_number_field(json, "executed", row->executed);
        st_json_key(json, "violated");
        if (findings->names_blocks)
            st_json_number(json, row->violated);
        else
            st_json_null(json);
        if (row->violated)
            st_json_number_field(json, "depth", row->depth);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_verdict(enum st_verdict verdict, struct st_json *json) {
    st_json_key(json, "serializable");
    if (verdict == ST_UNDECIDED)
        st_json_null(json);
    else
        st_json_bool(json, verdict == ST_SERIALIZABLE);
}

static void write_programs(const struct st_report *report, struct st_json *json) {
    if (!report->program_count)
        return;
    st_json_key(json, "programs");
    st_json_array(json);
    for (size_t i = 0; i < report->program_count; i++) {
        const struct st_program_row *row = &report->programs[i];
        st_json_flat_object(json);
        write_program(row->name, json);
        write_verdict(row->verdict, json);
        st_json_number_field(json, "processes", row->processes);
        st_json_number_field(json, "events", row->events);
        st_json_number_field(json, "violation_count", row->violated);
        st_json_number_field(json, "unchecked", row->unchecked);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_texts(const char *key, const char *const *texts, struct st_json *json) {
    st_json_key(json, key);
    st_json_array(json);
    for (; texts && *texts; texts++)
        st_json_string(json, *texts);
    st_json_array_end(json);
}

static void write_coverage(const struct st_coverage *coverage, struct st_json *json) {
    st_json_key(json, "coverage");
    st_json_object(json);
    st_json_bool_field(json, "spec", coverage->spec);
    st_json_number_field(json, "functions", coverage->functions);
    write_texts("starts", coverage->starts, json);
    write_texts("unselected", coverage->unselected, json);
    write_texts("inlined", coverage->inlined, json);
    write_texts("uninstrumented", coverage->uninstrumented, json);
    st_json_object_end(json);
}

static void write_unchecked(const struct st_report *report, struct st_json *json) {
    struct st_unchecked unchecked = st_report_unchecked(report);
    if (unchecked.what) {
        st_json_key(json, "unchecked");
        st_json_object(json);
        st_json_string_field(json, "what", unchecked.what);
        write_texts("reasons", (const char *const *)unchecked.reasons, json);
        st_json_object_end(json);
    }
    if (report->coverage && !json->in_page)
        write_coverage(report->coverage, json);
    st_unchecked_free(&unchecked);
}

static void write_counters(const struct st_counters *counters, struct st_json *json) {
    if (!counters->count)
        return;
    st_json_key(json, "counters");
    st_json_object(json);
    for (size_t i = 0; i < counters->count; i++)
        st_json_number_field(json, counters->items[i].name, counters->items[i].value);
    st_json_object_end(json);
}

static void write_result(const struct st_report *report, size_t index, struct st_json *json) {
    const struct st_result *result = &report->results.items[index];
    struct st_violation_groups groups = st_group_violations(report, result);
    st_json_object(json);
    st_json_string_field(json, "schema", schema(report));
    st_json_string_field(json, "engine", result->engine);
    if (result->published_form_of)
        st_json_string_field(json, "published_form_of", result->published_form_of);
    st_json_string_field(json, "relation", st_relation_name(report->relation));
    st_write_trace(report, json);
    struct st_summary summary = st_result_summary(report, result);
    st_json_string_field(json, "summary", summary.text);
    free(summary.text);
    write_unchecked(report, json);
    write_verdict(result->findings->verdict, json);
    st_write_event_number(json, "first_bad_event", result->findings->first_bad_event);
    if (result->findings->gave_up)
        st_json_string_field(json, "gave_up", result->findings->gave_up);
    st_json_bool_field(json, "outermost_only", result->findings->outermost_only);
    st_json_bool_field(json, "blames_closers", result->findings->blames_closers);
    write_violations(report, result, &groups, json);
    if (report->triage)
        st_write_states(&report->triage->marks[index], json);
    if (report->kind == ST_REPORT_RESULT)
        st_write_triage(report, json);
    write_blocks(result->findings, &groups, json);
    write_programs(report, json);
    if (report->kind == ST_REPORT_RESULT)
        st_write_hunt(report, json);
    st_write_repairs(report->repairs, json);
    st_json_bool_field(json, "stopped", report->stopped);
    st_json_key(json, "time_seconds");
    st_json_real(json, result->seconds);
    st_json_number_field(json, "peak_state_bytes", result->peak_bytes);
    write_counters(&result->counters, json);
    st_json_object_end(json);
    st_violation_groups_free(&groups);
}

static void write_comparison(const struct st_report *report, struct st_json *json) {
    st_json_object(json);
    st_json_string_field(json, "schema", schema(report));
    st_write_trace(report, json);
    st_json_bool_field(json, "agree", !st_report_disagrees(report));
    st_write_triage(report, json);
    st_json_key(json, "engines");
    st_json_array(json);
    json->room /= report->results.count + !report->results.count;
    for (size_t i = 0; i < report->results.count; i++)
        write_result(report, i, json);
    st_json_array_end(json);
    st_json_object_end(json);
}

void st_report_json_value(const struct st_report *report, struct st_json *json) {
    switch (report->kind) {
    case ST_REPORT_RESULT:
        write_result(report, 0, json);
        break;
    case ST_REPORT_COMPARISON:
        write_comparison(report, json);
        break;
    case ST_REPORT_PREDICTION:
        st_prediction_json_value(report, json);
        break;
    case ST_REPORT_PREDICTION_COMPARISON:
        st_prediction_comparison_json_value(report, json);
        break;
    }
}

void st_report_json(const struct st_report *report, FILE *file) {
    struct st_json json;
    st_json_start(&json, file);
    st_report_json_value(report, &json);
    st_json_finish(&json);
}
