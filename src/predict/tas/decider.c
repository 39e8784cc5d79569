#include "predict/tas/decider.h"

#include "base/memory.h"
#include "predict/tas/nodes.h"

#include <stdlib.h>
#include <string.h>

/* The outcome of an attempt to complete the order. */
enum answer { REFUTED, EXTENDED, SETTLED };

/* A write that a read can see: index + 1, or 0 for the initial value; and its node. TAS_NONE: it is
 * what the frozen part left; TAS_NEVER: it is not among the events yet. */
struct option {
    uint32_t write, node;
};

/* What an open read was decided to see: an event + 1, or 0. */
struct choice {
    uint32_t read, write;
};

struct tas_decider {
    struct tas_worker *worker;
    const struct st_tas_graph *graph;
    struct tas_nodes nodes;
    struct tas_pair *pairs; /* those of the question, then those that are tried */
    size_t pair_count, pair_capacity;
    uint32_t target;
    uint32_t *wanted;           /* by strand: the last position that is itself wanted */
    uint32_t *needed;           /* by strand: the last position that other events need */
    bool extended;              /* releases were added to `wanted` */
    struct tas_pair blocked[2]; /* the two orders to try when scheduling gets stuck */
    uint32_t undecided;         /* or the open read whose choices have to be tried */
    struct choice *choices;     /* those that are tried */
    size_t choice_count, choice_capacity;
    uint32_t *content; /* by variable: what it holds, while scheduling a trace with values */
    size_t content_capacity;
    uint32_t *holder; /* by lock: the section that holds it, while scheduling */
    uint32_t *written, *pending;
    uint32_t *next;
    size_t holder_capacity, written_capacity, pending_capacity;
    uint32_t *saved; /* copies of `wanted`, one for each order tried */
    size_t saved_count, saved_capacity;
};

struct tas_decider *tas_decider_new(struct tas_worker *worker) {
    struct tas_decider *d = st_alloc(1, sizeof *d);
    size_t strands = (size_t)worker->graph->strand_count + 1;
    d->worker = worker;
    d->graph = worker->graph;
    d->wanted = st_alloc(strands, sizeof *d->wanted);
    d->needed = st_alloc(strands, sizeof *d->needed);
    d->next = st_alloc(strands, sizeof *d->next);
    tas_nodes_init(&d->nodes, worker->graph);
    return d;
}

void tas_decider_free(struct tas_decider *d) {
    tas_nodes_free(&d->nodes);
    free(d->pairs);
    free(d->choices);
    free(d->content);
    free(d->wanted);
    free(d->needed);
    free(d->next);
    free(d->holder);
    free(d->written);
    free(d->pending);
    free(d->saved);
    free(d);
}

/* ---- which events ---- */

/* Adds what must happen before the wanted events. The last event of a strand may be a read that
 * sees anything, if no event needs it. False if the target would not be the last event of its
 * strand. */
static bool close(struct tas_decider *d) {
    const struct st_tas_graph *graph = d->graph;
    struct tas_window *window = &d->worker->window;
    uint32_t own = tas_strand_of(graph, d->target);
    memset(d->needed, 0, graph->strand_count * sizeof *d->needed);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t t = 0; t < graph->strand_count; t++) {
            if (d->wanted[t] <= d->needed[t])
                continue;
            uint32_t event = tas_event_at(graph, t, d->wanted[t]);
            for (struct tas_walk w = {.needs = tas_needs_free(graph, event)}; tas_walk_next(&w);)
                if (w.strand != t && w.position > d->needed[w.strand]) {
                    d->needed[w.strand] = w.position;
                    changed = true;
                }
        }
    }
    for (uint32_t t = 0; t < graph->strand_count; t++)
        window->to[t] = d->wanted[t] > d->needed[t] ? d->wanted[t] : d->needed[t];
    return window->to[own] == graph->position[d->target] && d->needed[own] < window->to[own];
}

static void freeze(struct tas_decider *d) {
    uint32_t limit = d->target;
    for (size_t i = 0; i < d->pair_count; i++) {
        limit = d->pairs[i].from < limit ? d->pairs[i].from : limit;
        limit = d->pairs[i].to < limit ? d->pairs[i].to : limit;
    }
    for (size_t i = 0; i < d->choice_count; i++)
        limit = d->choices[i].read < limit ? d->choices[i].read : limit;
    tas_window_freeze(&d->worker->window, d->graph, d->worker->setup->whole_trace ? 0 : limit);
}

