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

#include "base/memory.h"
#include "check/engine.h"

#include <stdlib.h>

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

/* Whether it is a read or a write, a processor cannot predict, nor by whom the last ones were, so
 * the common case branches only once, on all of it. The compiler must not see that the number is
 * one of two, or it makes four branches of it, which costs up to 5 ns an event. */
static inline void on_access(struct witness *w, const struct st_event *event, uint64_t number,
                             const struct witness_thread *thread) {
    struct st_variable_state *variable = st_states_variable(&w->states, event->target);
    uint32_t t = event->thread;
    uint32_t matters = st_access_matters(&variable->slot[ST_READ], (int32_t)t, w->live_from);
    matters |= st_access_matters(&variable->slot[ST_WRITE], (int32_t)t, w->live_from);
    __asm__("" : "+r"(matters));
    if (__builtin_expect(matters, 0)) {
        set_event(w, event, number);
        on_shared_access(w, t, variable);
        return;
    }
    struct st_last_access *read = &variable->slot[ST_READ];
    read->time = event->op == ST_WRITE ? 0 : read->time;
    variable->slot[event->op] = access_of(event, number, thread);
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
    w->has_starts |= event->atomic;
    st_reserve(&blocks->items, &blocks->capacity, blocks->depth + (size_t)1);
    struct st_open_block *block = &blocks->items[blocks->depth++];
    *block = (struct st_open_block){.time = w->threads[event->thread].time,
                                    .name = event->target,
                                    .begin = w->number,
                                    .loc = event->loc,
                                    .violation = ST_NO_VIOLATION,
                                    .start = event->atomic,
                                    .call_violated = event->joined && block->call_violated};
}

