#include "reference/deferred.h"

#include "base/memory.h"
#include "check/witness/witness.h"
#include "reference/generate.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct deferred_tally deferred_tally;

/* An access that is kept in a cell. */
struct kept {
    bool there, emitted;
    uint64_t position, loc;
};

/* A variable: its last write, and by thread the last read since then. */
struct cell {
    uint32_t writer;
    struct kept write, *reads;
};

struct emitter {
    struct chance chance;
    unsigned skip;   /* percent of the dead accesses that are passed over */
    unsigned eager;  /* percent of the accesses that are emitted at once, without need */
    unsigned sparse; /* percent of the accesses that have a position of their own */
    unsigned known; /* percent of the accesses that are deferred since they depend on nothing new */
    unsigned
        forget; /* percent of the reads by others that are forgotten, as the reader knows them */
    uint32_t batch; /* events that are fed together, at most */

    const struct st_engine *engine;
    void *state;
    uint32_t threads;
    struct cell *cells;
    uint32_t cell_count;
    uint64_t *positions; /* by thread: the present one */
    uint64_t *dead;      /* by thread: what is before this is dead */
    bool *started;       /* by thread: had an event that was not dropped */
    /* By thread, and another one: up to this position of the other one, the first depends on what
     * that did. */
    uint64_t **learned;

    struct st_event *events; /* all that were emitted; the engine has `fed` of them */
    uint64_t *at, *origins;  /* and the events of the trace that they are */
    size_t emitted, fed, event_capacity, at_capacity, origin_capacity;
};

static void fail(const char *why) {
    fprintf(stderr, "deferred: %s\n", why);
    abort();
}

/* ---- emitting ---- */

static void flush(struct emitter *emitter) {
    size_t count = emitter->emitted - emitter->fed;
    /* A copy of their own, as in compare.c. */
    struct st_event *events = st_alloc(count + 1, sizeof *events);
    uint64_t *at = st_alloc(count + 1, sizeof *at);
    memcpy(events, emitter->events + emitter->fed, count * sizeof *events);
    memcpy(at, emitter->at + emitter->fed, count * sizeof *at);
    st_witness_feed_at(emitter->state, events, at, count, emitter->fed + 1);
    free(events);
    free(at);
    emitter->fed = emitter->emitted;
    for (uint32_t t = 0; t < emitter->threads; t++) {
        uint64_t dead = st_witness_dead_before(emitter->state, t);
        if (dead < emitter->dead[t])
            fail("what was dead is alive again");
        emitter->dead[t] = dead;
    }
}

static void emit(struct emitter *emitter, const struct st_event *event, uint64_t position) {
    st_reserve(&emitter->events, &emitter->event_capacity, emitter->emitted + 1);
    st_reserve(&emitter->at, &emitter->at_capacity, emitter->emitted + 1);
    st_reserve(&emitter->origins, &emitter->origin_capacity, emitter->emitted + 1);
    emitter->events[emitter->emitted] = *event;
    emitter->at[emitter->emitted] = position;
    emitter->origins[emitter->emitted++] = event->loc;
}

static void emit_now(struct emitter *emitter, const struct st_event *event) {
    emitter->positions[event->thread] += 1 + chance_below(&emitter->chance, 2);
    emit(emitter, event, emitter->positions[event->thread]);
    emitter->started[event->thread] |= event->op != ST_DROPPED;
}

static void emit_deferred(struct emitter *emitter, uint32_t thread, enum st_op op,
                          uint32_t variable, struct kept *kept) {
    if (!kept->there || kept->emitted)
        return;
    struct st_event event = {.thread = thread,
                             .target = variable,
                             .loc = kept->loc,
                             .written = op == ST_DEFERRED_READ ? ST_READ : ST_WRITE,
                             .op = op};
    emit(emitter, &event, kept->position);
    kept->emitted = true;
    deferred_tally.deferred++;
}

/* Is there an access that counts? One that is dead need not. */
static bool counts(struct emitter *emitter, uint32_t thread, const struct kept *kept) {
    if (!kept->there)
        return false;
    bool dead =
        kept->position < emitter->dead[thread] && chance_percent(&emitter->chance, emitter->skip);
    deferred_tally.dead += dead;
    return !dead;
}

