#include "check/witness/frontier.h"

#include "base/lower_bound.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef SERIATIM_STRESS
enum { FEWEST_EDGES = 1, MANY_EDGES = 4, FEW_THREADS = 1, IN_FIRST = 2 };
#else
enum { FEWEST_EDGES = 1024, MANY_EDGES = 1 << 12, FEW_THREADS = 32, IN_FIRST = 64 };
#endif

void st_frontiers_init(struct st_frontiers *frontiers) {
    memset(frontiers, 0, sizeof *frontiers);
    st_rows_init(&frontiers->sets);
    frontiers->sets.of_bits = true;
    frontiers->edges_sift_at = FEWEST_EDGES;
}

void st_frontiers_free(struct st_frontiers *frontiers) {
    for (uint32_t u = 0; u < frontiers->thread_room; u++)
        free(frontiers->reached[u].items);
    for (size_t c = 0; c < frontiers->column_count; c++)
        free(frontiers->columns[c].threads);
    free(frontiers->reached);
    free(frontiers->column_of);
    free(frontiers->threads);
    free(frontiers->columns);
    free(frontiers->spare);
    free(frontiers->edges);
    st_rows_free(&frontiers->sets);
    st_frontiers_init(frontiers);
}

size_t st_frontiers_memory(const struct st_frontiers *frontiers) {
    return st_rows_memory(&frontiers->sets) + frontiers->reach_bytes +
           frontiers->thread_room * (sizeof *frontiers->reached + sizeof *frontiers->column_of) +
           frontiers->thread_capacity * sizeof *frontiers->threads +
           frontiers->column_capacity * sizeof *frontiers->columns +
           frontiers->spare_capacity * sizeof *frontiers->spare +
           frontiers->edge_capacity * sizeof *frontiers->edges;
}

void st_frontiers_reserve(struct st_frontiers *frontiers, uint32_t threads) {
    uint32_t old = frontiers->thread_room;
    if (threads <= old)
        return;
    uint32_t room = old + old / 2 > threads ? old + old / 2 : threads;
    frontiers->reached = st_realloc(frontiers->reached, room, sizeof *frontiers->reached);
    frontiers->column_of = st_realloc(frontiers->column_of, room, sizeof *frontiers->column_of);
    memset(frontiers->reached + old, 0, (room - old) * sizeof *frontiers->reached);
    for (uint32_t u = old; u < room; u++)
        frontiers->column_of[u] = ST_NO_COLUMN;
    frontiers->thread_room = room;
}

/* ---- sets of columns ---- */

static bool has_column(struct st_column_set set, uint32_t column) {
    return column < IN_FIRST ? set.first >> column & 1 : st_row_has(set.more, column - IN_FIRST);
}

static bool is_empty(struct st_column_set set) {
    return !set.first && !set.more;
}

/* Is there a column that the other set has not? */
static bool has_more(struct st_column_set set, struct st_column_set other) {
    return set.first & ~other.first || (set.more && st_row_has_more(set.more, other.more));
}

static struct st_column_set share(struct st_column_set set) {
    st_row_share(set.more);
    return set;
}

static void add_column(struct st_frontiers *frontiers, struct st_column_set *set, uint32_t column) {
    if (column < IN_FIRST)
        set->first |= UINT64_C(1) << column;
    else
        st_row_add(&frontiers->sets, &set->more, column - IN_FIRST);
}

static void remove_column(struct st_frontiers *frontiers, struct st_column_set *set,
                          uint32_t column) {
    if (column < IN_FIRST)
        set->first &= ~(UINT64_C(1) << column);
    else
        st_row_remove(&frontiers->sets, &set->more, column - IN_FIRST);
}

static void add_columns(struct st_frontiers *frontiers, struct st_column_set *into,
                        struct st_column_set set) {
    into->first |= set.first;
    if (set.more)
        st_row_join(&frontiers->sets, &into->more, set.more);
}

static void drop(struct st_frontiers *frontiers, struct st_column_set set) {
    if (set.more)
        st_row_drop(&frontiers->sets, set.more);
}

/* ---- columns ---- */

static uint32_t column_of(struct st_frontiers *frontiers, uint32_t thread) {
    uint32_t *column = &frontiers->column_of[thread];
    if (*column == ST_NO_COLUMN && frontiers->spare_count) {
        *column = frontiers->spare[--frontiers->spare_count];
    } else if (*column == ST_NO_COLUMN) {
        st_reserve(&frontiers->columns, &frontiers->column_capacity, frontiers->column_count + 1);
        *column = (uint32_t)frontiers->column_count++;
    }
    return *column;
}

