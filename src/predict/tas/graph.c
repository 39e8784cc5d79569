#include "predict/tas/graph.h"

#include "predict/tas/graph_build.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct st_tas *st_tas_new(void) {
    return st_alloc(1, sizeof(struct st_tas));
}

void st_tas_free(struct st_tas *tas) {
    if (!tas)
        return;
    for (uint32_t t = 0; t < tas->thread_count; t++)
        free(tas->threads[t].events);
    for (size_t i = 0; i < tas->chunk_count; i++)
        free(tas->clocks[i]);
    free(tas->threads);
    free(tas->clocks);
    free(tas->events);
    free(tas->position);
    free(tas->partner);
    free(tas->clock);
    free(tas->lockset);
    free(tas->lock_sets);
    free(tas->lock_members);
    free(tas->acquires);
    free(tas->lock_first);
    free(tas->shared);
    free(tas->accesses);
    free(tas->runs);
    free(tas->key_runs);
    free(tas->thread_runs);
    free(tas->thread_first);
    free(tas->blocks);
    free(tas);
}

void st_tas_feed(struct st_tas *tas, const struct st_event *events, size_t count, uint64_t first) {
    (void)first; /* The trace is fed as a whole, so it follows from what came before. */
    if (count > UINT32_MAX - 1 - tas->count) {
        count = UINT32_MAX - 1 - tas->count;
        tas->overflow = true;
    }
    if (!count)
        return;
    st_reserve(&tas->events, &tas->capacity, tas->count + count);
    memcpy(tas->events + tas->count, events, count * sizeof *events);
    tas->count += count;
}

void st_tas_finish(struct st_tas *tas) {
    tas_build_threads(tas);
    tas_build_order(tas);
    tas_build_accesses(tas);
}

size_t st_tas_memory(const struct st_tas *tas) {
    size_t per_event = sizeof *tas->position + sizeof *tas->partner + sizeof *tas->clock +
                       sizeof *tas->lockset + sizeof(uint32_t);
    return tas->capacity * sizeof *tas->events + tas->count * per_event +
           tas->chunk_count * TAS_CLOCKS_PER_CHUNK * tas->thread_count * sizeof(uint32_t) +
           tas->access_count * sizeof *tas->accesses + tas->run_count * sizeof *tas->runs +
           tas->variable_count * (2 * sizeof *tas->key_runs + sizeof *tas->shared) +
           tas->set_capacity * sizeof *tas->lock_sets +
           tas->member_capacity * sizeof *tas->lock_members +
           tas->block_capacity * sizeof *tas->blocks;
}

const uint32_t *tas_needs_free(const struct st_tas *tas, uint32_t event) {
    const struct st_event *e = &tas->events[event];
    if (e->op != ST_READ)
        return tas_needs(tas, event);
    const struct tas_thread *thread = &tas->threads[e->thread];
    uint32_t position = tas->position[event];
    if (position == 1)
        return tas_clock(tas, thread->start);
    return tas_needs(tas, thread->events[position - 2]);
}

bool tas_must_precede(const struct st_tas *tas, uint32_t a, uint32_t b) {
    uint32_t thread = tas->events[a].thread;
    if (thread == tas->events[b].thread)
        return tas->position[a] < tas->position[b];
    return tas_needs(tas, b)[thread] >= tas->position[a];
}

bool tas_is_update(const struct st_tas *tas, uint32_t read) {
    const struct tas_thread *thread = &tas->threads[tas->events[read].thread];
    if (tas->events[read].op != ST_READ || tas->position[read] == thread->count)
        return false;
    uint32_t next = thread->events[tas->position[read]];
    return tas->events[next].op == ST_WRITE && tas->partner[next] == read + 1;
}

bool tas_locks_meet(const struct st_tas *tas, uint32_t set, uint32_t other) {
    const uint32_t *a = tas->lock_members + tas->lock_sets[set];
    const uint32_t *a_end = tas->lock_members + tas->lock_sets[set + 1];
    const uint32_t *b = tas->lock_members + tas->lock_sets[other];
    const uint32_t *b_end = tas->lock_members + tas->lock_sets[other + 1];
    while (a < a_end && b < b_end) {
        if (*a == *b)
            return true;
        if (*a < *b)
            a++;
        else
            b++;
    }
    return false;
}

uint32_t tas_acquires_before(const struct st_tas *tas, uint32_t lock, uint32_t count) {
    uint32_t low = tas->lock_first[lock], high = tas->lock_first[lock + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tas->acquires[middle] < count)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t tas_holder(const struct st_tas *tas, uint32_t lock, uint32_t count) {
    uint32_t place = tas_acquires_before(tas, lock, count);
    if (place == tas->lock_first[lock])
        return TAS_NONE;
    uint32_t acquire = tas->acquires[place - 1], release = tas->partner[acquire];
    return release && release - 1 < count ? TAS_NONE : acquire;
}

uint32_t tas_position_before(const struct st_tas *tas, uint32_t thread, uint32_t count) {
    const struct tas_thread *t = &tas->threads[thread];
    uint32_t low = 0, high = t->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->events[middle] < count)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t tas_run_from(const struct st_tas *tas, const struct tas_run *run, uint32_t position) {
    size_t low = run[0].first, high = run[1].first;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tas->position[tas->accesses[middle]] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
