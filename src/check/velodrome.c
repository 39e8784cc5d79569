/* Velodrome: Flanagan, Freund, Yi, PLDI 2008; as described in the AeroDrome and RegionTrack papers.
 *
 * Question: is the trace serializable, and which block is to blame? The verdict and the first bad
 * event are exact. Blame is sound (a blamed block is violated) but not complete.
 *
 * Idea: keep the graph of transactions. Every dependence between events of two transactions is an
 * edge; program order is an edge. The trace is serializable as long as the graph has no cycle, so
 * each new edge is checked: can its target already reach its source? An edge remembers the two
 * events it came from; a cycle along which these increase, from the transaction that closes it back
 * to itself, is a real chain of events, and that transaction is blamed.
 *
 * Garbage: edges only ever enter running transactions, so one that has ended without an incoming
 * edge can never be on a cycle. It is removed with its outgoing edges, which can free others, and
 * so on. Tables refer to transactions weakly, by serial number.
 *
 * As published: one edge for each pair of transactions, the first one; where only a later one would
 * make the cycle increasing, blame is missed (trace alpha3 of the RegionTrack paper). The edge that
 * closes a cycle is reported and not added, so the graph stays acyclic; a cycle that needs it, too,
 * is missed. DoubleChecker misses nothing: with its rule of blame the transactions of a cycle are
 * merged into one node, which keeps the graph acyclic as well.
 *
 * Where this differs from the papers, and why:
 * - A unary event without a new edge from another thread needs no node: it is merged into the
 *   thread's last transaction, whose successor it would be. One with such an edge gets its own;
 *   merging those makes cycles that are not there.
 * - If a cycle exists, blame looks for an increasing one among all cycles through the new edge,
 *   not only along the path that the search happened to take first. */
#include "check/velodrome.h"

#include "base/memory.h"
#include "base/map64.h"
#include "base/slab.h"

#include <stdlib.h>
#include <string.h>

struct node;

/* From `owner` (the node in whose list it is) to `to`. A program-order edge has no events. */
struct edge {
    struct edge *next;
    struct node *to;
    bool program_order;
    struct st_edge events;
};

/* A transaction, or (through `into`) a part of the node that its component was merged into. The
 * edges and counts of a component are those of the node that the others lead to. serial 0: the slot
 * is free. The pointer at the front is overwritten then. */
struct node {
    struct edge *out;
    uint64_t serial;
    struct node *into;                  /* NULL: stands for itself */
    struct node *members, *last_member; /* the others of its component, a chain of `members` */
    uint64_t incoming;                  /* edges from other components */
    uint32_t running;                   /* transactions in it that have not ended */
    uint64_t first, last; /* numbers of its first event and, once it has ended, of its last */
    uint32_t block;       /* name; of no meaning if the first event is the only one */

    /* Of a search: the last one that came by, when it arrived here, and over which edge. */
    uint64_t search;
    uint64_t arrival;
    struct node *from;
    struct edge *over; /* in find_component: the next one to follow */
    bool queued;
    bool on_cycle; /* scratch of find_component */
};

/* A weak reference: to nothing, once the node's serial is another one. */
struct reference {
    struct node *node;
    uint64_t serial;
};

/* An access and the transaction it was made in. */
struct access {
    struct reference in;
    struct st_place place;
};

/* The reads since the last write, one a thread. A channel is a variable without writes, and its
 * sends are the reads. */
struct variable {
    struct access write;
    struct access *reads;
    uint32_t read_count, read_capacity;
};

struct thread {
    struct reference last; /* the running transaction, or the last one */
    uint32_t depth;
    bool started;
    struct access fork;      /* where it was forked, until it has an event */
    struct st_place latest;  /* its latest event */
    struct st_set64 sources; /* serials of nodes with an edge into `last` */

    /* Of the running outermost block. */
    uint32_t block;
    uint64_t begin, begin_loc;
    bool violated;
    size_t violation;
};

