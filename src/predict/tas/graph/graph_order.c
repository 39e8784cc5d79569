/* What must happen before what: one pass in trace order, so that the vector of each source is known
 * when the pass reaches its target. */
#include "base/intern.h"
#include "base/map64.h"
#include "base/memory.h"
#include "predict/tas/graph/graph.h"

#include <stdlib.h>
#include <string.h>

/* A condition wait (predict/tas/tas.h): from its release to its receive. */
struct wait {
    uint32_t release, receive, channel;
};

/* What has been sent on a channel so far, as a vector, and who waits for it. */
struct channel {
    struct st_shared_row *sent; /* NULL before the first send */
    uint32_t *waiting;
    size_t waiting_count, waiting_capacity;
};

struct order {
    struct st_tas_graph *graph;
    uint32_t *now;        /* by strand: the number of its vector */
    uint32_t *set;        /* by thread: the lockset it holds */
    uint32_t *last_write; /* by variable: index + 1 */
    uint32_t *last_other; /* by variable: index + 1 of its last access */
    uint32_t *holder;     /* by lock: index + 1 of the acquire that holds it */
    struct channel *channels;
    size_t channel_capacity;
    struct wait *waits; /* by release */
    size_t wait_count, wait_capacity, next_wait;
    struct st_intern contents; /* of locksets, by their number */
    struct st_map64 changes;   /* lockset changes made before ... */
    uint32_t *changed;         /* ... and the resulting locksets, by number */
    size_t changed_capacity;
    uint32_t *scratch; /* room for a lockset */
};

/* ---- vectors ---- */

static uint32_t store_clock(struct st_tas_graph *graph, struct st_shared_row *clock) {
    st_reserve(&graph->clocks, &graph->clock_capacity, graph->clock_count + 1);
    graph->clocks[graph->clock_count] = clock;
    return (uint32_t)graph->clock_count++;
}

static void raise_entry(struct st_tas_graph *graph, struct st_shared_row **clock, uint32_t strand,
                        uint32_t position) {
    if (st_row_get(*clock, strand) < position)
        st_row_set(&graph->rows, clock, strand, position);
}

/* The strand now comes after everything in the vector. */
static void come_after(struct order *o, uint32_t strand, struct st_shared_row *clock) {
    struct st_tas_graph *graph = o->graph;
    struct st_shared_row *now = st_row_share(tas_clock(graph, o->now[strand]));
    raise_entry(graph, &now, strand, st_row_get(clock, strand)); /* which has no meaning: no news */
    if (st_row_join(&graph->rows, &now, clock))
        o->now[strand] = store_clock(graph, now);
    else
        st_row_drop(&graph->rows, now);
}

/* The strand now comes after an event of another one. */
static void come_after_event(struct order *o, uint32_t strand, uint32_t event) {
    struct st_tas_graph *graph = o->graph;
    uint32_t other = tas_strand_of(graph, event), position = graph->position[event];
    struct st_shared_row *now = tas_clock(graph, o->now[strand]);
    if (other == strand || st_row_get(now, other) >= position)
        return;
    st_row_share(now);
    st_row_join(&graph->rows, &now, tas_needs(graph, event));
    raise_entry(graph, &now, other, position);
    o->now[strand] = store_clock(graph, now);
}

/* ---- sets of locks ---- */

static uint32_t store_set(struct st_tas_graph *graph, const uint32_t *members, size_t count) {
    uint32_t start = graph->set_count ? graph->lock_sets[graph->set_count] : 0;
    st_reserve(&graph->lock_sets, &graph->set_capacity, graph->set_count + 2);
    st_reserve(&graph->lock_members, &graph->member_capacity, start + count + 1);
    if (count)
        memcpy(graph->lock_members + start, members, count * sizeof *members);
    graph->lock_sets[graph->set_count] = start;
    graph->lock_sets[graph->set_count + 1] = start + (uint32_t)count;
    return (uint32_t)graph->set_count++;
}

/* The lockset with the lock added or removed. */
static uint32_t make_set(struct order *o, uint32_t set, uint32_t lock, bool add) {
    struct st_tas_graph *graph = o->graph;
    uint32_t *members = o->scratch;
    size_t count = 0;
    bool added = !add;
    for (uint32_t i = graph->lock_sets[set]; i < graph->lock_sets[set + 1]; i++) {
        uint32_t member = graph->lock_members[i];
        if (!added && member > lock) {
            members[count++] = lock;
            added = true;
        }
        if (member != lock)
            members[count++] = member;
    }
    if (!added)
        members[count++] = lock;
    uint32_t known = o->contents.count;
    uint32_t number = st_intern_add(&o->contents, members, count * sizeof *members);
    return number < known ? number : store_set(graph, members, count);
}

