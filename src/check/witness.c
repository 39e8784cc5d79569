/* witness: our own engine, and the default.
 *
 * Question: is the trace serializable, from which event on is it not, which blocks are violated, at
 * every nesting depth, and by which way out of the block and back? All answers are exact, from one
 * pass. docs/witness.md has the invariants, why they suffice, and measurements.
 *
 * Idea. A block is violated iff an event that happens after its begin, in another thread, happens
 * before one of its events. Only blocks that are still open can become violated, so all that an
 * access has to remember is which open blocks happen before it (known.h): its own, and what its
 * thread was told. Most accesses know none but their own, and that one ends soon.
 *
 * The same holds for cycles of transactions that no chain of events follows: only a running
 * transaction can get the edge that closes one, so all that counts is which transactions the
 * running blocks reach (reach.h).
 *
 * Hence an access matters only while a running block reaches its transaction. When none does, none
 * ever will again, and this is the case for all accesses of a thread before some local time:
 * live_from. One comparison with it settles most events, whatever the number of threads. */
#include "check/witness.h"

#include "check/batch.h"
#include "check/history.h"
#include "check/path.h"
#include "check/reach.h"
#include "check/shadow.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The newest time of another thread from which everything was taken over. */
struct heard {
    uint32_t thread;
    st_time time;
};

struct thread {
    /* Grows with every begin and whenever the thread learns something. So two accesses at the same
     * time know the same, and a later time knows no less. */
    st_time time;
    bool started;           /* has had an event */
    uint64_t ticked;        /* the event at which the time last grew */
    struct st_known *known; /* open blocks of other threads that happen before; NULL: none */
    struct st_place latest; /* the event that last changed any of this; the first one, if none */
    struct st_touch fork;   /* the event that forked this thread, until it starts */
    struct heard heard[16]; /* by number modulo 16; a newer one pushes out an older one */
};

/* An edge that proves, at the event at hand, that blocks of its thread are violated. */
struct cut {
    uint32_t depth; /* how many of them, counted from the outermost */
    struct st_edge edge;
    uint32_t length;
    const struct st_hop *how; /* the way from the blocks to the edge, of that length */
};

struct witness {
    struct st_findings *findings;
    const struct st_event *event; /* at hand */
    uint64_t number;
    uint64_t forgotten_at; /* the event after which a variable was last forgotten; 0: none was */
    st_time *live_from;    /* by thread, and for ST_SEVERAL */
    struct st_shadow shadow;
    struct thread *threads;
    struct st_blocks *blocks;     /* by thread */
    struct st_history *histories; /* by thread; empty unless the caller gives positions */
    size_t thread_count, thread_capacity, block_capacity, history_capacity;
    struct st_knowledge knowledge;

    bool serializable; /* so far; when not, `reach` is of no use any more */
    struct st_reach reach;
    /* The set that event `fresh_since` made for its thread. Until it is over nobody else sees it.
     */
    struct st_known *fresh;
    uint64_t fresh_since;
    /* Of the event at hand: its edges that prove something. */
    struct st_reach_edge *closing; /* these close cycles of transactions */
    struct cut *cuts;
    size_t closing_count, closing_capacity, cut_count, cut_capacity;
    const struct st_touch **sends; /* scratch of a receive: those that matter */
    size_t send_capacity;
};

/* ---- room ---- */

static void *create(struct st_findings *findings) {
    struct witness *w = st_alloc(1, sizeof *w);
    w->findings = findings;
    w->serializable = true;
    findings->names_blocks = true;
    st_knowledge_init(&w->knowledge);
    st_reach_init(&w->reach);
    return w;
}

