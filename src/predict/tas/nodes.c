#include "predict/tas/nodes.h"

#include "base/lower_bound.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void tas_nodes_init(struct tas_nodes *nodes, const struct st_tas_graph *graph) {
    size_t threads = (size_t)graph->strand_count + 1;
    size_t variables = (size_t)graph->variable_count + 1, locks = (size_t)graph->lock_count + 1;
    *nodes = (struct tas_nodes){.graph = graph};
    nodes->actors = st_alloc(threads, sizeof *nodes->actors);
    nodes->actor_of = st_alloc(threads, sizeof *nodes->actor_of);
    nodes->variable_numbers = st_alloc(variables, sizeof(uint32_t));
    nodes->variable_stamps = st_alloc(variables, sizeof(uint32_t));
    nodes->lock_numbers = st_alloc(locks, sizeof(uint32_t));
    nodes->lock_stamps = st_alloc(locks, sizeof(uint32_t));
}

void tas_nodes_free(struct tas_nodes *nodes) {
    free(nodes->list);
    free(nodes->actors);
    free(nodes->actor_of);
    free(nodes->observed);
    free(nodes->clocks);
    free(nodes->grown);
    free(nodes->sections);
    free(nodes->section_order);
    free(nodes->writes);
    free(nodes->write_runs);
    free(nodes->section_runs);
    free(nodes->variable_runs);
    free(nodes->lock_runs);
    free(nodes->variable_numbers);
    free(nodes->variable_stamps);
    free(nodes->lock_numbers);
    free(nodes->lock_stamps);
    free(nodes->lock_names);
    free(nodes->keys);
    free(nodes->merged);
    free(nodes->places);
}

/* ---- making them ---- */

static uint32_t number_variable(struct tas_nodes *nodes, uint32_t variable) {
    if (nodes->variable_stamps[variable] != nodes->stamp) {
        nodes->variable_stamps[variable] = nodes->stamp;
        nodes->variable_numbers[variable] = nodes->variable_count++;
    }
    return nodes->variable_numbers[variable];
}

static uint32_t number_lock(struct tas_nodes *nodes, uint32_t lock) {
    if (nodes->lock_stamps[lock] != nodes->stamp) {
        nodes->lock_stamps[lock] = nodes->stamp;
        nodes->lock_numbers[lock] = nodes->lock_count;
        st_reserve(&nodes->lock_names, &nodes->lock_name_capacity, (size_t)nodes->lock_count + 1);
        nodes->lock_names[nodes->lock_count++] = lock;
    }
    return nodes->lock_numbers[lock];
}

static uint32_t add_section(struct tas_nodes *nodes, struct tas_section section) {
    st_reserve(&nodes->sections, &nodes->section_capacity, nodes->section_count + 1);
    nodes->sections[nodes->section_count] = section;
    return (uint32_t)nodes->section_count++;
}

/* The section of a release: the one its acquire started, or one that began before the window. */
static uint32_t close_section(struct tas_nodes *nodes, uint32_t lock, uint32_t strand,
                              uint32_t release, uint32_t acquire_event) {
    uint32_t acquire = tas_nodes_find(nodes, acquire_event);
    if (acquire == TAS_NONE)
        return add_section(nodes,
                           (struct tas_section){lock, strand, TAS_NONE, release, acquire_event});
    nodes->sections[nodes->list[acquire].object].release = release;
    return nodes->list[acquire].object;
}

static void add_lock_event(struct tas_nodes *nodes, struct tas_node *node) {
    const struct st_tas_graph *graph = nodes->graph;
    uint32_t lock = number_lock(nodes, graph->events[node->event].target);
    uint32_t number = (uint32_t)nodes->count;
    if (graph->events[node->event].op == ST_ACQUIRE) {
        node->kind = TAS_ACQUIRE;
        node->object = add_section(
            nodes, (struct tas_section){lock, node->strand, number, TAS_NONE, node->event});
    } else {
        node->kind = TAS_RELEASE;
        node->object =
            close_section(nodes, lock, node->strand, number, graph->partner[node->event] - 1);
    }
}

