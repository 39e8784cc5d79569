/* RegionTrack: Ma, Wu, Pobee, Mei, Zhang, Jiang, Chan, TOSEM 2020.
 *
 * Question: which blocks are violated, and is the trace serializable? Both answers are exact, and
 * so is the first bad event.
 *
 * Idea, first half (Algorithms 1 and 2): a block is violated iff something that happens after its
 * begin, in another thread, happens before one of its events. So each thread keeps a vector clock;
 * an access stores a snapshot of it; and when an edge x -> m enters a block, the block is violated
 * iff the snapshot of x knows the block's begin.
 *
 * Idea, second half (Algorithms 3 and 4): a trace can be non-serializable without any violated
 * block, through a cycle of transactions that no chain of events follows. Each running block t
 * therefore keeps its frontier: frontier[u] is the smallest local time of thread u at which a
 * transaction starts that the block reaches in the transaction graph. An edge from time `src` of
 * thread a into the block closes a cycle iff frontier[a] <= src.
 *
 * Where this differs from the paper, and why:
 * - Algorithms 3 and 4 are wrong as printed: their clocks start at zero, which satisfies every
 *   comparison (false alarms); line 5 never stores a second sink; line 24 propagates through the
 *   wrong thread; unary events share a timestamp and make cycles that are not there. The frontier
 *   here starts at infinity, and one pass over the running blocks replaces the mutual recursion:
 *   new edges enter running transactions only, so everything else is already closed.
 * - Local time grows with every subregion (snapshot), not only with every block. Times then name
 *   snapshots, and an edge that brings nothing new is recognised by one comparison. Such an edge
 *   can neither violate a block nor close a cycle: the edge that brought the news did.
 * - Fork and join have their edges; a child without events gives nothing to its join.
 * - Clocks have an entry for each thread that lives, not for each that ever lived
 *   (check/thread_slots.h). Below, a thread is a slot, except in events.
 *
 * `rt-trace` is the same for the verdict alone, which the paper calls RT-Trace. After the first bad
 * event it has nothing more to do. */
#include "check/clock_accesses.h"
#include "check/engine.h"
#include "check/thread_slots.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct thread {
    struct st_shared_row *clock; /* its own entry is the time of `snapshot` */
    struct st_snapshot *snapshot;
    bool changed; /* the clock moved since the snapshot, or another transaction started */
    uint32_t depth;

    /* Of the running outermost block; meaningful while depth > 0. */
    st_time begin_time; /* its events have this local time or a later one */
    uint32_t block;
    uint64_t begin, begin_loc;
    bool violated;
    size_t violation;

    /* Frontier of that block. Entry u is ST_NEVER - frontier[u]: what is not reached is 0 then,
     * and the entries of a row only grow. NULL: it reaches nothing, like most. */
    struct st_shared_row *frontier;
    uint32_t frontier_index; /* in regiontrack.frontiers, if it reaches something */
};

struct regiontrack {
    struct st_findings *findings;
    struct st_snapshots snapshots;
    struct st_thread_slots slots;
    struct st_thread_origin *origins;
    size_t origin_capacity;
    struct thread *threads;
    size_t thread_count, thread_capacity;
    struct st_clock_accesses accesses;
    uint32_t *frontiers; /* threads whose running block reaches something */
    size_t frontier_count, frontier_capacity;
    bool serializable; /* so far */
    bool verdict_only; /* name no blocks, and stop at the first bad event */
    uint64_t subregions, joins, blocks, most_blocks; /* `blocks` run now */
    uint64_t number;                                 /* of the current event */
    const struct st_event *event;
    uint32_t slot; /* of its thread */
};

static void *create_trace(struct st_findings *findings) {
    struct regiontrack *rt = st_alloc(1, sizeof *rt);
    rt->findings = findings;
    rt->serializable = rt->verdict_only = true;
    st_snapshots_init(&rt->snapshots);
    return rt;
}