static void destroy(void *state) {
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

static size_t memory(const void *state) {
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

static void add_threads(struct witness *w, uint32_t threads) {
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

/* Numbers are dense, so most events need no new room, and a processor knows that. */
static inline void need_thread(struct witness *w, uint32_t thread) {
    if (__builtin_expect(thread >= w->thread_count, 0))
        add_threads(w, thread + 1);
}

/* ---- time ---- */

static struct st_place this_place(const struct witness *w) {
    return (struct st_place){w->number, *w->event};
}

/* What thread t does from now on knows more, or is another block. */
static void tick(struct witness *w, uint32_t t) {
    struct thread *thread = &w->threads[t];
    if (__builtin_expect(++thread->time >= ST_TIME_LIMIT, 0))
        w->findings->gave_up = ST_OUT_OF_TIME;
    thread->latest = this_place(w);
    thread->ticked = w->number;
    if (thread->time < w->live_from[t])
        w->live_from[t] = thread->time;
}

/* Some block may have ended: which accesses of the thread can still matter? */
static void refresh(struct witness *w, uint32_t t) {
    struct thread *thread = &w->threads[t];
    st_time least =
        w->serializable ? st_reach_least(&w->reach, t) : st_known_since(thread->known, w->blocks);
    if (least == ST_NEVER)
        thread->known = NULL; /* all of it is dead */
    const struct st_blocks *blocks = &w->blocks[t];
    if (st_blocks_live(blocks) && blocks->items[blocks->cut].time < least)
        least = blocks->items[blocks->cut].time;
    w->live_from[t] = least;
}

/* ---- findings ---- */

static struct st_edge *path_of(const struct witness *w, const struct cut *cut, size_t *length) {
    size_t i = *length = cut->length + (size_t)1;
    struct st_edge *path = st_alloc(*length, sizeof *path);
    path[--i] = cut->edge;
    for (const struct st_hop *hop = cut->how; hop; hop = hop->before)
        path[--i] = hop->edge;
    *length = st_path_shorten(path, *length, w->forgotten_at);
    return path;
}

/* The cut with the shortest path among those that reach the block with this index. */
static const struct cut *best_cut(const struct witness *w, uint32_t index) {
    const struct cut *best = NULL;
    for (size_t i = 0; i < w->cut_count; i++)
        if (w->cuts[i].depth > index && (!best || w->cuts[i].length < best->length))
            best = &w->cuts[i];
    return best;
}

static void report_block(struct witness *w, uint32_t t, uint32_t index, const struct cut *cut) {
    struct st_open_block *block = &w->blocks[t].items[index];
    struct st_violation violation = {.block = block->name,
                                     .thread = t,
                                     .depth = index,
                                     .begin_loc = block->loc,
                                     .begin = block->begin,
                                     .event = this_place(w),
                                     .closing = cut->edge};
    if (st_findings_keeps(w->findings, block->name))
        violation.path = path_of(w, cut, &violation.path_length);
    block->violation = st_findings_violation(w->findings, &violation);
}

static void report_cuts(struct witness *w, uint32_t t) {
    const struct cut *cut;
    while ((cut = best_cut(w, w->blocks[t].cut)))
        report_block(w, t, w->blocks[t].cut++, cut);
    w->cut_count = 0;
    refresh(w, t); /* nobody needs to know these blocks any more */
}

static void tell_cycle(struct witness *w, const struct st_reach_edge *cycle, size_t length) {
    struct st_edge *edges = st_alloc(length, sizeof *edges);
    struct st_ends *ends = st_alloc(length, sizeof *ends);
    for (size_t i = 0; i < length; i++) {
        edges[i] = cycle[i].edge;
        ends[i] = cycle[i].ends;
    }
    st_findings_cycle(w->findings, edges, ends, length);
    free(edges);
    free(ends);
}

/* The shortest of the cycles that the event closes. */
static void report_cycle(struct witness *w) {
    struct st_reach_edge *shortest = NULL;
    size_t length = SIZE_MAX;
    for (size_t i = 0; i < w->closing_count; i++) {
        size_t count;
        struct st_reach_edge *cycle = st_reach_cycle(&w->reach, &w->closing[i], &count);
        bool shorter = count < length;
        free(shorter ? shortest : cycle);
        shortest = shorter ? cycle : shortest;
        length = shorter ? count : length;
    }
    tell_cycle(w, shortest, length);
    free(shortest);
}

/* The trace is not serializable from the event at hand on. */
static void report_bad_event(struct witness *w) {
    st_findings_bad_event(w->findings, w->number);
    if (w->cut_count == 0)
        report_cycle(w);
    w->serializable = false;
    w->closing_count = 0;
    st_reach_free(&w->reach);
}

/* All edges of the event at hand, of thread t, were taken: says what they prove. */
static void conclude(struct witness *w, uint32_t t) {
    if (w->closing_count)
        report_bad_event(w);
    if (w->cut_count)
        report_cuts(w, t);
}

/* ---- edges ---- */

/* Does the teller know blocks of t that it is in now? */
static void check_blocks(struct witness *w, uint32_t t, const struct st_teller *teller) {
    const struct st_blocks *blocks = &w->blocks[t];
    const struct st_knows *knows = st_blocks_live(blocks) ? st_known_find(teller->known, t) : NULL;
    uint32_t depth = knows ? st_blocks_known(blocks, knows->time) : 0;
    if (depth == 0)
        return;
    st_reserve(&w->cuts, &w->cut_capacity, w->cut_count + 1);
    w->cuts[w->cut_count++] = (struct cut){depth, teller->edge, knows->length, knows->how};
}

/* The running outermost block of the thread. */
static struct st_transaction running_block(const struct witness *w, uint32_t t) {
    const struct st_open_block *block = &w->blocks[t].items[0];
    return (struct st_transaction){.first = block->begin, .block = block->name};
}

/* The transaction of the event at hand. That of a begin, which a thread can start with, is about to
 * be opened. */
static struct st_transaction this_transaction(const struct witness *w, uint32_t t) {
    if (w->blocks[t].depth)
        return running_block(w, t);
    return (struct st_transaction){
        .first = w->number, .block = w->event->target, .unary = w->event->op != ST_BEGIN};
}

/* Does the edge close a cycle? If not, does anything come to reach more? */
static bool check_cycle(struct witness *w, uint32_t t, const struct st_teller *teller) {
    const struct st_blocks *blocks = &w->blocks[t];
    /* A transaction of one event starts at the time that it is about to get. */
    struct st_reach_edge edge = {.edge = teller->edge,
                                 .source = teller->time,
                                 .sink =
                                     blocks->depth ? blocks->items[0].time : w->threads[t].time + 1,
                                 .ends.to = this_transaction(w, t)};
    bool running = st_blocks_known(&w->blocks[teller->thread], teller->time) > 0;
    if (running) /* what has ended is forgotten */
        edge.ends.from = running_block(w, teller->thread);
    if (st_reach_closes(&w->reach, t, teller->thread, teller->time)) {
        st_reserve(&w->closing, &w->closing_capacity, w->closing_count + 1);
        w->closing[w->closing_count++] = edge;
        return false;
    }
    return st_reach_extend(&w->reach, &edge, running, w->live_from);
}

/* The thread of the event at hand knows this set from now on, which was just made. An event with
 * many edges makes a set for each; without giving them back, the garbage of 256 threads that use
 * one semaphore filled 300 megabytes before the next collection, not 15. */
static void know(struct witness *w, struct thread *thread, struct st_known *known) {
    thread->latest = this_place(w);
    if (w->fresh_since == w->number)
        st_known_give(&w->knowledge, w->fresh);
    w->fresh = thread->known = known;
    w->fresh_since = w->number;
}

/* The event at hand, of thread t, depends on an event of the teller. */
static void take(struct witness *w, uint32_t t, const struct st_teller *teller) {
    struct thread *thread = &w->threads[t];
    struct heard *heard = &thread->heard[teller->thread % 16];
    if (heard->thread == teller->thread && heard->time >= teller->time)
        return; /* nothing new, so it proves nothing new either */
    *heard = (struct heard){teller->thread, teller->time};
    check_blocks(w, t, teller);
    bool news = w->serializable && check_cycle(w, t, teller);
    struct st_known *known =
        st_known_learn(&w->knowledge, thread->known, t, teller, w->blocks, thread->time + 1, &news);
    if (known != thread->known)
        know(w, thread, known);
    if (news)
        tick(w, t);
    else
        refresh(w, teller->thread);
}

/* What an access of another thread tells the event at hand. */
static struct st_teller teller_of(const struct witness *w, uint32_t t, const struct st_touch *touch,
                                  enum st_op op, enum st_edge_kind kind) {
    struct st_event from = {.thread = (uint32_t)touch->thread,
                            .target = op == ST_FORK ? t : w->event->target,
                            .loc = touch->loc,
                            .written = op,
                            .op = op};
    return (struct st_teller){
        .thread = (uint32_t)touch->thread,
        .time = touch->time,
        .known = touch->known,
        .edge = {.from = {touch->number, from}, .to = this_place(w), .kind = kind}};
}

static void take_touch(struct witness *w, uint32_t t, const struct st_touch *touch, enum st_op op,
                       enum st_edge_kind kind) {
    struct st_teller teller = teller_of(w, t, touch, op, kind);
    take(w, t, &teller);
}

/* The dependence of the event at hand on an earlier access, if that matters. */
static void edge(struct witness *w, uint32_t t, const struct st_touch *touch, enum st_op op,
                 enum st_edge_kind kind) {
    if (st_touch_matters(touch, (int32_t)t, w->live_from))
        take_touch(w, t, touch, op, kind);
}

static struct st_touch this_touch(const struct witness *w, uint32_t t) {
    const struct thread *thread = &w->threads[t];
    return (struct st_touch){.thread = (int32_t)t,
                             .time = thread->time,
                             .known = thread->known,
                             .number = w->number,
                             .loc = w->event->loc};
}

/* ---- events ---- */

/* An access to a variable that others have accessed in a way that may matter. */
static __attribute__((noinline)) void on_shared_access(struct witness *w, uint32_t t,
                                                       struct st_variable_shadow *variable) {
    bool write = w->event->op == ST_WRITE;
    edge(w, t, &variable->slot[ST_WRITE], ST_WRITE, ST_EDGE_CONFLICT);
    if (write && st_shadow_several(variable))
        for (uint32_t i = 0; i < variable->readers->count; i++)
            edge(w, t, &variable->readers->items[i], ST_READ, ST_EDGE_CONFLICT);
    else if (write)
        edge(w, t, &variable->slot[ST_READ], ST_READ, ST_EDGE_CONFLICT);
    conclude(w, t);
    if (!write && st_shadow_has_read(variable, t, w->threads[t].ticked))
        return;
    struct st_touch touch = this_touch(w, t);
    if (write)
        st_shadow_drop_reads(&w->shadow, variable);
    if (!write && st_touch_matters(&variable->slot[ST_READ], (int32_t)t, w->live_from))
        st_shadow_read(&w->shadow, variable, &touch, w->threads[t].ticked, w->live_from);
    else
        variable->slot[w->event->op] = touch;
}

/* Read or write: which of them it is, a processor cannot predict, so the common case does not
 * branch on it. */
static inline void on_access(struct witness *w, const struct st_event *event) {
    struct st_variable_shadow *variable = st_shadow_variable(&w->shadow, event->target);
    uint32_t t = event->thread;
    if (__builtin_expect(st_touch_matters(&variable->slot[ST_READ], (int32_t)t, w->live_from) ||
                             st_touch_matters(&variable->slot[ST_WRITE], (int32_t)t, w->live_from),
                         0)) {
        on_shared_access(w, t, variable);
        return;
    }
    struct st_touch *read = &variable->slot[ST_READ];
    read->time = event->op == ST_WRITE ? 0 : read->time;
    variable->slot[event->op] = this_touch(w, t);
}

static inline void on_acquire(struct witness *w, const struct st_event *event) {
    const struct st_touch *release = st_shadow_lock(&w->shadow, event->target);
    if (__builtin_expect(st_touch_matters(release, (int32_t)event->thread, w->live_from), 0)) {
        take_touch(w, event->thread, release, ST_RELEASE, ST_EDGE_LOCK);
        conclude(w, event->thread);
    }
}

static void on_send(struct witness *w, const struct st_event *event) {
    struct st_variable_shadow *channel = st_shadow_channel(&w->shadow, event->target);
    uint32_t t = event->thread;
    uint64_t ticked = w->threads[t].ticked;
    struct st_touch send = this_touch(w, t);
    if (!st_touch_matters(&channel->slot[ST_READ], (int32_t)t, w->live_from))
        channel->slot[ST_READ] = send;
    else if (!st_shadow_has_read(channel, t, ticked))
        st_shadow_read(&w->shadow, channel, &send, ticked, w->live_from);
}

static int by_age(const void *a, const void *b) {
    const struct st_touch *one = *(const struct st_touch *const *)a;
    const struct st_touch *other = *(const struct st_touch *const *)b;
    return one->number > other->number ? -1 : one->number < other->number;
}

/* How t knows the sender at the time of the send, or later; then it knows all that the send knows.
 * What is known of blocks that have ended does not count: it is forgotten sooner or later, and
 * which way a thing became known must not depend on when. */
static const struct st_knows *find_sender(const struct witness *w, uint32_t t,
                                          const struct st_touch *send) {
    const struct st_knows *knows = st_known_find(w->threads[t].known, (uint32_t)send->thread);
    bool known = knows && knows->time >= send->time &&
                 st_blocks_known(&w->blocks[send->thread], knows->time) > 0;
    return known ? knows : NULL;
}

static void shorten_way(struct witness *w, uint32_t t, const struct st_touch *send) {
    struct thread *thread = &w->threads[t];
    struct st_teller teller = teller_of(w, t, send, ST_SEND, ST_EDGE_SYNC);
    if (w->fresh_since != w->number)
        know(w, thread, st_known_copy(&w->knowledge, thread->known));
    st_known_shorten(&w->knowledge, thread->known, &teller);
}

static void edge_from_send(struct witness *w, uint32_t t, const struct st_touch *send) {
    if (!st_touch_matters(send, (int32_t)t, w->live_from))
        return;
    const struct st_knows *knows = find_sender(w, t, send);
    if (!knows)
        take_touch(w, t, send, ST_SEND, ST_EDGE_SYNC);
    else if (st_known_longer(knows, send->time, w->blocks))
        shorten_way(w, t, send);
}

/* A receive comes after the sends of all threads, and the next one comes after all of them again,
 * so many bring nothing new. The youngest knows most: with it first, a third of them is left to
 * learn from where 64 threads post a semaphore in blocks, and the time falls to a third. */
static __attribute__((noinline)) void receive_several(struct witness *w, uint32_t t,
                                                      const struct st_readers *sends) {
    size_t count = 0;
    st_reserve(&w->sends, &w->send_capacity, sends->count);
    for (uint32_t i = 0; i < sends->count; i++)
        if (st_touch_matters(&sends->items[i], (int32_t)t, w->live_from))
            w->sends[count++] = &sends->items[i];
    qsort(w->sends, count, sizeof *w->sends, by_age);
    for (size_t i = 0; i < count; i++)
        edge_from_send(w, t, w->sends[i]);
}

static void on_receive(struct witness *w, const struct st_event *event) {
    struct st_variable_shadow *channel = st_shadow_channel(&w->shadow, event->target);
    st_shadow_receive(&w->shadow, channel, w->live_from);
    if (st_shadow_several(channel))
        receive_several(w, event->thread, channel->readers);
    else
        edge_from_send(w, event->thread, &channel->slot[ST_READ]);
    conclude(w, event->thread);
}

static void on_fork(struct witness *w, const struct st_event *event) {
    need_thread(w, event->target);
    w->threads[event->target].fork = this_touch(w, event->thread);
}

/* A child without events has nothing to tell. */
static void on_join(struct witness *w, const struct st_event *event) {
    need_thread(w, event->target);
    const struct thread *child = &w->threads[event->target];
    if (!child->started || child->time < w->live_from[event->target])
        return;
    struct st_teller teller = {
        .thread = event->target,
        .time = child->time,
        .known = child->known,
        .edge = {.from = child->latest, .to = this_place(w), .kind = ST_EDGE_JOIN}};
    take(w, event->thread, &teller);
    conclude(w, event->thread);
}

static void on_begin(struct witness *w, const struct st_event *event) {
    struct st_blocks *blocks = &w->blocks[event->thread];
    tick(w, event->thread);
    st_reserve(&blocks->items, &blocks->capacity, blocks->depth + (size_t)1);
    blocks->items[blocks->depth++] = (struct st_open_block){.time = w->threads[event->thread].time,
                                                            .name = event->target,
                                                            .begin = w->number,
                                                            .loc = event->loc,
                                                            .violation = ST_NO_VIOLATION};
}

static void on_end(struct witness *w, const struct st_event *event) {
    struct st_blocks *blocks = &w->blocks[event->thread];
    const struct st_open_block *block = &blocks->items[--blocks->depth];
    if (blocks->cut > blocks->depth) {
        blocks->cut = blocks->depth;
        st_findings_block_end(w->findings, block->violation, block->begin, w->number);
    }
    if (blocks->depth)
        return;
    if (w->serializable)
        st_reach_end(&w->reach, event->thread);
    refresh(w, event->thread);
}

static __attribute__((noinline)) void start_thread(struct witness *w, uint32_t t) {
    struct thread *thread = &w->threads[t];
    thread->started = true;
    thread->latest = this_place(w);
    edge(w, t, &thread->fork, ST_FORK, ST_EDGE_FORK);
    thread->fork = (struct st_touch){0};
}

static inline void on_event(struct witness *w, const struct st_event *event) {
    need_thread(w, event->thread);
    if (__builtin_expect(!w->threads[event->thread].started, 0) && event->op != ST_DROPPED)
        start_thread(w, event->thread);
    switch (event->op) {
    case ST_READ:
    case ST_WRITE:
        on_access(w, event);
        break;
    case ST_ACQUIRE:
        on_acquire(w, event);
        break;
    case ST_RELEASE:
        *st_shadow_lock(&w->shadow, event->target) = this_touch(w, event->thread);
        break;
    case ST_FORK:
        on_fork(w, event);
        break;
    case ST_JOIN:
        on_join(w, event);
        break;
    case ST_BEGIN:
        on_begin(w, event);
        break;
    case ST_END:
        on_end(w, event);
        break;
    case ST_SEND:
        on_send(w, event);
        break;
    case ST_RECEIVE:
        on_receive(w, event);
        break;
    default:
        break;
    }
}

/* ---- accesses that are told late ---- */

/* Whose moments are compared. */
struct past {
    const struct witness *w;
    uint32_t thread;
};

/* Can nobody ever tell accesses of the one moment from accesses of the other? They know the same
 * blocks, are in the same blocks of their own, and are reached by the same running blocks. No time
 * between the two will come to matter: what will be reached newly is the running block, or comes
 * later than all moments. */
static bool alike(void *context, const struct st_moment *older, const struct st_moment *newer) {
    const struct past *past = context;
    const struct witness *w = past->w;
    const struct st_blocks *blocks = &w->blocks[past->thread];
    return st_blocks_known(blocks, older->time) == st_blocks_known(blocks, newer->time) &&
           !(w->serializable &&
             st_reach_between(&w->reach, past->thread, older->time, newer->time)) &&
           st_known_alike(older->known, newer->known, w->blocks);
}

static __attribute__((noinline)) void thin(struct witness *w, uint32_t t) {
    struct past past = {w, t};
    refresh(w, t);
    st_history_forget(&w->histories[t], w->live_from[t]);
    st_history_thin(&w->histories[t], alike, &past);
}

/* The event at hand has changed what its thread is like. */
static __attribute__((noinline)) void remember(struct witness *w, uint32_t t, uint64_t position) {
    struct st_history *history = &w->histories[t];
    const struct thread *thread = &w->threads[t];
    st_history_forget(history, w->live_from[t]);
    if (history->count && history->count >= history->thin_at)
        thin(w, t);
    struct st_moment moment = {position, w->number, thread->known, thread->time};
    st_history_add(history, &moment);
}

/* The event at hand, of thread t, is over. When it was the end of an inner block in which nothing
 * was learned, accesses in that are like those before it: who reaches its transaction reaches the
 * outermost block. Of that one, which may be reached where nothing before it is, `alike` decides.
 */
static inline void keep_history(struct witness *w, uint32_t t, uint64_t position) {
    struct st_history *history = &w->histories[t];
    const struct st_blocks *blocks = &w->blocks[t];
    history->last = position;
    if (w->threads[t].latest.number == w->number)
        remember(w, t, position);
    else if (w->event->op == ST_END && blocks->depth && history->count &&
             st_history_latest(history)->number == blocks->items[blocks->depth].begin)
        st_history_undo(history);
}

/* The access takes no edges: those that matter were taken by events of its thread before it. */
static __attribute__((noinline)) void on_late(struct witness *w, const struct st_event *event,
                                              uint64_t position) {
    uint32_t t = event->thread;
    if (event->op == ST_PARTED) {
        st_shadow_copy(&w->shadow, (uint32_t)event->loc, event->target, w->live_from);
        return;
    }
    need_thread(w, t);
    const struct st_moment *moment = st_history_find(&w->histories[t], position);
    if (!moment || moment->time < w->live_from[t])
        return;
    struct st_variable_shadow *variable = st_shadow_variable(&w->shadow, event->target);
    struct st_touch touch = {.thread = (int32_t)t,
                             .time = moment->time,
                             .known = moment->known,
                             .number = moment->number,
                             .loc = event->loc};
    if (event->op == ST_LATE_READ) {
        st_shadow_late_read(&w->shadow, variable, &touch, w->live_from);
        return;
    }
    /* Readers that come at the same moment may each tell the write that they found. */
    const struct st_touch *last = &variable->slot[ST_WRITE];
    if (last->thread == touch.thread && last->time >= touch.time)
        return;
    st_shadow_drop_reads(&w->shadow, variable);
    variable->slot[ST_WRITE] = touch;
}

uint64_t st_witness_dead_before(void *state, uint32_t thread) {
    struct witness *w = state;
    if (thread >= w->thread_count || !w->histories[thread].count)
        return 0;
    struct st_history *history = &w->histories[thread];
    if (w->live_from[thread] != ST_NEVER)
        refresh(w, thread);
    st_history_forget(history, w->live_from[thread]);
    const struct st_moment *first = st_history_first(history);
    return first->time >= w->live_from[thread] ? first->position : history->last + 1;
}

/* ---- the engine ---- */

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

static __attribute__((noinline)) void collect(struct witness *w) {
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

/* One copy for both kinds of callers, whatever the compiler makes of a constant count: with two, it
 * does not put the code of rarer events into the loop, which costs 0.5 of 9 ns an event. */
static __attribute__((noinline)) void feed_events(struct witness *w, const struct st_event *events,
                                                  const struct st_event *end, uint64_t first) {
    size_t count = (size_t)(end - events);
    for (size_t i = 0; i < count; i++) {
        st_batch_prefetch(events, i, count, w->shadow.variables);
        w->number = first + i;
        w->event = &events[i];
        on_event(w, &events[i]);
    }
}

static void feed(void *state, const struct st_event *events, size_t count, uint64_t first) {
    struct witness *w = state;
    if (w->findings->gave_up)
        return;
    feed_events(w, events, events + count, first);
    if (st_knowledge_full(&w->knowledge))
        collect(w);
}

void st_witness_feed_at(void *state, const struct st_event *events, const uint64_t *at,
                        size_t count, uint64_t first) {
    struct witness *w = state;
    if (w->findings->gave_up)
        return;
    for (size_t i = 0; i < count; i++) {
        st_batch_prefetch(events, i, count, w->shadow.variables);
        if (events[i].op >= ST_LATE_READ) {
            on_late(w, &events[i], at[i]);
            continue;
        }
        feed_events(w, &events[i], &events[i + 1], first + i);
        keep_history(w, events[i].thread, at[i]);
    }
    if (st_knowledge_full(&w->knowledge))
        collect(w);
}

static void forget(void *state, uint32_t variable) {
    struct witness *w = state;
    st_shadow_forget(&w->shadow, variable);
    w->forgotten_at = w->number;
}

static void finish(void *state, uint64_t events) {
    struct witness *w = state;
    (void)events;
    if (w->serializable && !w->findings->gave_up)
        w->findings->verdict = ST_SERIALIZABLE;
}

const struct st_engine st_witness = {
    .name = "witness",
    .summary = "exact, at every nesting depth, with the path; the fastest",
    .create = create,
    .feed = feed,
    .forget = forget,
    .finish = finish,
    .memory = memory,
    .destroy = destroy,
};
