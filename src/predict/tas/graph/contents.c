/* Which writes leave the same value, as far as the trace knows values (predict/tas/tas.h).
 *
 * The value of a write is what the trace says that it left, or that its variable held up to the
 * next write. If these differ, the variable was changed by something that is not in the trace, and
 * the value is unknown. The same holds of the initial value of a variable. */
#include "base/intern.h"
#include "base/memory.h"
#include "predict/tas/graph/graph.h"

#include <stdlib.h>

enum { UNKNOWN = 0 };
#define DOUBTFUL UINT32_MAX

/* What a variable can hold: a value, for interning. */
struct holding {
    uint32_t variable, value;
};

struct contents {
    struct st_tas_graph *graph;
    uint32_t *values;     /* by event: the value of a write */
    uint32_t *initial;    /* by variable: the value that it has at first */
    uint32_t *last_write; /* by variable: index + 1 */
    struct st_intern holdings;
    uint32_t *first_write, *last_alike; /* by holding: index + 1 of writes that leave it */
    bool *is_initial;                   /* by holding */
    size_t first_capacity, last_capacity, initial_capacity;
};

static void learn(uint32_t *value, uint32_t seen) {
    if (!seen || *value == seen)
        return;
    *value = *value == UNKNOWN ? seen : DOUBTFUL;
}

static void learn_values(struct contents *c, const struct st_value_numbers *values) {
    const struct st_tas_graph *graph = c->graph;
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct st_event *e = &graph->events[i];
        if (!graph->position[i] || !tas_is_access(e))
            continue;
        uint32_t *last = &c->last_write[e->target];
        learn(*last ? &c->values[*last - 1] : &c->initial[e->target], values[i].held);
        if (e->op == ST_WRITE) {
            learn(&c->values[i], values[i].left);
            *last = i + 1;
        }
    }
}

static uint32_t number_holding(struct contents *c, uint32_t variable, uint32_t value) {
    struct holding holding = {variable, value};
    uint32_t number = st_intern_add(&c->holdings, &holding, sizeof holding);
    st_reserve(&c->first_write, &c->first_capacity, (size_t)number + 1);
    st_reserve(&c->last_alike, &c->last_capacity, (size_t)number + 1);
    st_reserve(&c->is_initial, &c->initial_capacity, (size_t)number + 1);
    return number;
}

static bool is_known(uint32_t value) {
    return value != UNKNOWN && value != DOUBTFUL;
}

/* Gives a write its content, and links it to the one before it that leaves the same. */
static void take_write(struct contents *c, uint32_t write) {
    struct st_tas_graph *graph = c->graph;
    uint32_t variable = graph->events[write].target;
    graph->content[write] = write + 1;
    if (!is_known(c->values[write]))
        return;
    uint32_t holding = number_holding(c, variable, c->values[write]);
    if (c->last_alike[holding])
        graph->alike[c->last_alike[holding] - 1] = write + 1;
    else if (c->is_initial[holding])
        graph->alike_initial[variable] = write + 1;
    else
        c->first_write[holding] = write + 1;
    c->last_alike[holding] = write + 1;
    graph->content[write] = c->is_initial[holding] ? 0 : c->first_write[holding];
}

static void take_events(struct contents *c) {
    struct st_tas_graph *graph = c->graph;
    for (uint32_t x = 0; x < graph->variable_count; x++) {
        c->last_write[x] = 0;
        if (!is_known(c->initial[x]))
            continue;
        uint32_t holding = number_holding(c, x, c->initial[x]);
        c->is_initial[holding] = true;
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct st_event *e = &graph->events[i];
        if (!graph->position[i] || !tas_is_access(e))
            continue;
        if (e->op == ST_WRITE) {
            take_write(c, i);
            c->last_write[e->target] = i + 1;
        } else if (c->last_write[e->target]) {
            graph->content[i] = graph->content[c->last_write[e->target] - 1];
        }
    }
}

void tas_build_contents(struct st_tas_graph *graph, const struct st_value_numbers *values) {
    struct contents c = {.graph = graph};
    size_t variables = (size_t)graph->variable_count + 1;
    graph->content = st_alloc(graph->count + 1, sizeof *graph->content);
    graph->alike = st_alloc(graph->count + 1, sizeof *graph->alike);
    graph->alike_initial = st_alloc(variables, sizeof *graph->alike_initial);
    graph->open = st_alloc(graph->count + 1, sizeof *graph->open);
    c.values = st_alloc(graph->count + 1, sizeof *c.values);
    c.initial = st_alloc(variables, sizeof *c.initial);
    c.last_write = st_alloc(variables, sizeof *c.last_write);
    st_intern_init(&c.holdings, sizeof(struct holding));
    learn_values(&c, values);
    take_events(&c);
    st_intern_free(&c.holdings);
    free(c.values);
    free(c.initial);
    free(c.last_write);
    free(c.first_write);
    free(c.last_alike);
    free(c.is_initial);
}

uint32_t tas_first_alike(const struct st_tas_graph *graph, uint32_t read) {
    uint32_t content = graph->content[read];
    return content ? content : graph->alike_initial[graph->events[read].target];
}

/* The chain of writes is in trace order, so what the thread itself writes later comes last. */
bool tas_has_choice(const struct st_tas_graph *graph, uint32_t read) {
    unsigned choices = graph->content[read] == 0; /* the initial value */
    for (uint32_t w = tas_first_alike(graph, read); w && choices < 2; w = graph->alike[w - 1])
        choices += graph->events[w - 1].thread != graph->events[read].thread || w - 1 < read;
    return choices >= 2;
}