struct velodrome {
    struct st_findings *findings;
    enum st_blame rule;
    struct st_slab nodes, edges;
    uint64_t serials, searches;
    uint64_t node_count, most_nodes, edge_count; /* nodes that are live; edges between threads */
    struct thread *threads;
    size_t thread_count, thread_capacity;
    struct variable *variables, *channels;
    size_t variable_capacity, channel_capacity;
    struct access *locks; /* last release */
    size_t lock_capacity;
    struct node **stack; /* scratch of searches and of garbage collection */
    size_t stack_capacity, read_bytes;
    struct st_edge *path; /* scratch */
    struct st_ends *ends; /* of the edges in `path` */
    size_t path_capacity, ends_capacity;
    struct st_place here; /* the current event */
};

void *st_velodrome_create(struct st_findings *findings, enum st_blame rule) {
    struct velodrome *vd = st_alloc(1, sizeof *vd);
    vd->findings = findings;
    vd->rule = rule;
    findings->names_blocks = findings->outermost_only = true;
    st_slab_init(&vd->nodes, sizeof(struct node));
    st_slab_init(&vd->edges, sizeof(struct edge));
    return vd;
}

static void *create(struct st_findings *findings) {
    return st_velodrome_create(findings, ST_BLAME_INCREASING);
}

static void destroy(void *state) {
    struct velodrome *vd = state;
    for (size_t x = 0; x < vd->variable_capacity; x++)
        free(vd->variables[x].reads);
    for (size_t c = 0; c < vd->channel_capacity; c++)
        free(vd->channels[c].reads);
    for (size_t t = 0; t < vd->thread_count; t++)
        st_set64_free(&vd->threads[t].sources);
    st_slab_free(&vd->nodes);
    st_slab_free(&vd->edges);
    free(vd->threads);
    free(vd->variables);
    free(vd->channels);
    free(vd->locks);
    free(vd->stack);
    free(vd->path);
    free(vd->ends);
    free(vd);
}

static size_t memory(const void *state) {
    const struct velodrome *vd = state;
    return sizeof *vd + st_slab_memory(&vd->nodes) + st_slab_memory(&vd->edges) +
           vd->thread_capacity * sizeof *vd->threads +
           (vd->variable_capacity + vd->channel_capacity) * sizeof(struct variable) +
           vd->read_bytes + vd->lock_capacity * sizeof *vd->locks +
           vd->stack_capacity * sizeof *vd->stack;
}

/* The node that stands for the transaction's component. Shortens the chain for the next time. */
static struct node *component_of(struct node *node) {
    while (node->into) {
        if (node->into->into)
            node->into = node->into->into;
        node = node->into;
    }
    return node;
}

static struct node *node_of(const struct reference *reference) {
    struct node *node = reference->node;
    return node && node->serial == reference->serial ? component_of(node) : NULL;
}

static void push(struct velodrome *vd, size_t *depth, struct node *node) {
    st_reserve(&vd->stack, &vd->stack_capacity, *depth + 1);
    vd->stack[(*depth)++] = node;
}

static void free_node(struct velodrome *vd, struct node *node) {
    for (struct node *next; node; node = next) {
        next = node->members;
        node->serial = 0;
        st_slab_give(&vd->nodes, node);
        vd->node_count--;
    }
}

/* Removes the node, which has ended and has no incoming edge, and all that follows from it. */
static void collect(struct velodrome *vd, struct node *node) {
    size_t depth = 0;
    push(vd, &depth, node);
    while (depth) {
        node = vd->stack[--depth];
        for (struct edge *edge = node->out, *next; edge; edge = next) {
            next = edge->next;
            struct node *to = component_of(edge->to);
            if (--to->incoming == 0 && !to->running)
                push(vd, &depth, to);
            st_slab_give(&vd->edges, edge);
        }
        free_node(vd, node);
    }
}

static struct edge *add_edge(struct velodrome *vd, struct node *from, struct node *to) {
    struct edge *edge = st_slab_take(&vd->edges);
    edge->to = to;
    edge->next = from->out;
    from->out = edge;
    to->incoming++;
    return edge;
}

