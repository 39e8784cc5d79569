/* The memory of the engine `witness`: its tables, and collecting what is known and of no use. */
#include "check/witness/witness_state.h"

#include "base/memory.h"

#include <stdlib.h>

void *st_witness_create(struct st_findings *findings) {
    struct witness *w = st_alloc(1, sizeof *w);
    w->findings = findings;
    w->serializable = true;
    findings->names_blocks = true;
    st_knowledge_init(&w->knowledge);
    st_reach_init(&w->reach);
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
    free(w->cuts);
    free(w->closing);
    free(w->sends);
    st_shadow_free(&w->shadow);
    st_knowledge_free(&w->knowledge);
    st_reach_free(&w->reach);
    free(w);
}

size_t st_witness_memory(const void *state) {
    const struct witness *w = state;
    size_t histories = w->history_capacity * sizeof *w->histories;
    for (size_t t = 0; t < w->thread_count; t++)
        histories += st_history_memory(&w->histories[t]);
    return sizeof *w + histories + st_shadow_memory(&w->shadow) +
           st_knowledge_memory(&w->knowledge) + st_reach_memory(&w->reach) +
           w->thread_capacity * (sizeof *w->threads + sizeof *w->live_from) +
           w->block_capacity * sizeof *w->blocks + w->cut_capacity * sizeof *w->cuts +
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
        st_reach_reserve(&w->reach, threads);
}

/* ---- collecting ---- */

static void mark_touch(void *state, struct st_touch *touch) {
    struct witness *w = state;
    if (touch->known && touch->time && touch->time >= w->live_from[touch->thread])
        st_known_mark(&w->knowledge, touch->known, w->blocks);
    else
        touch->known = NULL;
}

static void mark_history(struct witness *w, uint32_t t) {
    struct st_history *history = &w->histories[t];
    st_history_forget(history, w->live_from[t]);
    for (size_t i = 0; i < history->count; i++) {
        struct st_moment *moment = st_history_first(history) + i;
        if (moment->time < w->live_from[t])
            moment->known = NULL; /* dead: the last one is kept all the same */
        st_known_mark(&w->knowledge, moment->known, w->blocks);
    }
}

void st_witness_collect(struct witness *w) {
    st_knowledge_mark_begin(&w->knowledge);
    for (uint32_t t = 0; t < w->thread_count; t++) {
        refresh(w, t);
        st_known_mark(&w->knowledge, w->threads[t].known, w->blocks);
        mark_touch(w, &w->threads[t].fork);
        mark_history(w, t);
    }
    st_shadow_visit(&w->shadow, mark_touch, w);
    st_knowledge_sweep(&w->knowledge, st_shadow_memory(&w->shadow));
}
