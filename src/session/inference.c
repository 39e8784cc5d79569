#include "session/inference.h"

#include "base/memory.h"
#include "check/engine.h"
#include "spec/select.h"
#include "report/calls.h"

#include <stdlib.h>
#include <string.h>

void st_inference_init(struct st_inference *inference) {
    memset(inference, 0, sizeof *inference);
    st_names_init(&inference->names);
    st_symbols_init(&inference->symbols);
}

void st_inference_free(struct st_inference *inference) {
    st_names_free(&inference->names);
    st_symbols_free(&inference->symbols);
    free(inference->blocks);
    free(inference->traces);
}

static uint32_t adopt_name(struct st_names *to, const struct st_names *from, uint32_t number) {
    return st_names_add(to, st_name(from, number), st_name_length(from, number));
}

static uint64_t adopt_location(struct st_symbols *to, const struct st_symbols *from, uint64_t loc) {
    if (!(loc & ST_LOC_NAME))
        return loc;
    char buffer[ST_LOCATION_SIZE];
    const char *text = st_user_location(from, NULL, loc, buffer);
    return ST_LOC_NAME | st_names_add(&to->locations, text, strlen(text));
}

static void adopt_event(struct st_symbols *to, const struct st_symbols *from,
                        struct st_event *event) {
    enum st_op op = (enum st_op)event->written;
    event->thread = adopt_name(&to->threads, &from->threads, event->thread);
    event->loc = adopt_location(to, from, event->loc);
    if (event->target == ST_NO_NAME)
        return;
    const char *name = st_target_name(from, op, event->target);
    event->target = st_names_add(st_symbols_of(to, op), name, strlen(name));
}

/* Of the source of an edge only the thread may be known. */
static void adopt_edge(struct st_symbols *to, const struct st_symbols *from, struct st_edge *edge) {
    if (!edge->to.number)
        return;
    adopt_event(to, from, &edge->to.event);
    if (edge->from.number)
        adopt_event(to, from, &edge->from.event);
    else
        edge->from.event.thread = adopt_name(&to->threads, &from->threads, edge->from.event.thread);
}

static void adopt_violation(struct st_symbols *to, const struct st_symbols *from,
                            struct st_violation *violation) {
    if (violation->path_length)
        violation->closing = violation->path[violation->path_length - 1];
    violation->path = NULL;
    violation->path_length = 0;
    violation->thread = adopt_name(&to->threads, &from->threads, violation->thread);
    violation->begin_loc = adopt_location(to, from, violation->begin_loc);
    adopt_event(to, from, &violation->event.event);
    adopt_edge(to, from, &violation->closing);
}

static struct st_inferred_block *block_of(struct st_inference *inference,
                                          const struct st_symbols *symbols, uint32_t block) {
    if (block == ST_NO_NAME || !st_name_length(&symbols->blocks, block))
        return &inference->unnamed;
    uint32_t number = adopt_name(&inference->names, &symbols->blocks, block);
    st_reserve(&inference->blocks, &inference->block_capacity, (size_t)number + 1);
    return &inference->blocks[number];
}

/* ---- adding a trace ---- */

struct addition {
    struct st_inference *inference;
    const struct st_symbols *symbols; /* of the trace */
};

static struct st_block_counts *counts_of(void *context, uint32_t block) {
    struct addition *addition = context;
    return &block_of(addition->inference, addition->symbols, block)->counts;
}

static void add_examples(struct st_inference *inference, const char *path,
                         const struct st_symbols *symbols, const struct st_findings *findings) {
    for (size_t i = 0; i < findings->kept; i++) {
        struct st_inferred_block *block =
            block_of(inference, symbols, findings->violations[i].block);
        if (block->trace || block == &inference->unnamed)
            continue;
        block->trace = path;
        block->example = findings->violations[i];
        adopt_violation(&inference->symbols, symbols, &block->example);
    }
}