/* ---- what the order implies ---- */

/* The release of a section has to be executed but is not among the events yet. False if it cannot
 * be executed. */
static bool extend(struct tas_decider *d, const struct tas_section *section) {
    uint32_t release = d->graph->partner[section->acquire_event];
    if (!release || section->strand == tas_strand_of(d->graph, d->target))
        return false;
    uint32_t position = d->graph->position[release - 1];
    if (d->wanted[section->strand] < position)
        d->wanted[section->strand] = position;
    d->extended = true;
    return true;
}

/* Section `first` starts before `second`, so it must end before `second` starts. */
static bool order_sections(struct tas_decider *d, const struct tas_section *first,
                           const struct tas_section *second) {
    if (second->acquire == TAS_NONE)
        return false; /* it is held when the frozen part ends */
    if (first->release == TAS_NONE)
        return extend(d, first);
    return tas_nodes_put(&d->nodes, first->release, second->acquire);
}

/* For a lock event: which sections have started by then? */
static bool imply_by_lock(struct tas_decider *d, uint32_t node) {
    struct tas_nodes *nodes = &d->nodes;
    const struct tas_section *own = &nodes->sections[nodes->list[node].object];
    for (uint32_t r = nodes->lock_runs[own->lock]; r < nodes->lock_runs[own->lock + 1]; r++) {
        const struct tas_node_run *run = &nodes->section_runs[r];
        if (run->strand == own->strand)
            continue;
        const struct tas_section *started = tas_nodes_last_section(nodes, run, node);
        if (started && !order_sections(d, started, own))
            return false;
    }
    return true;
}

/* The read sees what the frozen part left, so all writes come after it. */
static bool imply_by_old(struct tas_decider *d, uint32_t read, const struct tas_node_run *run) {
    struct tas_nodes *nodes = &d->nodes;
    uint32_t first = nodes->writes[run->first];
    if (run->strand == nodes->list[read].strand)
        return nodes->list[first].position >= nodes->list[read].position;
    return tas_nodes_put(nodes, read, first);
}

/* The writes of one strand to the variable of a read. Those before the read come before its couple;
 * those after the couple come after the read. */
static bool imply_by_couple(struct tas_decider *d, uint32_t read, uint32_t couple,
                            const struct tas_node_run *run) {
    struct tas_nodes *nodes = &d->nodes;
    const struct tas_node *r = &nodes->list[read], *c = &nodes->list[couple];
    uint32_t before = tas_nodes_last_write(nodes, run, read);
    uint32_t after = tas_nodes_first_write_after(nodes, run, couple);
    if (before != TAS_NONE && before != couple) {
        if (run->strand == c->strand) {
            if (nodes->list[before].position > c->position)
                return false;
        } else if (!tas_nodes_put(nodes, before, couple)) {
            return false;
        }
    }
    if (after == TAS_NONE || after == read)
        return true;
    if (run->strand == r->strand)
        return nodes->list[after].position > r->position;
    return tas_nodes_put(nodes, read, after);
}

/* The read sees this node, or TAS_NONE for what the frozen part left. */
static bool imply_by_source(struct tas_decider *d, uint32_t node, uint32_t couple) {
    struct tas_nodes *nodes = &d->nodes;
    const struct tas_node *read = &nodes->list[node];
    for (uint32_t r = nodes->variable_runs[read->object];
         r < nodes->variable_runs[read->object + 1]; r++) {
        const struct tas_node_run *run = &nodes->write_runs[r];
        if (couple == TAS_NONE ? !imply_by_old(d, node, run)
                               : !imply_by_couple(d, node, couple, run))
            return false;
    }
    return true;
}

/* ---- reads that can see their value from several writes ---- */

static uint32_t content_left_frozen(const struct tas_decider *d, uint32_t variable,
                                    uint32_t *write) {
    *write = tas_window_last_write(&d->worker->window, d->graph, variable);
    return *write ? tas_content(d->graph, *write - 1) : 0;
}