static void on_end(struct witness *w, const struct st_event *event) {
    struct st_open_blocks *blocks = &w->blocks[event->thread];
    const struct st_open_block *block = &blocks->items[--blocks->depth];
    if (blocks->violated > blocks->depth) {
        blocks->violated = blocks->depth;
        st_findings_block_end(w->findings, block->violation, block->begin, w->number);
    }
    if (st_blocks_running(blocks))
        return;
    if (w->serializable && !block->start)
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

static inline void on_other(struct witness *w, const struct st_event *event) {
    switch (event->op) {
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

/* Accesses have a branch of their own: most events are some. */
static inline void on_event(struct witness *w, const struct st_event *event, uint64_t number) {
    need_thread(w, event->thread);
    const struct witness_thread *thread = &w->threads[event->thread];
    if (__builtin_expect(!thread->started, 0) && event->op != ST_DROPPED) {
        set_event(w, event, number);
        start_thread(w, event->thread);
    }
    if (event->op <= ST_WRITE) {
        on_access(w, event, number, thread);
    } else {
        set_event(w, event, number);
        on_other(w, event);
    }
}

/* ---- memory ---- */

void st_witness_add_threads(struct witness *w, uint32_t threads) {
    size_t capacity = w->thread_capacity;
    st_reserve(&w->threads, &w->thread_capacity, threads);
    st_reserve(&w->blocks, &w->block_capacity, threads);
    st_reserve(&w->histories, &w->history_capacity, threads);
    if (capacity < w->thread_capacity) {
        st_time *row = w->live_from ? w->live_from + ST_SEVERAL : NULL;
        row = st_realloc(row, w->thread_capacity + 1, sizeof *row);
        row[0] = ST_NEVER;
        w->live_from = row - ST_SEVERAL;
    }
    while (w->thread_count < threads) {
        w->live_from[w->thread_count] = ST_NEVER;
        w->threads[w->thread_count++].time = 1;
    }
    if (w->serializable)
        st_frontiers_reserve(&w->frontiers, threads);
}

static void mark_access(void *state, struct st_last_access *access) {
    struct witness *w = state;
    if (access->before && access->time && access->time >= w->live_from[access->thread])
        st_open_before_mark(&w->pool, access->before, w->blocks);
    else
        access->before = NULL;
}

static void mark_history(struct witness *w, uint32_t t) {
    struct st_history *history = &w->histories[t];
    st_history_forget(history, w->live_from[t]);
    for (size_t i = 0; i < history->count; i++) {
        struct st_moment *moment = st_history_first(history) + i;
        if (moment->time < w->live_from[t])
            moment->before = NULL; /* dead, but the last one is always kept */
        st_open_before_mark(&w->pool, moment->before, w->blocks);
    }
}

void st_witness_collect(struct witness *w) {
    st_before_pool_mark_begin(&w->pool);
    for (uint32_t t = 0; t < w->thread_count; t++) {
        refresh(w, t);
        st_open_before_mark(&w->pool, w->threads[t].before, w->blocks);
        mark_access(w, &w->threads[t].fork);
        mark_history(w, t);
    }
    st_states_visit(&w->states, mark_access, w);
    st_before_pool_sweep(&w->pool, st_states_memory(&w->states));
}

/* ---- the engine ---- */

static void *create(struct st_findings *findings) {
    struct witness *w = st_alloc(1, sizeof *w);
    w->findings = findings;
    w->serializable = true;
    findings->names_blocks = true;
    st_states_init(&w->states, (const st_time *const *)&w->live_from);
    st_before_pool_init(&w->pool);
    st_frontiers_init(&w->frontiers);
    return w;
}

static void destroy(void *state) {
    struct witness *w = state;
    for (size_t t = 0; t < w->thread_count; t++) {
        free(w->blocks[t].items);
        st_history_free(&w->histories[t]);
    }
    if (w->live_from)
        free(w->live_from + ST_SEVERAL);
    free(w->threads);
    free(w->blocks);
    free(w->histories);
    free(w->proofs);
    free(w->closing);
    free(w->sends);
    st_states_free(&w->states);
    st_before_pool_free(&w->pool);
    st_frontiers_free(&w->frontiers);
    st_bits_free(&w->forgotten);
    free(w);
}

static size_t memory(const void *state) {
    const struct witness *w = state;
    size_t histories = w->history_capacity * sizeof *w->histories;
    for (size_t t = 0; t < w->thread_count; t++)
        histories += st_history_memory(&w->histories[t]);
    return sizeof *w + histories + st_states_memory(&w->states) + st_before_pool_memory(&w->pool) +
           st_frontiers_memory(&w->frontiers) +
           w->thread_capacity * (sizeof *w->threads + sizeof *w->live_from) +
           w->block_capacity * sizeof *w->blocks + w->proof_capacity * sizeof *w->proofs +
           w->send_capacity * sizeof *w->sends + w->forgotten.capacity * sizeof *w->forgotten.words;
}

/* One copy for both callers. If the compiler made one for each, it would not inline the code of
 * rarer events into the loop, which costs 0.5 of 9 ns an event. */
__attribute__((noinline)) void st_witness_feed_events(struct witness *w,
                                                      const struct st_event *events,
                                                      const struct st_event *end, uint64_t first) {
    uint64_t number = first;
    const struct st_event *last = end - 1; /* there is nothing behind it to prefetch */
    for (const struct st_event *event = events; event < end; event++) {
        const struct st_event *later = event + ST_AHEAD < last ? event + ST_AHEAD : last;
        st_states_prefetch(&w->states, later->target);
        on_event(w, event, number++);
    }
    if (events < end) /* the current one, for whoever asks before the next */
        set_event(w, last, number - 1);
}

static void feed(void *state, const struct st_event *events, size_t count, uint64_t first) {
    struct witness *w = state;
    if (w->findings->gave_up)
        return;
    st_witness_feed_events(w, events, events + count, first);
    st_states_adapt(&w->states, count);
    collect_when_full(w);
}

static void forget(void *state, uint32_t variable) {
    struct witness *w = state;
    st_states_forget(&w->states, variable);
    w->forgotten_at = w->number;
    st_bits_add(&w->forgotten, variable);
}

static void finish(void *state, uint64_t events) {
    struct witness *w = state;
    (void)events;
    if (w->serializable && !w->findings->gave_up &&
        w->findings->verdict != ST_NOT_SERIALIZABLE) /* what a thread starts with was violated */
        w->findings->verdict = ST_SERIALIZABLE;
}

const struct st_engine st_witness = {
    .name = "witness",
    .summary = "exact, at every nesting depth, with the path; the fastest",
    .create = create,
    .feed = feed,
    .forget = forget,
    .finish = finish,
    .memory = memory,
    .destroy = destroy,
};
