#include "report/load/loading.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- Marks ---- */

static enum st_state read_state(struct st_fields *fields, const json_t *object, const char *key) {
    const char *text = st_field_text(fields, object, key);
    for (enum st_state state = 0; state < ST_STATES; state++)
        if (strcmp(text, st_state_name(state)) == 0)
            return state;
    st_fields_enter(fields, key, 0);
    st_fields_reject(fields, "must be new, known or suppressed");
    st_fields_leave(fields);
    return ST_NEW;
}

/* `prefix` stands before the names of the fields. */
static struct st_mark read_mark(struct st_fields *fields, const struct st_triage *triage,
                                const json_t *object, const char *prefix) {
    char state[32], line[32], in_baseline[32];
    snprintf(state, sizeof state, "%sstate", prefix);
    snprintf(line, sizeof line, "%ssuppressed_by", prefix);
    snprintf(in_baseline, sizeof in_baseline, "%sin_baseline", prefix);
    struct st_mark mark = {.state = read_state(fields, object, state)};
    mark.in_baseline = mark.state == ST_KNOWN;
    if (mark.state != ST_SUPPRESSED)
        return mark;
    mark.in_baseline = st_field_maybe_bool(fields, object, in_baseline);
    mark.line = (size_t)st_field_number(fields, object, line);
    if (!fields->failed && mark.line >= triage->line_count) {
        st_fields_enter(fields, line, 0);
        st_fields_reject(fields, "must be the index of a suppression");
        st_fields_leave(fields);
    }
    return mark;
}

static void read_counts(struct st_fields *fields, const json_t *result, struct st_marks *marks) {
    const json_t *states = st_field_object(fields, result, "states");
    st_fields_enter(fields, "states", 0);
    for (enum st_state state = 0; state < ST_STATES; state++)
        marks->counts[state] = st_field_number(fields, states, st_state_name(state));
    marks->unjudged = st_field_number(fields, states, "unjudged");
    st_fields_leave(fields);
}

/* Of a block that is not reported nothing is said, and it counts nowhere. */
static bool has_state(const json_t *finding) {
    const char *verdict = json_string_value(json_object_get(finding, "verdict"));
    return !verdict || (strcmp(verdict, st_block_verdict_name(ST_BLOCK_ATOMIC)) != 0 &&
                        strcmp(verdict, st_block_verdict_name(ST_BLOCK_TIMEOUT)) != 0);
}

static void read_marks(struct st_fields *fields, const char *list, const struct st_triage *triage,
                       const json_t *result, struct st_marks *marks) {
    const json_t *violations = st_field_array(fields, result, list);
    size_t count = json_array_size(violations);
    uint64_t listed[ST_STATES] = {0};
    marks->violations = st_alloc(count + 1, sizeof *marks->violations);
    read_counts(fields, result, marks);
    st_fields_enter(fields, list, 0);
    for (size_t i = 0; i < count; i++) {
        const json_t *violation = st_element_object(fields, violations, i);
        if (!has_state(violation))
            continue;
        st_fields_enter(fields, NULL, i);
        marks->violations[i] = read_mark(fields, triage, violation, "");
        if (++listed[marks->violations[i].state] > marks->counts[marks->violations[i].state])
            st_fields_reject(fields, "is not counted in states");
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
    if (!fields->failed && json_object_get(result, "cycle_state"))
        marks->cycle = read_mark(fields, triage, result, "cycle_");
}

/* ---- Suppressions and baselines ---- */

static void read_suppressions(struct st_fields *fields, const json_t *root,
                              struct st_triage *triage) {
    const json_t *lines = st_field_maybe_array(fields, root, "suppressions");
    triage->suppresses = lines != NULL;
    triage->line_count = json_array_size(lines);
    triage->lines = st_alloc(triage->line_count + 1, sizeof *triage->lines);
    st_fields_enter(fields, "suppressions", 0);
    for (size_t i = 0; i < triage->line_count; i++) {
        const json_t *line = st_element_object(fields, lines, i);
        st_fields_enter(fields, NULL, i);
        triage->lines[i] =
            (struct st_suppressing_line){.file = st_strdup(st_field_text(fields, line, "file")),
                                         .line = st_field_number(fields, line, "line"),
                                         .reason = st_strdup(st_field_text(fields, line, "reason")),
                                         .matched = st_field_number(fields, line, "matched")};
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
}

static void read_files(struct st_fields *fields, const json_t *baseline, struct st_triage *triage) {
    const json_t *files = st_field_array(fields, baseline, "files");
    triage->baseline_count = json_array_size(files);
    triage->baselines = st_alloc(triage->baseline_count + 1, sizeof *triage->baselines);
    st_fields_enter(fields, "files", 0);
    for (size_t i = 0; i < triage->baseline_count; i++) {
        const char *file = json_string_value(json_array_get(files, i));
        st_fields_enter(fields, NULL, i);
        if (!file)
            st_fields_reject(fields, "must be a text");
        st_fields_leave(fields);
        triage->baselines[i] = st_strdup(file ? file : "");
    }
    st_fields_leave(fields);
}

static void read_gone(struct st_fields *fields, const json_t *baseline, struct st_triage *triage) {
    const json_t *list = st_field_array(fields, baseline, "gone");
    triage->gone_count = json_array_size(list);
    triage->gone = st_alloc(triage->gone_count + 1, sizeof *triage->gone);
    st_fields_enter(fields, "gone", 0);
    for (size_t i = 0; i < triage->gone_count; i++) {
        const json_t *gone = st_element_object(fields, list, i);
        st_fields_enter(fields, NULL, i);
        triage->gone[i].fingerprint = st_load_fingerprint(fields, gone, "fingerprint");
        triage->gone[i].block = st_strdup(st_field_text(fields, gone, "block"));
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
}

static void read_baseline(struct st_fields *fields, const json_t *root, struct st_triage *triage) {
    const json_t *baseline = st_field_maybe_object(fields, root, "baseline");
    if (!baseline)
        return;
    st_fields_enter(fields, "baseline", 0);
    read_files(fields, baseline, triage);
    triage->fresh = st_field_number(fields, baseline, "new");
    triage->known = st_field_number(fields, baseline, "known");
    read_gone(fields, baseline, triage);
    st_fields_leave(fields);
}

/* ---- All ---- */

static void read_all_marks(struct st_fields *fields, const char *list, const json_t *root,
                           struct st_triage *triage) {
    const json_t *engines = json_object_get(root, "engines");
    triage->result_count = engines ? json_array_size(engines) : 1;
    triage->marks = st_alloc(triage->result_count, sizeof *triage->marks);
    if (!engines) {
        read_marks(fields, list, triage, root, &triage->marks[0]);
        return;
    }
    st_fields_enter(fields, "engines", 0);
    for (size_t i = 0; i < triage->result_count; i++) {
        st_fields_enter(fields, NULL, i);
        read_marks(fields, list, triage, json_array_get(engines, i), &triage->marks[i]);
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
}

bool st_triage_read(struct st_fields *fields, const char *list, struct st_triage *triage) {
    const json_t *root = fields->root;
    read_suppressions(fields, root, triage);
    read_baseline(fields, root, triage);
    if (!triage->suppresses && !triage->baseline_count)
        return false;
    read_all_marks(fields, list, root, triage);
    return true;
}
