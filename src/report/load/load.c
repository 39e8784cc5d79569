#include "report/load/load.h"

#include "base/memory.h"
#include "report/load/load_hunt.h"
#include "report/load/loading.h"

#include <stdlib.h>
#include <string.h>

struct st_loaded {
    struct st_report report;
    struct st_loading loading;
    struct st_counts counts;
    struct st_facts facts;
    struct st_repairs repairs;
    struct st_findings *findings;
    struct st_result *results;
    struct st_details details;
    struct st_triage triage;
    struct st_coverage coverage;
    struct st_predictions predictions;
    struct st_program_row *programs;
    struct st_loaded_hunt hunt;
};

bool st_is_result(const char *text, size_t length) {
    static const char blanks[] = " \t\r\n";
    size_t at = 0;
    while (at < length && memchr(blanks, text[at], strlen(blanks)))
        at++;
    if (at == length || text[at++] != '{')
        return false;
    while (at < length && memchr(blanks, text[at], strlen(blanks)))
        at++;
    return at < length && (text[at] == '"' || text[at] == '}');
}

/* ---- Violations ---- */

/* The last dependence; where only its thread is known, it has no number. */
static struct st_edge read_closing(struct st_loaded *loaded, const json_t *object,
                                   const struct st_place *proof) {
    struct st_fields *fields = &loaded->loading.fields;
    struct st_edge edge = {.kind = ST_EDGE_CONFLICT};
    const json_t *closing = st_field_maybe_object(fields, object, "closing");
    const char *cut_by = st_field_maybe_text(fields, object, "cut_by");
    if (closing) {
        st_fields_enter(fields, "closing", 0);
        edge = st_load_edge(&loaded->loading, closing);
        st_fields_leave(fields);
    } else if (cut_by) {
        edge.from.event.thread = st_load_thread(&loaded->loading, cut_by);
        edge.to = *proof;
    }
    return edge;
}

static void check_order(struct st_fields *fields, const struct st_violation *violation) {
    if (violation->begin > violation->event.number)
        st_fields_reject(fields, "begins after the event that proves it");
    if (violation->end && violation->end < violation->event.number)
        st_fields_reject(fields, "ends before the event that proves it");
}

/* From the begin as an event, which older results lack. */
static uint64_t read_begin_location(struct st_loaded *loaded, const json_t *object) {
    struct st_fields *fields = &loaded->loading.fields;
    const char *loc = st_field_maybe_text(fields, object, "begin_loc");
    if (st_field_maybe_object(fields, object, "entry"))
        return st_load_place(&loaded->loading, object, "entry").event.loc;
    return st_load_location(&loaded->loading, loc ? loc : "");
}

static void read_violation(struct st_loaded *loaded, const json_t *object,
                           struct st_violation *violation) {
    struct st_fields *fields = &loaded->loading.fields;
    violation->process = st_field_maybe_number(fields, object, "pid");
    violation->program = st_field_maybe_text(fields, object, "executable");
    violation->waited = st_field_maybe_bool(fields, object, "waited");
    violation->namesake = st_field_maybe_bool(fields, object, "namesake");
    loaded->loading.program = violation->program;
    violation->block = st_load_block(&loaded->loading, st_field_text(fields, object, "block"));
    violation->thread = st_load_thread(&loaded->loading, st_field_text(fields, object, "thread"));
    uint64_t depth = st_field_number(fields, object, "depth");
    violation->depth = depth < UINT32_MAX ? (uint32_t)depth : UINT32_MAX;
    violation->begin = st_load_event_number(fields, object, "begin");
    violation->end = st_field_maybe_number(fields, object, "end");
    violation->begin_loc = read_begin_location(loaded, object);
    violation->event = st_load_place(&loaded->loading, object, "proof");
    violation->closing = read_closing(loaded, object, &violation->event);
    const json_t *path = st_field_array(fields, object, "path");
    st_fields_enter(fields, "path", 0);
    violation->path = st_load_edges(&loaded->loading, path);
    violation->path_length = json_array_size(path);
    st_fields_leave(fields);
    loaded->loading.program = NULL;
    violation->gap = st_load_gap(fields, object);
    check_order(fields, violation);
}

