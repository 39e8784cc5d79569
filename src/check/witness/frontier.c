#include "check/witness/frontier.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef SERIATIM_STRESS
enum { FEWEST_EDGES = 1, FEWEST_COLUMNS = 1, MANY_EDGES = 4 };
#else
enum { FEWEST_EDGES = 1024, FEWEST_COLUMNS = 8, MANY_EDGES = 1 << 12 };
#endif

void st_frontiers_init(struct st_frontiers *frontiers) {
    memset(frontiers, 0, sizeof *frontiers);
    frontiers->edges_sift_at = FEWEST_EDGES;
}

void st_frontiers_free(struct st_frontiers *frontiers) {
    for (uint32_t c = 0; c < frontiers->column_count; c++)
        free(frontiers->columns[c].reached);
    free(frontiers->cells);
    free(frontiers->reached_by);
    free(frontiers->column_of);
    free(frontiers->columns);
    free(frontiers->spare);
    free(frontiers->edges);
    st_frontiers_init(frontiers);
}

size_t st_frontiers_memory(const struct st_frontiers *frontiers) {
    size_t bytes =
        (size_t)frontiers->thread_room * frontiers->column_room * sizeof *frontiers->cells +
        frontiers->thread_room * 2 * sizeof *frontiers->column_of +
        frontiers->column_room * sizeof *frontiers->columns +
        frontiers->spare_capacity * sizeof *frontiers->spare +
        frontiers->edge_capacity * sizeof *frontiers->edges;
    for (uint32_t c = 0; c < frontiers->column_count; c++)
        bytes += frontiers->columns[c].capacity * sizeof *frontiers->columns[c].reached;
    return bytes;
}

static st_time *cell(const struct st_frontiers *frontiers, uint32_t column, uint32_t thread) {
    return &frontiers->cells[(size_t)thread * frontiers->column_room + column];
}

/* ---- room ---- */

static void resize(struct st_frontiers *frontiers, uint32_t threads, uint32_t columns) {
    size_t count = (size_t)threads * columns;
    st_time *cells = st_alloc(count, sizeof *cells);
    memset(cells, 0xff, count * sizeof *cells); /* ST_NEVER */
    for (uint32_t u = 0; u < frontiers->thread_room; u++)
        memcpy(&cells[(size_t)u * columns], &frontiers->cells[(size_t)u * frontiers->column_room],
               frontiers->column_room * sizeof *cells);
    free(frontiers->cells);
    frontiers->cells = cells;
    frontiers->thread_room = threads;
    frontiers->column_room = columns;
}

void st_frontiers_reserve(struct st_frontiers *frontiers, uint32_t threads) {
    uint32_t old = frontiers->thread_room;
    if (threads <= old)
        return;
    uint32_t room = old + old / 2 > threads ? old + old / 2 : threads;
    frontiers->reached_by = st_realloc(frontiers->reached_by, room, sizeof *frontiers->reached_by);
    frontiers->column_of = st_realloc(frontiers->column_of, room, sizeof *frontiers->column_of);
    for (uint32_t u = old; u < room; u++) {
        frontiers->reached_by[u] = 0;
        frontiers->column_of[u] = ST_NO_COLUMN;
    }
    resize(frontiers, room, frontiers->column_room);
}

static uint32_t new_column(struct st_frontiers *frontiers) {
    if (frontiers->spare_count)
        return frontiers->spare[--frontiers->spare_count];
    if (frontiers->column_count == frontiers->column_room) {
        uint32_t room = frontiers->column_room ? 2 * frontiers->column_room : FEWEST_COLUMNS;
        frontiers->columns = st_realloc(frontiers->columns, room, sizeof *frontiers->columns);
        resize(frontiers, frontiers->thread_room, room);
    }
    memset(&frontiers->columns[frontiers->column_count], 0, sizeof *frontiers->columns);
    return frontiers->column_count++;
}

static uint32_t column_of(struct st_frontiers *frontiers, uint32_t thread) {
    if (frontiers->column_of[thread] == ST_NO_COLUMN) {
        uint32_t column = new_column(frontiers);
        frontiers->columns[column].thread = thread;
        frontiers->column_of[thread] = column;
    }
    return frontiers->column_of[thread];
}

