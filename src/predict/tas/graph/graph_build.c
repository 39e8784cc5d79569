#include "base/memory.h"
#include "predict/tas/graph/graph.h"

#include <stdlib.h>

static void count_names(struct st_tas_graph *graph) {
    for (size_t i = 0; i < graph->count; i++) {
        const struct st_event *e = &graph->events[i];
        uint32_t threads = e->thread + 1;
        if ((e->op == ST_FORK || e->op == ST_JOIN) && e->target >= threads)
            threads = e->target + 1;
        if (threads > graph->thread_count)
            graph->thread_count = threads;
        if (tas_is_access(e) && e->target >= graph->variable_count)
            graph->variable_count = e->target + 1;
        if ((e->op == ST_ACQUIRE || e->op == ST_RELEASE) && e->target >= graph->lock_count)
            graph->lock_count = e->target + 1;
    }
}

/* ---- strands ---- */

/* What becomes of a thread, for finding strands. Indices are those of events, plus 1; 0: none. */
struct life {
    uint32_t first, last, fork, join; /* its own events; where it is created and joined */
    uint32_t locks;                   /* that it holds at its end */
    /* Threads + 1 whose strands can be continued by those that this one creates: a list. */
    uint32_t free, free_end;
    uint32_t next; /* in such a list */
    bool odd;      /* it is created or joined twice */
};

static void note(uint32_t *place, uint32_t event, bool *again) {
    *again |= *place != 0;
    *place = event + 1;
}

static struct life *find_lives(const struct st_tas_graph *graph) {
    struct life *lives = st_alloc((size_t)graph->thread_count + 1, sizeof *lives);
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct st_event *e = &graph->events[i];
        struct life *life = &lives[e->thread];
        if (e->op == ST_DROPPED)
            continue;
        life->first = life->first ? life->first : i + 1;
        life->last = i + 1;
        life->locks += e->op == ST_ACQUIRE;
        life->locks -= e->op == ST_RELEASE;
        if (e->op == ST_FORK)
            note(&lives[e->target].fork, i, &lives[e->target].odd);
        if (e->op == ST_JOIN)
            note(&lives[e->target].join, i, &lives[e->target].odd);
    }
    return lives;
}

/* After a join: threads that the joining one creates can continue the strand of the joined one, and
 * whatever that one could have continued. */
static void give_strands(struct life *lives, const struct st_event *join) {
    struct life *from = &lives[join->target], *to = &lives[join->thread];
    if (!from->odd && !from->locks && from->last < from->join) {
        from->next = from->free;
        from->free = join->target + 1;
        from->free_end = from->free_end ? from->free_end : from->free;
    }
    if (!from->free)
        return;
    lives[from->free_end - 1].next = to->free;
    to->free_end = to->free ? to->free_end : from->free_end;
    to->free = from->free;
    from->free = from->free_end = 0;
}

static void start_strand(struct st_tas_graph *graph, uint32_t thread) {
    graph->threads[thread].strand = graph->strand_count;
    graph->strands[graph->strand_count++].only = thread;
}

/* A thread is created: it continues a strand, if it can. */
static void take_strand(struct st_tas_graph *graph, struct life *lives,
                        const struct st_event *fork) {
    struct life *life = &lives[fork->target], *creator = &lives[fork->thread];
    if (life->odd || (life->first && life->first < life->fork) || !creator->free)
        return;
    struct life *before = &lives[creator->free - 1];
    uint32_t strand = graph->threads[creator->free - 1].strand;
    creator->free = before->next;
    creator->free_end = creator->free ? creator->free_end : 0;
    graph->threads[fork->target].strand = strand;
    graph->strands[strand].only = TAS_NONE;
}