static void *create(struct st_findings *findings) {
    struct regiontrack *rt = create_trace(findings);
    rt->verdict_only = false;
    findings->names_blocks = findings->outermost_only = true;
    return rt;
}

static void destroy(void *state) {
    struct regiontrack *rt = state;
    st_clock_accesses_free(&rt->accesses);
    st_snapshots_free(&rt->snapshots);
    st_thread_slots_free(&rt->slots);
    free(rt->origins);
    free(rt->threads);
    free(rt->frontiers);
    free(rt);
}

static size_t memory(const void *state) {
    const struct regiontrack *rt = state;
    return sizeof *rt + st_snapshots_memory(&rt->snapshots) +
           st_clock_accesses_memory(&rt->accesses) + st_thread_slots_memory(&rt->slots) +
           rt->origin_capacity * sizeof *rt->origins + rt->thread_capacity * sizeof *rt->threads +
           rt->frontier_capacity * sizeof *rt->frontiers;
}

static void make_room(struct regiontrack *rt, struct st_extent need) {
    st_thread_slots_reserve(&rt->slots, need.threads);
    st_reserve(&rt->origins, &rt->origin_capacity, need.threads);
    st_clock_accesses_reserve(&rt->accesses, need);
}

static struct thread *add_thread(struct regiontrack *rt) {
    st_reserve(&rt->threads, &rt->thread_capacity, rt->slots.count);
    return &rt->threads[rt->thread_count++];
}

/* The thread's clock as it is now. Starts a subregion if anything changed. */
static struct st_snapshot *now(struct regiontrack *rt, uint32_t t) {
    struct thread *thread = &rt->threads[t];
    if (thread->changed) {
        st_time time = st_row_get(thread->clock, t) + 1;
        st_row_set(&rt->snapshots.rows, &thread->clock, t, time);
        if (__builtin_expect(time >= ST_TIME_LIMIT, 0))
            rt->findings->gave_up = ST_OUT_OF_TIME;
        thread->snapshot = st_snapshot_take(&rt->snapshots, t, time, thread->clock);
        thread->changed = false;
        rt->subregions++;
    }
    return thread->snapshot;
}

static struct st_clock_access this_access(struct regiontrack *rt, uint32_t t) {
    struct st_snapshot *snapshot = now(rt, t);
    return (struct st_clock_access){.thread = t,
                                    .time = snapshot->time,
                                    .snapshot = snapshot,
                                    .number = rt->number,
                                    .loc = rt->event->loc};
}

static struct st_edge edge_from(const struct regiontrack *rt, const struct st_clock_access *source,
                                enum st_op op) {
    static const enum st_edge_kind kinds[] = {
        [ST_READ] = ST_EDGE_CONFLICT, [ST_WRITE] = ST_EDGE_CONFLICT, [ST_RELEASE] = ST_EDGE_LOCK,
        [ST_JOIN] = ST_EDGE_JOIN,     [ST_SEND] = ST_EDGE_SYNC,
    };
    struct st_event from = {.thread = st_thread_slots_who(&rt->slots, source->thread, source->time),
                            .target = rt->event->target,
                            .loc = source->loc,
                            .written = op,
                            .op = op};
    return (struct st_edge){
        .from = {source->number, from}, .to = {rt->number, *rt->event}, .kind = kinds[op]};
}

static void report_violation(struct regiontrack *rt, uint32_t t,
                             const struct st_clock_access *source, enum st_op op) {
    struct thread *thread = &rt->threads[t];
    thread->violated = true;
    struct st_violation violation = {.block = thread->block,
                                     .thread = rt->event->thread,
                                     .begin_loc = thread->begin_loc,
                                     .begin = thread->begin,
                                     .event = {rt->number, *rt->event},
                                     .closing = edge_from(rt, source, op)};
    thread->violation = st_findings_violation(rt->findings, &violation);
}

