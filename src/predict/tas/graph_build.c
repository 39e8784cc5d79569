#include "predict/tas/graph_build.h"

#include "base/memory.h"

#include <stdlib.h>

static void count_names(struct st_tas *tas) {
    for (size_t i = 0; i < tas->count; i++) {
        const struct st_event *e = &tas->events[i];
        uint32_t threads = e->thread + 1;
        if ((e->op == ST_FORK || e->op == ST_JOIN) && e->target >= threads)
            threads = e->target + 1;
        if (threads > tas->thread_count)
            tas->thread_count = threads;
        if (tas_is_access(e) && e->target >= tas->variable_count)
            tas->variable_count = e->target + 1;
        if ((e->op == ST_ACQUIRE || e->op == ST_RELEASE) && e->target >= tas->lock_count)
            tas->lock_count = e->target + 1;
    }
}

static void list_events(struct st_tas *tas) {
    tas->position = st_alloc(tas->count + 1, sizeof *tas->position);
    for (size_t i = 0; i < tas->count; i++)
        if (tas->events[i].op != ST_DROPPED)
            tas->position[i] = ++tas->threads[tas->events[i].thread].count;
    for (uint32_t t = 0; t < tas->thread_count; t++)
        tas->threads[t].events = st_alloc((size_t)tas->threads[t].count + 1, sizeof(uint32_t));
    for (size_t i = 0; i < tas->count; i++)
        if (tas->position[i])
            tas->threads[tas->events[i].thread].events[tas->position[i] - 1] = (uint32_t)i;
}

static void find_shared(struct st_tas *tas) {
    enum { OTHERS = 1, WRITTEN = 2 };
    uint32_t *first = st_alloc((size_t)tas->variable_count + 1, sizeof *first);
    uint8_t *seen = st_alloc((size_t)tas->variable_count + 1, 1);
    for (size_t i = 0; i < tas->count; i++) {
        const struct st_event *e = &tas->events[i];
        if (!tas_is_access(e))
            continue;
        if (!first[e->target])
            first[e->target] = e->thread + 1;
        if (first[e->target] != e->thread + 1)
            seen[e->target] |= OTHERS;
        if (e->op == ST_WRITE)
            seen[e->target] |= WRITTEN;
    }
    tas->shared = st_alloc((size_t)tas->variable_count + 1, sizeof *tas->shared);
    for (uint32_t x = 0; x < tas->variable_count; x++)
        tas->shared[x] = seen[x] == (OTHERS | WRITTEN);
    free(first);
    free(seen);
}

static void find_blocks(struct st_tas *tas) {
    uint32_t *depth = st_alloc((size_t)tas->thread_count + 1, sizeof *depth);
    size_t *open = st_alloc((size_t)tas->thread_count + 1, sizeof *open);
    for (size_t i = 0; i < tas->count; i++) {
        const struct st_event *e = &tas->events[i];
        if (e->op == ST_BEGIN && depth[e->thread]++ == 0) {
            st_reserve(&tas->blocks, &tas->block_capacity, tas->block_count + 1);
            open[e->thread] = tas->block_count;
            tas->blocks[tas->block_count++] =
                (struct tas_block){.thread = e->thread,
                                   .first = tas->position[i],
                                   .last = tas->threads[e->thread].count,
                                   .open = true};
        } else if (e->op == ST_END && depth[e->thread] && --depth[e->thread] == 0) {
            tas->blocks[open[e->thread]].last = tas->position[i];
            tas->blocks[open[e->thread]].open = false;
        }
    }
    free(depth);
    free(open);
}

static void list_acquires(struct st_tas *tas) {
    tas->lock_first = st_alloc((size_t)tas->lock_count + 2, sizeof *tas->lock_first);
    for (size_t i = 0; i < tas->count; i++)
        if (tas->events[i].op == ST_ACQUIRE)
            tas->lock_first[tas->events[i].target + 1]++;
    for (uint32_t l = 0; l < tas->lock_count; l++)
        tas->lock_first[l + 1] += tas->lock_first[l];
    tas->acquires = st_alloc((size_t)tas->lock_first[tas->lock_count] + 1, sizeof(uint32_t));
    for (size_t i = 0; i < tas->count; i++)
        if (tas->events[i].op == ST_ACQUIRE)
            tas->acquires[tas->lock_first[tas->events[i].target]++] = (uint32_t)i;
    for (uint32_t l = tas->lock_count; l > 0; l--) /* each start moved to the next one */
        tas->lock_first[l] = tas->lock_first[l - 1];
    tas->lock_first[0] = 0;
}

