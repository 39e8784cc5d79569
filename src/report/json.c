/* The JSON of `seriatim check`: the contract "seriatim-check/1". Fields may be added, never changed
 * or taken away. */
#include "report/json.h"

#include "report/json_fields.h"
#include "report/rank.h"
#include "report/triage.h"

#include <stdlib.h>

/* null for 0: no event has that number. */
static void event_field(struct st_json *json, const char *key, uint64_t event) {
    st_json_key(json, key);
    if (event)
        st_json_number(json, event);
    else
        st_json_null(json);
}

static const char *schema(const struct st_report *report) {
    return report->schema ? report->schema : "seriatim-check/1";
}

static void write_trace(const struct st_report *report, struct st_json *json) {
    const struct st_facts *facts = report->facts;
    struct st_counts counts = st_report_counts(report);
    st_json_key(json, "trace");
    st_json_flat_object(json);
    string_field(json, "file", report->trace);
    number_field(json, "events", facts->events);
    number_field(json, "threads", counts.threads);
    number_field(json, "variables", counts.variables);
    number_field(json, "locks", counts.locks);
    number_field(json, "channels", counts.channels);
    number_field(json, "blocks", facts->ops[ST_BEGIN]);
    number_field(json, "deepest", facts->deepest);
    bool_field(json, "truncated", st_report_truncated(report));
    bool_field(json, "cut", report->cut);
    if (report->built > 0)
        number_field(json, "built", (uint64_t)report->built);
    st_json_object_end(json);
}

