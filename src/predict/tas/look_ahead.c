#include "predict/tas/look_ahead.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 }; /* events of a strand that are looked at one by one */

/* Where a run is entered first, and how far the block's strand is at least when it is. */
struct tas_entry {
    uint32_t stamp, first, reached;
};

/* The same where a strand is left by one of its runs. */
struct tas_exit {
    uint32_t first, reached; /* 0: it is not left there */
};

static bool holds_locks(const struct st_tas_graph *graph, const struct tas_segment *segment) {
    uint32_t last = graph->position[segment->accesses[segment->access_count - 1]];
    for (uint32_t p = graph->position[segment->accesses[0]]; p <= last; p++)
        if (graph->lockset[tas_event_at(graph, segment->block->strand, p)])
            return true;
    return false;
}

void tas_ahead_init(struct tas_ahead *ahead, struct tas_runs_between *between) {
    size_t strands = (size_t)between->graph->strand_count + 1;
    *ahead = (struct tas_ahead){.graph = between->graph, .between = between};
    ahead->first = st_alloc(strands, sizeof *ahead->first);
    ahead->before = st_alloc(strands * strands, sizeof *ahead->before);
    ahead->now = st_alloc(strands, sizeof *ahead->now);
    ahead->waits = st_alloc(strands, sizeof *ahead->waits);
}

void tas_ahead_start(struct tas_ahead *ahead, const struct tas_segment *segment) {
    ahead->segment = segment;
    ahead->bounded = false;
    ahead->locked = holds_locks(ahead->graph, segment);
    if (ahead->locked && !ahead->entries)
        ahead->entries = st_alloc(ahead->graph->run_count + 1, sizeof *ahead->entries);
}

void tas_ahead_free(struct tas_ahead *ahead) {
    free(ahead->first);
    free(ahead->before);
    free(ahead->now);
    free(ahead->waits);
    free(ahead->entries);
    free(ahead->exits);
}

/* A strand is entered at this position, unless it already was at an earlier one. `now` comes before
 * the entry. */
static void enter(struct tas_ahead *a, uint32_t strand, uint32_t position) {
    uint32_t strands = a->graph->strand_count;
    uint32_t *before = a->before + (size_t)strand * strands;
    a->work += strands;
    if (!a->first[strand]) {
        a->first[strand] = position;
        memcpy(before, a->now, strands * sizeof *before);
        a->waits[strand] = true;
        return;
    }
    bool changed = position < a->first[strand];
    if (changed)
        a->first[strand] = position;
    for (uint32_t t = 0; t < strands; t++) {
        changed |= a->now[t] < before[t];
        before[t] = a->now[t] < before[t] ? a->now[t] : before[t];
    }
    a->waits[strand] |= changed;
}

/* The same for one of its runs. */
static void enter_run(struct tas_ahead *a, size_t run, uint32_t position) {
    struct tas_entry *entry = &a->entries[run];
    uint32_t reached = a->now[a->segment->block->strand];
    if (entry->stamp != a->stamp)
        *entry = (struct tas_entry){a->stamp, UINT32_MAX, UINT32_MAX};
    if (position < entry->first || reached < entry->reached)
        a->waits[a->graph->runs[run].strand] = true;
    entry->first = position < entry->first ? position : entry->first;
    entry->reached = reached < entry->reached ? reached : entry->reached;
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
            if (position >= task->high[t])
                continue;
            enter(a, t, position);
            if (a->locked)
                enter_run(a, r, position);
        }
    }
}

/* Sets `now` for an access of a strand that has been entered. False if the access would come after
 * the target. */
static bool arrive(struct tas_ahead *a, const struct tas_ahead_task *task, uint32_t event) {
    const struct st_tas_graph *graph = a->graph;
    uint32_t strand = tas_strand_of(graph, event), own = tas_strand_of(graph, task->target);
    const uint32_t *before = a->before + (size_t)strand * graph->strand_count;
    a->work += graph->strand_count;
    memcpy(a->now, before, graph->strand_count * sizeof *before);
    for (struct tas_walk walk = {.needs = tas_needs_free(graph, event)}; tas_walk_next(&walk);)
        if (walk.position > a->now[walk.strand])
            a->now[walk.strand] = walk.position;
    a->now[strand] = graph->position[event];
    return a->now[own] < graph->position[task->target];
}

/* Leaves a strand by all kinds of accesses that are listed. The first of each kind represents all
 * of them, since no more comes before it than before the others. True if the target is reached. */
