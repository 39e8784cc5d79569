/* DoubleChecker: Biswas, Huang, Sengupta, Bond, PLDI 2014; as described in the AeroDrome and
 * RegionTrack papers, on a recorded trace.
 *
 * Question: is the trace serializable, and which blocks are to blame? The verdict and the first bad
 * event are exact. Blame falls on every block that closes a cycle, whether or not the cycle is
 * increasing, so a blamed block need not be violated: that is the published behaviour. All violated
 * outermost blocks are among them: a path that leaves a block and comes back does so by an edge
 * into the running block, and that edge closes a cycle.
 *
 * Idea, first phase: find suspects cheaply. A variable has an owner in the manner of Octet: one
 * writer (WrEx), one reader (RdEx) or readers (RdSh). An access within the state costs nothing; a
 * change of state is a possible dependence, from the *current* transactions of the threads that
 * have to give the variable up. Those edges over-approximate the real ones: the true source is the
 * current transaction or one before it in its thread. When a transaction ends, the strongly
 * connected component around it is looked for, and its members become one node.
 *
 * Second phase: only suspects are replayed, from the log that the first phase keeps, on a precise
 * transaction graph. Every cycle of the precise graph lies inside a component, so nothing is
 * missed.
 *
 * Where this differs from the paper, and why:
 * - The second phase is our Velodrome graph with the other rule of blame: both are the precise
 *   graph of transactions, so one implementation serves. There is one such graph for all
 *   components, and it is fed in trace order: replaying a component whenever one of its
 *   transactions ends does the same work again and again, and in a busy trace one component can
 *   stretch from begin to end.
 * - The log has a bound. When it is full, the transactions that no running one reaches are garbage:
 *   they can join no cycle any more. Those that are in no component are forgotten without a replay.
 *   Everything else goes to the precise graph, which forgets what is garbage by its own, better
 *   knowledge; a transaction of which a part was replayed is replayed to its end. Leaving out the
 *   others changes no cycle: what depends on garbage is not before anything that is not, so an
 *   access that the precise graph takes for the last one of its variable is before the real last
 *   one, and reaches what that reaches.
 * - In a block, an access is logged when it is the first of its kind since the variable last
 *   changed hands. What is left out could not have made another edge. */
#include "check/engine.h"
#include "check/velodrome.h"

#include "base/memory.h"
#include "base/map64.h"
#include "base/slab.h"

#include <stdlib.h>
#include <string.h>

#ifdef SERIATIM_STRESS
/* Tests on small traces: collect garbage all the time. */
enum { SMALLEST_GARBAGE = 0, SMALLEST_LOG = 0 };
#else
enum {
    SMALLEST_GARBAGE = 16384, /* transactions */
    SMALLEST_LOG = 131072,    /* entries: 4 MB */
};
#endif

struct edge {
    struct edge *next;
    struct node *to;
};

/* A transaction, or (through `into`) a part of the node that its component was merged into. The
 * edges and flags of a component are those of the node that the others lead to. Edges may lead to
 * any member. serial 0: the slot is free. */
struct node {
    struct edge *out, *out_end;
    uint64_t serial;
    struct node *into; /* NULL: stands for itself */
    bool component;    /* others were merged into it */
    bool replayed;     /* an event of it was */
    bool has_incoming; /* an edge came in since the last search from here */
    bool in_component; /* scratch of find_component */
    bool doomed;       /* scratch of sweep */
    uint64_t first;    /* number of its first event */
    uint64_t search;   /* the last search that came by */
    struct node *next; /* in the list of all transactions */
};

/* A weak reference: to nothing, once the node's serial is another one. */
struct reference {
    struct node *node;
    uint64_t serial;
};

enum ownership { UNOWNED, WRITE_EXCLUSIVE, READ_EXCLUSIVE, READ_SHARED };

/* Of a variable, a lock (each lock operation writes it) or a channel (a send writes it, a receive
 * reads it). */