/* Is a write known to come before the read, and after `than`, if that is a node? */
static bool has_write_before(const struct tas_decider *d, uint32_t read, uint32_t than) {
    const struct tas_nodes *nodes = &d->nodes;
    uint32_t object = nodes->list[read].object;
    for (uint32_t r = nodes->variable_runs[object]; r < nodes->variable_runs[object + 1]; r++) {
        uint32_t write = tas_nodes_last_write(nodes, &nodes->write_runs[r], read);
        if (write != TAS_NONE && write != than && write != read &&
            (than == TAS_NONE || tas_nodes_precede(nodes, than, write)))
            return true;
    }
    return false;
}

/* Can the read see this write of the window, as far as the order is known? */
static bool is_option(const struct tas_decider *d, uint32_t read, uint32_t write,
                      struct option *option) {
    const struct tas_nodes *nodes = &d->nodes;
    const struct st_tas_graph *graph = d->graph;
    const struct tas_node *r = &nodes->list[read];
    uint32_t strand = tas_strand_of(graph, write), node = tas_nodes_find(nodes, write);
    *option = (struct option){write + 1, node == TAS_NONE ? TAS_NEVER : node};
    if (node == TAS_NONE) /* it can be added, unless that would be too late */
        return strand != r->strand && strand != tas_strand_of(graph, d->target) &&
               !tas_must_precede(graph, r->event, write);
    return node != read && !tas_nodes_precede(nodes, read, node) &&
           !has_write_before(d, read, node);
}

/* Finds what an open read can see, at most so many. */
static size_t find_options(struct tas_decider *d, uint32_t read, struct option *options,
                           size_t most) {
    const struct st_tas_graph *graph = d->graph;
    uint32_t event = d->nodes.list[read].event, left, looked = 0;
    size_t count = 0;
    if (content_left_frozen(d, graph->events[event].target, &left) == graph->content[event] &&
        !has_write_before(d, read, TAS_NONE))
        options[count++] = (struct option){left, TAS_NONE};
    for (uint32_t w = tas_first_alike(graph, event); w && count < most; w = graph->alike[w - 1]) {
        looked++;
        if (!tas_is_frozen(&d->worker->window, graph, w - 1) &&
            is_option(d, read, w - 1, &options[count]))
            count++;
    }
    tas_spend(&d->worker->budget, (uint64_t)looked * 20);
    return count;
}

/* The event has to be executed. */
static void want(struct tas_decider *d, uint32_t event) {
    uint32_t strand = tas_strand_of(d->graph, event);
    if (d->wanted[strand] < d->graph->position[event])
        d->wanted[strand] = d->graph->position[event];
}

/* An open read: if only one write is left that it can see, it sees that one. */
static bool imply_by_options(struct tas_decider *d, uint32_t node) {
    struct option options[2];
    size_t count = find_options(d, node, options, 2);
    if (count != 1)
        return count > 1;
    if (options[0].node == TAS_NEVER) {
        want(d, options[0].write - 1);
        d->extended = true;
        return true;
    }
    return (options[0].node == TAS_NONE || tas_nodes_put(&d->nodes, options[0].node, node)) &&
           imply_by_source(d, node, options[0].node);
}

static bool imply_by_read(struct tas_decider *d, uint32_t node) {
    const struct tas_node *read = &d->nodes.list[node];
    if (read->couple == TAS_OPEN)
        return imply_by_options(d, node);
    if (read->couple == TAS_NEVER)
        return false;
    if (read->couple != TAS_NONE && tas_is_open(d->graph, read->event) &&
        !tas_nodes_put(&d->nodes, read->couple, node))
        return false;
    return imply_by_source(d, node, read->couple);
}

/* Gives open reads what was chosen for them. False if one cannot see that. */
static bool apply_choices(struct tas_decider *d) {
    const struct st_tas_graph *graph = d->graph;
    for (size_t i = 0; i < d->choice_count; i++) {
        struct choice choice = d->choices[i];
        uint32_t read = tas_nodes_find(&d->nodes, choice.read), left;
        if (read == TAS_NONE)
            return false; /* it is frozen: another order would do */
        bool old = !choice.write || tas_is_frozen(&d->worker->window, graph, choice.write - 1);
        if (old && content_left_frozen(d, graph->events[choice.read].target, &left) !=
                       graph->content[choice.read])
            return false;
        uint32_t write = old ? TAS_NONE : tas_nodes_find(&d->nodes, choice.write - 1);
        if (!old && write == TAS_NONE)
            return false;
        d->nodes.list[read].couple = write;
    }
    return true;
}