/* A new transaction of the thread, after its last one. */
static struct node *start_transaction(struct velodrome *vd, struct thread *thread) {
    struct node *node = st_slab_take(&vd->nodes);
    node->serial = ++vd->serials;
    if (++vd->node_count > vd->most_nodes)
        vd->most_nodes = vd->node_count;
    node->first = vd->here.number;
    node->running = 1;
    struct node *last = node_of(&thread->last);
    if (last)
        add_edge(vd, last, node)->program_order = true;
    thread->last = (struct reference){node, node->serial};
    st_set64_clear(&thread->sources);
    return node;
}

static void end_transaction(struct velodrome *vd, struct node *node) {
    node->last = vd->here.number;
    if (--node->running == 0 && !node->incoming)
        collect(vd, node);
}

/* Is there a path from one to the other? Leaves it, backwards, in from/over of its nodes. */
static bool reaches(struct velodrome *vd, struct node *start, const struct node *goal) {
    uint64_t search = ++vd->searches;
    size_t depth = 0;
    start->search = search;
    push(vd, &depth, start);
    while (depth) {
        struct node *node = vd->stack[--depth];
        for (struct edge *edge = node->out; edge; edge = edge->next) {
            struct node *to = component_of(edge->to);
            if (to->search == search)
                continue;
            to->search = search;
            to->from = node;
            to->over = edge;
            if (to == goal)
                return true;
            push(vd, &depth, to);
        }
    }
    return false;
}

/* Tries to arrive at edge->to earlier than before in this search. */
static bool arrives_earlier(struct node *node, struct edge *edge, uint64_t search) {
    struct node *to = edge->to;
    if (!edge->program_order && edge->events.from.number < node->arrival)
        return false;
    uint64_t arrival = edge->program_order ? to->first : edge->events.to.number;
    if (to->search == search && to->arrival <= arrival)
        return false;
    to->search = search;
    to->arrival = arrival;
    to->from = node;
    to->over = edge;
    return true;
}

/* The same along edges whose events increase, up to event `leaves` of the goal, where the closing
 * edge starts. Finds the earliest arrival at every node; first in, first out. Components are not
 * entered: which of their transactions reach which is no longer known. */
static bool reaches_increasing(struct velodrome *vd, struct node *start, const struct node *goal,
                               uint64_t leaves) {
    uint64_t search = ++vd->searches;
    size_t head = 0, tail = 0;
    if (start->members)
        return false;
    start->search = search;
    start->arrival = 0; /* it may be left by any of its events, and not be entered again */
    push(vd, &tail, start);
    while (head < tail) {
        struct node *node = vd->stack[head++];
        node->queued = false;
        for (struct edge *edge = node->out; edge; edge = edge->next) {
            if (edge->to->into || edge->to->members || !arrives_earlier(node, edge, search) ||
                edge->to->queued)
                continue;
            edge->to->queued = true;
            push(vd, &tail, edge->to);
        }
    }
    return goal->search == search && goal->arrival <= leaves;
}

/* The transaction of an event that is in the node, or was merged into it. */
static struct st_transaction transaction_of(const struct node *node, const struct st_place *place) {
    bool merged = !node->running && place->number > node->last;
    return (struct st_transaction){.first = merged ? place->number : node->first,
                                   .block = node->block,
                                   .unary =
                                       merged || (!node->running && node->first == node->last)};
}

static void add_to_path(struct velodrome *vd, size_t *count, const struct st_edge *edge,
                        const struct node *from, const struct node *to) {
    st_reserve(&vd->path, &vd->path_capacity, *count + 1);
    st_reserve(&vd->ends, &vd->ends_capacity, *count + 1);
    vd->path[*count] = *edge;
    vd->ends[(*count)++] =
        (struct st_ends){transaction_of(from, &edge->from), transaction_of(to, &edge->to)};
}

static void reverse_path(struct velodrome *vd, size_t count) {
    for (size_t i = 0, j = count - 1; i < j; i++, j--) {
        struct st_edge edge = vd->path[i];
        struct st_ends ends = vd->ends[i];
        vd->path[i] = vd->path[j];
        vd->ends[i] = vd->ends[j];
        vd->path[j] = edge;
        vd->ends[j] = ends;
    }
}

/* The cross-thread edges of the path that a search left, from start to goal, and the closing one.
 * Program order needs no mention: consecutive edges meet in one thread. */
