/* witness: our own engine, and the default.
 *
 * Question: is the trace serializable, from which event on is it not, which blocks are violated, at
 * every nesting depth, and by which path out of the block and back? All answers are exact, from one
 * pass. docs/witness.md has the invariants, why they suffice, and measurements.
 *
 * Idea. A block is violated iff an event that happens after its begin, in another thread, happens
 * before one of its events. Only blocks that are still open can become violated, so all that an
 * access has to remember is which open blocks happen before it (open_before.h): its own, and those
 * that its thread depends on. Most accesses have none but their own, and that one ends soon.
 *
 * The same holds for cycles of transactions that no chain of events follows: only a running
 * transaction can get the edge that closes one, so all that counts is which transactions the
 * running blocks reach (frontier.h).
 *
 * Hence an access matters only while a running block reaches its transaction. When none does, none
 * ever will again, and this is the case for all accesses of a thread before some local time:
 * live_from. One comparison with it settles most events, whatever the number of threads. */
#include "check/witness/witness_state.h"

#include "check/engine.h"

/* ---- accesses ---- */

/* An access to a variable that others have accessed in a way that may matter. */
static __attribute__((noinline)) void on_shared_access(struct witness *w, uint32_t t,
                                                       struct st_variable_state *variable) {
    bool write = w->event->op == ST_WRITE;
    edge(w, t, &variable->slot[ST_WRITE], ST_WRITE, ST_EDGE_CONFLICT);
    if (write && st_has_several_readers(variable))
        for (uint32_t i = 0; i < variable->readers->count; i++)
            edge(w, t, &variable->readers->items[i], ST_READ, ST_EDGE_CONFLICT);
    else if (write)
        edge(w, t, &variable->slot[ST_READ], ST_READ, ST_EDGE_CONFLICT);
    conclude(w, t);
    if (!write && st_has_fresh_read(variable, t, w->threads[t].ticked))
        return;
    struct st_last_access access = this_access(w, t);
    if (write)
        st_states_drop_reads(&w->states, variable);
    if (!write && st_access_matters(&variable->slot[ST_READ], (int32_t)t, w->live_from))
        st_states_read(&w->states, variable, &access, w->threads[t].ticked, w->live_from);
    else
        variable->slot[w->event->op] = access;
}

/* Whether it is a read or a write, a processor cannot predict, so the common case does not branch
 * on that. */
static inline void on_access(struct witness *w, const struct st_event *event) {
    struct st_variable_state *variable = st_states_variable(&w->states, event->target);
    uint32_t t = event->thread;
    if (__builtin_expect(st_access_matters(&variable->slot[ST_READ], (int32_t)t, w->live_from) ||
                             st_access_matters(&variable->slot[ST_WRITE], (int32_t)t, w->live_from),
                         0)) {
        on_shared_access(w, t, variable);
        return;
    }
    struct st_last_access *read = &variable->slot[ST_READ];
    read->time = event->op == ST_WRITE ? 0 : read->time;
    variable->slot[event->op] = this_access(w, t);
}

/* ---- other events ---- */

static inline void on_acquire(struct witness *w, const struct st_event *event) {
    const struct st_last_access *release = st_states_lock(&w->states, event->target);
    if (__builtin_expect(st_access_matters(release, (int32_t)event->thread, w->live_from), 0)) {
        st_witness_join_access(w, event->thread, release, ST_RELEASE, ST_EDGE_LOCK);
        conclude(w, event->thread);
    }
}

static void on_fork(struct witness *w, const struct st_event *event) {
    need_thread(w, event->target);
    w->threads[event->target].fork = this_access(w, event->thread);
}

/* A child without events has nothing to pass on. */
static void on_join(struct witness *w, const struct st_event *event) {
    need_thread(w, event->target);
    const struct witness_thread *child = &w->threads[event->target];
    if (!child->started || child->time < w->live_from[event->target])
        return;
    struct st_predecessor predecessor = {
        .thread = event->target,
        .time = child->time,
        .before = child->before,
        .edge = {.from = child->latest, .to = this_place(w), .kind = ST_EDGE_JOIN}};
    st_witness_join(w, event->thread, &predecessor);
    conclude(w, event->thread);
}