/* Adds the node of an event, if it gets one. Returns how many events the node stands for. */
static uint32_t add_node(struct tas_nodes *nodes, uint32_t event, bool last, bool needed) {
    const struct st_tas_graph *graph = nodes->graph;
    const struct st_event *e = &graph->events[event];
    struct tas_node node = {.event = event,
                            .strand = tas_strand_of(graph, event),
                            .actor = nodes->width,
                            .position = graph->position[event],
                            .couple = TAS_NEVER};
    uint32_t stands_for = 1;
    if (e->op == ST_ACQUIRE || e->op == ST_RELEASE) {
        add_lock_event(nodes, &node);
    } else if (tas_is_access(e) && graph->shared[e->target]) {
        node.kind = e->op == ST_READ ? TAS_READ : TAS_WRITE;
        node.object = number_variable(nodes, e->target);
        node.free = e->op == ST_READ && last && !needed;
        node.leaves = e->op == ST_READ ? TAS_NONE : tas_content(graph, event);
        if (e->op == ST_READ && tas_is_update(graph, event)) {
            node.kind = TAS_UPDATE;
            node.leaves =
                tas_content(graph, tas_event_at(graph, node.strand, graph->position[event] + 1));
            if (!last) {
                node.position++;
                stands_for = 2;
            }
        }
    } else {
        return 1;
    }
    st_reserve(&nodes->list, &nodes->capacity, nodes->count + 1);
    nodes->list[nodes->count++] = node;
    nodes->actors[nodes->width].count++;
    return stands_for;
}

static void add_actor(struct tas_nodes *nodes, const struct tas_window *window, uint32_t t,
                      const uint32_t *needed) {
    nodes->actors[nodes->width] = (struct tas_node_actor){t, (uint32_t)nodes->count, 0};
    nodes->actor_of[t] = nodes->width;
    for (uint32_t p = window->from[t] + 1; p <= window->to[t];)
        p += add_node(nodes, tas_event_at(nodes->graph, t, p), p == window->to[t], needed[t] >= p);
    if (nodes->actors[nodes->width].count)
        nodes->width++;
    else
        nodes->actor_of[t] = TAS_NONE;
}

static void find_couples(struct tas_nodes *nodes, const struct tas_window *window) {
    for (size_t i = 0; i < nodes->count; i++) {
        struct tas_node *node = &nodes->list[i];
        if (node->kind != TAS_READ && node->kind != TAS_UPDATE)
            continue;
        uint32_t couple = nodes->graph->partner[node->event];
        if (tas_is_open(nodes->graph, node->event)) {
            node->couple = TAS_OPEN;
        } else if (!couple || tas_is_frozen(window, nodes->graph, couple - 1)) {
            node->couple = TAS_NONE;
        } else {
            uint32_t found = tas_nodes_find(nodes, couple - 1);
            node->couple = found == TAS_NONE ? TAS_NEVER : found;
        }
    }
}

/* Adds locks that are held the whole time by a thread that will not release them. */
static void add_held(struct tas_nodes *nodes, const struct tas_window *window) {
    const struct st_tas_graph *graph = nodes->graph;
    for (uint32_t l = 0; l < nodes->lock_count; l++) {
        uint32_t acquire = tas_window_holder(window, graph, nodes->lock_names[l]);
        if (acquire == TAS_NONE)
            continue;
        uint32_t release = graph->partner[acquire];
        if (!release || tas_nodes_find(nodes, release - 1) == TAS_NONE)
            add_section(nodes, (struct tas_section){l, tas_strand_of(graph, acquire), TAS_NONE,
                                                    TAS_NONE, acquire});
    }
}

static int by_key(const void *left, const void *right) {
    const struct tas_sort_key *a = left, *b = right;
    if (a->major != b->major)
        return a->major < b->major ? -1 : 1;
    return (a->minor > b->minor) - (a->minor < b->minor);
}

static void add_run(struct tas_node_run **runs, size_t *capacity, uint32_t *count, uint32_t strand,
                    uint32_t actor, uint32_t place, bool new_object) {
    if (!new_object && (*runs)[*count - 1].strand == strand) {
        (*runs)[*count - 1].end = place + 1;
        return;
    }
    st_reserve(runs, capacity, (size_t)*count + 1);
    (*runs)[(*count)++] = (struct tas_node_run){strand, actor, place, place + 1};
}

