#include "predict/tas/schedule_path.h"

#include "base/map64.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void tas_witness_free(struct tas_witness *witness) {
    tas_schedule_free(&witness->schedule);
    free(witness->path);
}

static void pack_indices(struct st_packed *to, const uint32_t *list, size_t count) {
    st_pack_bytes(to, list, count * sizeof *list);
}

/* All of them are of events, or `from` is NULL then. */
static uint32_t *unpack_indices(struct st_unpacking *from, size_t below, size_t *count) {
    size_t length;
    const char *bytes = st_unpack_bytes(from, &length);
    uint32_t *list = st_alloc(length / sizeof *list + 1, sizeof *list);
    *count = length / sizeof *list;
    memcpy(list, bytes, *count * sizeof *list);
    for (size_t i = 0; i < *count; i++)
        from->bad |= list[i] > below;
    return list;
}

void tas_witness_pack(const struct tas_witness *witness, const struct st_tas_graph *graph,
                      struct st_packed *to) {
    const struct tas_schedule *schedule = &witness->schedule;
    st_pack_number(to, schedule->limit);
    pack_indices(to, schedule->from, schedule->from ? graph->strand_count : 0);
    pack_indices(to, schedule->events, schedule->count);
    pack_indices(to, witness->path, 2 * witness->edges);
}

void tas_witness_unpack(struct tas_witness *witness, const struct st_tas_graph *graph,
                        struct st_unpacking *from) {
    struct tas_schedule *schedule = &witness->schedule;
    size_t threads, ends;
    *witness = (struct tas_witness){{0}, NULL, 0};
    schedule->limit = (uint32_t)st_unpack_number(from);
    schedule->from = unpack_indices(from, graph->count + 1, &threads);
    schedule->events = unpack_indices(from, graph->count, &schedule->count);
    schedule->capacity = schedule->count;
    witness->path = unpack_indices(from, graph->count, &ends);
    witness->edges = ends / 2;
    if (threads == graph->strand_count)
        return;
    free(schedule->from); /* none was there */
    schedule->from = NULL;
}

/* How a path from the block reached a place: the number of edges, and the last edge from -> to.
 * `to` is in the same thread as the place and not after it. */
struct arrival {
    uint32_t edges; /* 0: no path */
    uint32_t from, to;
    uint32_t via; /* arrival + 1 of the thread of `from`; 0: `from` is in the block */
};

/* The accesses to one variable from which a path may continue: the best of each kind. An access is
 * an event and the arrival + 1 of its thread at that point (0: it is in the block). */
struct origin {
    uint32_t event, via, edges;
    bool there;
};
struct variable {
    struct origin read, write;             /* by threads other than the block's */
    struct origin block_read, block_write; /* by the block, where paths start */
};

struct finder {
    const struct st_tas_graph *graph;
    const struct tas_block *block;
    struct arrival *arrivals; /* all of them, so that paths can be traced back */
    size_t count, capacity;
    uint32_t *now; /* by thread: arrival + 1, 0: none */
    struct st_map64 numbers;
    struct variable *variables;
    size_t variable_capacity;
};

static struct variable *variable_of(struct finder *f, uint32_t name) {
    uint32_t number = st_map64_number(&f->numbers, name);
    st_reserve(&f->variables, &f->variable_capacity, (size_t)number + 1);
    return &f->variables[number];
}

static const struct origin *better(const struct origin *a, const struct origin *b) {
    if (!a->there || !b->there)
        return a->there ? a : b;
    return a->edges <= b->edges ? a : b;
}

/* The best origin of an edge to this access, which may be in the block or not. */
static const struct origin *origin_for(const struct variable *v, const struct st_event *e,
                                       bool inside) {
    const struct origin *other = e->op == ST_READ ? &v->write : better(&v->write, &v->read);
    const struct origin *own =
        e->op == ST_READ ? &v->block_write : better(&v->block_write, &v->block_read);
    return inside ? other : better(own, other);
}

static uint32_t arrive(struct finder *f, const struct origin *origin, uint32_t to) {
    st_reserve(&f->arrivals, &f->capacity, f->count + 1);
    f->arrivals[f->count] = (struct arrival){origin->edges + 1, origin->event, to, origin->via};
    return (uint32_t)++f->count;
}