static void on_begin(struct witness *w, const struct st_event *event) {
    struct st_open_blocks *blocks = &w->blocks[event->thread];
    tick(w, event->thread);
    st_reserve(&blocks->items, &blocks->capacity, blocks->depth + (size_t)1);
    blocks->items[blocks->depth++] = (struct st_open_block){.time = w->threads[event->thread].time,
                                                            .name = event->target,
                                                            .begin = w->number,
                                                            .loc = event->loc,
                                                            .violation = ST_NO_VIOLATION};
}

static void on_end(struct witness *w, const struct st_event *event) {
    struct st_open_blocks *blocks = &w->blocks[event->thread];
    const struct st_open_block *block = &blocks->items[--blocks->depth];
    if (blocks->violated > blocks->depth) {
        blocks->violated = blocks->depth;
        st_findings_block_end(w->findings, block->violation, block->begin, w->number);
    }
    if (blocks->depth)
        return;
    if (w->serializable)
        st_frontiers_end(&w->frontiers, event->thread);
    refresh(w, event->thread);
}

static __attribute__((noinline)) void start_thread(struct witness *w, uint32_t t) {
    struct witness_thread *thread = &w->threads[t];
    thread->started = true;
    thread->latest = this_place(w);
    edge(w, t, &thread->fork, ST_FORK, ST_EDGE_FORK);
    thread->fork = (struct st_last_access){0};
}

static inline void on_event(struct witness *w, const struct st_event *event) {
    need_thread(w, event->thread);
    if (__builtin_expect(!w->threads[event->thread].started, 0) && event->op != ST_DROPPED)
        start_thread(w, event->thread);
    switch (event->op) {
    case ST_READ:
    case ST_WRITE:
        on_access(w, event);
        break;
    case ST_ACQUIRE:
        on_acquire(w, event);
        break;
    case ST_RELEASE:
        *st_states_lock(&w->states, event->target) = this_access(w, event->thread);
        break;
    case ST_FORK:
        on_fork(w, event);
        break;
    case ST_JOIN:
        on_join(w, event);
        break;
    case ST_BEGIN:
        on_begin(w, event);
        break;
    case ST_END:
        on_end(w, event);
        break;
    case ST_SEND:
        st_witness_send(w, event);
        break;
    case ST_RECEIVE:
        st_witness_receive(w, event);
        break;
    default:
        break;
    }
}

/* ---- the engine ---- */

/* One copy for both callers. If the compiler made one for each, it would not inline the code of
 * rarer events into the loop, which costs 0.5 of 9 ns an event. */
__attribute__((noinline)) void st_witness_feed_events(struct witness *w,
                                                      const struct st_event *events,
                                                      const struct st_event *end, uint64_t first) {
    size_t count = (size_t)(end - events);
    for (size_t i = 0; i < count; i++) {
        st_batch_prefetch(events, i, count, w->states.variables);
        w->number = first + i;
        w->event = &events[i];
        on_event(w, &events[i]);
    }
}

static void feed(void *state, const struct st_event *events, size_t count, uint64_t first) {
    struct witness *w = state;
    if (w->findings->gave_up)
        return;
    st_witness_feed_events(w, events, events + count, first);
    collect_when_full(w);
}

static void forget(void *state, uint32_t variable) {
    struct witness *w = state;
    st_states_forget(&w->states, variable);
    w->forgotten_at = w->number;
}

static void finish(void *state, uint64_t events) {
    struct witness *w = state;
    (void)events;
    if (w->serializable && !w->findings->gave_up)
        w->findings->verdict = ST_SERIALIZABLE;
}

const struct st_engine st_witness = {
    .name = "witness",
    .summary = "exact, at every nesting depth, with the path; the fastest",
    .create = st_witness_create,
    .feed = feed,
    .forget = forget,
    .finish = finish,
    .memory = st_witness_memory,
    .destroy = st_witness_destroy,
};