/* Does its block reach the transaction of thread u at that time? */
static bool reaches(const struct thread *thread, uint32_t u, st_time time) {
    return st_row_get(thread->frontier, u) >= ST_NEVER - time;
}

/* The block of q now reaches what the block of t reaches (nothing, when t is in none), and the
 * transaction of t that starts at local time `sink`. */
static void extend_frontier(struct regiontrack *rt, uint32_t q, uint32_t t, st_time sink) {
    struct thread *thread = &rt->threads[q];
    if (!thread->frontier) {
        thread->frontier_index = (uint32_t)rt->frontier_count;
        st_reserve(&rt->frontiers, &rt->frontier_capacity, rt->frontier_count + 1);
        rt->frontiers[rt->frontier_count++] = q;
    }
    st_row_join(&rt->snapshots.rows, &thread->frontier, rt->threads[t].frontier);
    if (!reaches(thread, t, sink))
        st_row_set(&rt->snapshots.rows, &thread->frontier, t, ST_NEVER - sink);
}

static void drop_frontier(struct regiontrack *rt, struct thread *thread) {
    uint32_t last = rt->frontiers[--rt->frontier_count];
    rt->frontiers[thread->frontier_index] = last;
    rt->threads[last].frontier_index = thread->frontier_index;
    st_row_drop(&rt->snapshots.rows, thread->frontier);
    thread->frontier = NULL;
}

/* Every running block that reaches the source of the new edge reaches its target from now on. */
static void update_frontiers(struct regiontrack *rt, uint32_t t,
                             const struct st_clock_access *source) {
    const struct thread *thread = &rt->threads[t];
    uint32_t a = source->thread;
    /* A unary event has the local time that it is about to get. */
    st_time sink = thread->depth ? thread->begin_time : st_row_get(thread->clock, t) + 1;
    for (size_t i = 0; i < rt->frontier_count; i++) {
        uint32_t q = rt->frontiers[i];
        if (q != t && reaches(&rt->threads[q], a, source->time))
            extend_frontier(rt, q, t, sink);
    }
    if (rt->threads[a].depth && rt->threads[a].begin_time <= source->time)
        extend_frontier(rt, a, t, sink);
}

/* An edge that brings news: check it, then learn from it. */
static __attribute__((noinline)) void learn(struct regiontrack *rt, uint32_t t,
                                            const struct st_clock_access *source, enum st_op op) {
    struct thread *thread = &rt->threads[t];
    const struct st_snapshot *snapshot = source->snapshot;
    rt->joins++;
    if (thread->depth) {
        bool violated = thread->begin_time <= st_row_get(snapshot->clock, t);
        if (violated && !thread->violated && !rt->verdict_only)
            report_violation(rt, t, source, op);
        if (violated || reaches(thread, source->thread, source->time)) {
            st_findings_bad_event(rt->findings, rt->number);
            rt->serializable = false;
        }
    }
    if (rt->serializable)
        update_frontiers(rt, t, source);
    st_row_join(&rt->snapshots.rows, &thread->clock, snapshot->clock);
    thread->changed = true;
}

/* The dependence source -> current event, if there is a source. */
static inline void edge(struct regiontrack *rt, uint32_t t, const struct st_clock_access *source,
                        enum st_op op) {
    if (st_row_get(rt->threads[t].clock, source->thread) < source->time)
        learn(rt, t, source, op);
}

/* The first event of a thread, or of one that goes on after it was joined. */
static __attribute__((noinline)) uint32_t enter(struct regiontrack *rt, uint32_t number) {
    struct st_thread_origin *origin = &rt->origins[number];
    const struct st_snapshot *known = origin->after.time ? origin->after.snapshot : NULL;
    st_time last;
    uint32_t t = st_thread_slots_enter(&rt->slots, number, known ? known->clock : NULL, &last);
    struct thread *thread = t < rt->thread_count ? &rt->threads[t] : add_thread(rt);
    st_row_drop(&rt->snapshots.rows, thread->clock);
    thread->clock = NULL;
    st_row_set(&rt->snapshots.rows, &thread->clock, t, last);
    thread->changed = true;
    if (known)
        learn(rt, t, &origin->after, ST_FORK);
    *origin = (struct st_thread_origin){.joined = false};
    return t;
}

