/* The public checker: gives each event to an engine at once, so that a violation is known at the
 * event that proves it. */
#include "library/seriatim_checker.h"

#include "base/memory.h"

#include <stdlib.h>

static const char default_engine[] = "witness";
enum { DEFAULT_KEEP = 1000 };

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

/* ---- What is handed out -----------------------------------------------------------------------
 */

/* The last edge of the path, as far as it is known. */
static seriatim_edge public_closing(seriatim_checker *checker, const struct st_edge *closing) {
    if (!closing->to.number)
        return (seriatim_edge){.kind = SERIATIM_EDGE_CONFLICT};
    if (closing->from.number)
        return st_intake_edge(&checker->intake, closing);
    return (seriatim_edge){
        .from = {.thread =
                     st_intake_id(&checker->intake, ST_ID_THREAD, closing->from.event.thread)},
        .to = st_intake_place(&checker->intake, &closing->to),
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
        checker->edges[i] = st_intake_edge(&checker->intake, &edges[i]);
    return checker->edges;
}

static const seriatim_violation *public_violation(seriatim_checker *checker,
                                                  const struct st_violation *violation) {
    size_t path_length = violation->path ? violation->path_length : 0;
    checker->violation = (seriatim_violation){
        .thread = st_intake_id(&checker->intake, ST_ID_THREAD, violation->thread),
        .block = st_intake_id(&checker->intake, ST_ID_BLOCK, violation->block),
        .depth = violation->depth,
        .begin = violation->begin,
        .begin_loc = violation->begin_loc,
        .end = violation->end,
        .event = st_intake_place(&checker->intake, &violation->event),
        .path = public_edges(checker, violation->path, path_length),
        .path_length = path_length,
        .closing = public_closing(checker, &violation->closing),
    };
    return &checker->violation;
}

static void hand_out_violation(void *context, const struct st_violation *violation) {
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
    st_intake_init(&checker->intake);
    checker->engine = engine;
    checker->state = engine->create(&checker->findings);
    return checker;
}

void seriatim_checker_free(seriatim_checker *checker) {
    if (!checker)
        return;
    checker->engine->destroy(checker->state);
    st_intake_free(&checker->intake);
    st_channels_free(&checker->lock_channels);
    st_findings_free(&checker->findings);
    free(checker->edges);
    free(checker);
}

int seriatim_checker_relation(seriatim_checker *checker, seriatim_relation relation) {
    if (checker->intake.events)
        return -1;
    checker->relation = relation == SERIATIM_DATA ? ST_DATA : ST_LOCKS;
    return 0;
}

int seriatim_checker_lock_channel(seriatim_checker *checker, uint64_t channel) {
    struct st_map64 *ids = &checker->intake.ids[ST_ID_CHANNEL];
    uint32_t before = ids->count, number = st_map64_number(ids, channel);
    if (number == ST_MAP64_NONE)
        return -1;
    bool known = number < before;
    if (known)
        return st_is_lock_channel(&checker->lock_channels, number) ? 0 : -1;
    st_channels_set(&checker->lock_channels, number, (struct st_channel){.kind = ST_WHOLE_LOCK});
    return 0;
}

/* ---- Events ---------------------------------------------------------------------------------- */

int seriatim_event(seriatim_checker *checker, uint64_t thread, seriatim_op op, uint64_t operand,
                   uint64_t loc) {
    struct st_event event;
    if (st_intake_event(&checker->intake, thread, op, operand, loc, &event) < 0)
        return -1;
    st_relation_apply(checker->relation, &checker->lock_channels, &event, 1);
    checker->engine->feed(checker->state, &event, 1, checker->intake.events);
    return 0;
}

void seriatim_forget_variable(seriatim_checker *checker, uint64_t variable) {
    uint32_t number = st_map64_find(&checker->intake.ids[ST_ID_VARIABLE], variable);
    if (number != ST_MAP64_NONE && !checker->intake.finished)
        checker->engine->forget(checker->state, number);
}

const char *seriatim_error(const seriatim_checker *checker) {
    return checker->intake.error;
}

/* ---- Findings -------------------------------------------------------------------------------- */

void seriatim_checker_on_violation(seriatim_checker *checker, seriatim_violation_callback callback,
                                   void *context) {
    checker->callback = callback;
    checker->context = context;
    /* Without a callback the engine need not find paths that are not kept. */
    checker->findings.on_violation = callback ? hand_out_violation : NULL;
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
           st_intake_memory(&checker->intake) +
           checker->findings.kept_capacity * sizeof *checker->findings.violations +
           st_shares_memory(&checker->findings.shares);
}

void seriatim_checker_finish(seriatim_checker *checker, seriatim_result *result) {
    if (!checker->intake.finished) {
        checker->engine->finish(checker->state, checker->intake.events);
        st_findings_sort(&checker->findings);
    }
    checker->intake.finished = true;
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
        .events = checker->intake.events,
        .refused = checker->intake.refused,
    };
}
