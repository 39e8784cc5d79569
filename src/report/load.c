#include "report/load.h"

#include "base/memory.h"
#include "base/options.h"
#include "report/fields.h"
#include "report/load_triage.h"

#include <stdlib.h>
#include <string.h>

/* What is known of a location beyond its name. The texts are those of the JSON. */
struct context {
    const char *function;
    const char **stack, **locks; /* each ends with NULL */
};

/* Invariant: the location with number i has the key i and the contexts[i]; locations of the same
 * name and different contexts are different. */
struct st_loaded {
    struct st_report report;
    struct st_fields fields;
    struct st_symbols symbols;
    struct st_counts counts;
    struct st_facts facts;
    struct st_repairs repairs;
    struct st_findings *findings;
    struct st_result *results;
    struct st_names keys;
    struct context *contexts;
    size_t context_capacity;
    struct st_details details;
    bool has_details;
    struct st_triage triage;
};

static const char *const none[] = {NULL};

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

/* ---- Names ---- */

static uint32_t name_number(struct st_loaded *loaded, struct st_names *names, const char *text) {
    uint32_t number = st_names_add(names, text, strlen(text));
    if (number == ST_NAMES_FULL) {
        st_fields_reject(&loaded->fields, "is one name too many");
        return 0;
    }
    return number;
}

static uint32_t thread_number(struct st_loaded *loaded, const char *text) {
    return name_number(loaded, &loaded->symbols.threads, text);
}

static uint32_t block_number(struct st_loaded *loaded, const char *text) {
    return *text ? name_number(loaded, &loaded->symbols.blocks, text) : ST_NO_NAME;
}

/* ---- Locations and what led there ---- */

/* A number as a trace has it, not such as "007", which would come back as another. */
static bool is_plain_number(const char *text, uint64_t *number) {
    size_t length = strlen(text);
    return length && (length == 1 || *text != '0') && st_parse_number(text, length, number) &&
           *number < ST_LOC_NUMBER_LIMIT;
}

static void add_text(const char ***list, size_t *count, size_t *capacity, const char *text) {
    st_reserve(list, capacity, *count + 2);
    (*list)[(*count)++] = text;
}