struct object {
    enum ownership state;
    uint32_t owner;   /* of an exclusive state */
    uint64_t counter; /* of READ_SHARED: which transition to that state it was */
    uint64_t logged;  /* which transaction logged an access in this state, or 0 */
    bool logged_write;
};

struct thread {
    struct reference last;                /* the running transaction, or the last one */
    struct reference last_read_exclusive; /* the last to make something READ_EXCLUSIVE */
    struct reference fork; /* the transaction that forked it, until it has an event */
    uint64_t transaction;  /* serial of the running one as it was before any merging */
    uint64_t shared_seen;  /* transitions to READ_SHARED that it is ordered after */
    uint32_t depth;
    bool started;
    struct st_set64 sources; /* serials of nodes with an edge into `last` */
};

struct doublechecker {
    struct st_findings *findings;
    void *precise; /* a graph of velodrome.h */
    struct st_slab nodes, edges;
    struct node *all;
    size_t node_count, nodes_at; /* live, and when to collect garbage */
    struct st_place *log;        /* events for the second phase, since the last time */
    struct node **log_nodes;     /* the transactions that they are in; of ST_FORGET: NULL */
    size_t log_count, log_capacity, log_nodes_capacity, log_at;
    uint64_t serials, searches;
    uint64_t most_nodes, edge_count, logged; /* edges between threads; entries of the log, ever */
    struct thread *threads;
    size_t thread_count, thread_capacity;
    struct object *variables, *locks, *channels;
    size_t variable_capacity, lock_capacity, channel_capacity;
    struct reference last_shared; /* the last to make something READ_SHARED */
    uint64_t shared_count;
    struct node **found; /* scratch of searches */
    size_t found_capacity;
    struct st_place here; /* the current event */
};

static void *create(struct st_findings *findings) {
    struct doublechecker *dc = st_alloc(1, sizeof *dc);
    dc->findings = findings;
    dc->nodes_at = SMALLEST_GARBAGE;
    dc->log_at = SMALLEST_LOG;
    dc->precise = st_velodrome_create(findings, ST_BLAME_CLOSING);
    findings->blames_closers = true;
    st_slab_init(&dc->nodes, sizeof(struct node));
    st_slab_init(&dc->edges, sizeof(struct edge));
    return dc;
}

static void destroy(void *state) {
    struct doublechecker *dc = state;
    for (size_t t = 0; t < dc->thread_count; t++)
        st_set64_free(&dc->threads[t].sources);
    st_velodrome.destroy(dc->precise);
    st_slab_free(&dc->nodes);
    st_slab_free(&dc->edges);
    free(dc->log);
    free(dc->log_nodes);
    free(dc->threads);
    free(dc->variables);
    free(dc->locks);
    free(dc->channels);
    free(dc->found);
    free(dc);
}

static size_t memory(const void *state) {
    const struct doublechecker *dc = state;
    return sizeof *dc + st_slab_memory(&dc->nodes) + st_slab_memory(&dc->edges) +
           st_velodrome.memory(dc->precise) + dc->thread_capacity * sizeof *dc->threads +
           (dc->variable_capacity + dc->lock_capacity + dc->channel_capacity) *
               sizeof(struct object) +
           dc->found_capacity * sizeof *dc->found + dc->log_capacity * sizeof *dc->log +
           dc->log_nodes_capacity * sizeof *dc->log_nodes;
}

static struct node *node_of(const struct reference *reference) {
    struct node *node = reference->node;
    return node && node->serial == reference->serial ? node : NULL;
}

static struct reference reference_to(struct node *node) {
    return (struct reference){node, node->serial};
}

static void push(struct doublechecker *dc, size_t *count, struct node *node) {
    st_reserve(&dc->found, &dc->found_capacity, *count + 1);
    dc->found[(*count)++] = node;
}

/* ---- Transactions, their logs and the edges between them ---- */

/* The node that stands for the transaction's component. Shortens the chain for the next time. */
static struct node *component_of(struct node *node) {
    while (node->into) {
        if (node->into->into)
            node->into = node->into->into;
        node = node->into;
    }
    return node;
}