static void find_strands(struct st_tas_graph *graph) {
    struct life *lives = find_lives(graph);
    graph->threads = st_alloc((size_t)graph->thread_count + 1, sizeof *graph->threads);
    graph->strands = st_alloc((size_t)graph->thread_count + 1, sizeof *graph->strands);
    for (uint32_t t = 0; t < graph->thread_count; t++)
        graph->threads[t].strand = TAS_NONE;
    for (size_t i = 0; i < graph->count; i++) {
        const struct st_event *e = &graph->events[i];
        if (e->op == ST_DROPPED)
            continue;
        if (graph->threads[e->thread].strand == TAS_NONE)
            start_strand(graph, e->thread);
        if (e->op == ST_FORK && graph->threads[e->target].strand == TAS_NONE)
            take_strand(graph, lives, e);
        if (e->op == ST_JOIN && graph->threads[e->target].strand == TAS_NONE)
            start_strand(graph, e->target);
        if (e->op == ST_JOIN && e->target != e->thread)
            give_strands(lives, e);
    }
    for (uint32_t t = 0; t < graph->thread_count; t++)
        if (graph->threads[t].strand == TAS_NONE)
            start_strand(graph, t);
    free(lives);
}

static void list_events(struct st_tas_graph *graph) {
    graph->position = st_alloc(graph->count + 1, sizeof *graph->position);
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->events[i].op == ST_DROPPED)
            continue;
        struct tas_thread *thread = &graph->threads[graph->events[i].thread];
        graph->position[i] = ++graph->strands[thread->strand].count;
        if (!thread->last)
            thread->before = graph->position[i] - 1;
        thread->last = graph->position[i];
    }
    for (uint32_t t = 0; t < graph->strand_count; t++)
        graph->strands[t].events = st_alloc((size_t)graph->strands[t].count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->position[i])
            graph->strands[tas_strand_of(graph, i)].events[graph->position[i] - 1] = i;
}

/* ---- what is in the trace ---- */

static void find_shared(struct st_tas_graph *graph) {
    enum { OTHERS = 1, WRITTEN = 2 };
    uint32_t *first = st_alloc((size_t)graph->variable_count + 1, sizeof *first);
    uint8_t *seen = st_alloc((size_t)graph->variable_count + 1, 1);
    for (size_t i = 0; i < graph->count; i++) {
        const struct st_event *e = &graph->events[i];
        if (!tas_is_access(e))
            continue;
        if (!first[e->target])
            first[e->target] = e->thread + 1;
        if (first[e->target] != e->thread + 1)
            seen[e->target] |= OTHERS;
        if (e->op == ST_WRITE)
            seen[e->target] |= WRITTEN;
    }
    graph->shared = st_alloc((size_t)graph->variable_count + 1, sizeof *graph->shared);
    for (uint32_t x = 0; x < graph->variable_count; x++)
        graph->shared[x] = seen[x] == (OTHERS | WRITTEN);
    free(first);
    free(seen);
}

static void find_blocks(struct st_tas_graph *graph) {
    uint32_t *depth = st_alloc((size_t)graph->thread_count + 1, sizeof *depth);
    size_t *open = st_alloc((size_t)graph->thread_count + 1, sizeof *open);
    for (size_t i = 0; i < graph->count; i++) {
        const struct st_event *e = &graph->events[i];
        if (e->op == ST_BEGIN && depth[e->thread]++ == 0) {
            st_reserve(&graph->blocks, &graph->block_capacity, graph->block_count + 1);
            open[e->thread] = graph->block_count;
            graph->blocks[graph->block_count++] =
                (struct tas_block){.thread = e->thread,
                                   .strand = graph->threads[e->thread].strand,
                                   .first = graph->position[i],
                                   .last = graph->threads[e->thread].last,
                                   .open = true};
        } else if (e->op == ST_END && depth[e->thread] && --depth[e->thread] == 0) {
            graph->blocks[open[e->thread]].last = graph->position[i];
            graph->blocks[open[e->thread]].open = false;
        }
    }
    free(depth);
    free(open);
}

static void list_acquires(struct st_tas_graph *graph) {
    graph->lock_first = st_alloc((size_t)graph->lock_count + 2, sizeof *graph->lock_first);
    for (size_t i = 0; i < graph->count; i++)
        if (graph->events[i].op == ST_ACQUIRE)
            graph->lock_first[graph->events[i].target + 1]++;
    for (uint32_t l = 0; l < graph->lock_count; l++)
        graph->lock_first[l + 1] += graph->lock_first[l];
    graph->acquires = st_alloc((size_t)graph->lock_first[graph->lock_count] + 1, sizeof(uint32_t));
    for (size_t i = 0; i < graph->count; i++)
        if (graph->events[i].op == ST_ACQUIRE)
            graph->acquires[graph->lock_first[graph->events[i].target]++] = (uint32_t)i;
    for (uint32_t l = graph->lock_count; l > 0; l--) /* each start has moved to the next one */
        graph->lock_first[l] = graph->lock_first[l - 1];
    graph->lock_first[0] = 0;
}

