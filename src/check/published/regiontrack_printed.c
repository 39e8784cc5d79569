/* RegionTrack as printed: Ma, Wu, Pobee, Mei, Zhang, Jiang, Chan, TOSEM 2020, Algorithms 1, 3 and
 * 4. For comparison with check/regiontrack.c, which answers the same questions without the errors
 * below.
 *
 * Each thread has a clock V and a transactional clock TV. V finds violated blocks (Algorithm 1, and
 * lines 7 and 8 of Algorithm 4), exactly. TV(t)[u] is meant to be the first transaction of u that
 * the latest source transaction of t reaches in the transaction graph, and finds the other traces
 * that are not serializable (Algorithm 3, and lines 9 and 10 of Algorithm 4).
 *
 * Functions are named and ordered as in the paper. Known errors, kept on purpose:
 * - TV starts with zeros, which satisfy each comparison: false alarms.
 * - Line 5 of Algorithm 3 never stores a second sink, because its zero is not greater; lines 34 and
 *   35 copy zeros over what was known.
 * - Line 24 propagates through the source of the edge, not through its sink.
 * - Consecutive events outside of blocks share a transaction, as section 4.2 says, and so a time:
 *   what came early then depends on what came late.
 *
 * What the paper does not have, and is done as in our engines: fork, join, and channels. */
#include "check/engine.h"
#include "check/published/dense_clock.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A shadow state of V: the clock of a subregion, shared by its events. */
struct shadow {
    struct st_dense_clock clock;
    uint32_t thread, references;
};

/* Reads and a write; of a channel, sends only. `reads` has an entry for each thread. */
struct variable {
    struct shadow *written; /* W */
    struct shadow **reads;  /* R */
    size_t read_capacity;
    uint32_t read_count; /* entries that are not NULL */
};

struct thread {
    struct st_dense_clock now;   /* V */
    struct shadow *shadow;       /* C(t).currVC */
    bool changed;                /* V differs from it */
    struct st_dense_clock sinks; /* TV */
    struct shadow *forked;       /* where it was forked, until it has an event */
    bool started;
    bool in_unary; /* its last event was outside of blocks */
    uint32_t depth;

    /* Of the running outermost block. */
    uint32_t begin_time; /* V(C(t).begin)[t] */
    uint32_t block;
    uint64_t begin, begin_loc;
    bool violated;
    size_t violation;
};

struct regiontrack {
    struct st_findings *findings;
    struct thread *threads;
    struct variable *variables, *channels;
    struct shadow **locks; /* L */
    size_t thread_count, thread_capacity, variable_capacity, channel_capacity, lock_capacity;
    size_t bytes; /* of clocks */
    uint64_t subregions, joins;
    uint64_t number; /* of the current event */
    const struct st_event *event;
};

static void *create(struct st_findings *findings) {
    struct regiontrack *rt = st_alloc(1, sizeof *rt);
    rt->findings = findings;
    findings->names_blocks = findings->outermost_only = true;
    return rt;
}

/* ---- shadow states ---- */

static void drop(struct regiontrack *rt, struct shadow **holder) {
    struct shadow *shadow = *holder;
    *holder = NULL;
    if (!shadow || --shadow->references)
        return;
    st_dense_clear(&shadow->clock, &rt->bytes);
    rt->bytes -= sizeof *shadow;
    free(shadow);
}

static void hold(struct regiontrack *rt, struct shadow **holder, struct shadow *shadow) {
    shadow->references++;
    drop(rt, holder);
    *holder = shadow;
}

static void take_shadow(struct regiontrack *rt, uint32_t t) {
    struct thread *thread = &rt->threads[t];
    struct shadow *shadow = st_alloc(1, sizeof *shadow);
    shadow->thread = t;
    rt->bytes += sizeof *shadow;
    st_dense_assign(&shadow->clock, &thread->now, &rt->bytes);
    hold(rt, &thread->shadow, shadow);
    thread->changed = false;
    rt->subregions++;
}

static void clear_reads(struct regiontrack *rt, struct variable *variable) {
    for (size_t t = 0; variable->read_count && t < variable->read_capacity; t++) {
        variable->read_count -= variable->reads[t] != NULL;
        drop(rt, &variable->reads[t]);
    }
}

