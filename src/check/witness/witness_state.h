/* The state of the engine `witness`, and what its files share: witness.c (events, memory),
 * witness_edges.c (what an event takes over along its edges, from channels too), witness_findings.c
 * (what the edges prove), witness_deferred.c (deferred accesses). witness.c has the idea,
 * docs/witness.md the invariants.
 *
 * What the hot path of witness.c calls for most events is inline. */
#ifndef SERIATIM_CHECK_WITNESS_WITNESS_STATE_H
#define SERIATIM_CHECK_WITNESS_WITNESS_STATE_H

#include "base/bits.h"
#include "check/witness/frontier.h"
#include "check/witness/history.h"
#include "check/witness/variable_state.h"

/* The newest local time of another thread that was joined: what happens before it is in `before`.
 */
struct joined {
    uint32_t thread;
    st_time time;
};

struct witness_thread {
    /* Grows with every begin and whenever more happens before the thread. So the same happens
     * before two accesses at the same time, and no less before one at a later time. */
    st_time time;
    bool started;                  /* has had an event */
    uint64_t ticked;               /* the event at which the time last grew */
    struct st_open_before *before; /* open blocks of other threads that happen before; NULL: none */
    struct st_place latest; /* the event that last changed any of this; the first one, if none */
    struct st_last_access fork; /* the event that forked this thread, until it starts */
    uint64_t outside;           /* its last receive from a channel without a send; 0: none */
    struct joined joined[16];   /* by number modulo 16; a newer one pushes out an older one */
};

/* An edge that proves, at the current event, that blocks of its thread are violated. */
struct proof {
    uint32_t depth; /* how many of them, counted from the outermost */
    struct st_edge edge;
    uint32_t length;
    const struct st_hop *path; /* from the blocks to the edge, of that length */
};

struct witness {
    struct st_findings *findings;
    const struct st_event *event; /* the current one */
    uint64_t number;
    uint64_t forgotten_at;    /* the event after which a variable was last forgotten; 0: none was */
    struct st_bits forgotten; /* variables that were */
    st_time *live_from;       /* by thread: accesses at an earlier local time do not matter */
    uint64_t *live;           /* the same by number of the event: see st_access_matters */
    struct st_variable_states states;
    struct witness_thread *threads;
    struct st_open_blocks *blocks; /* by thread */
    struct st_history *histories;  /* by thread; empty until it starts */
    uint32_t all_started;          /* all threads below this number have started */
    bool crowded;                  /* the history of the current event's thread has many moments */
    size_t thread_count, thread_capacity, block_capacity, history_capacity;
    struct st_before_pool pool;

    bool has_starts;   /* there was a block that a thread starts with */
    bool serializable; /* so far; when not, `frontiers` are no longer needed */
    struct st_frontiers frontiers;
    /* The set that event `fresh_since` made for its thread. Until it is over nobody else sees it.
     */
    struct st_open_before *fresh;
    uint64_t fresh_since;
    /* Of the current event: its edges that prove something. */
    struct st_frontier_edge *closing; /* these close cycles of transactions */
    struct proof *proofs;
    size_t closing_count, closing_capacity, proof_count, proof_capacity;
    const struct st_last_access **sends; /* scratch of a receive: those that matter */
    size_t send_capacity;
};

/* ---- memory (witness.c) ---- */

void st_witness_add_threads(struct witness *w, uint32_t threads);

/* Takes back sets that are no longer needed, when there are enough of them. */
void st_witness_collect(struct witness *w);
static inline void collect_when_full(struct witness *w) {
    if (st_before_pool_full(&w->pool))
        st_witness_collect(w);
}

/* Numbers are dense, so this is rare, and a processor predicts it well. */
static inline void need_thread(struct witness *w, uint32_t thread) {
    if (__builtin_expect(thread >= w->thread_count, 0))
        st_witness_add_threads(w, thread + 1);
}

/* ---- the current event ---- */

static inline struct st_place this_place(const struct witness *w) {
    return (struct st_place){w->number, *w->event};
}

static inline void set_event(struct witness *w, const struct st_event *event, uint64_t number) {
    w->event = event;
    w->number = number;
}

/* The current event as an access. */
static inline struct st_last_access this_access(const struct witness *w, uint32_t t) {
    return st_access_make(w->event, t, w->number);
}