static bool imply(struct tas_decider *d, uint32_t node) {
    const struct tas_node *n = &d->nodes.list[node];
    if (n->kind == TAS_ACQUIRE || n->kind == TAS_RELEASE)
        return imply_by_lock(d, node);
    return n->free || n->kind == TAS_WRITE || imply_by_read(d, node);
}

static bool put_pairs(struct tas_decider *d) {
    for (size_t i = 0; i < d->pair_count; i++) {
        uint32_t from = tas_nodes_find(&d->nodes, d->pairs[i].from);
        uint32_t to = tas_nodes_find(&d->nodes, d->pairs[i].to);
        if (from == TAS_NONE || to == TAS_NONE || !tas_nodes_put(&d->nodes, from, to))
            return false;
    }
    return true;
}

/* Makes rounds over all events until nothing new follows. */
static enum answer saturate(struct tas_decider *d) {
    struct tas_nodes *nodes = &d->nodes;
    do {
        nodes->changed = false;
        if (!put_pairs(d))
            return REFUTED;
        for (size_t i = 0; i < nodes->count; i++) {
            uint32_t node = nodes->observed[i];
            if (!tas_nodes_inherit(nodes, node) || !imply(d, node))
                return REFUTED;
        }
        if (d->extended)
            return EXTENDED;
        if (!tas_spend(&d->worker->budget, nodes->count * (16 + nodes->width)))
            return REFUTED;
    } while (nodes->changed);
    return SETTLED;
}

/* ---- a schedule ---- */

static void start_contents(struct tas_decider *d) {
    const struct tas_nodes *nodes = &d->nodes;
    uint32_t left, next = 0; /* variables are numbered in the order of their nodes */
    st_reserve(&d->content, &d->content_capacity, (size_t)nodes->variable_count + 1);
    for (size_t i = 0; i < nodes->count; i++) {
        const struct tas_node *n = &nodes->list[i];
        if (n->kind != TAS_ACQUIRE && n->kind != TAS_RELEASE && n->object == next)
            d->content[next++] = content_left_frozen(d, d->graph->events[n->event].target, &left);
    }
}

/* Does the variable hold what the read must see? */
static bool sees_couple(const struct tas_decider *d, const struct tas_node *read) {
    if (d->graph->content)
        return d->content[read->object] == d->graph->content[read->event];
    return read->couple == d->written[read->object];
}

static void start_schedule(struct tas_decider *d) {
    const struct tas_nodes *nodes = &d->nodes;
    st_reserve(&d->holder, &d->holder_capacity, nodes->lock_count + 1);
    st_reserve(&d->written, &d->written_capacity, nodes->variable_count + 1);
    /* pending: how many later reads want what a node wrote, by node, and then what a variable held,
     * by variable */
    st_reserve(&d->pending, &d->pending_capacity, nodes->count + nodes->variable_count + 1);
    memset(d->holder, 0xff, (nodes->lock_count + 1) * sizeof *d->holder);
    memset(d->written, 0xff, (nodes->variable_count + 1) * sizeof *d->written);
    memset(d->pending, 0, (nodes->count + nodes->variable_count + 1) * sizeof *d->pending);
    memset(d->next, 0, nodes->width * sizeof *d->next);
    for (size_t s = 0; s < nodes->section_count; s++)
        if (nodes->sections[s].acquire == TAS_NONE)
            d->holder[nodes->sections[s].lock] = (uint32_t)s;
    for (size_t i = 0; i < nodes->count; i++) {
        const struct tas_node *n = &nodes->list[i];
        if (tas_node_reads(n) && n->couple != TAS_OPEN)
            d->pending[n->couple == TAS_NONE ? nodes->count + n->object : n->couple]++;
    }
    if (d->graph->content)
        start_contents(d);
}

static uint32_t *pending_of(const struct tas_decider *d, uint32_t written, uint32_t variable) {
    return &d->pending[written == TAS_NONE ? d->nodes.count + variable : written];
}

/* A read other than `self` that is not executed yet and wants what the variable holds. */
static uint32_t find_pending(const struct tas_decider *d, uint32_t written, uint32_t variable,
                             uint32_t self) {
    const struct tas_nodes *nodes = &d->nodes;
    for (uint32_t i = 0; i < nodes->count; i++) {
        const struct tas_node *n = &nodes->list[i];
        if (i != self && tas_node_reads(n) && n->object == variable && n->couple == written &&
            i >= nodes->actors[n->actor].first + d->next[n->actor])
            return i;
    }
    return TAS_NONE;
}

