#include "predict/tas/look_ahead.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void tas_ahead_init(struct tas_ahead *ahead, const struct st_tas_graph *graph,
                    const struct tas_segment *segment) {
    size_t threads = (size_t)graph->strand_count + 1;
    *ahead = (struct tas_ahead){.graph = graph, .segment = segment};
    ahead->first = st_alloc(threads, sizeof *ahead->first);
    ahead->before = st_alloc(threads * threads, sizeof *ahead->before);
    ahead->now = st_alloc(threads, sizeof *ahead->now);
    ahead->waits = st_alloc(threads, sizeof *ahead->waits);
}

void tas_ahead_free(struct tas_ahead *ahead) {
    free(ahead->first);
    free(ahead->before);
    free(ahead->now);
    free(ahead->waits);
}

/* A thread is entered at this position, unless it already was at an earlier one. `now` comes before
 * the entry. */
static void enter(struct tas_ahead *a, uint32_t thread, uint32_t position) {
    uint32_t threads = a->graph->strand_count;
    uint32_t *before = a->before + (size_t)thread * threads;
    a->work += threads;
    if (!a->first[thread]) {
        a->first[thread] = position;
        memcpy(before, a->now, threads * sizeof *before);
        a->waits[thread] = true;
        return;
    }
    bool changed = position < a->first[thread];
    if (changed)
        a->first[thread] = position;
    for (uint32_t t = 0; t < threads; t++) {
        changed |= a->now[t] < before[t];
        before[t] = a->now[t] < before[t] ? a->now[t] : before[t];
    }
    a->waits[thread] |= changed;
}

/* Continues from an access to those that conflict with it. In each run, the first access that may
 * come later represents all of them. */
static void go_on(struct tas_ahead *a, const struct tas_ahead_task *task, uint32_t event) {
    const struct st_tas_graph *graph = a->graph;
    const struct st_event *e = &graph->events[event];
    const struct tas_thread *thread = tas_thread_of(graph, event);
    for (uint32_t write = e->op == ST_READ; write <= 1; write++) {
        size_t key = 2 * (size_t)e->target + write;
        for (uint32_t r = graph->key_runs[key]; r < graph->key_runs[key + 1]; r++) {
            const struct tas_run *run = &graph->runs[r];
            uint32_t t = run->strand;
            if (t == a->segment->block->strand || tas_is_visited(graph, task->visited, t))
                continue;
            uint32_t low = a->now[t] > a->segment->upper[t] ? a->now[t] : a->segment->upper[t];
            if (t == thread->strand && low < thread->last)
                low = thread->last; /* a conflict leads to another thread */
            size_t place = tas_run_from(graph, run, low + 1);
            if (place == run[1].first)
                continue;
            uint32_t position = graph->position[graph->accesses[place]];
            if (position < task->high[t])
                enter(a, t, position);
        }
    }
}

/* Sets `now` for an access of a thread that has been entered. False if the access would come after
 * the target. */
static bool arrive(struct tas_ahead *a, const struct tas_ahead_task *task, uint32_t event) {
    const struct st_tas_graph *graph = a->graph;
    uint32_t thread = tas_strand_of(graph, event), own = tas_strand_of(graph, task->target);
    const uint32_t *before = a->before + (size_t)thread * graph->strand_count;
    a->work += graph->strand_count;
    memcpy(a->now, before, graph->strand_count * sizeof *before);
    for (struct tas_walk walk = {.needs = tas_needs_free(graph, event)}; tas_walk_next(&walk);)
        if (walk.position > a->now[walk.strand])
            a->now[walk.strand] = walk.position;
    a->now[thread] = graph->position[event];
    return a->now[own] < graph->position[task->target];
}

/* Leaves a thread by all kinds of accesses. The first of each kind represents all of them, since no
 * more comes before it than before the others. True if the target is reached. */
static bool leave(struct tas_ahead *a, const struct tas_ahead_task *task, uint32_t thread) {
    const struct st_tas_graph *graph = a->graph;
    for (uint32_t i = graph->strand_first[thread]; i < graph->strand_first[thread + 1]; i++) {
        const struct tas_run *run = &graph->runs[graph->strand_runs[i]];
        size_t place = tas_run_from(graph, run, a->first[thread]);
        a->work += 20; /* nanoseconds or so */
        if (place == run[1].first)
            continue;
        uint32_t event = graph->accesses[place];
        if (graph->position[event] >= task->high[thread] || !arrive(a, task, event))
            continue;
        if (tas_conflict(graph, event, task->target))
            return true;
        go_on(a, task, event);
    }
    return false;
}

/* Makes one round over all waiting threads. */
static bool leave_all(struct tas_ahead *a, const struct tas_ahead_task *task, bool *changed) {
    *changed = false;
    for (uint32_t t = 0; t < a->graph->strand_count; t++) {
        if (!a->waits[t])
            continue;
        a->waits[t] = false;
        *changed = true;
        if (leave(a, task, t))
            return true;
    }
    return false;
}

bool tas_ahead_reaches(struct tas_ahead *a, const struct tas_ahead_task *task) {
    const struct st_tas_graph *graph = a->graph;
    uint32_t threads = graph->strand_count;
    bool changed = true;
    a->work = 0;
    memset(a->first, 0, threads * sizeof *a->first);
    memset(a->waits, 0, threads * sizeof *a->waits);
    memcpy(a->now, task->before, threads * sizeof *a->now);
    a->now[tas_strand_of(graph, task->from)] = graph->position[task->from];
    go_on(a, task, task->from);
    /* A round extends every chain by at least one interval. */
    for (size_t round = 0; changed && round < task->intervals; round++)
        if (leave_all(a, task, &changed))
            return true;
    a->bounded |= changed;
    return false;
}