/* ---- time ---- */

/* Merges moments of the thread that nothing can tell apart any more. Between events only: what the
 * current one takes over may not count as live yet. */
void st_witness_thin(struct witness *w, uint32_t t);

/* The current event has changed the state of thread t. */
static inline void remember(struct witness *w, uint32_t t) {
    struct witness_thread *thread = &w->threads[t];
    struct st_moment moment = {.number = w->number, .before = thread->before, .time = thread->time};
    thread->latest = this_place(w);
    if (!st_history_restart(&w->histories[t], &moment, w->live_from[t]))
        w->crowded = st_history_add(&w->histories[t], &moment, w->live_from[t]);
    if (w->live[t] == st_access_when(t, UINT64_MAX) && thread->time >= w->live_from[t])
        w->live[t] = st_access_when(t, w->number);
}

/* More happens before what thread t does from now on, or it is in another block. */
static inline void tick(struct witness *w, uint32_t t) {
    struct witness_thread *thread = &w->threads[t];
    if (__builtin_expect(++thread->time >= ST_TIME_LIMIT, 0))
        w->findings->gave_up = ST_OUT_OF_TIME;
    thread->ticked = w->number;
    if (thread->time < w->live_from[t])
        w->live_from[t] = thread->time;
    remember(w, t);
}

/* Accesses of the thread at this local time and later ones can matter. */
static inline void set_live_from(struct witness *w, uint32_t t, st_time time) {
    bool some = time != ST_NEVER;
    w->live_from[t] = time;
    w->live[t] = st_access_when(t, some ? st_history_since(&w->histories[t], time) : UINT64_MAX);
}

/* Some block may have ended: which accesses of the thread can still matter? */
static inline void refresh(struct witness *w, uint32_t t) {
    struct witness_thread *thread = &w->threads[t];
    st_time oldest = w->serializable ? st_frontiers_oldest(&w->frontiers, t) : ST_NEVER;
    if (!w->serializable || w->has_starts) { /* of which frontiers know nothing */
        st_time since = st_open_before_since(thread->before, w->blocks);
        oldest = since < oldest ? since : oldest;
    }
    if (oldest == ST_NEVER)
        thread->before = NULL; /* all of it is dead */
    const struct st_open_blocks *blocks = &w->blocks[t];
    if (st_blocks_live(blocks) && blocks->items[blocks->violated].time < oldest)
        oldest = blocks->items[blocks->violated].time;
    set_live_from(w, t, oldest);
}

/* ---- findings (witness_findings.c) ---- */

/* Reports what the edges of the current event, of thread t, prove. */
void st_witness_report(struct witness *w, uint32_t t);

/* All edges of the current event, of thread t, were taken. */
static inline void conclude(struct witness *w, uint32_t t) {
    if (w->closing_count || w->proof_count)
        st_witness_report(w, t);
}

/* ---- edges (witness_edges.c) ---- */

/* The current event, of thread t, depends on the predecessor. */
void st_witness_join(struct witness *w, uint32_t t, const struct st_predecessor *predecessor);

/* It depends on this access of another thread, which did `op`. */
void st_witness_join_access(struct witness *w, uint32_t t, const struct st_last_access *access,
                            enum st_op op, enum st_edge_kind kind);

/* That access as a predecessor of the current event. */
struct st_predecessor st_witness_predecessor(const struct witness *w, uint32_t t,
                                             const struct st_last_access *access, enum st_op op,
                                             enum st_edge_kind kind);

/* This set, which was just made, happens before thread t from now on. */
void st_witness_set_before(struct witness *w, uint32_t t, struct st_open_before *before);

/* The dependence of the current event on an earlier access, if that matters. */
static inline void edge(struct witness *w, uint32_t t, const struct st_last_access *access,
                        enum st_op op, enum st_edge_kind kind) {
    if (st_access_matters(access, t, w->live))
        st_witness_join_access(w, t, access, op, kind);
}

void st_witness_send(struct witness *w, const struct st_event *event);
void st_witness_receive(struct witness *w, const struct st_event *event);

/* ---- events (witness.c) ---- */

/* Takes events that are not deferred, up to `end`; the first has that number. */
void st_witness_feed_events(struct witness *w, const struct st_event *events,
                            const struct st_event *end, uint64_t first);

#endif