void tas_build_threads(struct st_tas *tas) {
    count_names(tas);
    tas->threads = st_alloc((size_t)tas->thread_count + 1, sizeof *tas->threads);
    list_events(tas);
    list_acquires(tas);
    find_shared(tas);
    find_blocks(tas);
}

/* ---- accesses by variable, kind and thread ---- */

static size_t key_of(const struct st_event *event) {
    return 2 * (size_t)event->target + (event->op == ST_WRITE);
}

/* Threads one after the other, so that within a key the accesses of a thread lie side by side. The
 * first round counts accesses and runs by key, the second puts them into their places. */
static void sort_accesses(struct st_tas *tas, uint32_t *places, bool counting) {
    uint32_t *owner = st_alloc(2 * (size_t)tas->variable_count + 1, sizeof *owner);
    for (uint32_t t = 0; t < tas->thread_count; t++)
        for (uint32_t p = 0; p < tas->threads[t].count; p++) {
            uint32_t event = tas->threads[t].events[p];
            if (!tas_is_shared_access(tas, event))
                continue;
            size_t key = key_of(&tas->events[event]);
            bool new_run = owner[key] != t + 1;
            owner[key] = t + 1;
            if (counting) {
                tas->key_runs[key + 1] += new_run;
            } else {
                if (new_run)
                    tas->runs[tas->key_runs[key]++] =
                        (struct tas_run){t, (uint32_t)key, places[key]};
                tas->accesses[places[key]] = event;
            }
            places[key]++;
        }
    free(owner);
}

static void list_runs_by_thread(struct st_tas *tas) {
    tas->thread_first = st_alloc((size_t)tas->thread_count + 2, sizeof *tas->thread_first);
    tas->thread_runs = st_alloc(tas->run_count + 1, sizeof *tas->thread_runs);
    for (size_t r = 0; r < tas->run_count; r++)
        tas->thread_first[tas->runs[r].thread + 1]++;
    for (uint32_t t = 0; t < tas->thread_count; t++)
        tas->thread_first[t + 1] += tas->thread_first[t];
    for (size_t r = 0; r < tas->run_count; r++)
        tas->thread_runs[tas->thread_first[tas->runs[r].thread]++] = (uint32_t)r;
    for (uint32_t t = tas->thread_count; t > 0; t--) /* each start moved to the next one */
        tas->thread_first[t] = tas->thread_first[t - 1];
    tas->thread_first[0] = 0;
}

void tas_build_accesses(struct st_tas *tas) {
    size_t keys = 2 * (size_t)tas->variable_count;
    uint32_t *places = st_alloc(keys + 1, sizeof *places);
    tas->key_runs = st_alloc(keys + 2, sizeof *tas->key_runs);
    sort_accesses(tas, places, true);
    for (size_t q = 0; q < keys; q++) {
        uint32_t count = places[q];
        places[q] = (uint32_t)tas->access_count;
        tas->access_count += count;
        tas->key_runs[q + 1] += tas->key_runs[q];
    }
    tas->run_count = tas->key_runs[keys];
    tas->accesses = st_alloc(tas->access_count + 1, sizeof *tas->accesses);
    tas->runs = st_alloc(tas->run_count + 1, sizeof *tas->runs);
    tas->runs[tas->run_count] = (struct tas_run){TAS_NONE, TAS_NONE, (uint32_t)tas->access_count};
    sort_accesses(tas, places, false);
    for (size_t q = keys; q > 0; q--) /* each start moved to its end, which is the next start */
        tas->key_runs[q] = tas->key_runs[q - 1];
    tas->key_runs[0] = 0;
    free(places);
    list_runs_by_thread(tas);
}