static const char **read_stack(struct st_fields *fields, const json_t *object) {
    const char **list = NULL;
    size_t count = 0, capacity = 0;
    const json_t *stack = st_field_maybe_array(fields, object, "stack");
    st_reserve(&list, &capacity, 1);
    st_fields_enter(fields, "stack", 0);
    for (size_t i = 0; i < json_array_size(stack); i++) {
        const json_t *frame = st_element_object(fields, stack, i);
        st_fields_enter(fields, NULL, i);
        add_text(&list, &count, &capacity, st_field_text(fields, frame, "function"));
        add_text(&list, &count, &capacity, st_field_text(fields, frame, "loc"));
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
    return list;
}

static const char **read_locks(struct st_fields *fields, const json_t *object) {
    const char **list = NULL;
    size_t count = 0, capacity = 0;
    const json_t *locks = st_field_maybe_array(fields, object, "locks");
    st_reserve(&list, &capacity, 1);
    st_fields_enter(fields, "locks", 0);
    for (size_t i = 0; i < json_array_size(locks); i++) {
        const char *name = json_string_value(json_array_get(locks, i));
        st_fields_enter(fields, NULL, i);
        if (!name)
            st_fields_reject(fields, "must be a text");
        st_fields_leave(fields);
        add_text(&list, &count, &capacity, name ? name : "");
    }
    st_fields_leave(fields);
    return list;
}

static void write_list(FILE *file, const char *const *list) {
    for (; *list; list++)
        fprintf(file, "%s\n", *list);
    fputc('\f', file);
}

/* A text that two contexts share only if they are the same. What separates its parts cannot be in
 * them, or it does not matter: contexts that are taken for the same lose a frame of a stack. */
static char *make_key(const char *loc, const struct context *context) {
    char *key = NULL;
    size_t size;
    FILE *file = open_memstream(&key, &size);
    if (!file)
        st_out_of_memory();
    fprintf(file, "%s\n", loc);
    if (context->function) {
        fprintf(file, "%s\f", context->function);
        write_list(file, context->stack);
        write_list(file, context->locks);
    }
    if (fclose(file) != 0)
        st_out_of_memory();
    return key;
}

static void free_context(struct context *context) {
    free(context->stack);
    free(context->locks);
}

/* Takes over the context. */
static uint64_t location_number(struct st_loaded *loaded, const char *loc,
                                struct context *context) {
    char *key = make_key(loc, context);
    uint32_t number = name_number(loaded, &loaded->keys, key);
    free(key);
    if (number < loaded->symbols.locations.count) {
        free_context(context);
    } else {
        st_names_append(&loaded->symbols.locations, loc, strlen(loc));
        st_reserve(&loaded->contexts, &loaded->context_capacity, (size_t)number + 1);
        loaded->contexts[number] = *context;
    }
    return ST_LOC_NAME | number;
}

static uint64_t read_plain_location(struct st_loaded *loaded, const char *loc) {
    uint64_t number;
    if (is_plain_number(loc, &number))
        return number;
    return location_number(loaded, loc, &(struct context){NULL, NULL, NULL});
}

static uint64_t read_location(struct st_loaded *loaded, const json_t *object) {
    struct st_fields *fields = &loaded->fields;
    const char *loc = st_field_text(fields, object, "loc");
    const char *function = st_field_maybe_text(fields, object, "function");
    if (!function)
        return read_plain_location(loaded, loc);
    struct context context = {function, read_stack(fields, object), read_locks(fields, object)};
    loaded->has_details = true;
    return location_number(loaded, loc, &context);
}

static void tell(void *context, uint64_t loc, struct st_detail *detail) {
    const struct st_loaded *loaded = context;
    *detail = (struct st_detail){"", none, none};
    if (!(loc & ST_LOC_NAME))
        return;
    const struct context *found = &loaded->contexts[loc & ~ST_LOC_NAME];
    if (found->function)
        *detail = (struct st_detail){found->function, found->stack, found->locks};
}

/* ---- Events and dependences ---- */

/* The operation that the text begins with; ST_OP_COUNT when there is none. */
static enum st_op find_op(const char *text, size_t length) {
    enum st_op op = 0;
    while (op < ST_OP_COUNT &&
           (strlen(st_op_std(op)) != length || memcmp(st_op_std(op), text, length) != 0))
        op++;
    return op;
}

/* "r(x)", "begin" */
static void read_op(struct st_loaded *loaded, const json_t *object, struct st_event *event) {
    const char *text = st_field_text(&loaded->fields, object, "op");
    size_t word = strcspn(text, "("), length = strlen(text);
    enum st_op op = find_op(text, word);
    bool has_target = text[word] && text[length - 1] == ')' && length > word + 2;
    bool may_lack_it = (op == ST_BEGIN || op == ST_END) && !text[word];
    if (op == ST_OP_COUNT || !(has_target || may_lack_it)) {
        st_fields_enter(&loaded->fields, "op", 0);
        st_fields_reject(&loaded->fields, "must be an operation such as r(x)");
        st_fields_leave(&loaded->fields);
        return;
    }
    event->op = event->written = op;
    event->target = ST_NO_NAME;
    if (!has_target)
        return;
    char *target = st_strdup(text + word + 1);
    target[length - word - 2] = '\0';
    event->target = name_number(loaded, st_symbols_of(&loaded->symbols, op), target);
    free(target);
}

/* Events are numbered from 1. */
static uint64_t read_event_number(struct st_fields *fields, const json_t *object, const char *key) {
    uint64_t number = st_field_number(fields, object, key);
    if (!number) {
        st_fields_enter(fields, key, 0);
        st_fields_reject(fields, "must not be 0");
        st_fields_leave(fields);
    }
    return number;
}

/* Goes into the member with this key. */
static struct st_place read_place(struct st_loaded *loaded, const json_t *object, const char *key) {
    struct st_fields *fields = &loaded->fields;
    const json_t *value = st_field_object(fields, object, key);
    struct st_place place = {0};
    st_fields_enter(fields, key, 0);
    place.number = read_event_number(fields, value, "event");
    place.event.thread = thread_number(loaded, st_field_text(fields, value, "thread"));
    read_op(loaded, value, &place.event);
    place.event.loc = read_location(loaded, value) & ((ST_LOC_NAME << 1) - 1);
    st_fields_leave(fields);
    return place;
}

static enum st_edge_kind read_kind(struct st_fields *fields, const json_t *object) {
    const char *text = st_field_text(fields, object, "kind");
    for (enum st_edge_kind kind = 0; kind <= ST_EDGE_SYNC; kind++)
        if (strcmp(text, st_edge_kind_name(kind)) == 0)
            return kind;
    st_fields_enter(fields, "kind", 0);
    st_fields_reject(fields, "must be conflict, lock, fork, join or sync");
    st_fields_leave(fields);
    return ST_EDGE_CONFLICT;
}

static enum st_race read_race(struct st_fields *fields, const json_t *object) {
    const json_t *race = json_object_get(object, "race");
    bool found = st_field_maybe_bool(fields, object, "race");
    return found ? ST_RACE_FOUND : race && !json_is_null(race) ? ST_RACE_NONE : ST_RACE_UNKNOWN;
}

static struct st_edge read_edge(struct st_loaded *loaded, const json_t *object) {
    struct st_edge edge;
    edge.from = read_place(loaded, object, "from");
    edge.to = read_place(loaded, object, "to");
    edge.kind = read_kind(&loaded->fields, object);
    edge.race = read_race(&loaded->fields, object);
    return edge;
}

static struct st_edge *read_edges(struct st_loaded *loaded, const json_t *array) {
    size_t count = json_array_size(array);
    struct st_edge *edges = count ? st_alloc(count, sizeof *edges) : NULL;
    for (size_t i = 0; i < count; i++) {
        const json_t *edge = st_element_object(&loaded->fields, array, i);
        st_fields_enter(&loaded->fields, NULL, i);
        edges[i] = read_edge(loaded, edge);
        st_fields_leave(&loaded->fields);
    }
    return edges;
}

/* ---- Violations ---- */

/* The last dependence; where only its thread is known, it has no number. */
static struct st_edge read_closing(struct st_loaded *loaded, const json_t *object,
                                   const struct st_place *proof) {
    struct st_fields *fields = &loaded->fields;
    struct st_edge edge = {.kind = ST_EDGE_CONFLICT};
    const json_t *closing = st_field_maybe_object(fields, object, "closing");
    const char *cut_by = st_field_maybe_text(fields, object, "cut_by");
    if (closing) {
        st_fields_enter(fields, "closing", 0);
        edge = read_edge(loaded, closing);
        st_fields_leave(fields);
    } else if (cut_by) {
        edge.from.event.thread = thread_number(loaded, cut_by);
        edge.to = *proof;
    }
    return edge;
}

static void check_order(struct st_fields *fields, const struct st_violation *violation) {
    if (violation->begin > violation->event.number)
        st_fields_reject(fields, "begins behind the event that proves it");
    if (violation->end && violation->end < violation->event.number)
        st_fields_reject(fields, "ends before the event that proves it");
}

/* From the begin as an event, which older results lack. */
static uint64_t read_begin_location(struct st_loaded *loaded, const json_t *object) {
    struct st_fields *fields = &loaded->fields;
    const char *loc = st_field_maybe_text(fields, object, "begin_loc");
    if (st_field_maybe_object(fields, object, "entry"))
        return read_place(loaded, object, "entry").event.loc;
    return read_plain_location(loaded, loc ? loc : "");
}

static void read_violation(struct st_loaded *loaded, const json_t *object,
                           struct st_violation *violation) {
    struct st_fields *fields = &loaded->fields;
    violation->block = block_number(loaded, st_field_text(fields, object, "block"));
    violation->thread = thread_number(loaded, st_field_text(fields, object, "thread"));
    uint64_t depth = st_field_number(fields, object, "depth");
    violation->depth = depth < UINT32_MAX ? (uint32_t)depth : UINT32_MAX;
    violation->begin = read_event_number(fields, object, "begin");
    violation->end = st_field_maybe_number(fields, object, "end");
    violation->begin_loc = read_begin_location(loaded, object);
    violation->event = read_place(loaded, object, "proof");
    violation->closing = read_closing(loaded, object, &violation->event);
    const json_t *path = st_field_array(fields, object, "path");
    st_fields_enter(fields, "path", 0);
    violation->path = read_edges(loaded, path);
    violation->path_length = json_array_size(path);
    st_fields_leave(fields);
    check_order(fields, violation);
}

static void read_violations(struct st_loaded *loaded, const json_t *result,
                            struct st_findings *findings) {
    struct st_fields *fields = &loaded->fields;
    const json_t *array = st_field_array(fields, result, "violations");
    findings->violation_count = st_field_maybe_number(fields, result, "violation_count");
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
    struct st_fields *fields = &loaded->fields;
    struct st_transaction transaction = {.block = ST_NO_NAME};
    const json_t *object = st_field_maybe_object(fields, edge, key);
    if (!object)
        return transaction;
    st_fields_enter(fields, key, 0);
    transaction.first = read_event_number(fields, object, "first");
    transaction.unary = st_field_maybe_bool(fields, object, "unary");
    transaction.block = block_number(loaded, st_field_text(fields, object, "block"));
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
        st_fields_enter(&loaded->fields, NULL, i);
        ends[i].from = read_transaction(loaded, edge, "from_transaction");
        ends[i].to = read_transaction(loaded, edge, "to_transaction");
        st_fields_leave(&loaded->fields);
    }
    return ends;
}