void st_frontiers_end(struct st_frontiers *frontiers, uint32_t thread) {
    uint32_t column = frontiers->column_of[thread];
    if (column == ST_NO_COLUMN)
        return;
    struct st_column *ended = &frontiers->columns[column];
    for (size_t i = 0; i < ended->count; i++) {
        *cell(frontiers, column, ended->reached[i]) = ST_NEVER;
        frontiers->reached_by[ended->reached[i]]--;
    }
    ended->count = 0;
    frontiers->column_of[thread] = ST_NO_COLUMN;
    st_reserve(&frontiers->spare, &frontiers->spare_capacity, frontiers->spare_count + 1);
    frontiers->spare[frontiers->spare_count++] = column;
}

/* ---- frontiers ---- */

bool st_frontiers_closes(const struct st_frontiers *frontiers, uint32_t t, uint32_t a,
                         st_time time) {
    uint32_t column = frontiers->column_of[t];
    return column != ST_NO_COLUMN && *cell(frontiers, column, a) <= time;
}

st_time st_frontiers_oldest(const struct st_frontiers *frontiers, uint32_t thread) {
    st_time oldest = ST_NEVER;
    if (frontiers->reached_by[thread])
        for (uint32_t c = 0; c < frontiers->column_count; c++)
            if (*cell(frontiers, c, thread) < oldest)
                oldest = *cell(frontiers, c, thread);
    return oldest;
}

bool st_frontiers_between(const struct st_frontiers *frontiers, uint32_t thread, st_time after,
                          st_time until) {
    bool between = false;
    if (frontiers->reached_by[thread])
        for (uint32_t c = 0; c < frontiers->column_count; c++)
            between |= *cell(frontiers, c, thread) > after && *cell(frontiers, c, thread) <= until;
    return between;
}

static bool lower(struct st_frontiers *frontiers, uint32_t column, uint32_t thread, st_time time) {
    st_time *oldest = cell(frontiers, column, thread);
    if (time >= *oldest)
        return false;
    if (*oldest == ST_NEVER) {
        struct st_column *into = &frontiers->columns[column];
        st_reserve(&into->reached, &into->capacity, into->count + 1);
        into->reached[into->count++] = thread;
        frontiers->reached_by[thread]++;
    }
    *oldest = time;
    return true;
}

/* The column now reaches what the running block of t reaches, if there is one, and the transaction
 * of t that starts at `sink`. */
static bool extend(struct st_frontiers *frontiers, uint32_t column, uint32_t t, st_time sink) {
    bool changed = lower(frontiers, column, t, sink);
    uint32_t through = frontiers->column_of[t];
    if (through != ST_NO_COLUMN)
        for (size_t i = 0; i < frontiers->columns[through].count; i++) {
            uint32_t u = frontiers->columns[through].reached[i];
            changed |= lower(frontiers, column, u, *cell(frontiers, through, u));
        }
    return changed;
}

/* Does the edge lead a running block to the oldest transaction of its target that the block
 * reaches? Such edges alone give a path to everything that is reached, if not the shortest. */
static bool is_needed(const struct st_frontiers *frontiers, const struct st_frontier_edge *edge) {
    uint32_t a = edge->edge.from.event.thread, t = edge->edge.to.event.thread;
    for (uint32_t c = 0; c < frontiers->column_count; c++)
        if ((frontiers->column_of[a] == c || *cell(frontiers, c, a) <= edge->source) &&
            edge->sink <= *cell(frontiers, c, t))
            return true;
    return false;
}

/* An edge is needed while some running block reaches its source, and never again after that. A
 * block that never ends can collect many of them. */