static void add_edge(struct doublechecker *dc, struct node *from, struct node *to) {
    from = component_of(from);
    to = component_of(to);
    if (from == to)
        return;
    struct edge *edge = st_slab_take(&dc->edges);
    edge->to = to;
    edge->next = from->out;
    from->out = edge;
    if (!from->out_end)
        from->out_end = edge;
    to->has_incoming = true;
}

/* Drops the edges that have come to lie inside the component. */
static void drop_inner_edges(struct doublechecker *dc, struct node *node) {
    struct edge **link = &node->out;
    node->out_end = NULL;
    while (*link) {
        struct edge *edge = *link;
        if (component_of(edge->to) == node) {
            *link = edge->next;
            st_slab_give(&dc->edges, edge);
        } else {
            node->out_end = edge;
            link = &edge->next;
        }
    }
}

static void free_node(struct doublechecker *dc, struct node *node) {
    for (struct edge *edge = node->out, *next; edge; edge = next) {
        next = edge->next;
        st_slab_give(&dc->edges, edge);
    }
    node->serial = 0;
    st_slab_give(&dc->nodes, node);
    dc->node_count--;
}

/* Marks all components that those in found[0 .. count) reach. Returns the new count. */
static size_t search_from(struct doublechecker *dc, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (struct edge *edge = dc->found[i]->out; edge; edge = edge->next) {
            struct node *to = component_of(edge->to);
            if (to->search == dc->searches)
                continue;
            to->search = dc->searches;
            push(dc, &count, to);
        }
    }
    return count;
}

/* A new transaction of the thread, after its last one. */
static struct node *start_transaction(struct doublechecker *dc, struct thread *thread) {
    struct node *node = st_slab_take(&dc->nodes);
    node->serial = ++dc->serials;
    node->first = dc->here.number;
    node->next = dc->all;
    dc->all = node;
    if (++dc->node_count > dc->most_nodes)
        dc->most_nodes = dc->node_count;
    struct node *last = node_of(&thread->last);
    if (last)
        add_edge(dc, last, node);
    thread->last = reference_to(node);
    thread->transaction = node->serial;
    st_set64_clear(&thread->sources);
    return node;
}

/* The transaction of the current event, which gets an edge from another thread. A unary event
 * without one stays with the thread's last transaction, as in velodrome.c. */
static struct node *sink(struct doublechecker *dc, struct thread *thread) {
    struct node *last = node_of(&thread->last);
    if (last && (thread->depth || last->first == dc->here.number))
        return last;
    return start_transaction(dc, thread);
}

static void depend(struct doublechecker *dc, const struct reference *source) {
    struct node *from = node_of(source);
    struct thread *thread = &dc->threads[dc->here.event.thread];
    if (!from || from == node_of(&thread->last))
        return;
    struct node *node = sink(dc, thread);
    if (st_set64_add(&thread->sources, from->serial)) {
        dc->edge_count++;
        add_edge(dc, from, node);
    }
}

/* What the second phase will need. An event without a transaction can be on no cycle. */
static void write_log(struct doublechecker *dc, struct node *node) {
    st_reserve(&dc->log, &dc->log_capacity, dc->log_count + 1);
    st_reserve(&dc->log_nodes, &dc->log_nodes_capacity, dc->log_count + 1);
    dc->log[dc->log_count] = dc->here;
    dc->log_nodes[dc->log_count++] = node;
    dc->logged++;
}

static void log_event(struct doublechecker *dc, struct thread *thread) {
    struct node *node = node_of(&thread->last);
    if (node)
        write_log(dc, node);
}

/* Unary events that share a node are transactions of their own in the second phase, so what one of
 * them did says nothing of the next: each is logged. */
static void log_access(struct doublechecker *dc, struct object *object, bool write) {
    struct thread *thread = &dc->threads[dc->here.event.thread];
    struct node *node = node_of(&thread->last);
    if (!node)
        return;
    if (thread->depth) {
        if (object->logged == thread->transaction && (object->logged_write || !write))
            return;
        object->logged = thread->transaction;
        object->logged_write = write;
    }
    write_log(dc, node);
}