static size_t collect_path(struct velodrome *vd, const struct node *start, const struct node *goal,
                           const struct st_edge *closing) {
    size_t count = 0;
    add_to_path(vd, &count, closing, goal, start);
    for (const struct node *node = goal; node != start; node = node->from)
        if (!node->over->program_order)
            add_to_path(vd, &count, &node->over->events, node->from, node);
    reverse_path(vd, count);
    return count;
}

/* Blames the running block, with the path in vd->path (0: without one). */
static void blame(struct velodrome *vd, struct thread *thread, size_t path_length) {
    thread->violated = true;
    struct st_violation violation = {.block = thread->block,
                                     .thread = vd->here.event.thread,
                                     .begin_loc = thread->begin_loc,
                                     .begin = thread->begin,
                                     .event = vd->here,
                                     .path_length = path_length};
    if (path_length) {
        violation.path = st_alloc(path_length, sizeof *violation.path);
        memcpy(violation.path, vd->path, path_length * sizeof *violation.path);
    }
    thread->violation = st_findings_violation(vd->findings, &violation);
}

/* The path behind the blame, if somebody keeps it: a block that is violated all the time can be
 * blamed a million times. */
static size_t path_of_blame(struct velodrome *vd, const struct thread *thread,
                            const struct node *node, const struct node *source,
                            const struct st_edge *closing) {
    return st_findings_keeps(vd->findings, thread->block, vd->here.event.loc)
               ? collect_path(vd, node, source, closing)
               : 0;
}

/* The edge would close a cycle; node is the running transaction, so it is a block. */
static void report_cycle(struct velodrome *vd, struct thread *thread, struct node *node,
                         struct node *source, const struct st_edge *closing) {
    if (st_findings_bad_event(vd->findings, vd->here.number)) {
        size_t length = collect_path(vd, node, source, closing);
        st_findings_cycle(vd->findings, vd->path, vd->ends, length);
    }
    if (thread->violated)
        return;
    if (reaches_increasing(vd, node, source, closing->from.number))
        blame(vd, thread, path_of_blame(vd, thread, node, source, closing));
    else if (vd->rule == ST_BLAME_CLOSING)
        blame(vd, thread, 0);
}

/* ---- DoubleChecker: the transactions of a cycle become one node ---- */

/* Marks the nodes on paths from one to the other, both included. A node is done when all that it
 * reaches is, since the graph has no cycle yet. */
static void find_component(struct velodrome *vd, struct node *start, struct node *goal) {
    uint64_t search = ++vd->searches;
    size_t depth = 0;
    goal->search = search;
    goal->on_cycle = true;
    start->search = search;
    start->over = start->out;
    push(vd, &depth, start);
    while (depth) {
        struct node *node = vd->stack[depth - 1];
        if (!node->over) {
            depth--;
            if (depth && node->on_cycle)
                vd->stack[depth - 1]->on_cycle = true;
            continue;
        }
        struct node *to = component_of(node->over->to);
        node->over = node->over->next;
        if (to->search == search) {
            node->on_cycle |= to->on_cycle;
            continue;
        }
        to->search = search;
        to->over = to->out;
        push(vd, &depth, to);
    }
}

static void absorb(struct node *into, struct node *node) {
    struct node *last = node->members ? node->last_member : node;
    last->members = into->members;
    if (!into->members)
        into->last_member = last;
    into->members = node;
    node->into = into;
    node->on_cycle = false;
    into->incoming += node->incoming;
    into->running += node->running;
}

/* Merges what find_component marked into `into`, with all that it reaches on the way. */
static void merge_component(struct velodrome *vd, struct node *into) {
    size_t depth = 0;
    struct edge *kept = NULL;
    into->on_cycle = false;
    push(vd, &depth, into);
    while (depth) {
        struct node *node = vd->stack[--depth];
        for (struct edge *edge = node->out, *next; edge; edge = next) {
            next = edge->next;
            struct node *to = component_of(edge->to);
            if (to->on_cycle) {
                absorb(into, to);
                push(vd, &depth, to);
                to = into;
            }
            if (to == into) { /* an edge inside */
                into->incoming--;
                st_slab_give(&vd->edges, edge);
            } else {
                edge->next = kept;
                kept = edge;
            }
        }
        node->out = NULL;
    }
    into->out = kept;
}

