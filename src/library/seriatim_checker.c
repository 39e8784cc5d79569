/* The public library: a thin layer that turns the caller's ids into dense numbers, lets the
 * validator look at each event, and gives it to an engine at once, so that a violation is told at
 * the event that proves it. */
#include "seriatim/seriatim.h"

#include "base/error.h"
#include "base/map64.h"
#include "base/memory.h"
#include "check/engine.h"
#include "trace/validate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char default_engine[] = "witness";
enum { DEFAULT_KEEP = 1000 };

struct seriatim_checker {
    const struct st_engine *engine;
    void *state;
    struct st_findings findings;
    struct st_validator *validator;
    struct st_repairs refused_before; /* the validator's counts, to see which one has moved */

    struct st_map64 threads, variables, locks, blocks, channels;
    bool *joined; /* by thread number; entries beyond the capacity are false */
    size_t joined_capacity;

    uint64_t events, refused;
    bool finished;
    seriatim_violation_callback callback;
    void *context;

    /* What was handed out last. */
    seriatim_violation violation;
    seriatim_edge *edges;
    size_t edges_capacity;
    char error[256];
};

const char *seriatim_version(void) {
    return SERIATIM_VERSION_STRING;
}

static const struct st_engine *engine_at(size_t index) {
    for (size_t i = 0; st_engines[i]; i++)
        if (i == index)
            return st_engines[i];
    return NULL;
}

const char *seriatim_engine_name(size_t index) {
    const struct st_engine *engine = engine_at(index);
    return engine ? engine->name : NULL;
}

const char *seriatim_engine_summary(size_t index) {
    const struct st_engine *engine = engine_at(index);
    return engine ? engine->summary : NULL;
}

/* ---- From numbers back to the caller's ids --------------------------------------------------- */

static struct st_map64 *targets_of(seriatim_checker *checker, enum st_op op) {
    switch (op) {
    case ST_READ:
    case ST_WRITE:
        return &checker->variables;
    case ST_ACQUIRE:
    case ST_RELEASE:
        return &checker->locks;
    case ST_FORK:
    case ST_JOIN:
        return &checker->threads;
    case ST_SEND:
    case ST_RECEIVE:
        return &checker->channels;
    default:
        return &checker->blocks;
    }
}

static uint64_t target_id(seriatim_checker *checker, enum st_op op, uint32_t target) {
    return target == ST_NO_NAME ? SERIATIM_UNNAMED : targets_of(checker, op)->ids[target];
}

static seriatim_place public_place(seriatim_checker *checker, const struct st_place *place) {
    enum st_op op = (enum st_op)place->event.written;
    return (seriatim_place){
        .event = place->number,
        .thread = checker->threads.ids[place->event.thread],
        .operand = target_id(checker, op, place->event.target),
        .loc = place->event.loc,
        .op = (seriatim_op)op,
    };
}

_Static_assert((int)SERIATIM_READ == (int)ST_READ && (int)SERIATIM_RECEIVE == (int)ST_RECEIVE,
               "the public operations are numbered like the inner ones");
_Static_assert((int)SERIATIM_EDGE_CONFLICT == (int)ST_EDGE_CONFLICT &&
                   (int)SERIATIM_EDGE_SYNC == (int)ST_EDGE_SYNC,
               "the public kinds of edges are numbered like the inner ones");
_Static_assert(SERIATIM_LOCATION_LIMIT == ST_LOC_NUMBER_LIMIT,
               "every location that the interface allows has room in an event");

static seriatim_edge public_edge(seriatim_checker *checker, const struct st_edge *edge) {
    return (seriatim_edge){
        .from = public_place(checker, &edge->from),
        .to = public_place(checker, &edge->to),
        .kind = (seriatim_edge_kind)edge->kind,
    };
}

/* The last edge of the path, as far as it is known. */
static seriatim_edge public_closing(seriatim_checker *checker, const struct st_edge *closing) {
    if (!closing->to.number)
        return (seriatim_edge){.kind = SERIATIM_EDGE_CONFLICT};
    if (closing->from.number)
        return public_edge(checker, closing);
    return (seriatim_edge){
        .from = {.thread = checker->threads.ids[closing->from.event.thread]},
        .to = public_place(checker, &closing->to),
        .kind = (seriatim_edge_kind)closing->kind,
    };
}

