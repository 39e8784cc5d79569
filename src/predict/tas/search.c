#include "predict/tas/search.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TICKS = 1 << 16 }; /* work between two checks of the clock */

double tas_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

bool tas_spend(struct tas_budget *budget, uint64_t work) {
    budget->ticks += work;
    if (budget->ticks >= TICKS) {
        budget->ticks = 0;
        if ((budget->deadline > 0 && tas_now() > budget->deadline) ||
            st_total_time_is_up(budget->total))
            budget->expired = true;
    }
    return !budget->expired;
}

void tas_schedule_start(struct tas_schedule *schedule, const struct st_tas_graph *graph,
                        const struct tas_window *window) {
    schedule->count = 0;
    schedule->limit = window->limit;
    if (!schedule->from)
        schedule->from = st_alloc((size_t)graph->strand_count + 1, sizeof *schedule->from);
    memcpy(schedule->from, window->from, graph->strand_count * sizeof *schedule->from);
}

void tas_schedule_free(struct tas_schedule *schedule) {
    free(schedule->from);
    free(schedule->events);
    *schedule = (struct tas_schedule){0};
}

void tas_schedule_add(struct tas_schedule *schedule, uint32_t event) {
    st_reserve(&schedule->events, &schedule->capacity, schedule->count + 1);
    schedule->events[schedule->count++] = event;
}

/* ---- completion ---- */

struct completion {
    const struct st_tas_graph *graph;
    struct tas_schedule out;
    uint32_t *done; /* by strand: positions executed */
};

/* Executes a strand up to a position, and before each event what must happen before it. The
 * recursion never returns to the same strand, since what must happen before an event precedes
 * it. */
static void execute_to(struct completion *c, uint32_t strand, uint32_t position, bool free) {
    const struct st_tas_graph *graph = c->graph;
    while (c->done[strand] < position) {
        uint32_t event = tas_event_at(graph, strand, c->done[strand] + 1);
        bool last = free && c->done[strand] + 1 == position;
        const struct st_shared_row *needs =
            last ? tas_needs_free(graph, event) : tas_needs(graph, event);
        for (struct tas_walk walk = {.needs = needs}; tas_walk_next(&walk);)
            if (walk.strand != strand && walk.position > c->done[walk.strand])
                execute_to(c, walk.strand, walk.position, false);
        c->done[strand]++;
        tas_schedule_add(&c->out, event);
    }
}

void tas_schedule_complete(struct tas_schedule *schedule, const struct st_tas_graph *graph) {
    struct completion c = {
        .graph = graph, .out.limit = schedule->limit, .out.from = schedule->from};
    c.done = st_alloc((size_t)graph->strand_count + 1, sizeof *c.done);
    memcpy(c.done, schedule->from, graph->strand_count * sizeof *c.done);
    for (size_t i = 0; i < schedule->count; i++) {
        uint32_t event = schedule->events[i];
        execute_to(&c, tas_strand_of(graph, event), graph->position[event], true);
    }
    free(c.done);
    free(schedule->events);
    *schedule = c.out;
}
