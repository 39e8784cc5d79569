#include "check/witness/frontier.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef SERIATIM_STRESS
enum { FEWEST_EDGES = 1, FEWEST_COLUMNS = 1, MANY_EDGES = 4 };
#else
enum { FEWEST_EDGES = 1024, FEWEST_COLUMNS = 8, MANY_EDGES = 1 << 12 };
#endif

void st_reach_init(struct st_reach *reach) {
    memset(reach, 0, sizeof *reach);
    reach->edges_sift_at = FEWEST_EDGES;
}

void st_reach_free(struct st_reach *reach) {
    for (uint32_t c = 0; c < reach->column_count; c++)
        free(reach->columns[c].reached);
    free(reach->cells);
    free(reach->reached_by);
    free(reach->column_of);
    free(reach->columns);
    free(reach->spare);
    free(reach->edges);
    st_reach_init(reach);
}

size_t st_reach_memory(const struct st_reach *reach) {
    size_t bytes = (size_t)reach->thread_room * reach->column_room * sizeof *reach->cells +
                   reach->thread_room * 2 * sizeof *reach->column_of +
                   reach->column_room * sizeof *reach->columns +
                   reach->spare_capacity * sizeof *reach->spare +
                   reach->edge_capacity * sizeof *reach->edges;
    for (uint32_t c = 0; c < reach->column_count; c++)
        bytes += reach->columns[c].capacity * sizeof *reach->columns[c].reached;
    return bytes;
}

static st_time *cell(const struct st_reach *reach, uint32_t column, uint32_t thread) {
    return &reach->cells[(size_t)thread * reach->column_room + column];
}

/* ---- room ---- */

static void resize(struct st_reach *reach, uint32_t threads, uint32_t columns) {
    size_t count = (size_t)threads * columns;
    st_time *cells = st_alloc(count, sizeof *cells);
    memset(cells, 0xff, count * sizeof *cells); /* ST_NEVER */
    for (uint32_t u = 0; u < reach->thread_room; u++)
        memcpy(&cells[(size_t)u * columns], &reach->cells[(size_t)u * reach->column_room],
               reach->column_room * sizeof *cells);
    free(reach->cells);
    reach->cells = cells;
    reach->thread_room = threads;
    reach->column_room = columns;
}

void st_reach_reserve(struct st_reach *reach, uint32_t threads) {
    uint32_t old = reach->thread_room;
    if (threads <= old)
        return;
    uint32_t room = old + old / 2 > threads ? old + old / 2 : threads;
    reach->reached_by = st_realloc(reach->reached_by, room, sizeof *reach->reached_by);
    reach->column_of = st_realloc(reach->column_of, room, sizeof *reach->column_of);
    for (uint32_t u = old; u < room; u++) {
        reach->reached_by[u] = 0;
        reach->column_of[u] = ST_NO_COLUMN;
    }
    resize(reach, room, reach->column_room);
}

static uint32_t new_column(struct st_reach *reach) {
    if (reach->spare_count)
        return reach->spare[--reach->spare_count];
    if (reach->column_count == reach->column_room) {
        uint32_t room = reach->column_room ? 2 * reach->column_room : FEWEST_COLUMNS;
        reach->columns = st_realloc(reach->columns, room, sizeof *reach->columns);
        resize(reach, reach->thread_room, room);
    }
    memset(&reach->columns[reach->column_count], 0, sizeof *reach->columns);
    return reach->column_count++;
}

static uint32_t column_of(struct st_reach *reach, uint32_t thread) {
    if (reach->column_of[thread] == ST_NO_COLUMN) {
        uint32_t column = new_column(reach);
        reach->columns[column].thread = thread;
        reach->column_of[thread] = column;
    }
    return reach->column_of[thread];
}

void st_reach_end(struct st_reach *reach, uint32_t thread) {
    uint32_t column = reach->column_of[thread];
    if (column == ST_NO_COLUMN)
        return;
    struct st_column *ended = &reach->columns[column];
    for (size_t i = 0; i < ended->count; i++) {
        *cell(reach, column, ended->reached[i]) = ST_NEVER;
        reach->reached_by[ended->reached[i]]--;
    }
    ended->count = 0;
    reach->column_of[thread] = ST_NO_COLUMN;
    st_reserve(&reach->spare, &reach->spare_capacity, reach->spare_count + 1);
    reach->spare[reach->spare_count++] = column;
}

/* ---- frontiers ---- */

bool st_reach_closes(const struct st_reach *reach, uint32_t t, uint32_t a, st_time time) {
    uint32_t column = reach->column_of[t];
    return column != ST_NO_COLUMN && *cell(reach, column, a) <= time;
}

st_time st_reach_least(const struct st_reach *reach, uint32_t thread) {
    st_time least = ST_NEVER;
    if (reach->reached_by[thread])
        for (uint32_t c = 0; c < reach->column_count; c++)
            if (*cell(reach, c, thread) < least)
                least = *cell(reach, c, thread);
    return least;
}

bool st_reach_between(const struct st_reach *reach, uint32_t thread, st_time after, st_time until) {
    bool between = false;
    if (reach->reached_by[thread])
        for (uint32_t c = 0; c < reach->column_count; c++)
            between |= *cell(reach, c, thread) > after && *cell(reach, c, thread) <= until;
    return between;
}

static bool lower(struct st_reach *reach, uint32_t column, uint32_t thread, st_time time) {
    st_time *least = cell(reach, column, thread);
    if (time >= *least)
        return false;
    if (*least == ST_NEVER) {
        struct st_column *into = &reach->columns[column];
        st_reserve(&into->reached, &into->capacity, into->count + 1);
        into->reached[into->count++] = thread;
        reach->reached_by[thread]++;
    }
    *least = time;
    return true;
}

