/* Deferred accesses (witness.h). */
#include "check/witness/witness.h"

#include "check/witness/witness_state.h"

/* Whose moments are compared. */
struct past {
    const struct witness *w;
    uint32_t thread;
};

/* Will accesses of the two moments never differ in what they prove? The same blocks happen before
 * them, they are in the same blocks of their own, and the same running blocks reach them. No time
 * between the two will come to matter: what will be reached newly is the running block, or comes
 * later than all moments. */
static bool alike(void *context, const struct st_moment *older, const struct st_moment *newer) {
    const struct past *past = context;
    const struct witness *w = past->w;
    const struct st_open_blocks *blocks = &w->blocks[past->thread];
    return st_blocks_begun(blocks, older->time) == st_blocks_begun(blocks, newer->time) &&
           !(w->serializable &&
             st_frontiers_between(&w->frontiers, past->thread, older->time, newer->time)) &&
           st_open_before_same(older->before, newer->before, w->blocks);
}

void st_witness_thin(struct witness *w, uint32_t t) {
    struct past past = {w, t};
    w->crowded = false;
    refresh(w, t);
    st_history_forget(&w->histories[t], w->live_from[t]);
    st_history_thin(&w->histories[t], alike, &past);
    set_live_from(w, t, w->live_from[t]);
}

/* The current event, of thread t, is over. */
static inline void keep_position(struct witness *w, uint32_t t, uint64_t position) {
    struct st_history *history = &w->histories[t];
    struct st_moment *latest = st_history_latest(history);
    history->last = position;
    if (latest && latest->number == w->number)
        latest->position = position;
}

/* The access takes no edges: those that matter were taken by events of its thread before it. */
static __attribute__((noinline)) void on_deferred(struct witness *w, const struct st_event *event,
                                                  uint64_t position) {
    uint32_t t = event->thread;
    if (event->op == ST_SPLIT) {
        st_states_copy(&w->states, (uint32_t)event->loc, event->target);
        return;
    }
    need_thread(w, t);
    const struct st_moment *moment = st_history_find(&w->histories[t], position);
    if (!moment || moment->time < w->live_from[t])
        return;
    struct st_variable_state *variable = st_states_variable(&w->states, event->target);
    struct st_last_access access = st_access_make(event, t, moment->number);
    uint64_t later = st_history_since(&w->histories[t], moment->time + 1);
    if (event->op == ST_DEFERRED_READ) {
        st_states_deferred_read(&w->states, variable, &access, later);
        return;
    }
    /* Readers that come at the same moment may each emit the write that they found. */
    const struct st_last_access *last = &variable->slot[ST_WRITE];
    if (st_access_thread(last) == t && st_access_number(last) >= moment->number)
        return;
    st_states_drop_reads(&w->states, variable);
    variable->slot[ST_WRITE] = access;
}

uint64_t st_witness_dead_before(void *state, uint32_t thread) {
    struct witness *w = state;
    if (thread >= w->thread_count || !w->histories[thread].count)
        return 0;
    struct st_history *history = &w->histories[thread];
    if (w->live_from[thread] != ST_NEVER)
        refresh(w, thread);
    st_history_forget(history, w->live_from[thread]);
    const struct st_moment *first = st_history_first(history);
    return first->time >= w->live_from[thread] ? first->position : history->last + 1;
}

void st_witness_feed_at(void *state, const struct st_event *events, const uint64_t *at,
                        size_t count, uint64_t first) {
    struct witness *w = state;
    if (first + count > ST_MOST_EVENTS)
        w->findings->gave_up = ST_OUT_OF_NUMBERS;
    if (w->findings->gave_up)
        return;
    for (size_t i = 0; i < count; i++) {
        if (events[i].op >= ST_DEFERRED_READ) {
            on_deferred(w, &events[i], at[i]);
            continue;
        }
        st_witness_feed_events(w, &events[i], &events[i + 1], first + i);
        keep_position(w, events[i].thread, at[i]);
    }
    st_states_adapt(&w->states, count);
    collect_when_full(w);
}