/* ---- First phase: ownership ---- */

/* All other threads may have read it. */
static void take_from_all(struct doublechecker *dc) {
    for (uint32_t u = 0; u < dc->thread_count; u++)
        if (u != dc->here.event.thread)
            depend(dc, &dc->threads[u].last);
}

static __attribute__((noinline)) void take_for_writing(struct doublechecker *dc,
                                                       struct object *object) {
    uint32_t t = dc->here.event.thread;
    if (object->state == READ_SHARED)
        take_from_all(dc);
    else if (object->state != UNOWNED && object->owner != t)
        depend(dc, &dc->threads[object->owner].last);
    object->state = WRITE_EXCLUSIVE;
    object->owner = t;
    object->logged = 0;
}

/* A second reader: its transaction comes after the one that made the first reader the owner, and
 * after all earlier transitions of this kind, so that one counter orders them all. */
static void share(struct doublechecker *dc, struct object *object) {
    struct thread *thread = &dc->threads[dc->here.event.thread];
    depend(dc, &dc->threads[object->owner].last_read_exclusive);
    depend(dc, &dc->last_shared);
    object->state = READ_SHARED;
    object->logged = 0;
    object->counter = thread->shared_seen = ++dc->shared_count;
    dc->last_shared = thread->last;
}

static __attribute__((noinline)) void take_for_reading(struct doublechecker *dc,
                                                       struct object *object) {
    uint32_t t = dc->here.event.thread;
    struct thread *thread = &dc->threads[t];
    switch (object->state) {
    case READ_EXCLUSIVE:
        share(dc, object);
        return;
    case READ_SHARED:
        if (thread->shared_seen < object->counter) {
            depend(dc, &dc->last_shared);
            thread->shared_seen = dc->shared_count;
        }
        return;
    case WRITE_EXCLUSIVE:
        depend(dc, &dc->threads[object->owner].last);
        break;
    case UNOWNED:
        break;
    }
    object->state = READ_EXCLUSIVE;
    object->owner = t;
    object->logged = 0;
    thread->last_read_exclusive = thread->last;
}

static inline void on_read(struct doublechecker *dc, struct object *object) {
    if (object->owner != dc->here.event.thread || object->state == READ_SHARED ||
        object->state == UNOWNED)
        take_for_reading(dc, object);
}

static inline void on_write(struct doublechecker *dc, struct object *object) {
    if (object->owner != dc->here.event.thread || object->state != WRITE_EXCLUSIVE)
        take_for_writing(dc, object);
}

/* Sends do not order each other, nor does a receive order a later send: the second phase sorts out
 * the edges that this adds. */
static __attribute__((noinline)) void on_message(struct doublechecker *dc,
                                                 const struct st_event *event) {
    st_reserve(&dc->channels, &dc->channel_capacity, event->target + (size_t)1);
    if (event->op == ST_SEND)
        on_write(dc, &dc->channels[event->target]);
    else
        on_read(dc, &dc->channels[event->target]);
}

/* ---- Components ---- */

/* The strongly connected component around the node: what it reaches and what reaches it. Its
 * members are found[0 .. result), the node itself first; 1 when it is alone. */
static size_t find_component(struct doublechecker *dc, struct node *node) {
    size_t count = 0;
    dc->searches++;
    push(dc, &count, node);
    count = search_from(dc, count);
    if (node->search != dc->searches)
        return 1; /* it does not reach itself */
    node->in_component = true;
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t i = count; i-- > 0;) {
            struct node *found = dc->found[i];
            for (struct edge *edge = found->out; edge && !found->in_component; edge = edge->next)
                if (component_of(edge->to)->in_component)
                    grown = found->in_component = true;
        }
    }
    size_t members = 0;
    for (size_t i = 0; i < count; i++) {
        struct node *found = dc->found[i];
        if (!found->in_component)
            continue;
        found->in_component = false; /* the node itself was found twice: counts once */
        dc->found[members++] = found;
    }
    return members;
}

