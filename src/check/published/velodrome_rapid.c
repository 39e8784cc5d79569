/* Velodrome (Flanagan, Freund, Yi, PLDI 2008) as the public tool RAPID has it, which the AeroDrome
 * paper measured against. For comparison with check/velodrome.c.
 *
 * Question: is the trace serializable? It blames nobody, and stops at the first cycle.
 *
 * Idea: a graph of transactions with an edge for each dependence. After each new edge the whole
 * graph is searched for a cycle. An event outside of blocks depends on a set of transactions. If
 * one of them is of the same thread and all others lead to it, the event is merged into that one;
 * otherwise it gets a transaction of its own, with an edge from each.
 *
 * What is kept on purpose:
 * - A transaction that ends without an incoming edge is removed; what that would free is not, so
 *   graphs grow without need.
 * - A thread depends on its fork from its first begin, access or acquire on. A fork or a join as
 *   its first event does not, and a thread that forks before it did anything else passes nothing
 *   on: such cycles are missed.
 * - A join depends on the last transaction of the child that has ended, not on one that is open.
 *
 * RAPID ends with an exception when it merges and a transaction has no edge yet; here the search
 * just finds no path. What it does not have, and is done as in our engines: channels. */
#include "check/engine.h"

#include "base/map64.h"
#include "base/memory.h"
#include "base/slab.h"

#include <stdlib.h>

/* A transaction. serial 0: the slot is free, and the pointer at the front is overwritten. */
struct node {
    struct node **out;
    size_t out_count, out_capacity;
    uint64_t serial;
    uint32_t thread;
    uint64_t incoming;
    struct node *previous, *next; /* in the list of all nodes with edges */
    bool in_graph;

    /* Of a search. */
    uint64_t search;
    size_t followed; /* edges of it, while the search is inside of it */
    bool inside;
};

/* A weak reference: to nothing, once the node's serial is another one. */
struct reference {
    struct node *node;
    uint64_t serial;
};

/* The reads of each thread, and the last write. Of a channel: the sends of each thread. */
struct variable {
    struct reference write;
    struct reference *reads;
    size_t read_capacity;
};

struct thread {
    struct reference current; /* C: the running block */
    struct reference last;    /* L: the last transaction that has ended */
    struct reference parent;  /* the transaction that forked it */
    bool started;
    uint32_t depth;
};

struct velodrome {
    struct st_findings *findings;
    struct st_slab nodes;
    struct node *graph; /* nodes that have or had an edge */
    struct st_set64 edges;
    uint64_t serials, searches;
    struct thread *threads;
    size_t thread_capacity;
    struct variable *variables, *channels;
    struct reference *locks; /* U */
    size_t variable_capacity, channel_capacity, lock_capacity;
    struct node **stack; /* scratch of searches */
    size_t stack_capacity;
    struct reference *sources; /* scratch: what an event outside of blocks depends on */
    size_t source_count, source_capacity;
    size_t bytes; /* of lists of edges and reads */
    uint64_t node_count, most_nodes, edge_count;
    bool cycle;
    uint64_t number; /* of the current event */
};

static void *create(struct st_findings *findings) {
    struct velodrome *vd = st_alloc(1, sizeof *vd);
    vd->findings = findings;
    st_slab_init(&vd->nodes, sizeof(struct node));
    return vd;
}

static void clear_variable(struct velodrome *vd, struct variable *variable) {
    vd->bytes -= variable->read_capacity * sizeof *variable->reads;
    free(variable->reads);
    *variable = (struct variable){.reads = NULL};
}

static void destroy(void *state) {
    struct velodrome *vd = state;
    for (struct node *node = vd->graph; node; node = node->next)
        free(node->out);
    for (size_t x = 0; x < vd->variable_capacity; x++)
        free(vd->variables[x].reads);
    for (size_t c = 0; c < vd->channel_capacity; c++)
        free(vd->channels[c].reads);
    st_set64_free(&vd->edges);
    st_slab_free(&vd->nodes);
    free(vd->threads);
    free(vd->variables);
    free(vd->channels);
    free(vd->locks);
    free(vd->stack);
    free(vd->sources);
    free(vd);
}

static size_t memory(const void *state) {
    const struct velodrome *vd = state;
    return sizeof *vd + st_slab_memory(&vd->nodes) + vd->bytes +
           vd->edges.table.slot_count * st_hash_slot_bytes(1) +
           vd->thread_capacity * sizeof *vd->threads + vd->lock_capacity * sizeof *vd->locks +
           (vd->variable_capacity + vd->channel_capacity) * sizeof(struct variable) +
           vd->stack_capacity * sizeof *vd->stack;
}

static void make_room(struct velodrome *vd, struct st_extent need) {
    st_reserve(&vd->threads, &vd->thread_capacity, need.threads);
    st_reserve(&vd->variables, &vd->variable_capacity, need.variables);
    st_reserve(&vd->locks, &vd->lock_capacity, need.locks);
}

/* ---- the graph ---- */

static struct node *node_of(struct reference reference) {
    struct node *node = reference.node;
    return node && node->serial == reference.serial ? node : NULL;
}

