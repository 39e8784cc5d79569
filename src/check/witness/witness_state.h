/* The state of the engine `witness`, and what its files share: witness.c (events), witness_edges.c
 * (what an event takes over along its edges), witness_findings.c (what the edges prove),
 * witness_channels.c (sends and receives), witness_late.c (accesses that are told late),
 * witness_room.c (memory). witness.c has the idea, docs/witness.md the invariants.
 *
 * What the hot path of witness.c calls at most events is inline. */
#ifndef SERIATIM_CHECK_WITNESS_WITNESS_STATE_H
#define SERIATIM_CHECK_WITNESS_WITNESS_STATE_H

#include "check/witness/history.h"
#include "check/witness/frontier.h"
#include "check/witness/variable_state.h"

/* The newest time of another thread from which everything was taken over. */
struct heard {
    uint32_t thread;
    st_time time;
};

struct witness_thread {
    /* Grows with every begin and whenever the thread learns something. So two accesses at the same
     * time know the same, and a later time knows no less. */
    st_time time;
    bool started;           /* has had an event */
    uint64_t ticked;        /* the event at which the time last grew */
    struct st_known *known; /* open blocks of other threads that happen before; NULL: none */
    struct st_place latest; /* the event that last changed any of this; the first one, if none */
    struct st_touch fork;   /* the event that forked this thread, until it starts */
    struct heard heard[16]; /* by number modulo 16; a newer one pushes out an older one */
};

/* An edge that proves, at the event at hand, that blocks of its thread are violated. */
struct cut {
    uint32_t depth; /* how many of them, counted from the outermost */
    struct st_edge edge;
    uint32_t length;
    const struct st_hop *how; /* the way from the blocks to the edge, of that length */
};

struct witness {
    struct st_findings *findings;
    const struct st_event *event; /* at hand */
    uint64_t number;
    uint64_t forgotten_at; /* the event after which a variable was last forgotten; 0: none was */
    st_time *live_from;    /* by thread, and for ST_SEVERAL */
    struct st_shadow shadow;
    struct witness_thread *threads;
    struct st_blocks *blocks;     /* by thread */
    struct st_history *histories; /* by thread; empty unless the caller gives positions */
    size_t thread_count, thread_capacity, block_capacity, history_capacity;
    struct st_knowledge knowledge;

    bool serializable; /* so far; when not, `reach` is of no use any more */
    struct st_reach reach;
    /* The set that event `fresh_since` made for its thread. Until it is over nobody else sees it.
     */
    struct st_known *fresh;
    uint64_t fresh_since;
    /* Of the event at hand: its edges that prove something. */
    struct st_reach_edge *closing; /* these close cycles of transactions */
    struct cut *cuts;
    size_t closing_count, closing_capacity, cut_count, cut_capacity;
    const struct st_touch **sends; /* scratch of a receive: those that matter */
    size_t send_capacity;
};

/* ---- witness_room.c ---- */

void *st_witness_create(struct st_findings *findings);
void st_witness_destroy(void *state);
size_t st_witness_memory(const void *state);

void st_witness_add_threads(struct witness *w, uint32_t threads);

/* Takes back what is known and of no use, when there is enough of it. */
void st_witness_collect(struct witness *w);
static inline void collect_when_full(struct witness *w) {
    if (st_knowledge_full(&w->knowledge))
        st_witness_collect(w);
}

/* Numbers are dense, so most events need no new room, and a processor knows that. */
static inline void need_thread(struct witness *w, uint32_t thread) {
    if (__builtin_expect(thread >= w->thread_count, 0))
        st_witness_add_threads(w, thread + 1);
}

/* ---- the event at hand ---- */

static inline struct st_place this_place(const struct witness *w) {
    return (struct st_place){w->number, *w->event};
}

static inline struct st_touch this_touch(const struct witness *w, uint32_t t) {
    const struct witness_thread *thread = &w->threads[t];
    return (struct st_touch){.thread = (int32_t)t,
                             .time = thread->time,
                             .known = thread->known,
                             .number = w->number,
                             .loc = w->event->loc};
}

/* ---- time ---- */

/* What thread t does from now on knows more, or is another block. */
static inline void tick(struct witness *w, uint32_t t) {
    struct witness_thread *thread = &w->threads[t];
    if (__builtin_expect(++thread->time >= ST_TIME_LIMIT, 0))
        w->findings->gave_up = ST_OUT_OF_TIME;
    thread->latest = this_place(w);
    thread->ticked = w->number;
    if (thread->time < w->live_from[t])
        w->live_from[t] = thread->time;
}

/* Some block may have ended: which accesses of the thread can still matter? */
static inline void refresh(struct witness *w, uint32_t t) {
    struct witness_thread *thread = &w->threads[t];
    st_time least =
        w->serializable ? st_reach_least(&w->reach, t) : st_known_since(thread->known, w->blocks);
    if (least == ST_NEVER)
        thread->known = NULL; /* all of it is dead */
    const struct st_blocks *blocks = &w->blocks[t];
    if (st_blocks_live(blocks) && blocks->items[blocks->cut].time < least)
        least = blocks->items[blocks->cut].time;
    w->live_from[t] = least;
}

/* ---- witness_findings.c ---- */

/* Says what the edges of the event at hand, of thread t, prove. */
void st_witness_report(struct witness *w, uint32_t t);

/* All edges of the event at hand, of thread t, were taken. */
static inline void conclude(struct witness *w, uint32_t t) {
    if (w->closing_count || w->cut_count)
        st_witness_report(w, t);
}

/* ---- witness_edges.c ---- */

/* The event at hand, of thread t, depends on an event of the teller. */
void st_witness_take(struct witness *w, uint32_t t, const struct st_teller *teller);

/* It depends on this access of another thread, which did `op`. */
void st_witness_take_touch(struct witness *w, uint32_t t, const struct st_touch *touch,
                           enum st_op op, enum st_edge_kind kind);

/* What an access of another thread tells the event at hand. */
struct st_teller st_witness_teller(const struct witness *w, uint32_t t,
                                   const struct st_touch *touch, enum st_op op,
                                   enum st_edge_kind kind);

/* The thread of the event at hand knows this set from now on, which was just made. */
void st_witness_know(struct witness *w, struct witness_thread *thread, struct st_known *known);

/* The dependence of the event at hand on an earlier access, if that matters. */
static inline void edge(struct witness *w, uint32_t t, const struct st_touch *touch, enum st_op op,
                        enum st_edge_kind kind) {
    if (st_touch_matters(touch, (int32_t)t, w->live_from))
        st_witness_take_touch(w, t, touch, op, kind);
}

/* ---- witness_channels.c ---- */

void st_witness_send(struct witness *w, const struct st_event *event);
void st_witness_receive(struct witness *w, const struct st_event *event);

/* ---- witness.c ---- */

/* Takes events that are not late, up to `end`; the first has that number. */
void st_witness_feed_events(struct witness *w, const struct st_event *events,
                            const struct st_event *end, uint64_t first);

#endif