/* The edges in checker->edges, which the next call overwrites; NULL when there are none. */
static const seriatim_edge *public_edges(seriatim_checker *checker, const struct st_edge *edges,
                                         size_t count) {
    if (!count)
        return NULL;
    st_reserve(&checker->edges, &checker->edges_capacity, count);
    for (size_t i = 0; i < count; i++)
        checker->edges[i] = public_edge(checker, &edges[i]);
    return checker->edges;
}

static const seriatim_violation *public_violation(seriatim_checker *checker,
                                                  const struct st_violation *violation) {
    size_t path_length = violation->path ? violation->path_length : 0;
    checker->violation = (seriatim_violation){
        .thread = checker->threads.ids[violation->thread],
        .block = target_id(checker, ST_BEGIN, violation->block),
        .depth = violation->depth,
        .begin = violation->begin,
        .begin_loc = violation->begin_loc,
        .end = violation->end,
        .event = public_place(checker, &violation->event),
        .path = public_edges(checker, violation->path, path_length),
        .path_length = path_length,
        .closing = public_closing(checker, &violation->closing),
    };
    return &checker->violation;
}

static void tell_violation(void *context, const struct st_violation *violation) {
    seriatim_checker *checker = context;
    checker->callback(checker->context, public_violation(checker, violation));
}

/* ---- Checkers -------------------------------------------------------------------------------- */

seriatim_checker *seriatim_checker_new(const char *engine_name) {
    const struct st_engine *engine = st_engine_find(engine_name ? engine_name : default_engine);
    if (!engine)
        return NULL;
    seriatim_checker *checker = st_alloc(1, sizeof *checker);
    st_findings_init(&checker->findings, DEFAULT_KEEP);
    checker->findings.context = checker;
    checker->validator = st_validator_new(true);
    st_map64_init(&checker->threads);
    st_map64_init(&checker->variables);
    st_map64_init(&checker->locks);
    st_map64_init(&checker->blocks);
    st_map64_init(&checker->channels);
    checker->engine = engine;
    checker->state = engine->create(&checker->findings);
    return checker;
}

void seriatim_checker_free(seriatim_checker *checker) {
    if (!checker)
        return;
    checker->engine->destroy(checker->state);
    st_validator_free(checker->validator);
    st_findings_free(&checker->findings);
    st_map64_free(&checker->threads);
    st_map64_free(&checker->variables);
    st_map64_free(&checker->locks);
    st_map64_free(&checker->blocks);
    st_map64_free(&checker->channels);
    free(checker->joined);
    free(checker->edges);
    free(checker);
}

/* ---- Events ---------------------------------------------------------------------------------- */

static int refuse(seriatim_checker *checker, const char *cause, ...)
    __attribute__((noinline, format(printf, 2, 3)));

static int refuse(seriatim_checker *checker, const char *cause, ...) {
    va_list arguments;
    va_start(arguments, cause);
    vsnprintf(checker->error, sizeof checker->error, cause, arguments);
    va_end(arguments);
    checker->refused++;
    return -1;
}

static bool is_joined(const seriatim_checker *checker, uint32_t thread) {
    return thread < checker->joined_capacity && checker->joined[thread];
}

/* The dense number of the operand. Forking the id of a joined thread makes a new thread of it. */
static uint32_t target_number(seriatim_checker *checker, enum st_op op, uint64_t operand) {
    struct st_map64 *map = targets_of(checker, op);
    if (op == ST_FORK) {
        uint32_t known = st_map64_find(map, operand);
        if (known != ST_MAP64_NONE && is_joined(checker, known))
            return st_map64_renew(map, operand);
    }
    return st_map64_number(map, operand);
}

/* The validator has dropped the event: says which rule it broke. */
static __attribute__((noinline)) int refuse_malformed(seriatim_checker *checker, uint64_t thread,
                                                      enum st_op op, uint64_t operand) {
    const struct st_repairs *now = st_validator_repairs(checker->validator);
    const char *rule = "an event that makes no sense here";
    for (int kind = 0; kind < ST_MALFORMED_COUNT; kind++)
        if (now->kinds[kind].count != checker->refused_before.kinds[kind].count)
            rule = st_malformed_text((enum st_malformed)kind);
    checker->refused_before = *now;
    if (op == ST_END)
        return refuse(checker, "%s (thread 0x%" PRIx64 ")", rule, thread);
    return refuse(checker, "%s (thread 0x%" PRIx64 ", %s of 0x%" PRIx64 ")", rule, thread,
                  st_op_word(op), operand);
}