static void write_stack(const char *const *stack, struct st_json *json) {
    st_json_key(json, "stack");
    st_json_array(json);
    for (; *stack; stack += 2) {
        st_json_flat_object(json);
        string_field(json, "function", stack[0]);
        string_field(json, "loc", stack[1]);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_detail(const struct st_details *details, uint64_t loc, struct st_json *json) {
    struct st_detail detail;
    details->tell(details->context, loc, &detail);
    string_field(json, "function", detail.function);
    write_stack(detail.stack, json);
    st_json_key(json, "locks");
    st_json_array(json);
    for (; *detail.locks; detail.locks++)
        st_json_string(json, *detail.locks);
    st_json_array_end(json);
}

static void write_place(const struct st_report *report, const struct st_place *place,
                        struct st_json *json) {
    const struct st_symbols *symbols = report->symbols;
    char buffer[ST_LOCATION_SIZE];
    char *op = st_op_text(symbols, &place->event);
    st_json_flat_object(json);
    number_field(json, "event", place->number);
    string_field(json, "thread", st_name(&symbols->threads, place->event.thread));
    string_field(json, "op", op);
    string_field(json, "loc", st_location_text(symbols, place->event.loc, buffer));
    if (report->details)
        write_detail(report->details, place->event.loc, json);
    st_json_object_end(json);
    free(op);
}

/* null where it is not known. */
static void write_transaction(const struct st_report *report, const char *key,
                              const struct st_transaction *transaction, struct st_json *json) {
    st_json_key(json, key);
    if (!transaction->first) {
        st_json_null(json);
        return;
    }
    st_json_flat_object(json);
    number_field(json, "first", transaction->first);
    bool_field(json, "unary", transaction->unary);
    string_field(
        json, "block",
        transaction->unary ? "" : st_target_name(report->symbols, ST_BEGIN, transaction->block));
    st_json_object_end(json);
}

/* `ends` may be NULL: then nobody asks for the transactions. */
static void write_edge(const struct st_report *report, const struct st_edge *edge,
                       const struct st_ends *ends, struct st_json *json) {
    st_json_flat_object(json);
    st_json_key(json, "from");
    write_place(report, &edge->from, json);
    st_json_key(json, "to");
    write_place(report, &edge->to, json);
    string_field(json, "kind", st_edge_kind_name(edge->kind));
    string_field(json, "on", st_edge_subject(report->symbols, edge));
    if (edge->race != ST_RACE_UNKNOWN)
        bool_field(json, "race", edge->race == ST_RACE_FOUND);
    if (ends) {
        write_transaction(report, "from_transaction", &ends->from, json);
        write_transaction(report, "to_transaction", &ends->to, json);
    }
    st_json_object_end(json);
}

static void write_edges(const struct st_report *report, const struct st_edge *edges,
                        const struct st_ends *ends, size_t count, struct st_json *json) {
    st_json_array(json);
    for (size_t i = 0; i < count; i++)
        write_edge(report, &edges[i], ends ? &ends[i] : NULL, json);
    st_json_array_end(json);
}

/* The begin as an event, with all that is known of it. */
static void write_entry(const struct st_report *report, const struct st_violation *violation,
                        struct st_json *json) {
    struct st_place place = {.number = violation->begin,
                             .event = {.thread = violation->thread,
                                       .target = violation->block,
                                       .loc = violation->begin_loc & ((ST_LOC_NAME << 1) - 1),
                                       .written = ST_BEGIN,
                                       .op = ST_BEGIN}};
    st_json_key(json, "entry");
    write_place(report, &place, json);
}

/* What is to become of a finding; `prefix` goes before the names of the fields. */
static void write_mark(const struct st_report *report, struct st_mark mark, const char *prefix,
                       struct st_json *json) {
    char key[32];
    if (!report->triage)
        return;
    snprintf(key, sizeof key, "%sstate", prefix);
    string_field(json, key, st_state_name(mark.state));
    if (mark.state != ST_SUPPRESSED)
        return;
    snprintf(key, sizeof key, "%ssuppressed_by", prefix);
    number_field(json, key, mark.line);
    if (!report->triage->baseline_count)
        return;
    snprintf(key, sizeof key, "%sin_baseline", prefix);
    bool_field(json, key, mark.in_baseline);
}

static void write_violation(const struct st_report *report, const struct st_result *result,
                            size_t index, struct st_json *json) {
    const struct st_violation *violation = &result->findings->violations[index];
    const struct st_symbols *symbols = report->symbols;
    char buffer[ST_LOCATION_SIZE];
    st_json_object(json);
    string_field(json, "block", st_target_name(symbols, ST_BEGIN, violation->block));
    string_field(json, "thread", st_name(&symbols->threads, violation->thread));
    number_field(json, "begin", violation->begin);
    event_field(json, "end", violation->end);
    number_field(json, "depth", violation->depth);
    number_field(json, "event", violation->event.number);
    string_field(json, "fingerprint", st_fingerprint(report, violation).text);
    write_mark(report, st_violation_mark(report, result, index), "", json);
    string_field(json, "begin_loc", st_location_text(symbols, violation->begin_loc, buffer));
    write_entry(report, violation, json);
    st_json_key(json, "proof");
    write_place(report, &violation->event, json);
    st_json_key(json, "closing");
    if (violation->closing.from.number)
        write_edge(report, &violation->closing, NULL, json);
    else
        st_json_null(json);
    st_json_key(json, "cut_by");
    if (violation->closing.to.number)
        st_json_string(json, st_name(&symbols->threads, violation->closing.from.event.thread));
    else
        st_json_null(json);
    st_json_key(json, "path");
    write_edges(report, violation->path, NULL, violation->path_length, json);
    st_json_object_end(json);
}

static void write_cycle(const struct st_report *report, const struct st_result *result,
                        struct st_json *json) {
    const struct st_findings *findings = result->findings;
    st_json_key(json, "cycle");
    write_edges(report, findings->cycle, findings->cycle_ends, findings->cycle_length, json);
    if (!st_result_has_cycle(result))
        return;
    string_field(json, "cycle_fingerprint", st_cycle_fingerprint(report, findings).text);
    write_mark(report, st_cycle_mark(report, result), "cycle_", json);
}

static void write_violations(const struct st_report *report, const struct st_result *result,
                             struct st_json *json) {
    const struct st_findings *findings = result->findings;
    st_json_key(json, "violation_count");
    if (findings->names_blocks)
        st_json_number(json, findings->violation_count);
    else
        st_json_null(json);
    st_json_key(json, "violations");
    st_json_array(json);
    for (size_t i = 0; i < findings->kept; i++)
        write_violation(report, result, i, json);
    st_json_array_end(json);
    if (findings->cycle_length)
        write_cycle(report, result, json);
}

/* ---- What is new ---- */

static void write_states(const struct st_marks *marks, struct st_json *json) {
    st_json_key(json, "states");
    st_json_flat_object(json);
    for (enum st_state state = 0; state < ST_STATES; state++)
        number_field(json, st_state_name(state), marks->counts[state]);
    number_field(json, "unjudged", marks->unjudged);
    st_json_object_end(json);
}

static void write_suppressions(const struct st_triage *triage, struct st_json *json) {
    st_json_key(json, "suppressions");
    st_json_array(json);
    for (size_t i = 0; i < triage->line_count; i++) {
        st_json_flat_object(json);
        string_field(json, "file", triage->lines[i].file);
        number_field(json, "line", triage->lines[i].line);
        string_field(json, "reason", triage->lines[i].reason);
        number_field(json, "matched", triage->lines[i].matched);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_gone(const struct st_triage *triage, struct st_json *json) {
    st_json_key(json, "gone");
    st_json_array(json);
    for (size_t i = 0; i < triage->gone_count; i++) {
        st_json_flat_object(json);
        string_field(json, "fingerprint", triage->gone[i].fingerprint.text);
        string_field(json, "block", triage->gone[i].block);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_baseline(const struct st_triage *triage, struct st_json *json) {
    st_json_key(json, "baseline");
    st_json_object(json);
    st_json_key(json, "files");
    st_json_array(json);
    for (size_t i = 0; i < triage->baseline_count; i++)
        st_json_string(json, triage->baselines[i]);
    st_json_array_end(json);
    number_field(json, "new", triage->fresh);
    number_field(json, "known", triage->known);
    write_gone(triage, json);
    st_json_object_end(json);
}

static void write_triage(const struct st_report *report, struct st_json *json) {
    if (!report->triage)
        return;
    if (report->triage->suppresses)
        write_suppressions(report->triage, json);
    if (report->triage->baseline_count)
        write_baseline(report->triage, json);
}

static void write_blocks(const struct st_report *report, const struct st_findings *findings,
                         struct st_json *json) {
    size_t count;
    struct st_block_row *rows = st_rank_blocks(report, findings, &count);
    st_json_key(json, "blocks");
    st_json_array(json);
    for (size_t i = 0; i < count; i++) {
        st_json_flat_object(json);
        string_field(json, "name", rows[i].name);
        number_field(json, "executed", rows[i].executed);
        st_json_key(json, "violated");
        if (findings->names_blocks)
            st_json_number(json, rows[i].violated);
        else
            st_json_null(json);
        if (rows[i].violated)
            number_field(json, "depth", rows[i].depth);
        st_json_object_end(json);
    }
    st_json_array_end(json);
    free(rows);
}

static void write_repairs(const struct st_repairs *repairs, struct st_json *json) {
    st_json_key(json, "repairs");
    st_json_array(json);
    for (int kind = 0; kind < ST_MALFORMED_COUNT; kind++) {
        if (!repairs->kinds[kind].count)
            continue;
        st_json_flat_object(json);
        string_field(json, "kind", st_malformed_text((enum st_malformed)kind));
        number_field(json, "count", repairs->kinds[kind].count);
        number_field(json, "first_event", repairs->kinds[kind].first_event);
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

static void write_result(const struct st_report *report, const struct st_result *result,
                         struct st_json *json) {
    st_json_object(json);
    string_field(json, "schema", schema(report));
    string_field(json, "engine", result->engine);
    write_trace(report, json);
    write_verdict(result->findings->verdict, json);
    event_field(json, "first_bad_event", result->findings->first_bad_event);
    if (result->findings->gave_up)
        string_field(json, "gave_up", result->findings->gave_up);
    bool_field(json, "outermost_only", result->findings->outermost_only);
    bool_field(json, "blames_closers", result->findings->blames_closers);
    write_violations(report, result, json);
    if (report->triage)
        write_states(&report->triage->marks[result - report->results], json);
    if (!report->compare)
        write_triage(report, json);
    write_blocks(report, result->findings, json);
    write_repairs(report->repairs, json);
    bool_field(json, "stopped", report->stopped);
    st_json_key(json, "time_seconds");
    st_json_real(json, result->seconds);
    number_field(json, "peak_state_bytes", result->peak_bytes);
    st_json_object_end(json);
}

void st_report_json_value(const struct st_report *report, struct st_json *json) {
    if (report->compare) {
        st_json_object(json);
        string_field(json, "schema", schema(report));
        write_trace(report, json);
        bool_field(json, "agree", !st_report_disagrees(report));
        write_triage(report, json);
        st_json_key(json, "engines");
        st_json_array(json);
    }
    for (size_t i = 0; i < report->result_count; i++)
        write_result(report, &report->results[i], json);
    if (report->compare) {
        st_json_array_end(json);
        st_json_object_end(json);
    }
}

void st_report_json(const struct st_report *report, FILE *file) {
    struct st_json json;
    st_json_start(&json, file);
    st_report_json_value(report, &json);
    st_json_finish(&json);
}
