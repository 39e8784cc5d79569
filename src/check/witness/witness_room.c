/* The memory of the engine `witness`: its tables, and collecting sets that are no longer needed. */
#include "check/witness/witness_state.h"

#include "base/memory.h"

#include <stdlib.h>

void *st_witness_create(struct st_findings *findings) {
    struct witness *w = st_alloc(1, sizeof *w);
    w->findings = findings;
    w->serializable = true;
    findings->names_blocks = true;
    st_before_pool_init(&w->pool);
    st_frontiers_init(&w->frontiers);
    return w;
}

void st_witness_destroy(void *state) {
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
    free(w);
}

size_t st_witness_memory(const void *state) {
    const struct witness *w = state;
    size_t histories = w->history_capacity * sizeof *w->histories;
    for (size_t t = 0; t < w->thread_count; t++)
        histories += st_history_memory(&w->histories[t]);
    return sizeof *w + histories + st_states_memory(&w->states) + st_before_pool_memory(&w->pool) +
           st_frontiers_memory(&w->frontiers) +
           w->thread_capacity * (sizeof *w->threads + sizeof *w->live_from) +
           w->block_capacity * sizeof *w->blocks + w->proof_capacity * sizeof *w->proofs +
           w->send_capacity * sizeof *w->sends;
}

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

/* ---- collecting ---- */

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
