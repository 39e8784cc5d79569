#include "reference/deferred.h"

#include "base/memory.h"
#include "check/witness/witness.h"
#include "reference/generate.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct late_tally late_tally;

/* An access that is kept in a cell. */
struct kept {
    bool there, told;
    uint64_t position, loc;
};

/* A variable: its last write, and by thread the last read since then. */
struct cell {
    uint32_t writer;
    struct kept write, *reads;
};

struct teller {
    struct chance chance;
    unsigned skip;   /* percent of the dead accesses that are passed over */
    unsigned eager;  /* percent of the accesses that are told at once without a need */
    unsigned sparse; /* percent of the accesses that have a position of their own */
    uint32_t batch;  /* events that are told together, at most */

    const struct st_engine *engine;
    void *state;
    uint32_t threads;
    struct cell *cells;
    uint32_t cell_count;
    uint64_t *positions; /* by thread: the present one */
    uint64_t *dead;      /* by thread: what is before this is dead */
    bool *started;       /* by thread: had an event that was not dropped */

    struct st_event *events; /* all that were told; `fed` of them are with the engine */
    uint64_t *at, *origins;  /* and the events of the trace that they are */
    size_t told, fed, event_capacity, at_capacity, origin_capacity;
};

static void fail(const char *why) {
    fprintf(stderr, "late: %s\n", why);
    abort();
}

/* ---- telling ---- */

static void flush(struct teller *teller) {
    size_t count = teller->told - teller->fed;
    /* A copy of their own, as in compare.c. */
    struct st_event *events = st_alloc(count + 1, sizeof *events);
    uint64_t *at = st_alloc(count + 1, sizeof *at);
    memcpy(events, teller->events + teller->fed, count * sizeof *events);
    memcpy(at, teller->at + teller->fed, count * sizeof *at);
    st_witness_feed_at(teller->state, events, at, count, teller->fed + 1);
    free(events);
    free(at);
    teller->fed = teller->told;
    for (uint32_t t = 0; t < teller->threads; t++) {
        uint64_t dead = st_witness_dead_before(teller->state, t);
        if (dead < teller->dead[t])
            fail("what was dead is alive again");
        teller->dead[t] = dead;
    }
}

static void tell(struct teller *teller, const struct st_event *event, uint64_t position) {
    st_reserve(&teller->events, &teller->event_capacity, teller->told + 1);
    st_reserve(&teller->at, &teller->at_capacity, teller->told + 1);
    st_reserve(&teller->origins, &teller->origin_capacity, teller->told + 1);
    teller->events[teller->told] = *event;
    teller->at[teller->told] = position;
    teller->origins[teller->told++] = event->loc;
}

static void tell_at_once(struct teller *teller, const struct st_event *event) {
    teller->positions[event->thread] += 1 + chance_below(&teller->chance, 2);
    tell(teller, event, teller->positions[event->thread]);
    teller->started[event->thread] |= event->op != ST_DROPPED;
}

static void tell_late(struct teller *teller, uint32_t thread, enum st_op op, uint32_t variable,
                      struct kept *kept) {
    if (!kept->there || kept->told)
        return;
    struct st_event event = {.thread = thread,
                             .target = variable,
                             .loc = kept->loc,
                             .written = op == ST_DEFERRED_READ ? ST_READ : ST_WRITE,
                             .op = op};
    tell(teller, &event, kept->position);
    kept->told = true;
    late_tally.late++;
}

/* Is there an access that counts? One that is dead need not. */
static bool counts(struct teller *teller, uint32_t thread, const struct kept *kept) {
    if (!kept->there)
        return false;
    bool dead =
        kept->position < teller->dead[thread] && chance_percent(&teller->chance, teller->skip);
    late_tally.dead += dead;
    return !dead;
}

/* ---- accesses ---- */

/* The thread depends on the last write, and no read of it since then has told so. */
static bool depends_on_write(struct teller *teller, const struct cell *cell, uint32_t t) {
    return cell->writer != t && !cell->reads[t].there && counts(teller, cell->writer, &cell->write);
}

static struct kept kept_access(struct teller *teller, const struct st_event *event, bool at_once) {
    late_tally.accesses++;
    late_tally.at_once += at_once;
    if (at_once)
        tell_at_once(teller, event);
    else
        teller->positions[event->thread] += chance_percent(&teller->chance, teller->sparse);
    return (struct kept){true, at_once, teller->positions[event->thread], event->loc};
}

/* The first event of a thread is told always: it comes after the fork. */
static bool is_eager(struct teller *teller, uint32_t t) {
    return !teller->started[t] || chance_percent(&teller->chance, teller->eager);
}

static void on_read(struct teller *teller, const struct st_event *event) {
    struct cell *cell = &teller->cells[event->target];
    uint32_t t = event->thread;
    bool at_once = depends_on_write(teller, cell, t) || is_eager(teller, t);
    if (at_once) /* the write comes first, also when it is the thread's own */
        tell_late(teller, cell->writer, ST_DEFERRED_WRITE, event->target, &cell->write);
    cell->reads[t] = kept_access(teller, event, at_once);
}