/* The same, but cached: there are few locksets but many changes. */
static uint32_t change_set(struct order *o, uint32_t set, uint32_t lock, bool add) {
    uint64_t key = (uint64_t)set << 33 | (uint64_t)lock << 1 | add;
    uint32_t known = o->changes.count, number = st_map64_number(&o->changes, key);
    if (number >= known) {
        st_reserve(&o->changed, &o->changed_capacity, (size_t)number + 1);
        o->changed[number] = make_set(o, set, lock, add);
    }
    return o->changed[number];
}

/* ---- condition waits ---- */

static bool has_effect(const struct st_event *event) {
    return event->op < ST_OP_COUNT && event->op != ST_BEGIN && event->op != ST_END;
}

static void add_wait(struct order *o, uint32_t release, uint32_t receive) {
    st_reserve(&o->waits, &o->wait_capacity, o->wait_count + 1);
    o->waits[o->wait_count++] = (struct wait){release, receive, o->graph->events[receive].target};
}

static bool is(const struct st_tas_graph *graph, uint32_t event, enum st_op op) {
    return event != TAS_NONE && graph->events[event].op == op;
}

/* Looks at every three consecutive events of a thread. */
static void find_waits_of(struct order *o, const struct tas_thread *thread) {
    const struct st_tas_graph *graph = o->graph;
    uint32_t before = TAS_NONE, last = TAS_NONE;
    for (uint32_t p = thread->before + 1; p <= thread->last; p++) {
        uint32_t event = tas_event_at(graph, thread->strand, p);
        if (!has_effect(&graph->events[event]))
            continue;
        uint32_t lock = before == TAS_NONE ? 0 : graph->events[before].target;
        if (is(graph, before, ST_RELEASE)) {
            if (is(graph, last, ST_RECEIVE) && is(graph, event, ST_ACQUIRE) &&
                graph->events[event].target == lock)
                add_wait(o, before, last);
            else if (is(graph, last, ST_ACQUIRE) && is(graph, event, ST_RECEIVE) &&
                     graph->events[last].target == lock)
                add_wait(o, before, event);
        }
        before = last;
        last = event;
    }
}

static int by_release(const void *left, const void *right) {
    const struct wait *a = left, *b = right;
    return (a->release > b->release) - (a->release < b->release);
}

static void find_waits(struct order *o) {
    for (uint32_t t = 0; t < o->graph->thread_count; t++)
        find_waits_of(o, &o->graph->threads[t]);
    if (o->wait_count)
        qsort(o->waits, o->wait_count, sizeof *o->waits, by_release);
}

/* ---- events ---- */

static struct channel *channel(struct order *o, uint32_t number) {
    st_reserve(&o->channels, &o->channel_capacity, (size_t)number + 1);
    return &o->channels[number];
}

static void on_send(struct order *o, uint32_t event) {
    struct st_tas_graph *graph = o->graph;
    const struct st_event *e = &graph->events[event];
    uint32_t strand = tas_strand_of(graph, event);
    struct channel *c = channel(o, e->target);
    for (size_t i = 0; i < c->waiting_count; i++)
        come_after_event(o, strand, c->waiting[i]);
    st_row_join(&graph->rows, &c->sent, tas_clock(graph, o->now[strand]));
    raise_entry(graph, &c->sent, strand, graph->position[event]);
}

static void on_receive(struct order *o, uint32_t event) {
    const struct st_event *e = &o->graph->events[event];
    struct channel *c = channel(o, e->target);
    if (c->sent)
        come_after(o, tas_strand_of(o->graph, event), c->sent);
    for (size_t i = 0; i < c->waiting_count; i++)
        if (o->graph->events[c->waiting[i]].thread == e->thread) {
            c->waiting[i] = c->waiting[--c->waiting_count];
            return;
        }
}

static void on_lock(struct order *o, uint32_t event) {
    struct st_tas_graph *graph = o->graph;
    const struct st_event *e = &graph->events[event];
    if (e->op == ST_ACQUIRE) {
        o->holder[e->target] = event + 1;
        graph->lockset[event] = o->set[e->thread] =
            change_set(o, o->set[e->thread], e->target, true);
        return;
    }
    uint32_t acquire = o->holder[e->target];
    graph->partner[event] = acquire;
    if (acquire)
        graph->partner[acquire - 1] = event + 1;
    o->holder[e->target] = 0;
    o->set[e->thread] = change_set(o, o->set[e->thread], e->target, false);
    if (o->next_wait < o->wait_count && o->waits[o->next_wait].release == event) {
        struct channel *c = channel(o, o->waits[o->next_wait++].channel);
        st_reserve(&c->waiting, &c->waiting_capacity, c->waiting_count + 1);
        c->waiting[c->waiting_count++] = event;
    }
}