static void offer(struct origin *place, struct origin origin) {
    if (!place->there || origin.edges < place->edges)
        *place = origin;
}

static bool is_inside(const struct finder *f, uint32_t event) {
    return f->graph->events[event].thread == f->block->thread &&
           f->graph->position[event] >= f->block->first &&
           f->graph->position[event] <= f->block->last;
}

/* Processes the next access of the schedule. Returns the arrival + 1 that closes a path, or 0. */
static uint32_t follow(struct finder *f, uint32_t event) {
    const struct st_event *e = &f->graph->events[event];
    struct variable *v = variable_of(f, e->target);
    const struct origin *best = origin_for(v, e, e->thread == f->block->thread);
    if (e->thread == f->block->thread) {
        if (!is_inside(f, event))
            return 0;
        if (best->there)
            return arrive(f, best, event);
        offer(e->op == ST_READ ? &v->block_read : &v->block_write,
              (struct origin){.event = event, .there = true});
        return 0;
    }
    uint32_t now = f->now[e->thread];
    if (best->there && (!now || best->edges + 1 < f->arrivals[now - 1].edges) &&
        f->graph->events[best->event].thread != e->thread)
        f->now[e->thread] = now = arrive(f, best, event);
    if (now)
        offer(e->op == ST_READ ? &v->read : &v->write,
              (struct origin){event, now, f->arrivals[now - 1].edges, true});
    return 0;
}

static void write_path(const struct finder *f, uint32_t last, struct tas_witness *witness) {
    const struct arrival *arrival = &f->arrivals[last - 1];
    witness->edges = arrival->edges;
    witness->path = st_alloc(2 * witness->edges, sizeof *witness->path);
    for (size_t i = witness->edges; i-- > 0;) {
        witness->path[2 * i] = arrival->from;
        witness->path[2 * i + 1] = arrival->to;
        if (i)
            arrival = &f->arrivals[arrival->via - 1];
    }
}

bool tas_witness_find(struct tas_witness *witness, struct tas_schedule *schedule,
                      const struct st_tas_graph *graph, const struct tas_block *block) {
    struct finder f = {.graph = graph, .block = block};
    uint32_t closed = 0;
    tas_schedule_complete(schedule, graph);
    *witness = (struct tas_witness){.schedule = *schedule};
    *schedule = (struct tas_schedule){0};
    f.now = st_alloc((size_t)graph->thread_count + 1, sizeof *f.now);
    st_map64_init(&f.numbers);
    for (size_t i = 0; i < witness->schedule.count && !closed; i++) {
        uint32_t event = witness->schedule.events[i];
        if (tas_is_shared_access(graph, event))
            closed = follow(&f, event);
        if (closed)
            witness->schedule.count = i + 1;
    }
    if (closed)
        write_path(&f, closed, witness);
    free(f.arrivals);
    free(f.now);
    free(f.variables);
    st_map64_free(&f.numbers);
    return closed != 0;
}

/* ---- as a finding ---- */

static struct st_place place_of(const struct st_tas_graph *graph, uint32_t event) {
    return (struct st_place){tas_number(graph, event), graph->events[event]};
}

/* Lists each event of the path once: one edge may arrive at the event where the next one leaves. */
static void fill_events(const struct tas_witness *witness, const struct st_tas_graph *graph,
                        struct st_predicted_block *predicted) {
    predicted->events = st_alloc(2 * witness->edges, sizeof *predicted->events);
    predicted->pattern = st_alloc(4 * witness->edges + 1, 1);
    predicted->variables = st_alloc(witness->edges, sizeof *predicted->variables);
    for (size_t i = 0; i < 2 * witness->edges; i++) {
        uint32_t event = witness->path[i];
        if (i && witness->path[i - 1] == event)
            continue;
        if (i)
            strcat(predicted->pattern, "-");
        strcat(predicted->pattern, graph->events[event].op == ST_READ ? "R" : "W");
        predicted->events[predicted->event_count++] = place_of(graph, event);
    }
    for (size_t i = 0; i < witness->edges; i++) {
        uint32_t variable = graph->events[witness->path[2 * i]].target;
        bool known = false;
        for (size_t k = 0; k < predicted->variable_count; k++)
            known |= predicted->variables[k] == variable;
        if (!known)
            predicted->variables[predicted->variable_count++] = variable;
    }
}