static void add_trace(struct st_inference *inference, const char *path,
                      const struct st_trace *trace, enum st_relation relation,
                      const struct st_findings *findings, const struct st_selected *selected) {
    struct addition addition = {inference, st_trace_symbols(trace)};
    enum st_relation usual = st_relation_or_usual(ST_USUAL_RELATION, st_trace_is_recording(trace));
    struct st_facts facts = *st_trace_facts(trace);
    facts.executed = selected->executed;
    facts.executed_count = selected->executed_count;
    st_block_counts_add(&facts, findings, counts_of, &addition);
    add_examples(inference, path, addition.symbols, findings);
    st_reserve(&inference->traces, &inference->trace_capacity, inference->trace_count + 1);
    inference->traces[inference->trace_count++] =
        (struct st_inferred_trace){.path = path,
                                   .events = st_trace_facts(trace)->events,
                                   .truncated = st_trace_truncated(trace),
                                   .relation = relation,
                                   .unusual = relation != usual};
}

static void forget_ended(const struct st_engine *engine, void *state,
                         const struct st_trace *trace) {
    size_t count;
    const struct st_variable_run *ended = st_trace_ended(trace, &count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < ended[i].count; n++)
            engine->forget(state, ended[i].first + n);
}

static int analyse(struct st_reading *reading, enum st_relation relation,
                   struct st_findings *findings, struct st_selection *selection,
                   struct st_error *error) {
    const struct st_engine *engine = st_engine_find("witness"); /* looks at every depth */
    void *state = engine->create(findings);
    struct st_event *events;
    uint64_t first;
    long count;
    while ((count = st_reading_next(reading, &events, &first, error)) > 0) {
        st_select(selection, events, (size_t)count);
        st_relation_apply(relation, st_trace_channels(reading->trace), events, (size_t)count);
        forget_ended(engine, state, reading->trace);
        engine->feed(state, events, (size_t)count, first);
    }
    st_selection_count_silent(selection);
    if (count == 0)
        engine->finish(state, st_trace_facts(reading->trace)->events);
    engine->destroy(state);
    if (count == 0 && findings->gave_up)
        return st_fail(error, st_trace_name(reading->trace), ST_AT_FILE, 0, "%s",
                       findings->gave_up);
    return (int)count;
}

int st_inference_read(struct st_inference *inference, const char *path, struct st_reading *reading,
                      enum st_relation given, struct st_error *error) {
    enum st_relation relation = st_relation_or_usual(given, st_trace_is_recording(reading->trace));
    struct st_findings findings;
    st_findings_init(&findings, 0);
    findings.limit_each = 1; /* an example */
    /* What threads start with is no block that anybody would name. */
    struct st_selection *selection =
        st_selection_new(NULL, st_trace_symbols(reading->trace), false);
    int result = analyse(reading, relation, &findings, selection, error);
    if (result == 0)
        add_trace(inference, path, reading->trace, relation, &findings,
                  st_selection_selected(selection));
    st_selection_free(selection);
    st_findings_free(&findings);
    return result;
}

/* ---- the result ---- */

static int compare_blocks(const void *left, const void *right) {
    const struct st_inferred_block *a = *(const struct st_inferred_block *const *)left;
    const struct st_inferred_block *b = *(const struct st_inferred_block *const *)right;
    int order = st_block_counts_compare(&a->counts, &b->counts);
    return order ? order : strcmp(a->name, b->name);
}

const struct st_inferred_block **st_inference_rank(struct st_inference *inference, size_t *atomic) {
    size_t count = inference->names.count;
    const struct st_inferred_block **blocks = st_alloc(count + 1, sizeof *blocks);
    *atomic = 0;
    for (uint32_t i = 0; i < count; i++) {
        inference->blocks[i].name = st_name(&inference->names, i);
        *atomic += !inference->blocks[i].counts.violated;
        blocks[i] = &inference->blocks[i];
    }
    qsort(blocks, count, sizeof *blocks, compare_blocks);
    return blocks;
}