/* ---- accesses ---- */

/* The thread depends on the last write, and no read of it since then shows that already. */
static bool depends_on_write(struct emitter *emitter, const struct cell *cell, uint32_t t) {
    return cell->writer != t && !cell->reads[t].there &&
           counts(emitter, cell->writer, &cell->write);
}

/* Thread t depends on something that the thread of this access did then or later. */
static bool has_learned(struct emitter *emitter, uint32_t t, uint32_t of, const struct kept *kept) {
    return kept->position <= emitter->learned[t][of];
}

/* So it makes no difference whether it depends on this access. */
static bool is_known(struct emitter *emitter, uint32_t t, uint32_t of, const struct kept *kept) {
    return has_learned(emitter, t, of, kept) && chance_percent(&emitter->chance, emitter->known);
}

/* An access of the thread that depends on the last write is emitted, and so was the write. */
static void learn(struct emitter *emitter, const struct cell *cell, uint32_t t) {
    uint64_t *learned = &emitter->learned[t][cell->writer];
    if (cell->write.position > *learned)
        *learned = cell->write.position;
}

/* Thread t comes after all that the other one has done, by a fork or a join. */
static void learn_all(struct emitter *emitter, uint32_t t, uint32_t other) {
    uint64_t *to = emitter->learned[t], *from = emitter->learned[other];
    for (uint32_t u = 0; u < emitter->threads; u++)
        if (from[u] > to[u])
            to[u] = from[u];
    to[other] = emitter->positions[other];
}

/* Thread t has read what others have: who writes next depends on those reads by that of t. */
static void forget_known_reads(struct emitter *emitter, struct cell *cell, uint32_t t) {
    for (uint32_t u = 0; u < emitter->threads; u++)
        if (u != t && cell->reads[u].there && has_learned(emitter, t, u, &cell->reads[u]) &&
            chance_percent(&emitter->chance, emitter->forget)) {
            cell->reads[u].there = false;
            deferred_tally.forgotten++;
        }
}

static struct kept kept_access(struct emitter *emitter, const struct st_event *event, bool eager) {
    deferred_tally.accesses++;
    deferred_tally.eager += eager;
    if (eager)
        emit_now(emitter, event);
    else
        emitter->positions[event->thread] += chance_percent(&emitter->chance, emitter->sparse);
    return (struct kept){true, eager, emitter->positions[event->thread], event->loc};
}

/* The first event of a thread is always emitted at once: it comes after the fork. */
static bool is_eager(struct emitter *emitter, uint32_t t) {
    return !emitter->started[t] || chance_percent(&emitter->chance, emitter->eager);
}

static void on_read(struct emitter *emitter, const struct st_event *event) {
    struct cell *cell = &emitter->cells[event->target];
    uint32_t t = event->thread;
    bool depends =
        depends_on_write(emitter, cell, t) && !is_known(emitter, t, cell->writer, &cell->write);
    bool eager = depends || is_eager(emitter, t);
    if (eager) /* the write comes first, also when it is the thread's own */
        emit_deferred(emitter, cell->writer, ST_DEFERRED_WRITE, event->target, &cell->write);
    if (depends)
        learn(emitter, cell, t);
    cell->reads[t] = kept_access(emitter, event, eager);
    forget_known_reads(emitter, cell, t);
}

static void on_write(struct emitter *emitter, const struct st_event *event) {
    struct cell *cell = &emitter->cells[event->target];
    uint32_t t = event->thread;
    bool depends =
        depends_on_write(emitter, cell, t) && !is_known(emitter, t, cell->writer, &cell->write);
    if (depends) {
        emit_deferred(emitter, cell->writer, ST_DEFERRED_WRITE, event->target, &cell->write);
        learn(emitter, cell, t);
    }
    for (uint32_t u = 0; u < emitter->threads; u++) {
        if (u == t || !counts(emitter, u, &cell->reads[u]) ||
            is_known(emitter, t, u, &cell->reads[u]))
            continue;
        emit_deferred(emitter, cell->writer, ST_DEFERRED_WRITE, event->target, &cell->write);
        emit_deferred(emitter, u, ST_DEFERRED_READ, event->target, &cell->reads[u]);
        depends = true;
    }
    cell->writer = t;
    cell->write = kept_access(emitter, event, depends || is_eager(emitter, t));
    memset(cell->reads, 0, emitter->threads * sizeof *cell->reads);
}