/* The edge from `source` closed a cycle with node. */
static void close_cycle(struct velodrome *vd, struct node *node, struct node *source) {
    if (vd->rule != ST_BLAME_CLOSING)
        return;
    find_component(vd, node, source);
    merge_component(vd, node);
}

/* An edge within a component: every cycle that it closes lies in there. */
static void stay_in_component(struct velodrome *vd, struct thread *thread) {
    if (!thread->violated)
        blame(vd, thread, 0);
}

/* The transaction of the current event, which gets an edge from another thread. */
static struct node *sink(struct velodrome *vd, struct thread *thread) {
    struct node *last = node_of(&thread->last);
    if (last && (thread->depth || last->first == vd->here.number))
        return last;
    struct node *node = start_transaction(vd, thread);
    node->running = 0; /* unary */
    node->last = node->first;
    return node;
}

/* The dependence source -> current event. */
static void depend(struct velodrome *vd, const struct access *source, enum st_edge_kind kind) {
    struct node *from = node_of(&source->in);
    struct thread *thread = &vd->threads[vd->here.event.thread];
    if (!from || source->place.event.thread == vd->here.event.thread)
        return;
    struct node *node = sink(vd, thread);
    if (node == from) {
        stay_in_component(vd, thread);
        return;
    }
    if (!st_set64_add(&thread->sources, from->serial))
        return;
    vd->edge_count++;
    struct st_edge events = {.from = source->place, .to = vd->here, .kind = kind};
    if (node->out && reaches(vd, node, from)) {
        report_cycle(vd, thread, node, from, &events);
        close_cycle(vd, node, from);
    } else {
        add_edge(vd, from, node)->events = events;
    }
}

static struct access this_access(const struct velodrome *vd) {
    return (struct access){vd->threads[vd->here.event.thread].last, vd->here};
}

static void on_begin(struct velodrome *vd, struct thread *thread) {
    if (thread->depth++)
        return;
    start_transaction(vd, thread)->block = vd->here.event.target;
    thread->block = vd->here.event.target;
    thread->begin = vd->here.number;
    thread->begin_loc = vd->here.event.loc;
    thread->violated = false;
    thread->violation = ST_NO_VIOLATION;
}

static void on_end(struct velodrome *vd, struct thread *thread) {
    if (--thread->depth)
        return;
    end_transaction(vd, node_of(&thread->last));
    st_findings_block_end(vd->findings, thread->violation, thread->begin, vd->here.number);
}

/* Replaces the thread's older read, or one whose transaction is gone. */
static void add_read(struct velodrome *vd, struct variable *variable) {
    uint32_t i = 0;
    while (i < variable->read_count &&
           variable->reads[i].place.event.thread != vd->here.event.thread &&
           node_of(&variable->reads[i].in))
        i++;
    if (i == variable->read_capacity) {
        uint32_t capacity = i ? 2 * i : 1;
        variable->reads = st_realloc(variable->reads, capacity, sizeof *variable->reads);
        variable->read_capacity = capacity;
        vd->read_bytes += (capacity - i) * sizeof *variable->reads;
    }
    if (i == variable->read_count)
        variable->read_count++;
    variable->reads[i] = this_access(vd);
}

static void on_read(struct velodrome *vd, struct variable *variable) {
    depend(vd, &variable->write, ST_EDGE_CONFLICT);
    add_read(vd, variable);
}

static void depend_on_reads(struct velodrome *vd, const struct variable *variable,
                            enum st_edge_kind kind) {
    for (uint32_t i = 0; i < variable->read_count; i++)
        depend(vd, &variable->reads[i], kind);
}

static void on_write(struct velodrome *vd, struct variable *variable) {
    depend_on_reads(vd, variable, ST_EDGE_CONFLICT);
    depend(vd, &variable->write, ST_EDGE_CONFLICT);
    variable->read_count = 0;
    variable->write = this_access(vd);
}