/* Do locks and couples allow the node to be executed now? If not, this notes the two possible
 * orders of the node and what blocks it. */
static bool is_free_to_go(struct tas_decider *d, uint32_t node) {
    const struct tas_nodes *nodes = &d->nodes;
    const struct tas_node *n = &nodes->list[node];
    d->undecided = TAS_NONE;
    if (n->kind == TAS_ACQUIRE) {
        uint32_t lock = nodes->sections[n->object].lock;
        if (d->holder[lock] == TAS_NONE)
            return true;
        const struct tas_section *holder = &nodes->sections[d->holder[lock]];
        d->blocked[0] = (struct tas_pair){n->event, holder->acquire_event};
        d->blocked[1] = (struct tas_pair){holder->acquire_event, n->event};
        return false;
    }
    if (tas_node_reads(n) && n->couple == TAS_OPEN && !sees_couple(d, n)) {
        d->undecided = node;
        return false;
    }
    if (!tas_node_writes(n))
        return true;
    uint32_t written = d->written[n->object];
    uint32_t own = tas_node_reads(n) && n->couple != TAS_OPEN && n->couple == written;
    if (*pending_of(d, written, n->object) == own)
        return true;
    uint32_t read = find_pending(d, written, n->object, node);
    uint32_t couple = written == TAS_NONE ? TAS_NONE : nodes->list[written].event;
    d->blocked[0] = (struct tas_pair){n->event, couple};
    d->blocked[1] = (struct tas_pair){nodes->list[read].event, n->event};
    return false;
}

static void execute(struct tas_decider *d, uint32_t node) {
    const struct tas_nodes *nodes = &d->nodes;
    const struct tas_node *n = &nodes->list[node];
    struct tas_schedule *schedule = &d->worker->schedule;
    d->next[n->actor]++;
    tas_schedule_add(schedule, n->event);
    if (n->kind == TAS_ACQUIRE || n->kind == TAS_RELEASE) {
        d->holder[nodes->sections[n->object].lock] = n->kind == TAS_ACQUIRE ? n->object : TAS_NONE;
        return;
    }
    if (tas_node_reads(n) && n->couple != TAS_OPEN)
        --*pending_of(d, n->couple, n->object);
    /* A read-modify-write that sees its couple also writes, even if no event wants that write. */
    bool broken = n->kind == TAS_UPDATE && n->free && !sees_couple(d, n);
    if (n->kind == TAS_UPDATE && !broken)
        tas_schedule_add(schedule,
                         tas_event_at(d->graph, n->strand, d->graph->position[n->event] + 1));
    if (!tas_node_writes(n))
        return;
    d->written[n->object] = node;
    if (d->graph->content)
        d->content[n->object] = broken ? TAS_NONE : n->leaves;
}

/* Of the nodes that can be executed next, the first in the trace. */
static uint32_t choose(struct tas_decider *d) {
    const struct tas_nodes *nodes = &d->nodes;
    uint32_t best = TAS_NONE, stuck = TAS_NONE, undecided = TAS_NONE;
    struct tas_pair blocked[2] = {{TAS_NONE, TAS_NONE}, {TAS_NONE, TAS_NONE}};
    for (uint32_t a = 0; a < nodes->width; a++) {
        const struct tas_node_actor *actor = &nodes->actors[a];
        uint32_t node = actor->first + d->next[a];
        if (d->next[a] == actor->count || !tas_nodes_ready(nodes, node, d->next))
            continue;
        uint32_t event = nodes->list[node].event;
        if (best != TAS_NONE && nodes->list[best].event < event)
            continue;
        if (is_free_to_go(d, node)) {
            best = node;
        } else if (stuck == TAS_NONE || event < nodes->list[stuck].event) {
            stuck = node;
            undecided = d->undecided;
            memcpy(blocked, d->blocked, sizeof blocked);
        }
    }
    memcpy(d->blocked, blocked, sizeof blocked);
    d->undecided = undecided;
    return best;
}

/* True if all events are scheduled. The target comes last, so that the schedule ends with it. */
static bool schedule(struct tas_decider *d) {
    start_schedule(d);
    tas_schedule_start(&d->worker->schedule, d->graph, &d->worker->window);
    for (size_t i = 0; i < d->nodes.count; i++) {
        uint32_t node = choose(d);
        if (node == TAS_NONE)
            return false;
        execute(d, node);
    }
    return true;
}