static void read_cycle(struct st_loaded *loaded, const json_t *result,
                       struct st_findings *findings) {
    const json_t *cycle = st_field_maybe_array(&loaded->fields, result, "cycle");
    st_fields_enter(&loaded->fields, "cycle", 0);
    findings->cycle = read_edges(loaded, cycle);
    findings->cycle_length = json_array_size(cycle);
    if (!loaded->fields.failed)
        findings->cycle_ends = read_ends(loaded, cycle);
    st_fields_leave(&loaded->fields);
}

/* ---- Blocks ---- */

static void read_block(struct st_loaded *loaded, const json_t *object,
                       struct st_findings *findings) {
    struct st_fields *fields = &loaded->fields;
    struct st_facts *facts = &loaded->facts;
    uint32_t block = block_number(loaded, st_field_text(fields, object, "name"));
    uint64_t executed = st_field_number(fields, object, "executed");
    uint64_t violated = st_field_maybe_number(fields, object, "violated");
    uint32_t depth = (uint32_t)st_field_maybe_number(fields, object, "depth");
    if (violated && !findings->names_blocks)
        st_fields_reject(fields, "counts violations, which violation_count does not");
    if (block == ST_NO_NAME) {
        facts->unnamed_blocks = executed;
        findings->unnamed_violated = violated;
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

/* Where it is counted how many blocks of the name were violated; NULL if nowhere. */
static uint64_t *violated_of(struct st_findings *findings, uint32_t block) {
    if (block == ST_NO_NAME)
        return &findings->unnamed_violated;
    return block < findings->violated_capacity ? &findings->violated[block] : NULL;
}

static void read_blocks(struct st_loaded *loaded, const json_t *result,
                        struct st_findings *findings) {
    const json_t *blocks = st_field_array(&loaded->fields, result, "blocks");
    st_fields_enter(&loaded->fields, "blocks", 0);
    for (size_t i = 0; i < json_array_size(blocks); i++) {
        const json_t *block = st_element_object(&loaded->fields, blocks, i);
        st_fields_enter(&loaded->fields, NULL, i);
        read_block(loaded, block, findings);
        st_fields_leave(&loaded->fields);
    }
    st_fields_leave(&loaded->fields);
}

/* Is every listed violation counted? Writers rely on it. Takes the listed ones off what was counted
 * and puts them back. */
static void check_counts(struct st_loaded *loaded, struct st_findings *findings) {
    size_t good = 0;
    for (; good < findings->kept; good++) {
        uint64_t *counted = violated_of(findings, findings->violations[good].block);
        if (!counted || !*counted)
            break;
        --*counted;
    }
    if (good < findings->kept) {
        st_fields_enter(&loaded->fields, "violations", 0);
        st_fields_enter(&loaded->fields, NULL, good);
        st_fields_reject(&loaded->fields, "is not counted as violated among the blocks");
        st_fields_leave(&loaded->fields);
        st_fields_leave(&loaded->fields);
    }
    while (good)
        ++*violated_of(findings, findings->violations[--good].block);
}

/* ---- The trace ---- */

static void read_trace(struct st_loaded *loaded, const json_t *object) {
    struct st_fields *fields = &loaded->fields;
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
    loaded->report.cut = st_field_maybe_bool(fields, trace, "cut");
    loaded->report.built = (time_t)st_field_maybe_number(fields, trace, "built");
    st_fields_leave(fields);
}

static void read_repair(struct st_loaded *loaded, const json_t *repair) {
    struct st_fields *fields = &loaded->fields;
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
    const json_t *repairs = st_field_maybe_array(&loaded->fields, result, "repairs");
    st_fields_enter(&loaded->fields, "repairs", 0);
    for (size_t i = 0; i < json_array_size(repairs); i++) {
        const json_t *repair = st_element_object(&loaded->fields, repairs, i);
        st_fields_enter(&loaded->fields, NULL, i);
        read_repair(loaded, repair);
        st_fields_leave(&loaded->fields);
    }
    st_fields_leave(&loaded->fields);
}

/* ---- Results ---- */

static void read_verdict(struct st_loaded *loaded, const json_t *object,
                         struct st_findings *findings) {
    struct st_fields *fields = &loaded->fields;
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

static void read_result(struct st_loaded *loaded, const json_t *object, size_t index) {
    struct st_fields *fields = &loaded->fields;
    struct st_findings *findings = &loaded->findings[index];
    struct st_result *result = &loaded->results[index];
    result->findings = findings;
    result->engine = st_field_text(fields, object, "engine");
    result->seconds = st_field_maybe_real(fields, object, "time_seconds");
    result->peak_bytes = (size_t)st_field_maybe_number(fields, object, "peak_state_bytes");
    read_verdict(loaded, object, findings);
    read_violations(loaded, object, findings);
    read_cycle(loaded, object, findings);
    read_blocks(loaded, object, findings);
    if (!fields->failed)
        check_counts(loaded, findings);
    loaded->report.stopped |= st_field_maybe_bool(fields, object, "stopped");
    if (index == 0)
        read_repairs(loaded, object); /* which are those of the trace, not of an engine */
}

static void make_results(struct st_loaded *loaded, size_t count) {
    loaded->findings = st_alloc(count, sizeof *loaded->findings);
    loaded->results = st_alloc(count, sizeof *loaded->results);
    loaded->report.results = loaded->results;
    loaded->report.result_count = count;
    for (size_t i = 0; i < count; i++)
        st_findings_init(&loaded->findings[i], 0);
}

static void read_engines(struct st_loaded *loaded, const json_t *root) {
    struct st_fields *fields = &loaded->fields;
    const json_t *engines = st_field_array(fields, root, "engines");
    size_t count = json_array_size(engines);
    loaded->report.compare = true;
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

static void read_schema(struct st_loaded *loaded, const json_t *root) {
    static const char *const known[] = {"seriatim-check/1", "seriatim-run/1"};
    char quoted[80];
    loaded->report.schema = st_field_text(&loaded->fields, root, "schema");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(loaded->report.schema, known[i]) == 0)
            return;
    st_quote(quoted, sizeof quoted, loaded->report.schema, strlen(loaded->report.schema));
    st_fields_enter(&loaded->fields, "schema", 0);
    st_fields_reject(&loaded->fields,
                     "must be that of a result of check or run (%s or %s), and is %s", known[0],
                     known[1], quoted);
    st_fields_leave(&loaded->fields);
}

static void read_root(struct st_loaded *loaded) {
    const json_t *root = loaded->fields.root;
    if (!json_is_object(root))
        st_fields_reject(&loaded->fields, "is no result of check or run");
    read_schema(loaded, root);
    read_trace(loaded, root);
    if (json_object_get(root, "engines")) {
        read_engines(loaded, root);
    } else {
        make_results(loaded, 1);
        read_result(loaded, root, 0);
    }
    if (!loaded->fields.failed && st_triage_read(&loaded->fields, &loaded->triage))
        loaded->report.triage = &loaded->triage;
}

struct st_loaded *st_report_load(const char *name, const char *text, size_t length,
                                 struct st_error *error) {
    struct st_loaded *loaded = st_alloc(1, sizeof *loaded);
    st_symbols_init(&loaded->symbols);
    st_names_init(&loaded->keys);
    loaded->report.symbols = &loaded->symbols;
    loaded->report.counts = &loaded->counts;
    loaded->report.facts = &loaded->facts;
    loaded->report.repairs = &loaded->repairs;
    int opened = st_fields_open(&loaded->fields, name, text, length, error);
    if (opened == 0)
        read_root(loaded);
    if (opened < 0 || loaded->fields.failed) {
        st_loaded_free(loaded);
        return NULL;
    }
    loaded->details = (struct st_details){tell, loaded};
    if (loaded->has_details)
        loaded->report.details = &loaded->details;
    return loaded;
}

void st_loaded_free(struct st_loaded *loaded) {
    if (!loaded)
        return;
    for (size_t i = 0; i < loaded->report.result_count; i++)
        st_findings_free(&loaded->findings[i]);
    for (size_t i = 0; i < loaded->symbols.locations.count; i++)
        free_context(&loaded->contexts[i]);
    free(loaded->findings);
    free(loaded->results);
    free(loaded->contexts);
    free(loaded->facts.executed);
    st_triage_free(&loaded->triage);
    st_symbols_free(&loaded->symbols);
    st_names_free(&loaded->keys);
    st_fields_close(&loaded->fields);
    free(loaded);
}

const struct st_report *st_loaded_report(const struct st_loaded *loaded) {
    return &loaded->report;
}