static void on_begin(struct regiontrack *rt, const struct st_event *event) {
    struct thread *thread = &rt->threads[rt->slot];
    if (thread->depth++)
        return;
    if (++rt->blocks > rt->most_blocks)
        rt->most_blocks = rt->blocks;
    thread->changed = true;
    thread->begin_time = st_row_get(thread->clock, rt->slot) + 1;
    thread->block = event->target;
    thread->begin = rt->number;
    thread->begin_loc = event->loc;
    thread->violated = false;
    thread->violation = ST_NO_VIOLATION;
}

static void on_end(struct regiontrack *rt) {
    struct thread *thread = &rt->threads[rt->slot];
    if (--thread->depth)
        return;
    rt->blocks--;
    thread->changed = true; /* what follows is another transaction */
    if (thread->frontier)
        drop_frontier(rt, thread);
    st_findings_block_end(rt->findings, thread->violation, thread->begin, rt->number);
}

static void on_read(struct regiontrack *rt, const struct st_event *event) {
    struct st_clock_variable *variable = &rt->accesses.variables[event->target];
    uint32_t t = rt->slot;
    edge(rt, t, &variable->write, ST_WRITE);
    struct st_clock_access read = this_access(rt, t);
    st_clock_variable_read(&rt->accesses, variable, &read, rt->threads[t].clock);
}

/* The dependences on all reads of a variable, or on all sends of a channel. */
static inline void edges_from_reads(struct regiontrack *rt, uint32_t t,
                                    const struct st_clock_variable *variable, enum st_op op) {
    if (__builtin_expect(st_has_several_reads(variable), 0))
        for (uint32_t i = 0; i < variable->reads->count; i++)
            edge(rt, t, &variable->reads->items[i], op);
    else
        edge(rt, t, &variable->read, op);
}

static void on_write(struct regiontrack *rt, const struct st_event *event) {
    struct st_clock_variable *variable = &rt->accesses.variables[event->target];
    uint32_t t = rt->slot;
    edges_from_reads(rt, t, variable, ST_READ);
    edge(rt, t, &variable->write, ST_WRITE);
    struct st_clock_access write = this_access(rt, t);
    st_clock_variable_write(&rt->accesses, variable, &write);
}

static void on_send(struct regiontrack *rt, const struct st_event *event) {
    struct st_clock_variable *channel = st_clock_accesses_channel(&rt->accesses, event->target);
    struct st_clock_access send = this_access(rt, rt->slot);
    st_clock_variable_read(&rt->accesses, channel, &send, rt->threads[rt->slot].clock);
}

static void on_receive(struct regiontrack *rt, const struct st_event *event) {
    edges_from_reads(rt, rt->slot, st_clock_accesses_channel(&rt->accesses, event->target),
                     ST_SEND);
}

static void on_fork(struct regiontrack *rt, const struct st_event *event) {
    rt->origins[event->target].after = this_access(rt, rt->slot);
}

/* The child leaves its slot, unless it did before or is in a block. */
static void on_join(struct regiontrack *rt, const struct st_event *event) {
    struct st_thread_origin *origin = &rt->origins[event->target];
    uint32_t child = rt->slots.of[event->target];
    struct st_clock_access end = origin->after;
    if (child != ST_NO_SLOT) {
        struct st_snapshot *last = now(rt, child);
        end = (struct st_clock_access){.thread = child, .time = last->time, .snapshot = last};
    } else if (!origin->joined) {
        return; /* it did nothing */
    }
    edge(rt, rt->slot, &end, ST_JOIN);
    if (child != ST_NO_SLOT && !rt->threads[child].depth) {
        *origin = (struct st_thread_origin){end, true};
        st_thread_slots_leave(&rt->slots, event->target, end.time);
    }
}