static void on_fork(struct order *o, uint32_t event) {
    struct st_tas_graph *graph = o->graph;
    const struct st_event *e = &graph->events[event];
    uint32_t strand = tas_strand_of(graph, event), child = graph->threads[e->target].strand;
    if (e->target == e->thread)
        return;
    come_after(o, child, tas_clock(graph, o->now[strand]));
    graph->clock[event] = o->now[strand];
    come_after_event(o, child, event);
    graph->threads[e->target].start = o->now[child];
}

/* `reached`: by strand, how many of its events the pass has seen. */
static void on_join(struct order *o, uint32_t event, const uint32_t *reached) {
    struct st_tas_graph *graph = o->graph;
    uint32_t strand = tas_strand_of(graph, event);
    uint32_t child = graph->threads[graph->events[event].target].strand;
    come_after(o, strand, tas_clock(graph, o->now[child]));
    if (reached[child])
        come_after_event(o, strand, tas_event_at(graph, child, reached[child]));
}

static void on_read(struct order *o, uint32_t event) {
    struct st_tas_graph *graph = o->graph;
    const struct st_event *e = &graph->events[event];
    uint32_t couple = o->last_write[e->target];
    graph->partner[event] = couple;
    if (graph->open)
        graph->open[event] = tas_has_choice(graph, event);
    if (couple && !tas_is_open(graph, event))
        come_after_event(o, tas_strand_of(graph, event), couple - 1);
    o->last_other[e->target] = event + 1;
}

/* The write and the preceding read of its thread may form one operation, if no other thread comes
 * between. */
static void on_write(struct order *o, uint32_t event) {
    struct st_tas_graph *graph = o->graph;
    const struct st_event *e = &graph->events[event];
    uint32_t last = o->last_other[e->target];
    if (last && e->joined && graph->events[last - 1].op == ST_READ &&
        graph->events[last - 1].thread == e->thread &&
        graph->position[last - 1] + 1 == graph->position[event])
        graph->partner[event] = last;
    o->last_write[e->target] = o->last_other[e->target] = event + 1;
}

static void on_event(struct order *o, uint32_t event, const uint32_t *reached) {
    struct st_tas_graph *graph = o->graph;
    const struct st_event *e = &graph->events[event];
    graph->lockset[event] = o->set[e->thread];
    switch (e->op) {
    case ST_READ:
        on_read(o, event);
        break;
    case ST_WRITE:
        on_write(o, event);
        break;
    case ST_ACQUIRE:
    case ST_RELEASE:
        on_lock(o, event);
        break;
    case ST_FORK:
        on_fork(o, event);
        break;
    case ST_JOIN:
        on_join(o, event, reached);
        break;
    case ST_SEND:
        on_send(o, event);
        break;
    case ST_RECEIVE:
        on_receive(o, event);
        break;
    default:
        break;
    }
    graph->clock[event] = o->now[tas_strand_of(graph, event)];
}

static void free_order(struct order *o) {
    for (size_t i = 0; i < o->channel_capacity; i++) {
        st_row_drop(&o->graph->rows, o->channels[i].sent);
        free(o->channels[i].waiting);
    }
    free(o->channels);
    free(o->waits);
    st_intern_free(&o->contents);
    st_map64_free(&o->changes);
    free(o->changed);
    free(o->now);
    free(o->set);
    free(o->last_write);
    free(o->last_other);
    free(o->holder);
    free(o->scratch);
}

void tas_build_order(struct st_tas_graph *graph) {
    size_t threads = (size_t)graph->thread_count + 1, strands = (size_t)graph->strand_count + 1;
    struct order o = {.graph = graph};
    st_intern_init(&o.contents, 0);
    st_map64_init(&o.changes);
    o.now = st_alloc(strands, sizeof *o.now);
    o.set = st_alloc(threads, sizeof *o.set);
    o.last_write = st_alloc((size_t)graph->variable_count + 1, sizeof *o.last_write);
    o.last_other = st_alloc((size_t)graph->variable_count + 1, sizeof *o.last_other);
    o.holder = st_alloc((size_t)graph->lock_count + 1, sizeof *o.holder);
    o.scratch = st_alloc((size_t)graph->lock_count + 1, sizeof *o.scratch);
    graph->partner = st_alloc(graph->count + 1, sizeof *graph->partner);
    graph->clock = st_alloc(graph->count + 1, sizeof *graph->clock);
    graph->lockset = st_alloc(graph->count + 1, sizeof *graph->lockset);
    store_clock(graph, NULL);  /* number 0: nothing must happen before */
    store_set(graph, NULL, 0); /* number 0: no locks */
    st_intern_add(&o.contents, NULL, 0);
    find_waits(&o);
    uint32_t *reached = st_alloc(strands, sizeof *reached);
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->position[i]) {
            on_event(&o, i, reached);
            reached[tas_strand_of(graph, i)]++;
        }
    free(reached);
    free_order(&o);
}