static struct reference refer_to(struct node *node) {
    return (struct reference){node, node ? node->serial : 0};
}

static struct node *fresh_transaction(struct velodrome *vd, uint32_t t) {
    struct node *node = st_slab_take(&vd->nodes);
    node->serial = ++vd->serials;
    node->thread = t;
    return node;
}

static void add_vertex(struct velodrome *vd, struct node *node) {
    if (node->in_graph)
        return;
    node->in_graph = true;
    node->next = vd->graph;
    if (vd->graph)
        vd->graph->previous = node;
    vd->graph = node;
    if (++vd->node_count > vd->most_nodes)
        vd->most_nodes = vd->node_count;
}

static void push(struct velodrome *vd, size_t *depth, struct node *node) {
    st_reserve(&vd->stack, &vd->stack_capacity, *depth + 1);
    vd->stack[(*depth)++] = node;
    node->search = vd->searches;
    node->followed = 0;
    node->inside = true;
}

/* Depth first from a node that no search has seen: does it come back to where it is? */
static bool has_cycle_from(struct velodrome *vd, struct node *start) {
    size_t depth = 0;
    push(vd, &depth, start);
    while (depth) {
        struct node *node = vd->stack[depth - 1];
        if (node->followed == node->out_count) {
            node->inside = false;
            depth--;
            continue;
        }
        struct node *to = node->out[node->followed++];
        if (to->search == vd->searches && to->inside)
            return true;
        if (to->search != vd->searches)
            push(vd, &depth, to);
    }
    return false;
}

static bool has_cycle(struct velodrome *vd) {
    vd->searches++;
    for (struct node *node = vd->graph; node; node = node->next)
        if (node->search != vd->searches && has_cycle_from(vd, node))
            return true;
    return false;
}

static bool path_exists(struct velodrome *vd, struct node *from, const struct node *to) {
    size_t depth = 0;
    vd->searches++;
    push(vd, &depth, from);
    while (depth) {
        struct node *node = vd->stack[--depth];
        if (node == to)
            return true;
        for (size_t i = 0; i < node->out_count; i++)
            if (node->out[i]->search != vd->searches)
                push(vd, &depth, node->out[i]);
    }
    return false;
}

/* An edge, unless there is one, and a search for a cycle. */
static void union_and_check(struct velodrome *vd, struct node *from, struct node *to) {
    if (!from || !to || from == to || vd->cycle)
        return;
    add_vertex(vd, from);
    add_vertex(vd, to);
    if (!st_set64_add(&vd->edges, from->serial << 32 ^ to->serial))
        return;
    size_t before = from->out_capacity;
    st_reserve(&from->out, &from->out_capacity, from->out_count + 1);
    vd->bytes += (from->out_capacity - before) * sizeof *from->out;
    from->out[from->out_count++] = to;
    to->incoming++;
    vd->edge_count++;
    if (has_cycle(vd)) {
        vd->cycle = true;
        st_findings_bad_event(vd->findings, vd->number);
    }
}

/* A transaction has ended. References to it become void when its serial does. */
static void garbage_collect(struct velodrome *vd, struct node *node) {
    if (node->incoming)
        return;
    if (node->in_graph) {
        for (size_t i = 0; i < node->out_count; i++)
            node->out[i]->incoming--;
        if (node->previous)
            node->previous->next = node->next;
        else
            vd->graph = node->next;
        if (node->next)
            node->next->previous = node->previous;
        vd->node_count--;
    }
    vd->bytes -= node->out_capacity * sizeof *node->out;
    free(node->out);
    node->serial = 0;
    st_slab_give(&vd->nodes, node);
}

/* ---- events outside of blocks ---- */

static void add_source(struct velodrome *vd, struct reference source) {
    if (!node_of(source))
        return;
    st_reserve(&vd->sources, &vd->source_capacity, vd->source_count + 1);
    vd->sources[vd->source_count++] = source;
}

static bool all_lead_to(struct velodrome *vd, const struct node *sink) {
    for (size_t i = 0; i < vd->source_count; i++)
        if (vd->sources[i].node != sink && !path_exists(vd, vd->sources[i].node, sink))
            return false;
    return true;
}

/* The transaction of an event that depends on the sources: NULL if nothing does matter. */
static struct node *merge_and_check(struct velodrome *vd, uint32_t t) {
    if (!vd->source_count)
        return NULL;
    for (size_t i = 0; i < vd->source_count; i++) {
        struct node *sink = vd->sources[i].node;
        if (sink->thread == t && all_lead_to(vd, sink))
            return sink;
    }
    struct node *node = fresh_transaction(vd, t);
    for (size_t i = 0; i < vd->source_count; i++)
        union_and_check(vd, vd->sources[i].node, node);
    return node;
}

/* ---- events ---- */

/* A dependence of the current event: an edge into the running block, or a source. */
static void depend(struct velodrome *vd, uint32_t t, struct reference source) {
    struct node *current = node_of(vd->threads[t].current);
    if (current)
        union_and_check(vd, node_of(source), current);
    else
        add_source(vd, source);
}