static void clear_variable(struct regiontrack *rt, struct variable *variable) {
    drop(rt, &variable->written);
    clear_reads(rt, variable);
    rt->bytes -= variable->read_capacity * sizeof *variable->reads;
    free(variable->reads);
    *variable = (struct variable){.read_count = 0};
}

static void destroy(void *state) {
    struct regiontrack *rt = state;
    for (size_t x = 0; x < rt->variable_capacity; x++)
        clear_variable(rt, &rt->variables[x]);
    for (size_t c = 0; c < rt->channel_capacity; c++)
        clear_variable(rt, &rt->channels[c]);
    for (size_t l = 0; l < rt->lock_capacity; l++)
        drop(rt, &rt->locks[l]);
    for (size_t t = 0; t < rt->thread_count; t++) {
        drop(rt, &rt->threads[t].shadow);
        drop(rt, &rt->threads[t].forked);
        st_dense_clear(&rt->threads[t].now, &rt->bytes);
        st_dense_clear(&rt->threads[t].sinks, &rt->bytes);
    }
    free(rt->threads);
    free(rt->variables);
    free(rt->channels);
    free(rt->locks);
    free(rt);
}

static size_t memory(const void *state) {
    const struct regiontrack *rt = state;
    return sizeof *rt + rt->bytes + rt->thread_capacity * sizeof *rt->threads +
           (rt->variable_capacity + rt->channel_capacity) * sizeof(struct variable) +
           rt->lock_capacity * sizeof *rt->locks;
}

static void make_room(struct regiontrack *rt, struct st_extent need) {
    st_reserve(&rt->threads, &rt->thread_capacity, need.threads);
    st_reserve(&rt->variables, &rt->variable_capacity, need.variables);
    st_reserve(&rt->locks, &rt->lock_capacity, need.locks);
    rt->thread_count = need.threads > rt->thread_count ? need.threads : rt->thread_count;
}

/* ---- Algorithm 3 ---- */

/* Sets of threads are arrays of flags. */
static bool *copy_set(const struct regiontrack *rt, const bool *set) {
    bool *copy = st_alloc(rt->thread_count, sizeof *copy);
    memcpy(copy, set, rt->thread_count * sizeof *copy);
    return copy;
}

static uint32_t sink_of(const struct regiontrack *rt, uint32_t t, uint32_t u) {
    return st_dense_get(&rt->threads[t].sinks, u);
}

static void set_sink(struct regiontrack *rt, uint32_t t, uint32_t u, uint32_t time) {
    st_dense_set(&rt->threads[t].sinks, u, time, &rt->bytes);
}

/* The set becomes what the function of the paper returns. */
static void forward_propagate(struct regiontrack *rt, bool *tid, uint32_t t1, uint32_t t2) {
    tid[t1] = tid[t2] = false;
    if (sink_of(rt, t1, t2) > sink_of(rt, t2, t2))
        return;
    for (uint32_t u = 0; u < rt->thread_count; u++) {
        uint32_t mine = sink_of(rt, t1, u), other = sink_of(rt, t2, u);
        if (u == t1 || !(mine > other || (mine == 0 && other > 0)))
            continue;
        set_sink(rt, t1, u, other);
        if (tid[u])
            forward_propagate(rt, tid, t1, u);
    }
}

static void forward_from(struct regiontrack *rt, const bool *tid, uint32_t t1, uint32_t t2) {
    bool *set = copy_set(rt, tid);
    forward_propagate(rt, set, t1, t2);
    free(set);
}

/* Likewise. */
static void back_propagate(struct regiontrack *rt, bool *tid, uint32_t t1, uint32_t t2,
                           uint32_t source, uint32_t sink) {
    bool *tid1 = copy_set(rt, tid);
    tid1[t1] = tid1[t2] = false;
    for (uint32_t u = 0; u < rt->thread_count; u++) {
        if (!tid1[u] || sink_of(rt, u, t1) > source)
            continue;
        if (sink_of(rt, u, t2) > sink || sink_of(rt, u, t2) == 0)
            set_sink(rt, u, t2, sink);
        forward_from(rt, tid, u, t1);
        back_propagate(rt, tid1, u, t2, sink_of(rt, u, u), sink);
    }
    memcpy(tid, tid1, rt->thread_count * sizeof *tid);
    free(tid1);
}