static void mark_access(void *snapshots, struct st_clock_access *access) {
    st_snapshot_mark(snapshots, access->snapshot);
}

static __attribute__((noinline)) void collect(struct regiontrack *rt) {
    st_snapshots_mark_begin(&rt->snapshots);
    for (size_t t = 0; t < rt->thread_count; t++)
        st_snapshot_mark(&rt->snapshots, rt->threads[t].snapshot);
    for (size_t t = 0; t < rt->origin_capacity; t++)
        st_snapshot_mark(&rt->snapshots, rt->origins[t].after.snapshot);
    st_clock_accesses_visit(&rt->accesses, mark_access, &rt->snapshots);
    st_snapshots_sweep(&rt->snapshots, st_clock_accesses_memory(&rt->accesses) +
                                           rt->origin_capacity * sizeof *rt->origins);
}

static void on_event(struct regiontrack *rt, const struct st_event *event) {
    rt->event = event;
    rt->slot = rt->slots.of[event->thread];
    if (__builtin_expect(rt->slot == ST_NO_SLOT, 0)) {
        if (event->op == ST_DROPPED)
            return; /* as if it were not there */
        rt->slot = enter(rt, event->thread);
    }
    switch (event->op) {
    case ST_READ:
        on_read(rt, event);
        break;
    case ST_WRITE:
        on_write(rt, event);
        break;
    case ST_ACQUIRE:
        edge(rt, rt->slot, &rt->accesses.locks[event->target], ST_RELEASE);
        break;
    case ST_RELEASE:
        rt->accesses.locks[event->target] = this_access(rt, rt->slot);
        break;
    case ST_FORK:
        on_fork(rt, event);
        break;
    case ST_JOIN:
        on_join(rt, event);
        break;
    case ST_BEGIN:
        on_begin(rt, event);
        break;
    case ST_END:
        on_end(rt);
        break;
    case ST_SEND:
        on_send(rt, event);
        break;
    case ST_RECEIVE:
        on_receive(rt, event);
        break;
    default:
        break;
    }
}

static void feed(void *state, const struct st_event *events, size_t count, uint64_t first) {
    struct regiontrack *rt = state;
    if (rt->findings->gave_up || (rt->verdict_only && !rt->serializable))
        return;
    make_room(rt, st_batch_extent(events, count));
    for (size_t i = 0; i < count; i++) {
        st_batch_prefetch(events, i, count, rt->accesses.variables);
        rt->number = first + i;
        on_event(rt, &events[i]);
    }
    if (st_snapshots_full(&rt->snapshots))
        collect(rt);
}

static void forget(void *state, uint32_t variable) {
    struct regiontrack *rt = state;
    st_clock_accesses_forget(&rt->accesses, variable);
}

static void finish(void *state, uint64_t events) {
    struct regiontrack *rt = state;
    (void)events;
    st_engine_finish(rt->findings);
}

static void count(const void *state, struct st_counters *counters) {
    const struct regiontrack *rt = state;
    st_count(counters, "subregions", rt->subregions);
    st_count(counters, "joins", rt->joins);
    st_count(counters, "most_live_nodes", rt->most_blocks);
}

const struct st_engine st_regiontrack = {
    .name = "regiontrack",
    .summary = "vector clocks and frontiers; exact verdict, first bad event and violated blocks",
    .create = create,
    ST_ENGINE_FUNCTIONS,
};

const struct st_engine st_regiontrack_trace = {
    .name = "rt-trace",
    .summary = "RegionTrack for the verdict alone: stops at the first bad event, names no block",
    .create = create_trace,
    ST_ENGINE_FUNCTIONS,
};