/* Nodes are numbered by strand and position, so a stable sort by variable is enough. */
static void list_writes(struct tas_nodes *nodes) {
    st_reserve(&nodes->writes, &nodes->writes_capacity, nodes->count + 1);
    st_reserve(&nodes->places, &nodes->place_capacity, (size_t)nodes->variable_count + 2);
    uint32_t *places = nodes->places;
    memset(places, 0, ((size_t)nodes->variable_count + 2) * sizeof *places);
    nodes->write_count = 0;
    for (uint32_t i = 0; i < nodes->count; i++)
        if (tas_node_writes(&nodes->list[i])) {
            places[nodes->list[i].object + 1]++;
            nodes->write_count++;
        }
    for (uint32_t x = 0; x < nodes->variable_count; x++)
        places[x + 1] += places[x];
    for (uint32_t i = 0; i < nodes->count; i++)
        if (tas_node_writes(&nodes->list[i]))
            nodes->writes[places[nodes->list[i].object]++] = i;
}

static void index_writes(struct tas_nodes *nodes) {
    uint32_t object = 0, count = 0;
    list_writes(nodes);
    st_reserve(&nodes->variable_runs, &nodes->variable_capacity, (size_t)nodes->variable_count + 2);
    nodes->variable_runs[0] = 0;
    for (uint32_t i = 0; i < nodes->write_count; i++) {
        const struct tas_node *node = &nodes->list[nodes->writes[i]];
        bool new_object = i == 0 || node->object != object;
        while (object < node->object)
            nodes->variable_runs[++object] = count;
        add_run(&nodes->write_runs, &nodes->write_run_capacity, &count, node->strand, node->actor,
                i, new_object);
    }
    while (object < nodes->variable_count)
        nodes->variable_runs[++object] = count;
}

static void index_sections(struct tas_nodes *nodes) {
    uint32_t lock = 0, count = 0;
    st_reserve(&nodes->section_order, &nodes->order_capacity, nodes->section_count + 1);
    st_reserve(&nodes->lock_runs, &nodes->lock_capacity, (size_t)nodes->lock_count + 2);
    st_reserve(&nodes->keys, &nodes->key_capacity, nodes->section_count + 1);
    for (uint32_t i = 0; i < nodes->section_count; i++) {
        const struct tas_section *section = &nodes->sections[i];
        nodes->keys[i] = (struct tas_sort_key){(uint64_t)section->lock << 32 | section->strand,
                                               section->acquire_event, i};
    }
    if (nodes->section_count)
        qsort(nodes->keys, nodes->section_count, sizeof *nodes->keys, by_key);
    for (size_t i = 0; i < nodes->section_count; i++)
        nodes->section_order[i] = nodes->keys[i].of;
    nodes->lock_runs[0] = 0;
    for (uint32_t i = 0; i < nodes->section_count; i++) {
        const struct tas_section *section = &nodes->sections[nodes->section_order[i]];
        bool new_lock = i == 0 || section->lock != lock;
        while (lock < section->lock)
            nodes->lock_runs[++lock] = count;
        add_run(&nodes->section_runs, &nodes->section_run_capacity, &count, section->strand,
                nodes->actor_of[section->strand], i, new_lock);
    }
    while (lock < nodes->lock_count)
        nodes->lock_runs[++lock] = count;
}

/* Where the nodes of actor `a` begin, or of all behind the last one: their end. */
static uint32_t first_of(const struct tas_nodes *nodes, uint32_t a) {
    return a < nodes->width ? nodes->actors[a].first : (uint32_t)nodes->count;
}

/* Merges two lists of nodes, each in the order of the trace. */
static void merge(const struct tas_nodes *nodes, const uint32_t *from, uint32_t first,
                  uint32_t middle, uint32_t end, uint32_t *to) {
    for (uint32_t i = first, j = middle, k = first; k < end; k++) {
        bool left =
            i < middle && (j == end || nodes->list[from[i]].event < nodes->list[from[j]].event);
        to[k] = left ? from[i++] : from[j++];
    }
}

