#include "session/inference.h"

#include "base/memory.h"
#include "report/user_line.h"

#include <stdlib.h>
#include <string.h>

void tally_init(struct tally *tally) {
    memset(tally, 0, sizeof *tally);
    st_names_init(&tally->names);
    st_symbols_init(&tally->symbols);
}

void tally_free(struct tally *tally) {
    st_names_free(&tally->names);
    st_symbols_free(&tally->symbols);
    free(tally->blocks);
    free(tally->traces);
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
    if (event->target != ST_NO_NAME)
        event->target =
            adopt_name(st_symbols_of(to, op), st_symbols_of_const(from, op), event->target);
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

static struct tally_block *block_of(struct tally *tally, const struct st_symbols *symbols,
                                    uint32_t block) {
    if (block == ST_NO_NAME || !st_name_length(&symbols->blocks, block))
        return &tally->unnamed;
    uint32_t number = adopt_name(&tally->names, &symbols->blocks, block);
    st_reserve(&tally->blocks, &tally->block_capacity, (size_t)number + 1);
    return &tally->blocks[number];
}

static void add_counts(struct tally *tally, const struct st_symbols *symbols,
                       const struct st_facts *facts, const struct st_findings *findings) {
    for (size_t i = 0; i < facts->executed_count; i++) {
        if (!facts->executed[i])
            continue;
        struct tally_block *block = block_of(tally, symbols, (uint32_t)i);
        block->executed += facts->executed[i];
        block->violated += i < findings->violated_capacity ? findings->violated[i] : 0;
    }
    tally->unnamed.executed += facts->unnamed_blocks;
    tally->unnamed.violated += findings->unnamed_violated;
}

static void add_examples(struct tally *tally, const char *path, const struct st_symbols *symbols,
                         const struct st_findings *findings) {
    for (size_t i = 0; i < findings->kept; i++) {
        struct tally_block *block = block_of(tally, symbols, findings->violations[i].block);
        if (block->trace || block == &tally->unnamed)
            continue;
        block->trace = path;
        block->example = findings->violations[i];
        adopt_violation(&tally->symbols, symbols, &block->example);
    }
}

void tally_add(struct tally *tally, const char *path, const struct st_trace *trace,
               const struct st_findings *findings) {
    const struct st_symbols *symbols = st_trace_symbols(trace);
    add_counts(tally, symbols, st_trace_facts(trace), findings);
    add_examples(tally, path, symbols, findings);
    st_reserve(&tally->traces, &tally->trace_capacity, tally->trace_count + 1);
    tally->traces[tally->trace_count++] = (struct tally_trace){
        .path = path, .events = st_trace_facts(trace)->events, .cut = st_trace_cut(trace)};
}