int seriatim_event(seriatim_checker *checker, uint64_t thread, seriatim_op public_op,
                   uint64_t operand, uint64_t loc) {
    enum st_op op = (enum st_op)public_op;
    if (checker->finished)
        return refuse(checker, "an event after the end of the run");
    if ((unsigned)op >= ST_OP_COUNT)
        return refuse(checker, "there is no operation with the number %d", (int)public_op);
    if (loc >= SERIATIM_LOCATION_LIMIT)
        return refuse(checker, "the location 0x%" PRIx64 " is not below 2^47", loc);

    struct st_event event = {.loc = loc, .written = op, .op = op, .target = ST_NO_NAME};
    event.thread = st_map64_number(&checker->threads, thread);
    if (is_joined(checker, event.thread))
        return refuse(checker, "%s (thread 0x%" PRIx64 ")", st_malformed_text(ST_EVENT_AFTER_JOIN),
                      thread);
    bool named = op != ST_END && !(op == ST_BEGIN && operand == SERIATIM_UNNAMED);
    if (named)
        event.target = target_number(checker, op, operand);
    if (event.thread == ST_MAP64_NONE || (named && event.target == ST_MAP64_NONE))
        return refuse(checker, "there are more than 2^32 - 2 different ids");

    /* A validator that repairs makes no error: it drops the event. */
    st_validate(checker->validator, &event, 1, checker->threads.count, checker->locks.count);
    if (event.op == ST_DROPPED)
        return refuse_malformed(checker, thread, op, operand);
    if (op == ST_JOIN) {
        st_reserve(&checker->joined, &checker->joined_capacity, (size_t)event.target + 1);
        checker->joined[event.target] = true;
    }
    checker->events++;
    checker->engine->feed(checker->state, &event, 1, checker->events);
    return 0;
}

const char *seriatim_error(const seriatim_checker *checker) {
    return checker->error;
}

/* ---- Findings -------------------------------------------------------------------------------- */

void seriatim_checker_on_violation(seriatim_checker *checker, seriatim_violation_callback callback,
                                   void *context) {
    checker->callback = callback;
    checker->context = context;
    /* Without a callback the engine need not find paths that are not kept. */
    checker->findings.on_violation = callback ? tell_violation : NULL;
}

void seriatim_checker_keep(seriatim_checker *checker, size_t limit) {
    checker->findings.limit = limit;
}

size_t seriatim_checker_kept(const seriatim_checker *checker) {
    return checker->findings.kept;
}

const seriatim_violation *seriatim_checker_violation(seriatim_checker *checker, size_t index) {
    if (index >= checker->findings.kept)
        return NULL;
    return public_violation(checker, &checker->findings.violations[index]);
}

const seriatim_edge *seriatim_checker_cycle(seriatim_checker *checker, size_t *length) {
    *length = checker->findings.cycle_length;
    return public_edges(checker, checker->findings.cycle, checker->findings.cycle_length);
}

size_t seriatim_checker_memory(const seriatim_checker *checker) {
    return sizeof *checker + checker->engine->memory(checker->state) +
           st_map64_memory(&checker->threads) + st_map64_memory(&checker->variables) +
           st_map64_memory(&checker->locks) + st_map64_memory(&checker->blocks) +
           st_map64_memory(&checker->channels) +
           checker->findings.kept_capacity * sizeof *checker->findings.violations +
           st_shares_memory(&checker->findings.shares);
}

void seriatim_checker_finish(seriatim_checker *checker, seriatim_result *result) {
    if (!checker->finished) {
        checker->engine->finish(checker->state, checker->events);
        st_findings_sort(&checker->findings);
    }
    checker->finished = true;
    static const int serializable[] = {
        [ST_UNDECIDED] = -1,
        [ST_SERIALIZABLE] = 1,
        [ST_NOT_SERIALIZABLE] = 0,
    };
    const struct st_findings *findings = &checker->findings;
    *result = (seriatim_result){
        .serializable = serializable[findings->verdict],
        .gave_up = findings->gave_up,
        .names_blocks = findings->names_blocks,
        .outermost_only = findings->outermost_only,
        .blames_closers = findings->blames_closers,
        .first_bad_event = findings->first_bad_event,
        .violation_count = findings->violation_count,
        .events = checker->events,
        .refused = checker->refused,
    };
}