/* The nodes of each actor are in the order of the trace. */
static void list_observed(struct tas_nodes *nodes) {
    st_reserve(&nodes->observed, &nodes->observed_capacity, nodes->count + 1);
    st_reserve(&nodes->merged, &nodes->merged_capacity, nodes->count + 1);
    uint32_t *from = nodes->observed, *to = nodes->merged;
    for (uint32_t i = 0; i < nodes->count; i++)
        from[i] = i;
    for (uint32_t step = 1; step < nodes->width; step *= 2) {
        for (uint32_t a = 0; a < nodes->width; a += 2 * step)
            merge(nodes, from, first_of(nodes, a), first_of(nodes, a + step),
                  first_of(nodes, a + 2 * step), to);
        uint32_t *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != nodes->observed)
        memcpy(nodes->observed, from, nodes->count * sizeof *from);
}

static void start_clocks(struct tas_nodes *nodes) {
    st_reserve(&nodes->clocks, &nodes->clock_capacity, nodes->count * nodes->width);
    st_reserve(&nodes->grown, &nodes->grown_capacity, nodes->count + 1);
    memset(nodes->grown, 0, nodes->count * sizeof *nodes->grown);
    for (size_t i = 0; i < nodes->count; i++) {
        const struct tas_node *node = &nodes->list[i];
        const struct st_shared_row *needs = node->free ? tas_needs_free(nodes->graph, node->event)
                                                       : tas_needs(nodes->graph, node->event);
        uint32_t *clock = nodes->clocks + i * nodes->width;
        for (uint32_t a = 0; a < nodes->width; a++)
            clock[a] = a == node->actor ? 0 : st_row_get(needs, nodes->actors[a].strand);
    }
}

void tas_nodes_make(struct tas_nodes *nodes, const struct tas_worker *worker,
                    const uint32_t *needed) {
    const struct tas_window *window = &worker->window;
    nodes->count = nodes->section_count = 0;
    nodes->width = nodes->variable_count = nodes->lock_count = 0;
    nodes->stamp++;
    memset(nodes->actor_of, 0xff, nodes->graph->strand_count * sizeof *nodes->actor_of);
    for (uint32_t t = 0; t < nodes->graph->strand_count; t++)
        if (window->from[t] < window->to[t])
            add_actor(nodes, window, t, needed);
    find_couples(nodes, window);
    add_held(nodes, window);
    list_observed(nodes);
    index_writes(nodes);
    index_sections(nodes);
    start_clocks(nodes);
}

/* ---- the order ---- */

static uint32_t *clock_of(const struct tas_nodes *nodes, uint32_t node) {
    return nodes->clocks + (size_t)node * nodes->width;
}

/* How many nodes of the actor are at or before this position. */
static uint32_t count_to(const struct tas_nodes *nodes, uint32_t actor, uint32_t position) {
    uint32_t at, first = nodes->actors[actor].first;
    st_lower_bound(at, first, first + nodes->actors[actor].count,
                   nodes->list[at].position <= position);
    return at - first;
}

uint32_t tas_nodes_find(const struct tas_nodes *nodes, uint32_t event) {
    const struct st_tas_graph *graph = nodes->graph;
    uint32_t actor = nodes->actor_of[tas_strand_of(graph, event)],
             position = graph->position[event];
    if (actor == TAS_NONE || !position)
        return TAS_NONE;
    uint32_t place = count_to(nodes, actor, position - 1);
    if (place == nodes->actors[actor].count)
        return TAS_NONE;
    uint32_t node = nodes->actors[actor].first + place;
    const struct tas_node *found = &nodes->list[node];
    return found->event == event || found->position == position ? node : TAS_NONE;
}

/* Joins a clock into the node's. False if the node would come before itself. */
static bool join(struct tas_nodes *nodes, uint32_t node, const uint32_t *from) {
    uint32_t *clock = clock_of(nodes, node);
    bool grown = false;
    for (uint32_t a = 0; a < nodes->width; a++) {
        grown |= from[a] > clock[a];
        clock[a] = from[a] > clock[a] ? from[a] : clock[a];
    }
    nodes->changed |= grown;
    nodes->grown[node] |= grown;
    return clock[nodes->list[node].actor] < nodes->list[node].position;
}

bool tas_nodes_precede(const struct tas_nodes *nodes, uint32_t from, uint32_t to) {
    const struct tas_node *a = &nodes->list[from], *b = &nodes->list[to];
    return a->actor == b->actor ? a->position < b->position
                                : clock_of(nodes, to)[a->actor] >= a->position;
}