static void on_write(struct teller *teller, const struct st_event *event) {
    struct cell *cell = &teller->cells[event->target];
    uint32_t t = event->thread;
    bool depends = depends_on_write(teller, cell, t);
    if (depends)
        tell_late(teller, cell->writer, ST_DEFERRED_WRITE, event->target, &cell->write);
    for (uint32_t u = 0; u < teller->threads; u++) {
        if (u == t || !counts(teller, u, &cell->reads[u]))
            continue;
        tell_late(teller, u, ST_DEFERRED_READ, event->target, &cell->reads[u]);
        depends = true;
    }
    cell->writer = t;
    cell->write = kept_access(teller, event, depends || is_eager(teller, t));
    memset(cell->reads, 0, teller->threads * sizeof *cell->reads);
}

/* ---- the findings, in the numbers of the trace ---- */

static uint64_t origin(const struct teller *teller, uint64_t number) {
    if (number > teller->told)
        fail("an event that was never told");
    return number ? teller->origins[number - 1] : 0;
}

/* A late access has the number of an event of its thread at or before it. */
static void restore_place(const struct teller *teller, struct st_place *place) {
    uint64_t number = origin(teller, place->number);
    if (!number)
        return;
    if (teller->events[place->number - 1].thread != place->event.thread ||
        number > place->event.loc)
        fail("an event has a number that is not of its past");
    place->number = place->event.loc;
}

static void restore_edges(const struct teller *teller, struct st_edge *edges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (origin(teller, edges[i].to.number) != edges[i].to.event.loc)
            fail("an edge ends at another event");
        restore_place(teller, &edges[i].from);
        restore_place(teller, &edges[i].to);
    }
}

static void restore_findings(const struct teller *teller, struct st_findings *findings) {
    findings->first_bad_event = origin(teller, findings->first_bad_event);
    restore_edges(teller, findings->cycle, findings->cycle_length);
    for (size_t i = 0; findings->cycle_ends && i < findings->cycle_length; i++) {
        struct st_ends *ends = &findings->cycle_ends[i];
        ends->from.first = origin(teller, ends->from.first);
        ends->to.first = origin(teller, ends->to.first);
    }
    for (size_t i = 0; i < findings->kept; i++) {
        struct st_violation *violation = &findings->violations[i];
        for (size_t e = 0; e < violation->path_length; e++) {
            const struct st_edge *edge = &violation->path[e];
            if (edge->from.number < (e ? edge[-1].to.number : violation->begin))
                fail("a path goes back in the numbers that are reported");
        }
        violation->begin = origin(teller, violation->begin);
        violation->end = origin(teller, violation->end);
        restore_place(teller, &violation->event);
        restore_edges(teller, violation->path, violation->path_length);
        restore_edges(teller, &violation->closing, 1);
    }
}

/* ---- all of it ---- */

static void measure(struct teller *teller, const struct st_event *events, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct st_event *event = &events[i];
        bool child = event->written == ST_FORK || event->written == ST_JOIN;
        assert(event->loc == i + 1);
        if (event->thread >= teller->threads)
            teller->threads = event->thread + 1;
        if (child && event->target >= teller->threads)
            teller->threads = event->target + 1;
        if (event->written <= ST_WRITE && event->target >= teller->cell_count)
            teller->cell_count = event->target + 1;
    }
}

static void start(struct teller *teller, const struct st_event *events, size_t count, uint64_t seed,
                  struct st_findings *findings) {
    static const unsigned shares[] = {0, 50, 100, 100}, few[] = {0, 0, 10, 40};
    static const uint32_t batches[] = {1, 1, 4, 64};
    *teller = (struct teller){.chance = {seed}};
    measure(teller, events, count);
    teller->skip = shares[chance_below(&teller->chance, 4)];
    teller->eager = few[chance_below(&teller->chance, 4)];
    teller->sparse = few[chance_below(&teller->chance, 4)];
    teller->batch = batches[chance_below(&teller->chance, 4)];
    teller->engine = st_engine_find("witness");
    teller->state = teller->engine->create(findings);
    teller->positions = st_alloc(teller->threads, sizeof *teller->positions);
    teller->dead = st_alloc(teller->threads, sizeof *teller->dead);
    teller->started = st_alloc(teller->threads, sizeof *teller->started);
    teller->cells = st_alloc(teller->cell_count, sizeof *teller->cells);
    for (uint32_t x = 0; x < teller->cell_count; x++)
        teller->cells[x].reads = st_alloc(teller->threads, sizeof(struct kept));
}

static void stop(struct teller *teller) {
    teller->engine->finish(teller->state, teller->told);
    teller->engine->memory(teller->state);
    teller->engine->destroy(teller->state);
    for (uint32_t x = 0; x < teller->cell_count; x++)
        free(teller->cells[x].reads);
    free(teller->cells);
    free(teller->positions);
    free(teller->dead);
    free(teller->started);
    free(teller->events);
    free(teller->at);
    free(teller->origins);
}

void late_run(const struct st_event *events, size_t count, uint64_t seed,
              struct st_findings *findings) {
    struct teller teller;
    st_findings_init(findings, 0);
    start(&teller, events, count, seed, findings);
    for (size_t i = 0; i < count; i++) {
        if (events[i].op == ST_READ)
            on_read(&teller, &events[i]);
        else if (events[i].op == ST_WRITE)
            on_write(&teller, &events[i]);
        else
            tell_at_once(&teller, &events[i]);
        if (teller.told - teller.fed >= teller.batch)
            flush(&teller);
    }
    flush(&teller);
    restore_findings(&teller, findings);
    stop(&teller);
}