/* ---- the question ---- */

/* Collects the events, derives the order, and adds events where the order requires them. */
static enum answer attempt(struct tas_decider *d) {
    d->worker->budget.steps++;
    for (;;) {
        if (!close(d))
            return REFUTED;
        freeze(d);
        tas_nodes_make(&d->nodes, d->worker, d->needed);
        if (!apply_choices(d))
            return REFUTED;
        d->extended = false;
        enum answer answer = saturate(d);
        if (answer != EXTENDED)
            return answer;
    }
}

static bool solve(struct tas_decider *d);

static void save_wanted(struct tas_decider *d) {
    uint32_t strands = d->graph->strand_count;
    st_reserve(&d->saved, &d->saved_capacity, d->saved_count + strands);
    memcpy(d->saved + d->saved_count, d->wanted, strands * sizeof *d->wanted);
    d->saved_count += strands;
}

static void restore_wanted(struct tas_decider *d) {
    uint32_t strands = d->graph->strand_count;
    d->saved_count -= strands;
    memcpy(d->wanted, d->saved + d->saved_count, strands * sizeof *d->wanted);
}

/* Tries one of the two orders of events that block each other. */
static bool solve_with(struct tas_decider *d, struct tas_pair pair) {
    if (pair.from == TAS_NONE || pair.to == TAS_NONE)
        return false;
    save_wanted(d);
    st_reserve(&d->pairs, &d->pair_capacity, d->pair_count + 1);
    d->pairs[d->pair_count++] = pair;
    bool found = solve(d);
    d->pair_count--;
    restore_wanted(d);
    return found;
}

static bool solve_with_choice(struct tas_decider *d, uint32_t read, uint32_t write) {
    save_wanted(d);
    st_reserve(&d->choices, &d->choice_capacity, d->choice_count + 1);
    d->choices[d->choice_count++] = (struct choice){read, write};
    if (write)
        want(d, write - 1);
    bool found = solve(d);
    d->choice_count--;
    restore_wanted(d);
    return found;
}

/* Tries all writes that an open read can see, what it saw in the trace first. */
static bool solve_undecided(struct tas_decider *d, uint32_t node) {
    uint32_t read = d->nodes.list[node].event, couple = d->graph->partner[read];
    size_t most = 2, count;
    for (uint32_t w = tas_first_alike(d->graph, read); w; w = d->graph->alike[w - 1])
        most++;
    struct option *options = st_alloc(most, sizeof *options);
    count = find_options(d, node, options, most);
    bool found = false;
    for (int first = 1; first >= 0; first--)
        for (size_t i = 0; i < count && !found && !d->worker->budget.expired; i++)
            if ((options[i].write == couple) == first)
                found = solve_with_choice(d, read, options[i].write);
    free(options);
    return found;
}

static bool solve(struct tas_decider *d) {
    if (attempt(d) != SETTLED)
        return false;
    if (schedule(d))
        return true;
    if (d->undecided != TAS_NONE)
        return solve_undecided(d, d->undecided);
    struct tas_pair blocked[2];
    memcpy(blocked, d->blocked, sizeof blocked);
    return solve_with(d, blocked[0]) || solve_with(d, blocked[1]);
}

static void start(struct tas_decider *d, const struct tas_pair *pairs, size_t count,
                  uint32_t target) {
    d->target = target;
    d->pair_count = d->choice_count = 0;
    st_reserve(&d->pairs, &d->pair_capacity, count);
    memset(d->wanted, 0, d->graph->strand_count * sizeof *d->wanted);
    want(d, target);
    for (size_t i = 0; i < count; i++) {
        d->pairs[d->pair_count++] = pairs[i];
        want(d, pairs[i].from);
        want(d, pairs[i].to);
    }
}

bool tas_decide(struct tas_decider *d, const struct tas_pair *pairs, size_t count,
                uint32_t target) {
    start(d, pairs, count, target);
    return solve(d);
}

bool tas_refute(struct tas_decider *d, const struct tas_pair *pairs, size_t count, uint32_t target,
                uint32_t event, uint32_t *before) {
    start(d, pairs, count, target);
    if (attempt(d) == REFUTED)
        return true;
    tas_nodes_before(&d->nodes, tas_nodes_find(&d->nodes, event), before);
    return false;
}