static void update_tvc(struct regiontrack *rt, const struct shadow *x, uint32_t t) {
    uint32_t a = x->thread;
    uint32_t source = st_dense_get(&x->clock, a);
    uint32_t sink = st_dense_get(&rt->threads[t].now, t);
    bool *tid = st_alloc(rt->thread_count, sizeof *tid);
    memset(tid, true, rt->thread_count * sizeof *tid);
    if (sink_of(rt, a, a) == source) {
        if (sink_of(rt, a, t) > sink)
            set_sink(rt, a, t, sink);
        forward_from(rt, tid, a, t);
    } else if (sink_of(rt, a, a) < source) {
        st_dense_clear(&rt->threads[a].sinks, &rt->bytes);
        set_sink(rt, a, a, source);
        set_sink(rt, a, t, sink);
        forward_from(rt, tid, a, t);
    }
    back_propagate(rt, tid, a, t, source, sink);
    free(tid);
}

/* ---- Algorithm 4 ---- */

static void report_violation(struct regiontrack *rt, struct thread *thread) {
    thread->violated = true;
    struct st_violation violation = {.block = thread->block,
                                     .thread = rt->event->thread,
                                     .begin_loc = thread->begin_loc,
                                     .begin = thread->begin,
                                     .event = {rt->number, *rt->event}};
    thread->violation = st_findings_violation(rt->findings, &violation);
}

/* A transaction that is a single event has no begin to compare with. */
static void check_hb(struct regiontrack *rt, uint32_t t, const struct shadow *x) {
    struct thread *thread = &rt->threads[t];
    if (!thread->depth)
        return;
    if (thread->begin_time <= st_dense_get(&x->clock, t)) {
        if (!thread->violated)
            report_violation(rt, thread);
        st_findings_bad_event(rt->findings, rt->number);
    } else if (sink_of(rt, t, t) == thread->begin_time &&
               sink_of(rt, t, x->thread) <= st_dense_get(&x->clock, x->thread)) {
        st_findings_bad_event(rt->findings, rt->number);
    }
}

static void join(struct regiontrack *rt, uint32_t t, const struct shadow *x) {
    struct thread *thread = &rt->threads[t];
    rt->joins++;
    if (st_dense_join(&thread->now, &x->clock, &rt->bytes))
        thread->changed = true;
    update_tvc(rt, x, t);
    check_hb(rt, t, x);
}

/* ---- Algorithm 1 ---- */

static void sub_region(struct regiontrack *rt, uint32_t t) {
    if (rt->threads[t].changed)
        take_shadow(rt, t);
}

/* A new transaction. */
static void new_node(struct regiontrack *rt, uint32_t t) {
    struct thread *thread = &rt->threads[t];
    st_dense_set(&thread->now, t, st_dense_get(&thread->now, t) + 1, &rt->bytes);
    take_shadow(rt, t);
}

static void begin(struct regiontrack *rt, uint32_t t) {
    struct thread *thread = &rt->threads[t];
    if (thread->depth++)
        return;
    new_node(rt, t);
    thread->in_unary = false;
    thread->begin_time = st_dense_get(&thread->now, t);
    thread->block = rt->event->target;
    thread->begin = rt->number;
    thread->begin_loc = rt->event->loc;
    thread->violated = false;
    thread->violation = ST_NO_VIOLATION;
}

static void end(struct regiontrack *rt, uint32_t t) {
    struct thread *thread = &rt->threads[t];
    if (--thread->depth == 0)
        st_findings_block_end(rt->findings, thread->violation, thread->begin, rt->number);
}

static struct shadow *read_by(const struct variable *variable, uint32_t t) {
    return t < variable->read_capacity ? variable->reads[t] : NULL;
}

static void store_read(struct regiontrack *rt, uint32_t t, struct variable *variable) {
    size_t before = variable->read_capacity;
    st_reserve(&variable->reads, &variable->read_capacity, (size_t)t + 1);
    rt->bytes += (variable->read_capacity - before) * sizeof *variable->reads;
    variable->read_count += variable->reads[t] == NULL;
    hold(rt, &variable->reads[t], rt->threads[t].shadow);
}

static void read_variable(struct regiontrack *rt, uint32_t t, struct variable *variable) {
    const struct shadow *written = variable->written;
    if (written && written->thread != t && !read_by(variable, t)) {
        join(rt, t, written);
        sub_region(rt, t);
    }
    store_read(rt, t, variable);
}

