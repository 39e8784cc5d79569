#include "reference/deferred.h"

#include "base/memory.h"
#include "check/witness/witness.h"
#include "reference/emitter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An engine and what it gets. */
struct deferred {
    struct emitter emitter;
    uint32_t batch; /* events that are fed together, at most */
    const struct st_engine *engine;
    void *state;
    size_t fed; /* of what was emitted */
};

static void fail(const char *why) {
    fprintf(stderr, "deferred: %s\n", why);
    abort();
}

static void flush(struct deferred *deferred) {
    struct emitter *emitter = &deferred->emitter;
    size_t count = emitter->emitted - deferred->fed;
    /* A copy of their own, as in compare.c. */
    struct st_event *events = st_alloc(count + 1, sizeof *events);
    uint64_t *at = st_alloc(count + 1, sizeof *at);
    memcpy(events, emitter->events + deferred->fed, count * sizeof *events);
    memcpy(at, emitter->at + deferred->fed, count * sizeof *at);
    st_witness_feed_at(deferred->state, events, at, count, deferred->fed + 1);
    free(events);
    free(at);
    deferred->fed = emitter->emitted;
    for (uint32_t t = 0; t < emitter->threads; t++) {
        uint64_t dead = st_witness_dead_before(deferred->state, t);
        if (dead < emitter->dead[t])
            fail("what was dead is alive again");
        emitter->dead[t] = dead;
    }
}

/* ---- the findings, in the numbers of the trace ---- */

static uint64_t origin(const struct emitter *emitter, uint64_t number) {
    if (number > emitter->emitted)
        fail("an event that was never emitted");
    return number ? emitter->origins[number - 1] : 0;
}

/* A deferred access has the number of an event of its thread at or before it. */
static void restore_place(const struct emitter *emitter, struct st_place *place) {
    uint64_t number = origin(emitter, place->number);
    if (!number)
        return;
    if (emitter->events[place->number - 1].thread != place->event.thread ||
        number > place->event.loc)
        fail("an event has a number that is not of its past");
    place->number = place->event.loc;
}

static void restore_edges(const struct emitter *emitter, struct st_edge *edges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (origin(emitter, edges[i].to.number) != edges[i].to.event.loc)
            fail("an edge ends at another event");
        restore_place(emitter, &edges[i].from);
        restore_place(emitter, &edges[i].to);
    }
}

static void restore_findings(const struct emitter *emitter, struct st_findings *findings) {
    findings->first_bad_event = origin(emitter, findings->first_bad_event);
    restore_edges(emitter, findings->cycle, findings->cycle_length);
    for (size_t i = 0; findings->cycle_ends && i < findings->cycle_length; i++) {
        struct st_ends *ends = &findings->cycle_ends[i];
        ends->from.first = origin(emitter, ends->from.first);
        ends->to.first = origin(emitter, ends->to.first);
    }
    for (size_t i = 0; i < findings->kept; i++) {
        struct st_violation *violation = &findings->violations[i];
        for (size_t e = 0; e < violation->path_length; e++) {
            const struct st_edge *edge = &violation->path[e];
            if (edge->from.number < (e ? edge[-1].to.number : violation->begin))
                fail("a path goes back in the numbers that are reported");
        }
        violation->begin = origin(emitter, violation->begin);
        violation->end = origin(emitter, violation->end);
        restore_place(emitter, &violation->event);
        restore_edges(emitter, violation->path, violation->path_length);
        restore_edges(emitter, &violation->closing, 1);
    }
}

/* ---- all of it ---- */

void deferred_run(const struct st_event *events, size_t count, uint64_t seed,
                  struct st_findings *findings) {
    static const uint32_t batches[] = {1, 1, 4, 64};
    struct deferred deferred = {.engine = st_engine_find("witness")};
    struct emitter *emitter = &deferred.emitter;
    st_findings_init(findings, 0);
    emitter_start(emitter, events, count, seed);
    deferred.batch = batches[chance_below(&emitter->chance, 4)];
    deferred.state = deferred.engine->create(findings);
    for (size_t i = 0; i < count; i++) {
        emitter_take(emitter, &events[i]);
        if (emitter->emitted - deferred.fed >= deferred.batch)
            flush(&deferred);
    }
    flush(&deferred);
    restore_findings(emitter, findings);
    deferred.engine->finish(deferred.state, emitter->emitted);
    deferred.engine->memory(deferred.state);
    deferred.engine->destroy(deferred.state);
    emitter_free(emitter);
}