/* The column now reaches what the running block of t reaches, if there is one, and the transaction
 * of t that starts at `sink`. */
static bool extend(struct st_reach *reach, uint32_t column, uint32_t t, st_time sink) {
    bool changed = lower(reach, column, t, sink);
    uint32_t through = reach->column_of[t];
    if (through != ST_NO_COLUMN)
        for (size_t i = 0; i < reach->columns[through].count; i++) {
            uint32_t u = reach->columns[through].reached[i];
            changed |= lower(reach, column, u, *cell(reach, through, u));
        }
    return changed;
}

/* Does the edge lead a running block to the oldest transaction of its target that the block
 * reaches? Such edges alone make a way to all that is reached, if not the shortest. */
static bool is_needed(const struct st_reach *reach, const struct st_reach_edge *edge) {
    uint32_t a = edge->edge.from.event.thread, t = edge->edge.to.event.thread;
    for (uint32_t c = 0; c < reach->column_count; c++)
        if ((reach->column_of[a] == c || *cell(reach, c, a) <= edge->source) &&
            edge->sink <= *cell(reach, c, t))
            return true;
    return false;
}

/* An edge is of use while some running block reaches its source, and never again after that. In a
 * block without end there come to be many of them. */
static void sift_edges(struct st_reach *reach, const st_time *live_from) {
    bool many = reach->edge_count > MANY_EDGES;
    size_t kept = 0;
    for (size_t i = 0; i < reach->edge_count; i++) {
        const struct st_reach_edge *edge = &reach->edges[i];
        if (edge->source >= live_from[edge->edge.from.event.thread] &&
            (!many || is_needed(reach, edge)))
            reach->edges[kept++] = *edge;
    }
    reach->edge_count = kept;
    reach->edges_sift_at = 2 * kept > FEWEST_EDGES ? 2 * kept : FEWEST_EDGES;
}

static void note_edge(struct st_reach *reach, const struct st_reach_edge *edge,
                      const st_time *live_from) {
    if (reach->edge_count >= reach->edges_sift_at)
        sift_edges(reach, live_from);
    st_reserve(&reach->edges, &reach->edge_capacity, reach->edge_count + 1);
    reach->edges[reach->edge_count++] = *edge;
}

bool st_reach_extend(struct st_reach *reach, const struct st_reach_edge *edge, bool from_running,
                     const st_time *live_from) {
    uint32_t a = edge->edge.from.event.thread, t = edge->edge.to.event.thread;
    uint32_t own = from_running ? column_of(reach, a) : ST_NO_COLUMN;
    uint32_t target = reach->column_of[t];
    bool changed = false;
    for (uint32_t c = 0; c < reach->column_count; c++)
        if (c != target && (c == own || *cell(reach, c, a) <= edge->source))
            changed |= extend(reach, c, t, edge->sink);
    if (changed)
        note_edge(reach, edge, live_from);
    return changed;
}

/* ---- the cycle ---- */

/* A thread reached from a local time on: by `edge` from the step `before`. */
struct step {
    uint32_t thread;
    st_time time;
    size_t edge, before;
};

/* Breadth first, so that the first way found has the fewest edges. Steps are never improved, only
 * added when they reach an older transaction than all before them. */
struct search {
    const struct st_reach *reach;
    struct step *steps;
    size_t count, capacity;
    st_time *least; /* by thread: of the steps so far */
};

static void add_step(struct search *search, struct step step) {
    st_reserve(&search->steps, &search->capacity, search->count + 1);
    search->steps[search->count++] = step;
    search->least[step.thread] = step.time;
}

/* The steps from number `from` to `to` go on along every edge that they can take. */
static void widen(struct search *search, size_t from, size_t to) {
    for (size_t s = from; s < to; s++) {
        for (size_t i = 0; i < search->reach->edge_count; i++) {
            const struct st_reach_edge *edge = &search->reach->edges[i];
            struct step step = search->steps[s];
            uint32_t thread = edge->edge.to.event.thread;
            if (edge->edge.from.event.thread == step.thread && edge->source >= step.time &&
                edge->sink < search->least[thread])
                add_step(search, (struct step){thread, edge->sink, i, s});
        }
    }
}

/* The number of a step that reaches the source of the closing edge. There is one. */
static size_t find_source(struct search *search, const struct st_reach_edge *closing) {
    uint32_t a = closing->edge.from.event.thread;
    size_t from = 0;
    while (search->least[a] > closing->source && from < search->count) {
        size_t to = search->count;
        widen(search, from, to);
        from = to;
    }
    size_t s = 0;
    while (s < search->count &&
           (search->steps[s].thread != a || search->steps[s].time > closing->source))
        s++;
    return s;
}

static size_t length_of(const struct search *search, size_t s) {
    size_t length = 0;
    for (; s; s = search->steps[s].before)
        length++;
    return length;
}

struct st_reach_edge *st_reach_cycle(const struct st_reach *reach,
                                     const struct st_reach_edge *closing, size_t *count) {
    struct search search = {.reach = reach, .least = st_alloc(reach->thread_room, sizeof(st_time))};
    memset(search.least, 0xff, reach->thread_room * sizeof(st_time));
    add_step(&search, (struct step){closing->edge.to.event.thread, closing->sink, 0, 0});
    size_t last = find_source(&search, closing);
    struct st_reach_edge *cycle = NULL;
    *count = 0;
    if (last < search.count) {
        *count = length_of(&search, last) + 1;
        cycle = st_alloc(*count, sizeof *cycle);
        size_t i = *count;
        cycle[--i] = *closing;
        for (size_t s = last; s; s = search.steps[s].before)
            cycle[--i] = reach->edges[search.steps[s].edge];
    }
    free(search.steps);
    free(search.least);
    return cycle;
}
