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
static void on_shared_access(struct witness *w, uint32_t t, struct st_variable_state *variable) {
    bool write = w->event->op == ST_WRITE;
    edge(w, t, &variable->slot[ST_WRITE], ST_WRITE, ST_EDGE_CONFLICT);
    const struct st_readers *readers = st_several_readers(variable);
    if (write && st_has_several_readers(variable))
        for (uint32_t i = 0; i < readers->count; i++)
            edge(w, t, &readers->items[i], ST_READ, ST_EDGE_CONFLICT);
    else if (write)
        edge(w, t, &variable->slot[ST_READ], ST_READ, ST_EDGE_CONFLICT);
    conclude(w, t);
    if (!write && st_has_fresh_read(variable, t, w->threads[t].ticked))
        return;
    struct st_last_access access = this_access(w, t);
    if (write)
        st_states_drop_reads(&w->states, variable);
    if (!write && st_access_matters(&variable->slot[ST_READ], t, w->live))
        st_states_read(&w->states, variable, &access, w->threads[t].ticked);
    else
        variable->slot[w->event->op] = access;
}

static void on_lock(struct witness *w, uint32_t t, struct st_variable_state *lock) {
    bool release = w->event->op == ST_RELEASE;
    if (!release)
        edge(w, t, &lock->slot[ST_WRITE], ST_RELEASE, ST_EDGE_LOCK);
    conclude(w, t);
    lock->slot[ST_READ].when = 0;
    lock->slot[release ? ST_WRITE : ST_READ] = this_access(w, t);
}

/* An access, or an event of a lock, of which not all is plain: its thread may be new, its state may
 * not be there yet, or the last accesses may matter. */
static __attribute__((noinline)) void on_access(struct witness *w, uint32_t t) {
    uint8_t op = w->event->op;
    bool is_lock = op > ST_WRITE;
    struct st_variable_state *state = st_states_at(&w->states, w->event->target, is_lock);
    if (is_lock) {
        on_lock(w, t, state);
        return;
    }
    if (st_access_matters(&state->slot[ST_READ], t, w->live) ||
        st_access_matters(&state->slot[ST_WRITE], t, w->live)) {
        on_shared_access(w, t, state);
        return;
    }
    if (op == ST_WRITE)
        state->slot[ST_READ].when = 0;
    state->slot[op] = this_access(w, t);
}

/* What most events need to know; only the others can change it. */
struct plain {
    union st_state_page *const *pages;
    size_t page_capacity;
    const uint64_t *live;
    uint32_t all_started;
};

static inline struct plain plain_now(const struct witness *w) {
    return (struct plain){w->states.pages, w->states.page_capacity, w->live, w->all_started};
}

_Static_assert(ST_READ == 0 && ST_WRITE == 1 && ST_ACQUIRE == 2 && ST_RELEASE == 3,
               "bit 0: replaces what was read before; bit 1: of a lock");

/* An access, or an event of a lock; false if it is not plain. Which of the four it is, a processor
 * cannot predict, nor by whom the last ones were, so this branches only once, on all of it. */
static inline bool on_plain_access(const struct plain *plain, const struct st_event *event,
                                   uint64_t number) {
    uint32_t t = event->thread, op = event->op, page = st_state_page_of(event->target, op >> 1);
    if (__builtin_expect(t >= plain->all_started || page >= plain->page_capacity, 0) ||
        __builtin_expect(!plain->pages[page], 0))
        return false;
    struct st_variable_state *state = &plain->pages[page]->variables[st_state_place(event->target)];
    uint32_t matters = st_access_matters(&state->slot[ST_READ], t, plain->live);
    matters |= st_access_matters(&state->slot[ST_WRITE], t, plain->live);
    matters &= op != ST_RELEASE; /* what is before it is before the acquire */
    /* The compiler must not see that this is 0 or 1: it would branch four times. */
    __asm__("" : "+r"(matters));
    if (__builtin_expect(matters, 0))
        return false;
    struct st_last_access *read = &state->slot[ST_READ];
    read->when = op & 1 ? 0 : read->when;
    state->slot[op & 1] = st_access_make(event, t, number);
    return true;
}

/* Of an event a few places behind, whatever its target is: see st_batch_prefetch. The page need not
 * be there. */
static inline void prefetch(const struct plain *plain, const struct st_event *event) {
    size_t page = st_state_page_of(event->target, event->op >> 1 & 1) & (plain->page_capacity - 1);
    uintptr_t start = (uintptr_t)plain->pages[page];
    size_t offset = st_state_place(event->target) * sizeof(struct st_variable_state);
    __builtin_prefetch((const void *)(start + offset), 1);
}

/* ---- other events ---- */

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

/* An inner block has ended. If its thread learned nothing in it, accesses in it are like those
 * before it: who reaches its transaction reaches the outermost block. About that itself, which may
 * be reached although nothing before it is, st_witness_thin decides. */
static inline void forget_inner(struct witness *w, uint32_t t, uint64_t begin) {
    struct st_history *history = &w->histories[t];
    if (st_history_latest(history)->number != begin)
        return;
    st_history_undo(history);
    if (w->live[t] == st_access_when(t, begin)) /* those before it are dead, and it counts as one */
        w->live[t] = st_access_when(t, UINT64_MAX);
}