static void merge(struct node *into, struct node *node) {
    into->component = true;
    node->into = into;
    if (node->out) {
        node->out_end->next = into->out;
        into->out = node->out;
        if (!into->out_end)
            into->out_end = node->out_end;
    }
    node->out = node->out_end = NULL;
}

/* The transaction has ended, so nothing enters it any more. A cycle whose last edge entered it is
 * there by now. */
static void end_transaction(struct doublechecker *dc, struct node *node) {
    node = component_of(node);
    if (!node->out || !node->has_incoming)
        return;
    node->has_incoming = false;
    size_t members = find_component(dc, node);
    for (size_t i = 1; i < members; i++)
        merge(node, dc->found[i]);
    if (members > 1)
        drop_inner_edges(dc, node);
}

/* ---- Garbage, and the second phase ---- */

/* Marks what running transactions reach. */
static void mark_live(struct doublechecker *dc) {
    size_t count = 0;
    dc->searches++;
    for (size_t t = 0; t < dc->thread_count; t++) {
        struct node *node = node_of(&dc->threads[t].last);
        if (!node || !dc->threads[t].depth)
            continue;
        node = component_of(node);
        node->search = dc->searches;
        push(dc, &count, node);
    }
    search_from(dc, count);
}

static bool is_live(const struct doublechecker *dc, const struct node *component) {
    return component->search == dc->searches;
}

/* Empties the log: replays what is, or may still become, part of a component. */
static void replay(struct doublechecker *dc) {
    size_t kept = 0;
    for (size_t i = 0; i < dc->log_count; i++) {
        struct node *node = dc->log_nodes[i] ? component_of(dc->log_nodes[i]) : NULL;
        if (node && !node->component && !node->replayed && !is_live(dc, node))
            continue;
        if (node)
            node->replayed = true;
        dc->log[kept++] = dc->log[i];
    }
    st_velodrome_replay(dc->precise, dc->log, kept);
    dc->log_count = 0;
}

/* A component needs only the node that stands for it. */
static void settle(struct reference *reference) {
    struct node *node = node_of(reference);
    if (node)
        *reference = reference_to(component_of(node));
}

static void settle_references(struct doublechecker *dc) {
    for (size_t t = 0; t < dc->thread_count; t++) {
        settle(&dc->threads[t].last);
        settle(&dc->threads[t].last_read_exclusive);
        settle(&dc->threads[t].fork);
    }
    settle(&dc->last_shared);
}

/* One edge for each component that it leads to. */
static void settle_edges(struct doublechecker *dc, struct node *node) {
    struct edge **link = &node->out;
    node->out_end = NULL;
    node->search = ++dc->searches;
    while (*link) {
        struct edge *edge = *link;
        edge->to = component_of(edge->to);
        if (edge->to->search == dc->searches) {
            *link = edge->next;
            st_slab_give(&dc->edges, edge);
        } else {
            edge->to->search = dc->searches;
            node->out_end = edge;
            link = &edge->next;
        }
    }
}

/* Frees all but the nodes that stand for live components. Those lead to live ones only. */
static void sweep(struct doublechecker *dc) {
    settle_references(dc);
    for (struct node *node = dc->all; node; node = node->next)
        node->doomed = node->into || !is_live(dc, node);
    for (struct node *node = dc->all; node; node = node->next)
        if (!node->doomed)
            settle_edges(dc, node);
    for (struct node **link = &dc->all; *link;) {
        struct node *node = *link;
        if (node->doomed) {
            *link = node->next;
            free_node(dc, node);
        } else {
            link = &node->next;
        }
    }
}

/* The next time comes when there is as much again, so that this costs a constant for each event. */
static __attribute__((noinline)) void collect_garbage(struct doublechecker *dc) {
    mark_live(dc);
    replay(dc);
    sweep(dc);
    dc->nodes_at = 2 * dc->node_count + SMALLEST_GARBAGE;
    dc->log_at = dc->node_count + SMALLEST_LOG;
}