static void join_reads(struct regiontrack *rt, uint32_t t, const struct variable *variable) {
    for (size_t u = 0; u < variable->read_capacity; u++)
        if (u != t && variable->reads[u])
            join(rt, t, variable->reads[u]);
}

static void write_variable(struct regiontrack *rt, uint32_t t, struct variable *variable) {
    if (variable->read_count)
        join_reads(rt, t, variable);
    else if (variable->written && variable->written->thread != t)
        join(rt, t, variable->written);
    sub_region(rt, t);
    hold(rt, &variable->written, rt->threads[t].shadow);
    clear_reads(rt, variable);
}

static void acquire(struct regiontrack *rt, uint32_t t, uint32_t l) {
    if (rt->locks[l] && rt->locks[l]->thread != t) {
        join(rt, t, rt->locks[l]);
        sub_region(rt, t);
    }
}

/* ---- not in the paper ---- */

static struct variable *channel(struct regiontrack *rt, uint32_t c) {
    st_reserve(&rt->channels, &rt->channel_capacity, (size_t)c + 1);
    return &rt->channels[c];
}

/* A child without events gives nothing to its join. */
static void join_thread(struct regiontrack *rt, uint32_t t, uint32_t child) {
    if (!rt->threads[child].started || !rt->threads[child].shadow)
        return;
    join(rt, t, rt->threads[child].shadow);
    sub_region(rt, t);
}

/* Section 4.2: an event outside of blocks gets a transaction, unless the one before has one. */
static void enter_transaction(struct regiontrack *rt, uint32_t t) {
    struct thread *thread = &rt->threads[t];
    if (thread->depth || thread->in_unary)
        return;
    new_node(rt, t);
    thread->in_unary = true;
}

static void on_first_event(struct regiontrack *rt, uint32_t t) {
    struct thread *thread = &rt->threads[t];
    if (thread->forked) {
        join(rt, t, thread->forked);
        sub_region(rt, t);
        drop(rt, &thread->forked);
    }
    thread->started = true;
}

static void on_operation(struct regiontrack *rt, const struct st_event *event) {
    uint32_t t = event->thread, target = event->target;
    switch (event->op) {
    case ST_READ:
        read_variable(rt, t, &rt->variables[target]);
        break;
    case ST_WRITE:
        write_variable(rt, t, &rt->variables[target]);
        break;
    case ST_ACQUIRE:
        acquire(rt, t, target);
        break;
    case ST_RELEASE:
        hold(rt, &rt->locks[target], rt->threads[t].shadow);
        break;
    case ST_FORK:
        hold(rt, &rt->threads[target].forked, rt->threads[t].shadow);
        break;
    case ST_JOIN:
        join_thread(rt, t, target);
        break;
    case ST_SEND:
        store_read(rt, t, channel(rt, target));
        break;
    case ST_RECEIVE:
        join_reads(rt, t, channel(rt, target));
        sub_region(rt, t);
        break;
    default:
        break;
    }
}

static void on_event(struct regiontrack *rt, const struct st_event *event) {
    uint32_t t = event->thread;
    struct thread *thread = &rt->threads[t];
    rt->event = event;
    if (event->op == ST_DROPPED)
        return; /* as if it were not there */
    if (event->op == ST_END) {
        end(rt, t);
        return;
    }
    if (event->op == ST_BEGIN)
        begin(rt, t);
    else
        enter_transaction(rt, t);
    if (!thread->started || thread->forked)
        on_first_event(rt, t);
    on_operation(rt, event);
}

static void feed(void *state, const struct st_event *events, size_t count, uint64_t first) {
    struct regiontrack *rt = state;
    make_room(rt, st_batch_extent(events, count));
    for (size_t i = 0; i < count; i++) {
        rt->number = first + i;
        on_event(rt, &events[i]);
    }
}

static void forget(void *state, uint32_t variable) {
    struct regiontrack *rt = state;
    if (variable < rt->variable_capacity)
        clear_variable(rt, &rt->variables[variable]);
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
}

const struct st_engine st_regiontrack_printed = {
    .name = "regiontrack-printed",
    .summary = "RegionTrack's Algorithms 1, 3 and 4 as printed",
    .published_form_of = "regiontrack",
    .create = create,
    ST_ENGINE_FUNCTIONS,
};