void tas_build_threads(struct st_tas_graph *graph) {
    count_names(graph);
    find_strands(graph);
    list_events(graph);
    list_acquires(graph);
    find_shared(graph);
    find_blocks(graph);
}

/* ---- accesses by variable, kind and thread ---- */

static size_t key_of(const struct st_event *event) {
    return 2 * (size_t)event->target + (event->op == ST_WRITE);
}

/* Goes strand by strand, so that within a key the accesses of a strand are adjacent. The first
 * round counts accesses and runs by key, the second puts them in place. */
static void sort_accesses(struct st_tas_graph *graph, uint32_t *places, bool counting) {
    uint32_t *owner = st_alloc(2 * (size_t)graph->variable_count + 1, sizeof *owner);
    for (uint32_t t = 0; t < graph->strand_count; t++)
        for (uint32_t p = 0; p < graph->strands[t].count; p++) {
            uint32_t event = graph->strands[t].events[p];
            if (!tas_is_shared_access(graph, event))
                continue;
            size_t key = key_of(&graph->events[event]);
            bool new_run = owner[key] != t + 1;
            owner[key] = t + 1;
            if (counting) {
                graph->key_runs[key + 1] += new_run;
            } else {
                if (new_run)
                    graph->runs[graph->key_runs[key]++] =
                        (struct tas_run){t, (uint32_t)key, places[key]};
                graph->accesses[places[key]] = event;
            }
            places[key]++;
        }
    free(owner);
}

static void list_runs_by_strand(struct st_tas_graph *graph) {
    graph->strand_first = st_alloc((size_t)graph->strand_count + 2, sizeof *graph->strand_first);
    graph->strand_runs = st_alloc(graph->run_count + 1, sizeof *graph->strand_runs);
    for (size_t r = 0; r < graph->run_count; r++)
        graph->strand_first[graph->runs[r].strand + 1]++;
    for (uint32_t t = 0; t < graph->strand_count; t++)
        graph->strand_first[t + 1] += graph->strand_first[t];
    for (size_t r = 0; r < graph->run_count; r++)
        graph->strand_runs[graph->strand_first[graph->runs[r].strand]++] = (uint32_t)r;
    for (uint32_t t = graph->strand_count; t > 0; t--) /* each start has moved to the next one */
        graph->strand_first[t] = graph->strand_first[t - 1];
    graph->strand_first[0] = 0;
}

void tas_build_accesses(struct st_tas_graph *graph) {
    size_t keys = 2 * (size_t)graph->variable_count;
    uint32_t *places = st_alloc(keys + 1, sizeof *places);
    graph->key_runs = st_alloc(keys + 2, sizeof *graph->key_runs);
    sort_accesses(graph, places, true);
    for (size_t q = 0; q < keys; q++) {
        uint32_t count = places[q];
        places[q] = (uint32_t)graph->access_count;
        graph->access_count += count;
        graph->key_runs[q + 1] += graph->key_runs[q];
    }
    graph->run_count = graph->key_runs[keys];
    graph->accesses = st_alloc(graph->access_count + 1, sizeof *graph->accesses);
    graph->runs = st_alloc(graph->run_count + 1, sizeof *graph->runs);
    graph->runs[graph->run_count] =
        (struct tas_run){TAS_NONE, TAS_NONE, (uint32_t)graph->access_count};
    sort_accesses(graph, places, false);
    for (size_t q = keys; q > 0; q--) /* each start has moved to its end, which is the next
                                       * start */
        graph->key_runs[q] = graph->key_runs[q - 1];
    graph->key_runs[0] = 0;
    free(places);
    list_runs_by_strand(graph);
}