/* ---- Events ---- */

static void on_event(struct doublechecker *dc, const struct st_event *event) {
    struct thread *thread = &dc->threads[event->thread];
    /* What has no effect is still an event: a child's first one depends on its fork. */
    if (event->op == ST_DROPPED || (event->op >= ST_OP_COUNT && thread->started))
        return;
    if (event->op == ST_BEGIN && thread->depth++ == 0)
        start_transaction(dc, thread);
    if (!thread->started) {
        thread->started = true;
        depend(dc, &thread->fork);
    }
    switch (event->op) {
    case ST_READ:
        on_read(dc, &dc->variables[event->target]);
        log_access(dc, &dc->variables[event->target], false);
        break;
    case ST_WRITE:
        on_write(dc, &dc->variables[event->target]);
        log_access(dc, &dc->variables[event->target], true);
        break;
    case ST_ACQUIRE:
    case ST_RELEASE:
        on_write(dc, &dc->locks[event->target]);
        break;
    case ST_FORK:
        dc->threads[event->target].fork = thread->last;
        break;
    case ST_JOIN:
        depend(dc, &dc->threads[event->target].last);
        break;
    case ST_SEND:
    case ST_RECEIVE:
        on_message(dc, event);
        break;
    default:
        break;
    }
    if (event->op > ST_WRITE)
        log_event(dc, thread);
    if (event->op == ST_END && --thread->depth == 0)
        end_transaction(dc, node_of(&thread->last));
}

static void make_room(struct doublechecker *dc, struct st_extent need) {
    st_reserve(&dc->threads, &dc->thread_capacity, need.threads);
    if (need.threads > dc->thread_count)
        dc->thread_count = need.threads;
    st_reserve(&dc->variables, &dc->variable_capacity, need.variables);
    st_reserve(&dc->locks, &dc->lock_capacity, need.locks);
}

static void feed(void *state, const struct st_event *events, size_t count, uint64_t first) {
    struct doublechecker *dc = state;
    make_room(dc, st_batch_extent(events, count));
    for (size_t i = 0; i < count; i++) {
        st_batch_prefetch(events, i, count, dc->variables);
        dc->here = (struct st_place){first + i, events[i]};
        on_event(dc, &events[i]);
        /* Not once a batch: which of several paths is found must not depend on the size of batches.
         */
        if (dc->node_count >= dc->nodes_at || dc->log_count >= dc->log_at)
            collect_garbage(dc);
    }
}

/* The second phase is behind: it forgets the variable when it gets here. */
static void forget(void *state, uint32_t variable) {
    struct doublechecker *dc = state;
    if (variable >= dc->variable_capacity || dc->variables[variable].state == UNOWNED)
        return;
    dc->variables[variable] = (struct object){.state = UNOWNED};
    if (!dc->log_count) {
        st_velodrome.forget(dc->precise, variable);
        return;
    }
    dc->here.event = (struct st_event){.target = variable, .written = ST_READ, .op = ST_FORGET};
    write_log(dc, NULL);
}

static void finish(void *state, uint64_t events) {
    struct doublechecker *dc = state;
    for (size_t t = 0; t < dc->thread_count; t++)
        if (dc->threads[t].depth)
            end_transaction(dc, node_of(&dc->threads[t].last));
    dc->searches++; /* nothing runs any more */
    replay(dc);
    st_velodrome.finish(dc->precise, events);
}

static void count(const void *state, struct st_counters *counters) {
    const struct doublechecker *dc = state;
    st_count(counters, "edges", dc->edge_count);
    st_count(counters, "logs", dc->logged);
    st_count(counters, "most_live_nodes", dc->most_nodes);
}

const struct st_engine st_doublechecker = {
    .name = "doublechecker",
    .summary = "ownership changes, then precise replay; exact verdict, blames what closes a cycle",
    .create = create,
    ST_ENGINE_FUNCTIONS,
};