static void read_violations(struct st_loaded *loaded, const json_t *result,
                            struct st_findings *findings) {
    struct st_fields *fields = &loaded->loading.fields;
    const json_t *array = st_field_array(fields, result, "violations");
    findings->violation_count = st_field_maybe_number(fields, result, "violation_count");
    findings->left_out = st_field_maybe_number(fields, result, "findings_left_out");
    findings->names_blocks = json_is_integer(json_object_get(result, "violation_count"));
    findings->kept = findings->kept_capacity = json_array_size(array);
    findings->violations = st_alloc(findings->kept + 1, sizeof *findings->violations);
    st_fields_enter(fields, "violations", 0);
    for (size_t i = 0; i < findings->kept; i++) {
        const json_t *violation = st_element_object(fields, array, i);
        st_fields_enter(fields, NULL, i);
        read_violation(loaded, violation, &findings->violations[i]);
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
}

/* ---- A cycle ---- */

static struct st_transaction read_transaction(struct st_loaded *loaded, const json_t *edge,
                                              const char *key) {
    struct st_fields *fields = &loaded->loading.fields;
    struct st_transaction transaction = {.block = ST_NO_NAME};
    const json_t *object = st_field_maybe_object(fields, edge, key);
    if (!object)
        return transaction;
    st_fields_enter(fields, key, 0);
    transaction.first = st_load_event_number(fields, object, "first");
    transaction.unary = st_field_maybe_bool(fields, object, "unary");
    transaction.block = st_load_block(&loaded->loading, st_field_text(fields, object, "block"));
    st_fields_leave(fields);
    return transaction;
}

static struct st_ends *read_ends(struct st_loaded *loaded, const json_t *cycle) {
    size_t count = json_array_size(cycle);
    if (!count || !json_object_get(json_array_get(cycle, 0), "from_transaction"))
        return NULL;
    struct st_ends *ends = st_alloc(count, sizeof *ends);
    for (size_t i = 0; i < count; i++) {
        const json_t *edge = json_array_get(cycle, i);
        st_fields_enter(&loaded->loading.fields, NULL, i);
        ends[i].from = read_transaction(loaded, edge, "from_transaction");
        ends[i].to = read_transaction(loaded, edge, "to_transaction");
        st_fields_leave(&loaded->loading.fields);
    }
    return ends;
}

static void read_cycle(struct st_loaded *loaded, const json_t *result,
                       struct st_findings *findings) {
    const json_t *cycle = st_field_maybe_array(&loaded->loading.fields, result, "cycle");
    st_fields_enter(&loaded->loading.fields, "cycle", 0);
    findings->cycle = st_load_edges(&loaded->loading, cycle);
    findings->cycle_length = json_array_size(cycle);
    if (!loaded->loading.fields.failed)
        findings->cycle_ends = read_ends(loaded, cycle);
    st_fields_leave(&loaded->loading.fields);
}

/* ---- Blocks ---- */

static void read_block(struct st_loaded *loaded, const json_t *object,
                       struct st_findings *findings) {
    struct st_fields *fields = &loaded->loading.fields;
    struct st_facts *facts = &loaded->facts;
    loaded->loading.program = st_field_maybe_text(fields, object, "executable");
    uint32_t block = st_load_block(&loaded->loading, st_field_text(fields, object, "name"));
    loaded->loading.program = NULL;
    uint64_t executed = st_field_number(fields, object, "executed");
    uint64_t violated = st_field_maybe_number(fields, object, "violated");
    uint32_t depth = (uint32_t)st_field_maybe_number(fields, object, "depth");
    if (violated && !findings->names_blocks)
        st_fields_reject(fields, "counts violations, which violation_count does not");
    if (block == ST_NO_NAME) {
        facts->unnamed_blocks += executed;
        findings->unnamed_violated += violated;
        findings->unnamed_depth = depth;
        return;
    }
    st_reserve(&facts->executed, &facts->executed_capacity, (size_t)block + 1);
    st_reserve(&findings->violated, &findings->violated_capacity, (size_t)block + 1);
    st_reserve(&findings->depths, &findings->depths_capacity, (size_t)block + 1);
    facts->executed_count = facts->executed_capacity;
    facts->executed[block] = executed;
    findings->violated[block] = violated;
    findings->depths[block] = depth;
}

static void read_programs(struct st_loaded *loaded, const json_t *root) {
    struct st_fields *fields = &loaded->loading.fields;
    const json_t *array = st_field_maybe_array(fields, root, "programs");
    size_t count = json_array_size(array);
    loaded->programs = st_alloc(count + 1, sizeof *loaded->programs);
    st_fields_enter(fields, "programs", 0);
    for (size_t i = 0; i < count; i++) {
        const json_t *row = st_element_object(fields, array, i);
        const json_t *verdict = json_object_get(row, "serializable");
        st_fields_enter(fields, NULL, i);
        loaded->programs[i] =
            (struct st_program_row){.name = st_field_text(fields, row, "executable"),
                                    .processes = st_field_number(fields, row, "processes"),
                                    .events = st_field_number(fields, row, "events"),
                                    .violated = st_field_number(fields, row, "violation_count"),
                                    .unchecked = st_field_number(fields, row, "unchecked"),
                                    .verdict = json_is_true(verdict)    ? ST_SERIALIZABLE
                                               : json_is_false(verdict) ? ST_NOT_SERIALIZABLE
                                                                        : ST_UNDECIDED};
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
    loaded->report.programs = loaded->programs;
    loaded->report.program_count = count;
}

/* Where it is counted how many blocks of the name were violated; NULL if nowhere. */
static uint64_t *violated_of(struct st_findings *findings, uint32_t block) {
    if (block == ST_NO_NAME)
        return &findings->unnamed_violated;
    return block < findings->violated_capacity ? &findings->violated[block] : NULL;
}

static void read_blocks(struct st_loaded *loaded, const json_t *result,
                        struct st_findings *findings) {
    const json_t *blocks = st_field_array(&loaded->loading.fields, result, "blocks");
    loaded->facts.unnamed_blocks = 0; /* those of several programs are added up */
    st_fields_enter(&loaded->loading.fields, "blocks", 0);
    for (size_t i = 0; i < json_array_size(blocks); i++) {
        const json_t *block = st_element_object(&loaded->loading.fields, blocks, i);
        st_fields_enter(&loaded->loading.fields, NULL, i);
        read_block(loaded, block, findings);
        st_fields_leave(&loaded->loading.fields);
    }
    st_fields_leave(&loaded->loading.fields);
}

static void reject_violation(struct st_fields *fields, size_t index) {
    st_fields_enter(fields, "violations", 0);
    st_fields_enter(fields, NULL, index);
    st_fields_reject(fields, "is not counted as violated among the blocks");
    st_fields_leave(fields);
    st_fields_leave(fields);
}

/* Is every listed violation counted? Writers rely on it. Several can be parts of one call, which
 * counts once among the blocks. */
static void check_counts(struct st_loaded *loaded, const json_t *result,
                         struct st_findings *findings) {
    struct st_fields *fields = &loaded->loading.fields;
    uint64_t calls = findings->unnamed_violated;
    for (size_t i = 0; i < findings->violated_capacity; i++)
        calls += findings->violated[i];
    uint64_t all = st_field_maybe_number(fields, result, "violated_blocks");
    findings->all_violated = all > calls ? all : calls;
    for (size_t i = 0; i < findings->kept; i++) {
        const uint64_t *counted = violated_of(findings, findings->violations[i].block);
        if (!counted || !*counted || i >= findings->all_violated) {
            reject_violation(fields, i);
            return;
        }
    }
}

/* ---- The trace ---- */

static void read_trace(struct st_loaded *loaded, const json_t *object) {
    struct st_fields *fields = &loaded->loading.fields;
    const json_t *trace = st_field_object(fields, object, "trace");
    st_fields_enter(fields, "trace", 0);
    loaded->report.trace = st_field_text(fields, trace, "file");
    loaded->counts.threads = st_field_number(fields, trace, "threads");
    loaded->counts.variables = st_field_number(fields, trace, "variables");
    loaded->counts.locks = st_field_number(fields, trace, "locks");
    loaded->counts.channels = st_field_maybe_number(fields, trace, "channels");
    loaded->facts.events = st_field_number(fields, trace, "events");
    loaded->facts.ops[ST_BEGIN] = st_field_number(fields, trace, "blocks");
    loaded->facts.deepest = (uint32_t)st_field_maybe_number(fields, trace, "deepest");
    loaded->facts.open_blocks = st_field_maybe_bool(fields, trace, "truncated");
    loaded->report.file_truncated = st_field_maybe_bool(fields, trace, "cut");
    loaded->report.built = (time_t)st_field_maybe_number(fields, trace, "built");
    st_fields_leave(fields);
}

static void read_repair(struct st_loaded *loaded, const json_t *repair) {
    struct st_fields *fields = &loaded->loading.fields;
    const char *text = st_field_text(fields, repair, "kind");
    for (int kind = 0; kind < ST_MALFORMED_COUNT; kind++) {
        if (strcmp(text, st_malformed_text((enum st_malformed)kind)) != 0)
            continue;
        loaded->repairs.kinds[kind].count = st_field_number(fields, repair, "count");
        loaded->repairs.kinds[kind].first_event = st_field_number(fields, repair, "first_event");
        return;
    }
    st_fields_reject(fields, "is a repair of an unknown kind");
}

static void read_repairs(struct st_loaded *loaded, const json_t *result) {
    const json_t *repairs = st_field_maybe_array(&loaded->loading.fields, result, "repairs");
    st_fields_enter(&loaded->loading.fields, "repairs", 0);
    for (size_t i = 0; i < json_array_size(repairs); i++) {
        const json_t *repair = st_element_object(&loaded->loading.fields, repairs, i);
        st_fields_enter(&loaded->loading.fields, NULL, i);
        read_repair(loaded, repair);
        st_fields_leave(&loaded->loading.fields);
    }
    st_fields_leave(&loaded->loading.fields);
}

/* ---- How much was seen ---- */

/* The texts are those of the JSON. */
static const char *const *read_texts(struct st_fields *fields, const json_t *object,
                                     const char *key) {
    const json_t *array = st_field_maybe_array(fields, object, key);
    size_t count = json_array_size(array);
    const char **texts = st_alloc(count + 1, sizeof *texts);
    st_fields_enter(fields, key, 0);
    for (size_t i = 0; i < count; i++) {
        texts[i] = json_string_value(json_array_get(array, i));
        if (!texts[i]) {
            st_fields_enter(fields, NULL, i);
            st_fields_reject(fields, "must be a text");
            st_fields_leave(fields);
            break;
        }
    }
    st_fields_leave(fields);
    return texts;
}

static void read_coverage(struct st_loaded *loaded, const json_t *result) {
    struct st_fields *fields = &loaded->loading.fields;
    const json_t *object = st_field_maybe_object(fields, result, "coverage");
    if (!object)
        return;
    st_fields_enter(fields, "coverage", 0);
    loaded->coverage =
        (struct st_coverage){.spec = st_field_maybe_bool(fields, object, "spec"),
                             .functions = st_field_number(fields, object, "functions"),
                             .starts = read_texts(fields, object, "starts"),
                             .unselected = read_texts(fields, object, "unselected"),
                             .inlined = read_texts(fields, object, "inlined"),
                             .uninstrumented = read_texts(fields, object, "uninstrumented")};
    loaded->report.coverage = &loaded->coverage;
    st_fields_leave(fields);
}

static void free_coverage(const struct st_coverage *coverage) {
    free((void *)coverage->starts);
    free((void *)coverage->unselected);
    free((void *)coverage->inlined);
    free((void *)coverage->uninstrumented);
}

/* ---- Results ---- */

static void read_verdict(struct st_loaded *loaded, const json_t *object,
                         struct st_findings *findings) {
    struct st_fields *fields = &loaded->loading.fields;
    const json_t *verdict = json_object_get(object, "serializable");
    bool serializable = st_field_maybe_bool(fields, object, "serializable");
    findings->verdict = json_is_null(verdict) || !verdict ? ST_UNDECIDED
                        : serializable                    ? ST_SERIALIZABLE
                                                          : ST_NOT_SERIALIZABLE;
    findings->first_bad_event = st_field_maybe_number(fields, object, "first_bad_event");
    findings->gave_up = st_field_maybe_text(fields, object, "gave_up");
    findings->outermost_only = st_field_maybe_bool(fields, object, "outermost_only");
    findings->blames_closers = st_field_maybe_bool(fields, object, "blames_closers");
}

/* Results of old versions do not say it, and were by lock order. */
static enum st_relation read_relation(struct st_fields *fields, const json_t *object) {
    const char *name = st_field_maybe_text(fields, object, "relation");
    enum st_relation relation = name ? st_relation_find(name) : ST_LOCKS;
    if (relation == ST_USUAL_RELATION) {
        st_fields_enter(fields, "relation", 0);
        st_fields_reject(fields, "must be \"data\" or \"locks\"");
        st_fields_leave(fields);
    }
    return relation;
}

static void read_counters(struct st_fields *fields, const json_t *object,
                          struct st_counters *counters) {
    const json_t *values = st_field_maybe_object(fields, object, "counters");
    const char *name;
    json_t *value;
    st_fields_enter(fields, "counters", 0);
    json_object_foreach((json_t *)values, name, value) {
        st_count(counters, name, st_field_maybe_number(fields, values, name));
    }
    st_fields_leave(fields);
}

static void read_result(struct st_loaded *loaded, const json_t *object, size_t index) {
    struct st_fields *fields = &loaded->loading.fields;
    struct st_findings *findings = &loaded->findings[index];
    struct st_result *result = &loaded->results[index];
    result->findings = findings;
    result->engine = st_field_text(fields, object, "engine");
    result->published_form_of = st_field_maybe_text(fields, object, "published_form_of");
    loaded->report.relation = read_relation(fields, object);
    read_counters(fields, object, &result->counters);
    result->seconds = st_field_maybe_real(fields, object, "time_seconds");
    result->peak_bytes = (size_t)st_field_maybe_number(fields, object, "peak_state_bytes");
    read_verdict(loaded, object, findings);
    read_violations(loaded, object, findings);
    read_cycle(loaded, object, findings);
    read_blocks(loaded, object, findings);
    if (!fields->failed)
        check_counts(loaded, object, findings);
    loaded->report.stopped |= st_field_maybe_bool(fields, object, "stopped");
    if (index == 0) { /* these are of the trace, not of an engine */
        read_repairs(loaded, object);
        read_coverage(loaded, object);
    }
}

static void make_results(struct st_loaded *loaded, size_t count) {
    loaded->findings = st_alloc(count, sizeof *loaded->findings);
    loaded->results = st_alloc(count, sizeof *loaded->results);
    loaded->report.results = (struct st_result_list){loaded->results, count};
    for (size_t i = 0; i < count; i++)
        st_findings_init(&loaded->findings[i], 0);
}

static void read_engines(struct st_loaded *loaded, const json_t *root) {
    struct st_fields *fields = &loaded->loading.fields;
    const json_t *engines = st_field_array(fields, root, "engines");
    size_t count = json_array_size(engines);
    loaded->report.kind = ST_REPORT_COMPARISON;
    st_fields_enter(fields, "engines", 0);
    if (count == 0)
        st_fields_reject(fields, "must not be empty");
    make_results(loaded, count ? count : 1);
    for (size_t i = 0; i < count; i++) {
        const json_t *result = st_element_object(fields, engines, i);
        st_fields_enter(fields, NULL, i);
        read_result(loaded, result, i);
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
}

static bool has_schema(const struct st_loaded *loaded, const char *schema) {
    return strcmp(loaded->report.schema, schema) == 0;
}

static void read_schema(struct st_loaded *loaded, const json_t *root) {
    struct st_fields *fields = &loaded->loading.fields;
    char quoted[80];
    loaded->report.schema = st_field_text(fields, root, "schema");
    if (has_schema(loaded, ST_CHECK_SCHEMA) || has_schema(loaded, ST_RUN_SCHEMA) ||
        has_schema(loaded, ST_HUNT_SCHEMA) || has_schema(loaded, ST_PREDICT_SCHEMA))
        return;
    st_quote(quoted, sizeof quoted, loaded->report.schema, strlen(loaded->report.schema));
    st_fields_enter(fields, "schema", 0);
    st_fields_reject(fields,
                     "must be that of a result of check, run, hunt or predict (" ST_CHECK_SCHEMA
                     ", " ST_RUN_SCHEMA ", " ST_HUNT_SCHEMA " or " ST_PREDICT_SCHEMA "), and is %s",
                     quoted);
    st_fields_leave(fields);
}

/* What an engine found in each of the results. */
static void read_results(struct st_loaded *loaded, const json_t *root) {
    if (json_object_get(root, "engines")) {
        read_engines(loaded, root);
    } else {
        make_results(loaded, 1);
        read_result(loaded, root, 0);
        read_programs(loaded, root);
        loaded->report.block_programs = loaded->loading.block_programs;
        if (json_object_get(root, "failures") && !loaded->loading.fields.failed) {
            st_load_hunt(&loaded->loading, root, loaded->findings[0].violations,
                         loaded->findings[0].kept, &loaded->hunt);
            loaded->report.hunt = &loaded->hunt.facts;
        }
    }
}

static void read_predictions(struct st_loaded *loaded, const json_t *root) {
    const json_t *engines = json_object_get(root, "engines");
    loaded->report.kind = engines ? ST_REPORT_PREDICTION_COMPARISON : ST_REPORT_PREDICTION;
    loaded->report.predictions = &loaded->predictions;
    st_load_predictions(&loaded->loading, root, &loaded->predictions);
    if (!loaded->loading.fields.failed)
        read_repairs(loaded, engines ? json_array_get(engines, 0) : root);
}

static void read_root(struct st_loaded *loaded) {
    struct st_fields *fields = &loaded->loading.fields;
    const json_t *root = fields->root;
    if (!json_is_object(root))
        st_fields_reject(fields, "is no result of check, run, hunt or predict");
    read_schema(loaded, root);
    read_trace(loaded, root);
    bool predicts = has_schema(loaded, ST_PREDICT_SCHEMA);
    if (predicts)
        read_predictions(loaded, root);
    else
        read_results(loaded, root);
    st_symbols_note_channels(&loaded->loading.symbols);
    if (!fields->failed &&
        st_triage_read(fields, predicts ? "blocks" : "violations", &loaded->triage))
        loaded->report.triage = &loaded->triage;
}

struct st_loaded *st_report_load(const char *name, const char *text, size_t length,
                                 struct st_error *error) {
    struct st_loaded *loaded = st_alloc(1, sizeof *loaded);
    st_loading_init(&loaded->loading);
    loaded->report.symbols = &loaded->loading.symbols;
    loaded->report.counts = &loaded->counts;
    loaded->report.facts = &loaded->facts;
    loaded->report.repairs = &loaded->repairs;
    int opened = st_fields_open(&loaded->loading.fields, name, text, length, error);
    if (opened == 0)
        read_root(loaded);
    if (opened < 0 || loaded->loading.fields.failed) {
        st_loaded_free(loaded);
        return NULL;
    }
    loaded->details = (struct st_details){st_loading_lookup, &loaded->loading};
    if (loaded->loading.has_details)
        loaded->report.details = &loaded->details;
    return loaded;
}

void st_loaded_free(struct st_loaded *loaded) {
    if (!loaded)
        return;
    for (size_t i = 0; i < st_report_results(&loaded->report).count; i++)
        st_findings_free(&loaded->findings[i]);
    free(loaded->findings);
    free(loaded->results);
    free(loaded->programs);
    st_loaded_hunt_free(&loaded->hunt);
    free(loaded->facts.executed);
    free_coverage(&loaded->coverage);
    st_triage_free(&loaded->triage);
    st_predictions_free(&loaded->predictions);
    st_loading_free(&loaded->loading);
    free(loaded);
}

const struct st_report *st_loaded_report(const struct st_loaded *loaded) {
    return &loaded->report;
}
