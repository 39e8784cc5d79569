#include "predict/tas_segment.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void tas_segment_init(struct tas_segment *segment, const struct st_tas *tas) {
    *segment = (struct tas_segment){0};
    segment->upper = st_alloc((size_t)tas->thread_count + 1, sizeof *segment->upper);
    segment->lower = st_alloc((size_t)tas->thread_count + 1, sizeof *segment->lower);
    segment->others = st_alloc((size_t)tas->variable_count + 1, sizeof *segment->others);
    segment->stamps = st_alloc((size_t)tas->variable_count + 1, sizeof *segment->stamps);
}

void tas_segment_free(struct tas_segment *segment) {
    free(segment->accesses);
    free(segment->upper);
    free(segment->lower);
    free(segment->others);
    free(segment->stamps);
}

uint32_t tas_lower_frontier(const struct st_tas *tas, uint32_t thread, uint32_t event) {
    const struct tas_thread *t = &tas->threads[thread];
    uint32_t other = tas->events[event].thread, limit = tas->position[event];
    uint32_t low = 0, high = t->count; /* vectors grow along a thread */
    if (tas_clock(tas, t->start)[other] >= limit)
        return 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tas_needs(tas, t->events[middle])[other] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    /* A read that only its couple keeps behind the event may be executed before it, as the last
     * event of its thread. */
    if (low < t->count && tas->events[t->events[low]].op == ST_READ)
        low++;
    return low + 1;
}

bool tas_segment_find(struct tas_segment *segment, const struct st_tas *tas,
                      const struct tas_block *block) {
    const uint32_t *events = tas->threads[block->thread].events;
    segment->block = block;
    segment->access_count = 0;
    segment->stamp++;
    for (uint32_t p = block->first; p <= block->last; p++)
        if (tas_is_shared_access(tas, events[p - 1])) {
            st_reserve(&segment->accesses, &segment->access_capacity, segment->access_count + 1);
            segment->accesses[segment->access_count++] = events[p - 1];
        }
    if (segment->access_count < 2)
        return false;
    uint32_t first = segment->accesses[0], last = segment->accesses[segment->access_count - 1];
    const uint32_t *needs = tas_needs(tas, first);
    for (uint32_t t = 0; t < tas->thread_count; t++) {
        segment->upper[t] = needs[t];
        segment->lower[t] = t == block->thread ? 0 : tas_lower_frontier(tas, t, last);
    }
    segment->upper[block->thread] = tas->position[first] - 1;
    segment->lower[block->thread] = tas->position[last] + 1;
    return true;
}

uint64_t tas_segment_size(const struct tas_segment *segment, const struct st_tas *tas) {
    uint64_t size = 0;
    for (uint32_t t = 0; t < tas->thread_count; t++)
        if (segment->lower[t] > segment->upper[t] + 1)
            size += segment->lower[t] - segment->upper[t] - 1;
    return size;
}

static bool others_access(const struct tas_segment *segment, const struct st_tas *tas,
                          uint32_t variable, bool write) {
    size_t key = 2 * (size_t)variable + write;
    for (uint32_t r = tas->key_runs[key]; r < tas->key_runs[key + 1]; r++) {
        const struct tas_run *run = &tas->runs[r];
        if (run->thread == segment->block->thread)
            continue;
        size_t place = tas_run_from(tas, run, segment->upper[run->thread] + 1);
        if (place < run[1].first &&
            tas->position[tas->accesses[place]] < segment->lower[run->thread])
            return true;
    }
    return false;
}

static unsigned others_of(struct tas_segment *segment, const struct st_tas *tas,
                          uint32_t variable) {
    if (segment->stamps[variable] != segment->stamp) {
        segment->stamps[variable] = segment->stamp;
        segment->others[variable] =
            (uint8_t)((others_access(segment, tas, variable, false) ? TAS_OTHERS_READ : 0) |
                      (others_access(segment, tas, variable, true) ? TAS_OTHERS_WRITE : 0));
    }
    return segment->others[variable];
}

bool tas_segment_static_check(struct tas_segment *segment, const struct st_tas *tas) {
    size_t kept = 0;
    for (size_t i = 0; i < segment->access_count; i++) {
        const struct st_event *e = &tas->events[segment->accesses[i]];
        unsigned others = others_of(segment, tas, e->target);
        if (e->op == ST_WRITE ? others : others & TAS_OTHERS_WRITE)
            segment->accesses[kept++] = segment->accesses[i];
    }
    segment->access_count = kept;
    return kept < 2;
}