static struct variable *channel_at(struct velodrome *vd, uint32_t channel) {
    st_reserve(&vd->channels, &vd->channel_capacity, channel + (size_t)1);
    return &vd->channels[channel];
}

static void on_join(struct velodrome *vd, uint32_t child) {
    struct access end = {vd->threads[child].last, vd->threads[child].latest};
    depend(vd, &end, ST_EDGE_JOIN);
}

static void on_event(struct velodrome *vd, const struct st_event *event) {
    struct thread *thread = &vd->threads[event->thread];
    if (event->op == ST_DROPPED)
        return;
    if (event->op == ST_BEGIN)
        on_begin(vd, thread);
    if (!thread->started) {
        thread->started = true;
        depend(vd, &thread->fork, ST_EDGE_FORK);
    }
    switch (event->op) {
    case ST_READ:
        on_read(vd, &vd->variables[event->target]);
        break;
    case ST_WRITE:
        on_write(vd, &vd->variables[event->target]);
        break;
    case ST_ACQUIRE:
        depend(vd, &vd->locks[event->target], ST_EDGE_LOCK);
        break;
    case ST_RELEASE:
        vd->locks[event->target] = this_access(vd);
        break;
    case ST_FORK:
        vd->threads[event->target].fork = this_access(vd);
        break;
    case ST_JOIN:
        on_join(vd, event->target);
        break;
    case ST_END:
        on_end(vd, thread);
        break;
    case ST_SEND:
        add_read(vd, channel_at(vd, event->target));
        break;
    case ST_RECEIVE:
        depend_on_reads(vd, channel_at(vd, event->target), ST_EDGE_SYNC);
        break;
    default:
        break;
    }
    thread->latest = vd->here;
}

static void make_room(struct velodrome *vd, struct st_extent need) {
    st_reserve(&vd->threads, &vd->thread_capacity, need.threads);
    if (need.threads > vd->thread_count)
        vd->thread_count = need.threads;
    st_reserve(&vd->variables, &vd->variable_capacity, need.variables);
    st_reserve(&vd->locks, &vd->lock_capacity, need.locks);
}

static void feed(void *state, const struct st_event *events, size_t count, uint64_t first) {
    struct velodrome *vd = state;
    make_room(vd, st_batch_extent(events, count));
    for (size_t i = 0; i < count; i++) {
        st_batch_prefetch(events, i, count, vd->variables);
        vd->here = (struct st_place){first + i, events[i]};
        on_event(vd, &events[i]);
    }
}

static void forget(void *state, uint32_t number) {
    struct velodrome *vd = state;
    if (number >= vd->variable_capacity)
        return;
    struct variable *variable = &vd->variables[number];
    vd->read_bytes -= variable->read_capacity * sizeof *variable->reads;
    free(variable->reads);
    *variable = (struct variable){.reads = NULL};
}

void st_velodrome_replay(void *state, const struct st_place *places, size_t count) {
    struct velodrome *vd = state;
    for (size_t i = 0; i < count; i++)
        make_room(vd, st_batch_extent(&places[i].event, 1));
    for (size_t i = 0; i < count; i++) {
        const struct st_place *later = &places[i + ST_AHEAD < count ? i + ST_AHEAD : i];
        __builtin_prefetch(&vd->variables[later->event.target], 1);
        if (places[i].event.op == ST_FORGET) {
            forget(vd, places[i].event.target);
            continue;
        }
        vd->here = places[i];
        on_event(vd, &places[i].event);
    }
}

static void finish(void *state, uint64_t events) {
    struct velodrome *vd = state;
    (void)events;
    st_engine_finish(vd->findings);
}

static void count(const void *state, struct st_counters *counters) {
    const struct velodrome *vd = state;
    st_count(counters, "edges", vd->edge_count);
    st_count(counters, "most_live_nodes", vd->most_nodes);
}

const struct st_engine st_velodrome = {
    .name = "velodrome",
    .summary = "transaction graph; exact verdict and first bad event, sound but incomplete blame",
    .create = create,
    ST_ENGINE_FUNCTIONS,
};