static uint64_t number_of_write(const struct st_tas_graph *graph, uint64_t write) {
    return write && write != ST_UNKNOWN_WRITE ? tas_number(graph, (uint32_t)(write - 1)) : write;
}

/* Does a read see its couple, or another write of the same value, after this write (index + 1)? */
static bool sees_couple(const struct st_tas_graph *graph, uint32_t read, uint64_t written) {
    if (written == ST_UNKNOWN_WRITE)
        return false;
    uint32_t content = written ? tas_content(graph, (uint32_t)(written - 1)) : 0;
    return content == tas_content(graph, read);
}

/* If a read-modify-write does not see its couple, the schedule has only its read. `written`: by
 * variable, index + 1 of the last write; 0: none. */
static void find_broken_reads(const struct st_tas_graph *graph, const uint32_t *schedule,
                              size_t length, struct st_predicted_block *predicted) {
    uint64_t *written = st_alloc((size_t)graph->variable_count + 1, sizeof *written);
    size_t capacity = 0;
    for (size_t i = 0; i < length; i++) {
        uint32_t event = schedule[i];
        const struct st_event *e = &graph->events[event];
        if (e->op == ST_READ && !sees_couple(graph, event, written[e->target])) {
            st_reserve(&predicted->broken, &capacity, predicted->broken_count + 1);
            predicted->broken[predicted->broken_count++] = (struct st_broken_read){
                tas_number(graph, event), number_of_write(graph, written[e->target]),
                number_of_write(graph, graph->partner[event])};
            if (tas_is_update(graph, event))
                written[e->target] = ST_UNKNOWN_WRITE;
        }
        if (e->op == ST_WRITE)
            written[e->target] = (uint64_t)event + 1;
    }
    free(written);
}

static bool is_replayed(const struct st_tas_graph *graph, const struct tas_schedule *schedule,
                        uint32_t event) {
    return graph->position[event] &&
           graph->position[event] <= schedule->from[tas_strand_of(graph, event)];
}

/* How many events the schedule of an excerpt need not list: all of them are replayed, and those
 * that the excerpt leaves out are, too. The begin of the block is listed, unless much happens
 * between that and what is not replayed. */
static size_t count_replayed(const struct st_tas_graph *graph, const struct tas_schedule *schedule,
                             uint64_t begin) {
    enum { MUCH = 1000 };
    size_t count = 0, before = 0;
    while (graph->numbers && count < schedule->limit &&
           (!graph->position[count] || is_replayed(graph, schedule, (uint32_t)count)))
        before += graph->numbers[count++] < begin;
    return count - before < MUCH ? before : count;
}

static void fill_schedule(const struct tas_witness *witness, const struct st_tas_graph *graph,
                          struct st_predicted_block *predicted) {
    const struct tas_schedule *schedule = &witness->schedule;
    uint32_t *events = st_alloc(schedule->limit + schedule->count, sizeof *events);
    size_t count = 0, replayed = count_replayed(graph, schedule, predicted->begin);
    for (uint32_t i = 0; i < schedule->limit; i++)
        if (is_replayed(graph, schedule, i))
            events[count++] = i;
    size_t listed = replayed < count ? count - replayed : 0;
    for (size_t i = 0; i < schedule->count; i++)
        events[count++] = schedule->events[i];
    find_broken_reads(graph, events, count, predicted);
    predicted->witness = st_alloc(listed + schedule->count, sizeof *predicted->witness);
    for (size_t i = count - schedule->count - listed; i < count; i++)
        predicted->witness[predicted->witness_length++] = tas_number(graph, events[i]);
    predicted->replayed = replayed ? tas_number(graph, (uint32_t)(replayed - 1)) : 0;
    free(events);
}

void tas_witness_fill(const struct tas_witness *witness, const struct st_tas_graph *graph,
                      struct st_predicted_block *predicted) {
    fill_events(witness, graph, predicted);
    predicted->path = st_alloc(witness->edges, sizeof *predicted->path);
    predicted->path_length = witness->edges;
    for (size_t i = 0; i < witness->edges; i++)
        predicted->path[i] = (struct st_edge){.from = place_of(graph, witness->path[2 * i]),
                                              .to = place_of(graph, witness->path[2 * i + 1]),
                                              .kind = ST_EDGE_CONFLICT};
    fill_schedule(witness, graph, predicted);
}
