#include "report/json/json_parts.h"

#include "report/json/page_choice.h"

#include "report/calls.h"

#include <stdlib.h>

void st_write_event_number(struct st_json *json, const char *key, uint64_t event) {
    st_json_key(json, key);
    if (event)
        st_json_number(json, event);
    else
        st_json_null(json);
}

void st_write_trace(const struct st_report *report, struct st_json *json) {
    const struct st_facts *facts = report->facts;
    struct st_counts counts = st_report_counts(report);
    st_json_key(json, "trace");
    st_json_flat_object(json);
    st_json_string_field(json, "file", report->trace);
    st_json_number_field(json, "events", facts->events);
    st_json_number_field(json, "threads", counts.threads);
    st_json_number_field(json, "variables", counts.variables);
    st_json_number_field(json, "locks", counts.locks);
    st_json_number_field(json, "channels", counts.channels);
    st_json_number_field(json, "blocks", facts->ops[ST_BEGIN]);
    st_json_number_field(json, "deepest", facts->deepest);
    st_json_bool_field(json, "truncated", st_report_truncated(report));
    st_json_bool_field(json, "cut", report->file_truncated);
    if (report->built > 0)
        st_json_number_field(json, "built", (uint64_t)report->built);
    st_json_object_end(json);
}

static void write_stack(const char *const *stack, struct st_json *json) {
    st_json_key(json, "stack");
    st_json_array(json);
    for (; *stack; stack += 2) {
        st_json_flat_object(json);
        st_json_string_field(json, "function", stack[0]);
        st_json_string_field(json, "loc", stack[1]);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_detail(const struct st_details *details, uint64_t loc, struct st_json *json) {
    struct st_detail detail;
    details->lookup(details->context, loc, &detail);
    write_stack(detail.stack, json);
    st_json_key(json, "locks");
    st_json_array(json);
    for (; *detail.locks; detail.locks++)
        st_json_string(json, *detail.locks);
    st_json_array_end(json);
    if (detail.locks_unknown)
        st_json_bool_field(json, "locks_unknown", true);
}

void st_write_place(const struct st_report *report, const struct st_place *place,
                    struct st_json *json) {
    const struct st_symbols *symbols = report->symbols;
    char buffer[ST_LOCATION_SIZE];
    struct st_user_line line = st_user_line(symbols, report->details, place->event.loc, buffer);
    char *op = st_op_text(symbols, &place->event);
    st_json_flat_object(json);
    st_json_number_field(json, "event", place->number);
    st_json_string_field(json, "thread", st_name(&symbols->threads, place->event.thread));
    st_json_string_field(json, "op", op);
    if (place->event.written <= ST_WRITE && place->event.atomic)
        st_json_bool_field(json, "atomic", true);
    st_json_string_field(json, "loc", line.location);
    if (report->details) {
        st_json_string_field(json, "function", line.function);
        write_detail(report->details, place->event.loc, json);
    }
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
    st_json_number_field(json, "first", transaction->first);
    st_json_bool_field(json, "unary", transaction->unary);
    st_json_string_field(
        json, "block",
        transaction->unary ? "" : st_target_name(report->symbols, ST_BEGIN, transaction->block));
    st_json_object_end(json);
}

void st_write_edge(const struct st_report *report, const struct st_edge *edge,
                   const struct st_ends *ends, struct st_json *json) {
    st_json_flat_object(json);
    st_json_key(json, "from");
    st_write_place(report, &edge->from, json);
    st_json_key(json, "to");
    st_write_place(report, &edge->to, json);
    st_json_string_field(json, "kind", st_edge_kind_name(edge->kind));
    st_json_string_field(json, "on", st_edge_subject(report->symbols, edge));
    if (edge->race != ST_RACE_UNKNOWN)
        st_json_bool_field(json, "race", edge->race == ST_RACE_FOUND);
    if (ends) {
        write_transaction(report, "from_transaction", &ends->from, json);
        write_transaction(report, "to_transaction", &ends->to, json);
    }
    st_json_object_end(json);
}

void st_write_edges(const struct st_report *report, const struct st_edge *edges,
                    const struct st_ends *ends, size_t count, struct st_json *json) {
    st_json_array(json);
    for (size_t i = 0; i < count; i++)
        st_write_edge(report, &edges[i], ends ? &ends[i] : NULL, json);
    st_json_array_end(json);
}

void st_write_path(const struct st_report *report, const struct st_edge *path, size_t length,
                   struct st_json *json) {
    size_t written = json->in_page && length > ST_PAGE_EDGES ? ST_PAGE_EDGES : length;
    st_json_key(json, "path");
    st_write_edges(report, path, NULL, written, json);
    if (written < length)
        st_json_number_field(json, "path_left_out", length - written);
}

void st_write_mark(const struct st_report *report, struct st_mark mark, const char *prefix,
                   struct st_json *json) {
    char key[32];
    if (!report->triage)
        return;
    snprintf(key, sizeof key, "%sstate", prefix);
    st_json_string_field(json, key, st_state_name(mark.state));
    if (mark.state != ST_SUPPRESSED)
        return;
    snprintf(key, sizeof key, "%ssuppressed_by", prefix);
    st_json_number_field(json, key, mark.line);
    if (!report->triage->baseline_count)
        return;
    snprintf(key, sizeof key, "%sin_baseline", prefix);
    st_json_bool_field(json, key, mark.in_baseline);
}

/* ---- What is new ---- */

void st_write_states(const struct st_marks *marks, struct st_json *json) {
    st_json_key(json, "states");
    st_json_flat_object(json);
    for (enum st_state state = 0; state < ST_STATES; state++)
        st_json_number_field(json, st_state_name(state), marks->counts[state]);
    st_json_number_field(json, "unjudged", marks->unjudged);
    st_json_object_end(json);
}

static void write_suppressions(const struct st_triage *triage, struct st_json *json) {
    st_json_key(json, "suppressions");
    st_json_array(json);
    for (size_t i = 0; i < triage->line_count; i++) {
        st_json_flat_object(json);
        st_json_string_field(json, "file", triage->lines[i].file);
        st_json_number_field(json, "line", triage->lines[i].line);
        st_json_string_field(json, "reason", triage->lines[i].reason);
        st_json_number_field(json, "matched", triage->lines[i].matched);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_gone(const struct st_triage *triage, struct st_json *json) {
    st_json_key(json, "gone");
    st_json_array(json);
    for (size_t i = 0; i < triage->gone_count; i++) {
        st_json_flat_object(json);
        st_json_string_field(json, "fingerprint", triage->gone[i].fingerprint.text);
        st_json_string_field(json, "block", triage->gone[i].block);
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
    st_json_number_field(json, "new", triage->fresh);
    st_json_number_field(json, "known", triage->known);
    write_gone(triage, json);
    st_json_object_end(json);
}

void st_write_triage(const struct st_report *report, struct st_json *json) {
    if (!report->triage)
        return;
    if (report->triage->suppresses)
        write_suppressions(report->triage, json);
    if (report->triage->baseline_count)
        write_baseline(report->triage, json);
}

void st_write_repairs(const struct st_repairs *repairs, struct st_json *json) {
    st_json_key(json, "repairs");
    st_json_array(json);
    for (int kind = 0; kind < ST_MALFORMED_COUNT; kind++) {
        if (!repairs->kinds[kind].count)
            continue;
        st_json_flat_object(json);
        st_json_string_field(json, "kind", st_malformed_text((enum st_malformed)kind));
        st_json_number_field(json, "count", repairs->kinds[kind].count);
        st_json_number_field(json, "first_event", repairs->kinds[kind].first_event);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

void st_write_gap(const struct st_block_gap *gap, struct st_json *json) {
    st_json_key(json, "cause");
    st_json_flat_object(json);
    st_json_string_field(json, "function", gap->function);
    st_json_string_field(json, "left", gap->left);
    st_json_string_field(json, "back", gap->back);
    st_json_string_field(json, "by_line", gap->by_line.text);
    st_json_number_field(json, "count", gap->times);
    if (gap->next_turn)
        st_json_bool_field(json, "next_turn", true);
    st_json_object_end(json);
}