static void on_end(struct witness *w, const struct st_event *event) {
    struct st_open_blocks *blocks = &w->blocks[event->thread];
    const struct st_open_block *block = &blocks->items[--blocks->depth];
    if (blocks->violated > blocks->depth) {
        blocks->violated = blocks->depth;
        st_findings_block_end(w->findings, block->violation, block->begin, w->number);
    }
    if (st_blocks_running(blocks)) {
        forget_inner(w, event->thread, block->begin);
        return;
    }
    if (w->serializable && !block->start)
        st_frontiers_end(&w->frontiers, event->thread);
    refresh(w, event->thread);
}

/* A thread that may be new. False: there is no room for it. */
static __attribute__((noinline)) bool meet_thread(struct witness *w, uint32_t t) {
    if (t >= ST_MOST_THREADS) {
        w->findings->gave_up = ST_OUT_OF_NUMBERS;
        return false;
    }
    need_thread(w, t);
    struct witness_thread *thread = &w->threads[t];
    if (thread->started || w->event->op == ST_DROPPED)
        return true;
    thread->started = true;
    remember(w, t);
    edge(w, t, &thread->fork, ST_FORK, ST_EDGE_FORK);
    thread->fork = (struct st_last_access){0};
    while (w->all_started < w->thread_count && w->threads[w->all_started].started)
        w->all_started++;
    return true;
}

static inline void on_other(struct witness *w, const struct st_event *event) {
    switch (event->op) {
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

static inline void on_event(struct witness *w, const struct st_event *event, uint64_t number) {
    set_event(w, event, number);
    if (__builtin_expect(event->thread >= w->all_started, 0) && !meet_thread(w, event->thread))
        return;
    if (event->op <= ST_RELEASE)
        on_access(w, event->thread);
    else
        on_other(w, event);
    if (__builtin_expect(w->crowded, 0))
        st_witness_thin(w, event->thread);
}

/* ---- memory ---- */

void st_witness_add_threads(struct witness *w, uint32_t threads) {
    size_t capacity = w->thread_capacity;
    st_reserve(&w->threads, &w->thread_capacity, threads);
    st_reserve(&w->blocks, &w->block_capacity, threads);
    st_reserve(&w->histories, &w->history_capacity, threads);
    if (capacity < w->thread_capacity) {
        uint64_t *live = w->live ? w->live - 1 : NULL;
        live = st_realloc(live, w->thread_capacity + 1, sizeof *live);
        live[0] = 0;
        w->live = live + 1;
        w->live_from = st_realloc(w->live_from, w->thread_capacity, sizeof *w->live_from);
    }
    while (w->thread_count < threads) {
        w->live_from[w->thread_count] = ST_NEVER;
        w->live[w->thread_count] = st_access_when((uint32_t)w->thread_count, UINT64_MAX);
        w->threads[w->thread_count++].time = 1;
    }
    if (w->serializable)
        st_frontiers_reserve(&w->frontiers, threads);
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

static size_t histories_memory(const struct witness *w) {
    size_t bytes = w->history_capacity * sizeof *w->histories;
    for (size_t t = 0; t < w->thread_count; t++)
        bytes += st_history_memory(&w->histories[t]);
    return bytes;
}

void st_witness_collect(struct witness *w) {
    st_before_pool_mark_begin(&w->pool);
    for (uint32_t t = 0; t < w->thread_count; t++) {
        refresh(w, t);
        st_open_before_mark(&w->pool, w->threads[t].before, w->blocks);
        mark_history(w, t);
    }
    st_before_pool_sweep(&w->pool, histories_memory(w));
}

/* ---- the engine ---- */

static void *create(struct st_findings *findings) {
    struct witness *w = st_alloc(1, sizeof *w);
    w->findings = findings;
    w->serializable = true;
    findings->names_blocks = true;
    st_states_init(&w->states, (const uint64_t *const *)&w->live);
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
    if (w->live)
        free(w->live - 1);
    free(w->live_from);
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
    return sizeof *w + histories_memory(w) + st_states_memory(&w->states) +
           st_before_pool_memory(&w->pool) + st_frontiers_memory(&w->frontiers) +
           w->thread_capacity * (sizeof *w->threads + sizeof *w->live_from + sizeof *w->live) +
           w->block_capacity * sizeof *w->blocks + w->proof_capacity * sizeof *w->proofs +
           w->send_capacity * sizeof *w->sends + w->forgotten.capacity * sizeof *w->forgotten.words;
}

/* One copy for both callers. If the compiler made one for each, it would not inline the code of
 * rarer events into the loop, which costs 0.5 of 9 ns an event. */
__attribute__((noinline)) void st_witness_feed_events(struct witness *w,
                                                      const struct st_event *events,
                                                      const struct st_event *end, uint64_t first) {
    uint64_t number = first;
    struct plain plain = plain_now(w);
    const struct st_event *last = end - 1; /* there is nothing behind it to prefetch */
    for (const struct st_event *event = events; event < end; event++, number++) {
        const struct st_event *later = event + ST_AHEAD < last ? event + ST_AHEAD : last;
        prefetch(&plain, later);
        if (event->op <= ST_RELEASE && __builtin_expect(on_plain_access(&plain, event, number), 1))
            continue;
        on_event(w, event, number);
        plain = plain_now(w);
    }
    if (events < end) /* the current one, for whoever asks before the next */
        set_event(w, last, number - 1);
}

static void feed(void *state, const struct st_event *events, size_t count, uint64_t first) {
    struct witness *w = state;
    if (w->findings->gave_up)
        return;
    if (first + count > ST_MOST_EVENTS)
        w->findings->gave_up = ST_OUT_OF_NUMBERS;
    else
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
