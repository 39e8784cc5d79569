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

static __attribute__((noinline)) void thin(struct witness *w, uint32_t t) {
    struct past past = {w, t};
    refresh(w, t);
    st_history_forget(&w->histories[t], w->live_from[t]);
    st_history_thin(&w->histories[t], alike, &past);
}

/* The current event has changed the state of its thread. */
static __attribute__((noinline)) void remember(struct witness *w, uint32_t t, uint64_t position) {
    struct st_history *history = &w->histories[t];
    const struct witness_thread *thread = &w->threads[t];
    st_history_forget(history, w->live_from[t]);
    if (history->count && history->count >= history->thin_at)
        thin(w, t);
    struct st_moment moment = {position, w->number, thread->before, thread->time};
    st_history_add(history, &moment);
}

/* The current event, of thread t, is over. When it was the end of an inner block in which the
 * thread depended on nothing new, accesses in that are like those before it: who reaches its
 * transaction reaches the outermost block. About the outermost block itself, which may be reached
 * although nothing before it is, `alike` decides. */
static inline void keep_history(struct witness *w, uint32_t t, uint64_t position) {
    struct st_history *history = &w->histories[t];
    const struct st_open_blocks *blocks = &w->blocks[t];
    history->last = position;
    if (w->threads[t].latest.number == w->number)
        remember(w, t, position);
    else if (w->event->op == ST_END && st_blocks_running(blocks) && history->count &&
             st_history_latest(history)->number == blocks->items[blocks->depth].begin)
        st_history_undo(history);
}

/* The access takes no edges: those that matter were taken by events of its thread before it. */
static __attribute__((noinline)) void on_deferred(struct witness *w, const struct st_event *event,
                                                  uint64_t position) {
    uint32_t t = event->thread;
    if (event->op == ST_SPLIT) {
        st_states_copy(&w->states, (uint32_t)event->loc, event->target, w->live_from);
        return;
    }
    need_thread(w, t);
    const struct st_moment *moment = st_history_find(&w->histories[t], position);
    if (!moment || moment->time < w->live_from[t])
        return;
    struct st_variable_state *variable = st_states_variable(&w->states, event->target);
    struct st_last_access access = {.thread = (int32_t)t,
                                    .time = moment->time,
                                    .before = moment->before,
                                    .number = moment->number,
                                    .loc = event->loc};
    if (event->op == ST_DEFERRED_READ) {
        st_states_deferred_read(&w->states, variable, &access, w->live_from);
        return;
    }
    /* Readers that come at the same moment may each emit the write that they found. */
    const struct st_last_access *last = &variable->slot[ST_WRITE];
    if (last->thread == access.thread && last->time >= access.time)
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
    if (w->findings->gave_up)
        return;
    for (size_t i = 0; i < count; i++) {
        st_states_prefetch(&w->states, events[i + ST_AHEAD < count ? i + ST_AHEAD : i].target);
        if (events[i].op >= ST_DEFERRED_READ) {
            on_deferred(w, &events[i], at[i]);
            continue;
        }
        st_witness_feed_events(w, &events[i], &events[i + 1], first + i);
        keep_history(w, events[i].thread, at[i]);
    }
    st_states_adapt(&w->states, count);
    collect_when_full(w);
}