/* Makes room for one item more. */
static void *reserve_one(struct st_frontiers *frontiers, void *items, uint32_t count,
                         uint32_t *capacity, size_t bytes) {
    if (count < *capacity)
        return items;
    uint32_t more = count ? count : 2;
    frontiers->reach_bytes += more * bytes;
    *capacity = count + more;
    return st_realloc(items, *capacity, bytes);
}

/* The column reaches a thread that it did not reach before. Beyond a few threads it keeps no list:
 * who asks looks at all of them. */
static void note_thread(struct st_frontiers *frontiers, uint32_t column, uint32_t thread) {
    struct st_column *into = &frontiers->columns[column];
    if (into->count < FEW_THREADS) {
        into->threads = reserve_one(frontiers, into->threads, into->count, &into->capacity,
                                    sizeof *into->threads);
        into->threads[into->count] = thread;
    }
    into->count++;
}

/* The threads among which are those that the column reaches. */
static const uint32_t *threads_of(const struct st_frontiers *frontiers, uint32_t column,
                                  size_t *count) {
    const struct st_column *from = &frontiers->columns[column];
    bool all = from->count > FEW_THREADS;
    *count = all ? frontiers->thread_count : from->count;
    return all ? frontiers->threads : from->threads;
}

/* ---- what reaches a thread ---- */

/* How many reaches of the thread start before that time. */
static uint32_t count_before(const struct st_reached *reached, st_time time) {
    uint32_t at;
    st_lower_bound(at, 0, reached->count, reached->items[at].start < time);
    return at;
}

/* The columns that reach the transaction of the thread at that time. */
static struct st_column_set reaching(const struct st_frontiers *frontiers, uint32_t thread,
                                     st_time time) {
    const struct st_reached *reached = &frontiers->reached[thread];
    uint32_t at = count_before(reached, time + 1);
    return at ? reached->items[at - 1].by : (struct st_column_set){0, NULL};
}

static void remove_reach(struct st_frontiers *frontiers, struct st_reached *reached, uint32_t at) {
    drop(frontiers, reached->items[at].by);
    memmove(&reached->items[at], &reached->items[at + 1],
            (--reached->count - at) * sizeof *reached->items);
}

/* Forgets reaches that have no more members than the one before. */
static void merge_reaches(struct st_frontiers *frontiers, struct st_reached *reached) {
    for (uint32_t at = reached->count; at-- > 1;)
        if (!has_more(reached->items[at].by, reached->items[at - 1].by))
            remove_reach(frontiers, reached, at);
}

static void remove_thread(struct st_frontiers *frontiers, struct st_reached *reached) {
    uint32_t last = frontiers->threads[--frontiers->thread_count];
    frontiers->threads[reached->place] = last;
    frontiers->reached[last].place = reached->place;
}

void st_frontiers_end_column(struct st_frontiers *frontiers, uint32_t thread) {
    uint32_t column = frontiers->column_of[thread];
    size_t count;
    const uint32_t *threads = threads_of(frontiers, column, &count);
    while (count-- > 0) { /* backwards: the last thread may come into the place of this one */
        struct st_reached *reached = &frontiers->reached[threads[count]];
        bool was_reached = reached->count;
        for (uint32_t i = reached->count; i-- > 0;) {
            remove_column(frontiers, &reached->items[i].by, column);
            if (is_empty(reached->items[i].by))
                remove_reach(frontiers, reached, i);
        }
        if (was_reached && !reached->count)
            remove_thread(frontiers, reached);
    }
    frontiers->columns[column].count = 0;
    frontiers->column_of[thread] = ST_NO_COLUMN;
    st_reserve(&frontiers->spare, &frontiers->spare_capacity, frontiers->spare_count + 1);
    frontiers->spare[frontiers->spare_count++] = column;
}

/* ---- frontiers ---- */

bool st_frontiers_closes(const struct st_frontiers *frontiers, uint32_t t, uint32_t a,
                         st_time time) {
    uint32_t column = frontiers->column_of[t];
    return column != ST_NO_COLUMN && has_column(reaching(frontiers, a, time), column);
}

bool st_frontiers_between(const struct st_frontiers *frontiers, uint32_t thread, st_time after,
                          st_time until) {
    return has_more(reaching(frontiers, thread, until), reaching(frontiers, thread, after));
}