static bool leave(struct tas_ahead *a, const struct tas_ahead_task *task, uint32_t strand,
                  const uint32_t *runs, size_t count) {
    const struct st_tas_graph *graph = a->graph;
    for (size_t i = 0; i < count; i++) {
        const struct tas_run *run = &graph->runs[runs[i]];
        size_t place = tas_run_from(graph, run, a->first[strand]);
        a->work += 20; /* nanoseconds or so */
        if (place == run[1].first)
            continue;
        uint32_t event = graph->accesses[place];
        if (graph->position[event] >= task->high[strand] || !arrive(a, task, event))
            continue;
        if (tas_conflict(graph, event, task->target))
            return true;
        go_on(a, task, event);
    }
    return false;
}

/* ---- past locks ---- */

/* Goes along a strand and finds out by which runs it can be left before the target. `reached` is
 * how far the block's strand must have come, for the chain for which that is least. */
static void find_exits(struct tas_ahead *a, const struct tas_ahead_task *task, uint32_t strand) {
    const struct st_tas_graph *graph = a->graph;
    uint32_t own = a->segment->block->strand, limit = graph->position[task->target];
    uint32_t reached = UINT32_MAX;
    for (uint32_t p = a->first[strand]; p < task->high[strand]; p++) {
        uint32_t event = tas_event_at(graph, strand, p);
        const struct st_event *e = &graph->events[event];
        if (e->op == ST_ACQUIRE)
            reached = tas_position_let_in(graph, own, reached, e->target);
        if (!tas_is_shared_access(graph, event))
            continue;
        size_t run =
            (size_t)(tas_run_of(graph, 2 * e->target + (e->op == ST_WRITE), strand) - graph->runs);
        const struct tas_entry *entry = &a->entries[run];
        if (entry->stamp == a->stamp && entry->first <= p) {
            uint32_t here = tas_position_let_in_all(graph, own, entry->reached, event);
            reached = here < reached ? here : reached;
        }
        if (reached >= limit)
            continue;
        struct tas_exit *exit = &a->exits[tas_place_between(a->between, run)];
        if (!exit->first || reached < exit->reached)
            exit->reached = reached;
        exit->first = exit->first ? exit->first : p;
    }
    a->work += 20 * (uint64_t)(task->high[strand] - a->first[strand]);
}

/* Like leave(). */
static bool leave_past_locks(struct tas_ahead *a, const struct tas_ahead_task *task,
                             uint32_t strand, size_t count) {
    const struct st_tas_graph *graph = a->graph;
    uint32_t own = a->segment->block->strand;
    st_reserve(&a->exits, &a->exit_capacity, count + 1);
    memset(a->exits, 0, count * sizeof *a->exits);
    find_exits(a, task, strand);
    for (size_t i = 0; i < count; i++) {
        if (!a->exits[i].first)
            continue;
        uint32_t event = tas_event_at(graph, strand, a->exits[i].first);
        if (!arrive(a, task, event))
            continue;
        if (a->now[own] < a->exits[i].reached)
            a->now[own] = a->exits[i].reached;
        if (tas_conflict(graph, event, task->target))
            return true;
        go_on(a, task, event);
    }
    return false;
}

static bool leave_strand(struct tas_ahead *a, const struct tas_ahead_task *task, uint32_t strand) {
    struct tas_runs_between *between = a->between;
    uint32_t first = a->first[strand], high = task->high[strand];
    size_t base = between->count;
    tas_list_runs_between(between, strand, first - 1, high);
    a->work += between->work;
    size_t count = between->count - base;
    between->count = base; /* nobody else makes a list meanwhile */
    return a->locked && high - first < MOST ? leave_past_locks(a, task, strand, count)
                                            : leave(a, task, strand, between->list + base, count);
}

/* Makes one round over all waiting strands. */
static bool leave_all(struct tas_ahead *a, const struct tas_ahead_task *task, bool *changed) {
    *changed = false;
    for (uint32_t t = 0; t < a->graph->strand_count; t++) {
        if (!a->waits[t])
            continue;
        a->waits[t] = false;
        *changed = true;
        if (leave_strand(a, task, t))
            return true;
    }
    return false;
}

bool tas_ahead_reaches(struct tas_ahead *a, const struct tas_ahead_task *task) {
    const struct st_tas_graph *graph = a->graph;
    uint32_t strands = graph->strand_count;
    bool changed = true;
    a->work = 0;
    a->stamp++;
    memset(a->first, 0, strands * sizeof *a->first);
    memset(a->waits, 0, strands * sizeof *a->waits);
    memcpy(a->now, task->before, strands * sizeof *a->now);
    a->now[tas_strand_of(graph, task->from)] = graph->position[task->from];
    go_on(a, task, task->from);
    /* A round extends every chain by at least one interval. */
    for (size_t round = 0; changed && round < task->intervals; round++)
        if (leave_all(a, task, &changed))
            return true;
    a->bounded |= changed;
    return false;
}