static void on_other(struct emitter *emitter, const struct st_event *event) {
    emit_now(emitter, event);
    if (event->op == ST_FORK)
        learn_all(emitter, event->target, event->thread);
    else if (event->op == ST_JOIN && emitter->started[event->target]) /* else it has no event */
        learn_all(emitter, event->thread, event->target);
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

static void measure(struct emitter *emitter, const struct st_event *events, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct st_event *event = &events[i];
        bool child = event->written == ST_FORK || event->written == ST_JOIN;
        assert(event->loc == i + 1);
        if (event->thread >= emitter->threads)
            emitter->threads = event->thread + 1;
        if (child && event->target >= emitter->threads)
            emitter->threads = event->target + 1;
        if (event->written <= ST_WRITE && event->target >= emitter->cell_count)
            emitter->cell_count = event->target + 1;
    }
}

static void start(struct emitter *emitter, const struct st_event *events, size_t count,
                  uint64_t seed, struct st_findings *findings) {
    static const unsigned shares[] = {0, 50, 100, 100}, few[] = {0, 0, 10, 40};
    static const uint32_t batches[] = {1, 1, 4, 64};
    *emitter = (struct emitter){.chance = {seed}};
    measure(emitter, events, count);
    emitter->skip = shares[chance_below(&emitter->chance, 4)];
    emitter->eager = few[chance_below(&emitter->chance, 4)];
    emitter->sparse = few[chance_below(&emitter->chance, 4)];
    emitter->known = shares[chance_below(&emitter->chance, 4)];
    emitter->forget = shares[chance_below(&emitter->chance, 4)];
    emitter->batch = batches[chance_below(&emitter->chance, 4)];
    emitter->engine = st_engine_find("witness");
    emitter->state = emitter->engine->create(findings);
    emitter->positions = st_alloc(emitter->threads, sizeof *emitter->positions);
    emitter->dead = st_alloc(emitter->threads, sizeof *emitter->dead);
    emitter->started = st_alloc(emitter->threads, sizeof *emitter->started);
    emitter->learned = st_alloc(emitter->threads, sizeof *emitter->learned);
    for (uint32_t t = 0; t < emitter->threads; t++)
        emitter->learned[t] = st_alloc(emitter->threads, sizeof *emitter->learned[t]);
    emitter->cells = st_alloc(emitter->cell_count, sizeof *emitter->cells);
    for (uint32_t x = 0; x < emitter->cell_count; x++)
        emitter->cells[x].reads = st_alloc(emitter->threads, sizeof(struct kept));
}

static void stop(struct emitter *emitter) {
    emitter->engine->finish(emitter->state, emitter->emitted);
    emitter->engine->memory(emitter->state);
    emitter->engine->destroy(emitter->state);
    for (uint32_t x = 0; x < emitter->cell_count; x++)
        free(emitter->cells[x].reads);
    free(emitter->cells);
    for (uint32_t t = 0; t < emitter->threads; t++)
        free(emitter->learned[t]);
    free(emitter->learned);
    free(emitter->positions);
    free(emitter->dead);
    free(emitter->started);
    free(emitter->events);
    free(emitter->at);
    free(emitter->origins);
}

void deferred_run(const struct st_event *events, size_t count, uint64_t seed,
                  struct st_findings *findings) {
    struct emitter emitter;
    st_findings_init(findings, 0);
    start(&emitter, events, count, seed, findings);
    for (size_t i = 0; i < count; i++) {
        if (events[i].op == ST_READ)
            on_read(&emitter, &events[i]);
        else if (events[i].op == ST_WRITE)
            on_write(&emitter, &events[i]);
        else
            on_other(&emitter, &events[i]);
        if (emitter.emitted - emitter.fed >= emitter.batch)
            flush(&emitter);
    }
    flush(&emitter);
    restore_findings(&emitter, findings);
    stop(&emitter);
}