static void sift_edges(struct st_frontiers *frontiers, const st_time *live_from) {
    bool many = frontiers->edge_count > MANY_EDGES;
    size_t kept = 0;
    for (size_t i = 0; i < frontiers->edge_count; i++) {
        const struct st_frontier_edge *edge = &frontiers->edges[i];
        if (edge->source >= live_from[edge->edge.from.event.thread] &&
            (!many || is_needed(frontiers, edge)))
            frontiers->edges[kept++] = *edge;
    }
    frontiers->edge_count = kept;
    frontiers->edges_sift_at = 2 * kept > FEWEST_EDGES ? 2 * kept : FEWEST_EDGES;
}

static void note_edge(struct st_frontiers *frontiers, const struct st_frontier_edge *edge,
                      const st_time *live_from) {
    if (frontiers->edge_count >= frontiers->edges_sift_at)
        sift_edges(frontiers, live_from);
    st_reserve(&frontiers->edges, &frontiers->edge_capacity, frontiers->edge_count + 1);
    frontiers->edges[frontiers->edge_count++] = *edge;
}

bool st_frontiers_extend(struct st_frontiers *frontiers, const struct st_frontier_edge *edge,
                         bool from_running, const st_time *live_from) {
    uint32_t a = edge->edge.from.event.thread, t = edge->edge.to.event.thread;
    uint32_t own = from_running ? column_of(frontiers, a) : ST_NO_COLUMN;
    uint32_t target = frontiers->column_of[t];
    bool changed = false;
    for (uint32_t c = 0; c < frontiers->column_count; c++)
        if (c != target && (c == own || *cell(frontiers, c, a) <= edge->source))
            changed |= extend(frontiers, c, t, edge->sink);
    if (changed)
        note_edge(frontiers, edge, live_from);
    return changed;
}

/* ---- the cycle ---- */

/* A thread reached from a local time on: by `edge` from the step `before`. */
struct step {
    uint32_t thread;
    st_time time;
    size_t edge, before;
};

/* Breadth first, so that the first path found has the fewest edges. Steps are never improved, only
 * added when they reach an older transaction than all before them. */
struct search {
    const struct st_frontiers *frontiers;
    struct step *steps;
    size_t count, capacity;
    st_time *oldest; /* by thread: of the steps so far */
};

static void add_step(struct search *search, struct step step) {
    st_reserve(&search->steps, &search->capacity, search->count + 1);
    search->steps[search->count++] = step;
    search->oldest[step.thread] = step.time;
}

/* Follows every edge that the steps from number `from` to `to` can take. */
static void widen(struct search *search, size_t from, size_t to) {
    for (size_t s = from; s < to; s++) {
        for (size_t i = 0; i < search->frontiers->edge_count; i++) {
            const struct st_frontier_edge *edge = &search->frontiers->edges[i];
            struct step step = search->steps[s];
            uint32_t thread = edge->edge.to.event.thread;
            if (edge->edge.from.event.thread == step.thread && edge->source >= step.time &&
                edge->sink < search->oldest[thread])
                add_step(search, (struct step){thread, edge->sink, i, s});
        }
    }
}

/* The number of a step that reaches the source of the closing edge. There is one. */
static size_t find_source(struct search *search, const struct st_frontier_edge *closing) {
    uint32_t a = closing->edge.from.event.thread;
    size_t from = 0;
    while (search->oldest[a] > closing->source && from < search->count) {
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

struct st_frontier_edge *st_frontiers_cycle(const struct st_frontiers *frontiers,
                                            const struct st_frontier_edge *closing, size_t *count) {
    struct search search = {.frontiers = frontiers,
                            .oldest = st_alloc(frontiers->thread_room, sizeof(st_time))};
    memset(search.oldest, 0xff, frontiers->thread_room * sizeof(st_time));
    add_step(&search, (struct step){closing->edge.to.event.thread, closing->sink, 0, 0});
    size_t last = find_source(&search, closing);
    struct st_frontier_edge *cycle = NULL;
    *count = 0;
    if (last < search.count) {
        *count = length_of(&search, last) + 1;
        cycle = st_alloc(*count, sizeof *cycle);
        size_t i = *count;
        cycle[--i] = *closing;
        for (size_t s = last; s; s = search.steps[s].before)
            cycle[--i] = frontiers->edges[search.steps[s].edge];
    }
    free(search.steps);
    free(search.oldest);
    return cycle;
}