bool tas_nodes_put(struct tas_nodes *nodes, uint32_t from, uint32_t to) {
    const struct tas_node *a = &nodes->list[from], *b = &nodes->list[to];
    if (a->actor == b->actor)
        return a->position < b->position;
    uint32_t *clock = clock_of(nodes, to);
    if (clock[a->actor] < a->position) {
        clock[a->actor] = a->position;
        nodes->changed = nodes->grown[to] = true;
    } else if (!nodes->grown[from]) {
        return true;
    }
    return join(nodes, to, clock_of(nodes, from));
}

bool tas_nodes_inherit(struct tas_nodes *nodes, uint32_t node) {
    const struct tas_node *n = &nodes->list[node];
    const uint32_t *clock = clock_of(nodes, node), *last = NULL;
    if (node > nodes->actors[n->actor].first) {
        last = clock_of(nodes, node - 1);
        if (nodes->grown[node - 1] && !join(nodes, node, last))
            return false;
    }
    for (uint32_t a = 0; a < nodes->width; a++) {
        if (a == n->actor || !clock[a] || (last && last[a] == clock[a]))
            continue;
        uint32_t place = count_to(nodes, a, clock[a]);
        uint32_t before = nodes->actors[a].first + place - 1;
        if (place && nodes->grown[before] && !join(nodes, node, clock_of(nodes, before)))
            return false;
    }
    return true;
}

void tas_nodes_before(const struct tas_nodes *nodes, uint32_t node, uint32_t *before) {
    memset(before, 0, nodes->graph->strand_count * sizeof *before);
    for (uint32_t a = 0; a < nodes->width; a++)
        before[nodes->actors[a].strand] = clock_of(nodes, node)[a];
}

bool tas_nodes_ready(const struct tas_nodes *nodes, uint32_t node, const uint32_t *next) {
    const uint32_t *clock = clock_of(nodes, node);
    for (uint32_t a = 0; a < nodes->width; a++) {
        const struct tas_node_actor *actor = &nodes->actors[a];
        if (a != nodes->list[node].actor && next[a] < actor->count &&
            nodes->list[actor->first + next[a]].position <= clock[a])
            return false;
    }
    return true;
}

uint32_t tas_nodes_last_write(const struct tas_nodes *nodes, const struct tas_node_run *run,
                              uint32_t node) {
    const struct tas_node *n = &nodes->list[node];
    uint32_t limit = run->actor == n->actor ? n->position - 1 : clock_of(nodes, node)[run->actor];
    uint32_t at;
    st_lower_bound(at, run->first, run->end, nodes->list[nodes->writes[at]].position <= limit);
    return at == run->first ? TAS_NONE : nodes->writes[at - 1];
}

/* Must the write of the actor come after the node? */
static bool is_after(const struct tas_nodes *nodes, uint32_t actor, uint32_t write,
                     const struct tas_node *node) {
    return actor == node->actor ? nodes->list[write].position > node->position
                                : clock_of(nodes, write)[node->actor] >= node->position;
}

uint32_t tas_nodes_first_write_after(const struct tas_nodes *nodes, const struct tas_node_run *run,
                                     uint32_t node) {
    uint32_t at;
    st_lower_bound(at, run->first, run->end,
                   !is_after(nodes, run->actor, nodes->writes[at], &nodes->list[node]));
    return at == run->end ? TAS_NONE : nodes->writes[at];
}

static const struct tas_section *section_at(const struct tas_nodes *nodes, uint32_t place) {
    return &nodes->sections[nodes->section_order[place]];
}

const struct tas_section *tas_nodes_last_section(const struct tas_nodes *nodes,
                                                 const struct tas_node_run *run, uint32_t node) {
    uint32_t at, limit = run->actor == TAS_NONE ? 0 : clock_of(nodes, node)[run->actor];
    st_lower_bound(at, run->first, run->end,
                   section_at(nodes, at)->acquire == TAS_NONE ||
                       nodes->list[section_at(nodes, at)->acquire].position <= limit);
    return at == run->first ? NULL : section_at(nodes, at - 1);
}