/* Makes a reach that starts there, with the members of the one before, unless there is one. */
static void insert_reach(struct st_frontiers *frontiers, uint32_t thread, st_time start) {
    struct st_reached *reached = &frontiers->reached[thread];
    uint32_t at = count_before(reached, start);
    if (at < reached->count && reached->items[at].start == start)
        return;
    if (reached->count && reached->count == reached->capacity) {
        merge_reaches(frontiers, reached);
        at = count_before(reached, start);
    }
    if (!reached->count) {
        reached->place = (uint32_t)frontiers->thread_count;
        st_reserve(&frontiers->threads, &frontiers->thread_capacity, frontiers->thread_count + 1);
        frontiers->threads[frontiers->thread_count++] = thread;
    }
    reached->items = reserve_one(frontiers, reached->items, reached->count, &reached->capacity,
                                 sizeof *reached->items);
    memmove(&reached->items[at + 1], &reached->items[at],
            (reached->count++ - at) * sizeof *reached->items);
    reached->items[at] = (struct st_reach){.start = start};
    if (at)
        reached->items[at].by = share(reached->items[at - 1].by);
}

/* Notes that columns reach the thread that did not before. */
static void note_news(struct st_frontiers *frontiers, uint32_t thread,
                      struct st_column_set columns) {
    struct st_column_set known = reaching(frontiers, thread, ST_NEVER - 1);
    for (uint64_t news = columns.first & ~known.first; news; news &= news - 1)
        note_thread(frontiers, (uint32_t)__builtin_ctzll(news), thread);
    const uint32_t *words;
    for (uint64_t at = 0; (words = st_row_leaf(columns.more, &at)); at += ST_ROW_FAN)
        for (uint32_t i = 0; i < ST_ROW_FAN; i++)
            for (uint32_t news = words[i] & ~st_row_get(known.more, (uint32_t)at + i); news;
                 news &= news - 1)
                note_thread(frontiers,
                            IN_FIRST + (uint32_t)(at + i) * 32 + (uint32_t)__builtin_ctz(news),
                            thread);
}

/* The columns reach the transaction of the thread that starts there, and later ones. Is that new?
 */
static bool reach(struct st_frontiers *frontiers, uint32_t thread, st_time start,
                  struct st_column_set columns) {
    if (!has_more(columns, reaching(frontiers, thread, start)))
        return false;
    note_news(frontiers, thread, columns);
    insert_reach(frontiers, thread, start);
    struct st_reached *reached = &frontiers->reached[thread];
    for (uint32_t i = count_before(reached, start); i < reached->count; i++)
        add_columns(frontiers, &reached->items[i].by, columns);
    return true;
}

/* The columns reach the transaction of t that starts at `sink`, and what t's running block reaches.
 */
static bool extend(struct st_frontiers *frontiers, struct st_column_set columns, uint32_t t,
                   st_time sink) {
    bool changed = reach(frontiers, t, sink, columns);
    uint32_t through = frontiers->column_of[t];
    if (through == ST_NO_COLUMN)
        return changed;
    size_t count;
    const uint32_t *threads = threads_of(frontiers, through, &count);
    for (size_t i = 0; i < count; i++) {
        const struct st_reached *reached = &frontiers->reached[threads[i]];
        uint32_t at;
        st_lower_bound(at, 0, reached->count, !has_column(reached->items[at].by, through));
        if (at < reached->count)
            changed |= reach(frontiers, threads[i], reached->items[at].start, columns);
    }
    return changed;
}

/* Does the edge lead a running block to the oldest transaction of its target that the block
 * reaches? Such edges alone give a path to everything that is reached, if not the shortest. */
static bool is_needed(const struct st_frontiers *frontiers, const struct st_frontier_edge *edge) {
    uint32_t a = edge->edge.from.event.thread, t = edge->edge.to.event.thread;
    struct st_column_set older = reaching(frontiers, t, edge->sink - 1);
    uint32_t own = frontiers->column_of[a];
    return (own != ST_NO_COLUMN && !has_column(older, own)) ||
           has_more(reaching(frontiers, a, edge->source), older);
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
    struct st_column_set columns = share(reaching(frontiers, a, edge->source));
    if (from_running)
        add_column(frontiers, &columns, column_of(frontiers, a));
    bool changed = !is_empty(columns) && extend(frontiers, columns, t, edge->sink);
    drop(frontiers, columns);
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