static void depend_on_fork(struct velodrome *vd, uint32_t t) {
    struct thread *thread = &vd->threads[t];
    if (!thread->started)
        depend(vd, t, thread->parent);
    thread->started = true;
}

static void depend_on_reads(struct velodrome *vd, uint32_t t, const struct variable *variable) {
    for (size_t u = 0; u < variable->read_capacity; u++)
        depend(vd, t, variable->reads[u]);
}

/* The transaction of the current event, whose dependences are known. */
static struct reference settle(struct velodrome *vd, uint32_t t) {
    struct thread *thread = &vd->threads[t];
    if (thread->depth)
        return thread->current;
    add_source(vd, thread->last);
    thread->last = refer_to(merge_and_check(vd, t));
    vd->source_count = 0;
    return thread->last;
}

static void store_read(struct velodrome *vd, uint32_t t, struct variable *variable,
                       struct reference in) {
    size_t before = variable->read_capacity;
    st_reserve(&variable->reads, &variable->read_capacity, (size_t)t + 1);
    vd->bytes += (variable->read_capacity - before) * sizeof *variable->reads;
    variable->reads[t] = in;
}

static void on_read(struct velodrome *vd, uint32_t t, struct variable *variable) {
    depend(vd, t, variable->write);
    depend_on_fork(vd, t);
    store_read(vd, t, variable, settle(vd, t));
}

static void on_write(struct velodrome *vd, uint32_t t, struct variable *variable) {
    depend_on_reads(vd, t, variable);
    depend(vd, t, variable->write);
    depend_on_fork(vd, t);
    variable->write = settle(vd, t);
}

static void on_acquire(struct velodrome *vd, uint32_t t, uint32_t l) {
    depend(vd, t, vd->locks[l]);
    depend_on_fork(vd, t);
    settle(vd, t);
}

static struct reference current_or_last(const struct thread *thread) {
    return thread->depth ? thread->current : thread->last;
}

static void on_join(struct velodrome *vd, uint32_t t, uint32_t child) {
    depend(vd, t, vd->threads[child].last);
    settle(vd, t);
}

static void on_begin(struct velodrome *vd, uint32_t t) {
    struct thread *thread = &vd->threads[t];
    if (thread->depth++)
        return;
    thread->current = refer_to(fresh_transaction(vd, t));
    depend(vd, t, thread->last);
    depend_on_fork(vd, t);
}

static void on_end(struct velodrome *vd, uint32_t t) {
    struct thread *thread = &vd->threads[t];
    if (--thread->depth)
        return;
    thread->last = thread->current;
    thread->current = (struct reference){NULL, 0};
    garbage_collect(vd, thread->last.node);
}

static struct variable *channel(struct velodrome *vd, uint32_t c) {
    st_reserve(&vd->channels, &vd->channel_capacity, (size_t)c + 1);
    return &vd->channels[c];
}

static void on_send(struct velodrome *vd, uint32_t t, struct variable *sends) {
    depend_on_fork(vd, t);
    store_read(vd, t, sends, settle(vd, t));
}

static void on_receive(struct velodrome *vd, uint32_t t, const struct variable *sends) {
    depend_on_reads(vd, t, sends);
    depend_on_fork(vd, t);
    settle(vd, t);
}

static void on_event(struct velodrome *vd, const struct st_event *event) {
    uint32_t t = event->thread, target = event->target;
    switch (event->op) {
    case ST_READ:
        on_read(vd, t, &vd->variables[target]);
        break;
    case ST_WRITE:
        on_write(vd, t, &vd->variables[target]);
        break;
    case ST_ACQUIRE:
        on_acquire(vd, t, target);
        break;
    case ST_RELEASE:
        vd->locks[target] = current_or_last(&vd->threads[t]);
        break;
    case ST_FORK:
        vd->threads[target].parent = current_or_last(&vd->threads[t]);
        break;
    case ST_JOIN:
        on_join(vd, t, target);
        break;
    case ST_BEGIN:
        on_begin(vd, t);
        break;
    case ST_END:
        on_end(vd, t);
        break;
    case ST_SEND:
        on_send(vd, t, channel(vd, target));
        break;
    case ST_RECEIVE:
        on_receive(vd, t, channel(vd, target));
        break;
    default:
        break;
    }
}

static void feed(void *state, const struct st_event *events, size_t count, uint64_t first) {
    struct velodrome *vd = state;
    if (vd->cycle)
        return; /* the verdict is final, and it is all that this engine has to say */
    make_room(vd, st_batch_extent(events, count));
    for (size_t i = 0; i < count && !vd->cycle; i++) {
        vd->number = first + i;
        on_event(vd, &events[i]);
    }
}

static void forget(void *state, uint32_t variable) {
    struct velodrome *vd = state;
    if (variable < vd->variable_capacity)
        clear_variable(vd, &vd->variables[variable]);
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

const struct st_engine st_velodrome_rapid = {
    .name = "velodrome-rapid",
    .summary = "Velodrome as the public tool RAPID has it; verdict only",
    .published_form_of = "velodrome",
    .create = create,
    ST_ENGINE_FUNCTIONS,
};
