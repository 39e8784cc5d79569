#define _GNU_SOURCE /* qsort_r */
#include "predict/commit/piece_search.h"

#include "base/lower_bound.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT64_MAX

/* What is known of a group. Invariant: it can run at the same time as the transaction if, and only
 * if, `stamp` is that of the search. Then `place` is its place in search->near. */
struct st_piece_reach {
    uint32_t stamp, place;
    uint64_t level;   /* all pieces that end there or later are reached. NOWHERE: none is */
    uint64_t entered; /* the first begin of a piece that was reached by an access */
    uint32_t source;  /* the step that set the level */
    bool queued;
    size_t first_back, end_back; /* its places in search->backs */
};

struct st_tally {
    uint32_t out, back; /* pieces; ST_NUMBER_NONE: there is none */
};

/* ---- the groups around a transaction ---- */

static void find_near(struct st_piece_search *search, uint32_t transaction) {
    const struct st_model *model = search->model;
    const struct st_unit *unit = &model->units[transaction];
    const struct st_piece_group self = {unit->thread, unit->first_period, unit->last_period};
    if (search->stamp && memcmp(&self, &search->self, sizeof self) == 0)
        return;
    search->self = self;
    search->stamp++;
    search->near_count =
        st_crossings_near(model->crossings, model->pieces, model->periods, &self, search->near);
    for (size_t i = 0; i < search->near_count; i++) {
        struct st_piece_reach *reach = &search->reach[search->near[i]];
        reach->stamp = search->stamp;
        reach->place = (uint32_t)i;
    }
}

static bool is_near(const struct st_piece_search *search, uint32_t group) {
    return search->reach[group].stamp == search->stamp;
}

/* ---- what a transaction meets ---- */

/* An access of the transaction. */
struct looking {
    struct st_piece_search *search;
    const struct st_shape *shape;
    uint32_t token;
    uint32_t write; /* for a read: its unit's last earlier write of the variable, plus 1 */
    bool writes, leads_out, leads_in;
};

/* The read cannot see the write of a piece with that lockset: both hold a lock whose section around
 * the read has a write of its own before it. */
static bool is_covered(const struct looking *looking, uint32_t lockset) {
    const struct st_shape *shape = looking->shape;
    const struct st_locksets *sets = &looking->search->model->locksets;
    uint32_t held = shape->locksets[looking->token];
    for (uint32_t k = 0; looking->write && k < st_lockset_size(sets, held); k++) {
        uint32_t lock = st_lockset_locks(sets, held)[k];
        uint32_t section = st_shape_section(shape, looking->token, lock);
        if ((section == ST_NO_TOKEN || section + 1 < looking->write) &&
            st_lockset_has(sets, lockset, lock))
            return true;
    }
    return false;
}

static struct st_shape_span node_with(const struct looking *looking, uint32_t lockset) {
    const struct st_piece_search *search = looking->search;
    struct st_shape_span span;
    if (!lockset || !st_deciding_section(looking->shape, search->ranks, &search->model->locksets,
                                         looking->token, lockset, &span))
        span = (struct st_shape_span){looking->token + 1, looking->token + 1};
    return span;
}

/* Where the tallies of a node begin. */
static size_t tallies_of(struct st_piece_search *search, struct st_shape_span node) {
    size_t near = search->near_count, i = 0;
    while (i < search->node_count &&
           (search->nodes[i].start != node.start || search->nodes[i].end != node.end))
        i++;
    if (i < search->node_count)
        return i * near;
    st_reserve(&search->nodes, &search->node_capacity, i + 1);
    st_reserve(&search->tallies, &search->tally_capacity, (i + 1) * near);
    search->nodes[search->node_count++] = node;
    for (size_t k = i * near; k < (i + 1) * near; k++)
        search->tallies[k] = (struct st_tally){ST_NUMBER_NONE, ST_NUMBER_NONE};
    search->least_end = node.end < search->least_end ? node.end : search->least_end;
    search->last_start = node.start > search->last_start ? node.start : search->last_start;
    return i * near;
}

static void tally(const struct looking *looking, size_t tallies, uint32_t number) {
    struct st_piece_search *search = looking->search;
    const struct st_piece *items = search->model->pieces->items, *piece = &items[number];
    struct st_tally *known = &search->tallies[tallies + search->reach[piece->group].place];
    if (looking->leads_out &&
        (known->out == ST_NUMBER_NONE || piece->begin < items[known->out].begin))
        known->out = number;
    if (looking->leads_in && (known->back == ST_NUMBER_NONE || piece->end > items[known->back].end))
        known->back = number;
}

static void put_encounter(struct st_encounter **list, size_t *count, size_t *capacity,
                          struct st_encounter encounter) {
    if (encounter.piece == ST_NUMBER_NONE)
        return;
    st_reserve(list, capacity, *count + 1);
    (*list)[(*count)++] = encounter;
}

static void take_tallies(const struct looking *looking) {
    struct st_piece_search *search = looking->search;
    for (size_t i = 0; i < search->node_count * search->near_count; i++) {
        struct st_shape_span node = search->nodes[i / search->near_count];
        put_encounter(&search->outs, &search->out_count, &search->out_capacity,
                      (struct st_encounter){node, looking->token, search->tallies[i].out});
        put_encounter(&search->backs, &search->back_count, &search->back_capacity,
                      (struct st_encounter){node, looking->token, search->tallies[i].back});
    }
}

/* Pieces under the same locks are next to each other. Returns whether it looked at all. */
static bool look_at_pieces(const struct looking *looking, bool all) {
    enum { FEW = 8 };
    struct st_piece_search *search = looking->search;
    const struct st_piece *items = search->model->pieces->items;
    struct st_piece_range range =
        st_pieces_of(search->model->pieces, looking->shape->tokens[looking->token].target);
    size_t count = range.end - range.first, step = all || count <= FEW ? 1 : count / FEW;
    uint32_t lockset = ST_NUMBER_NONE;
    bool covered = false;
    size_t tallies = 0;
    search->node_count = 0;
    for (size_t i = range.first; i < range.end; i += step) {
        const struct st_piece *piece = &items[i];
        if (!is_near(search, piece->group) || (!looking->writes && !piece->writes))
            continue;
        if (piece->lockset != lockset) {
            lockset = piece->lockset;
            covered = is_covered(looking, lockset);
            if (!covered)
                tallies = tallies_of(search, node_with(looking, lockset));
        }
        if (!covered)
            tally(looking, tallies, (uint32_t)i);
    }
    take_tallies(looking);
    return step == 1;
}

static bool find_encounters(struct st_piece_search *search, uint32_t transaction, bool all) {
    const struct st_model *model = search->model;
    const struct st_shape *shape = st_unit_shape(model, transaction);
    bool saw_all = true;
    search->out_count = search->back_count = 0;
    search->least_end = UINT32_MAX;
    search->last_start = 0;
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct st_token *token = &shape->tokens[i];
        bool writes = token->kind == ST_TOKEN_WRITE;
        if (token->kind > ST_TOKEN_WRITE)
            continue;
        bool is_signal = token->target >= model->first_signal;
        const struct looking looking = {.search = search,
                                        .shape = shape,
                                        .token = i,
                                        .write = writes ? 0 : search->last_write[token->target],
                                        .writes = writes,
                                        .leads_out = !is_signal || writes,
                                        .leads_in = !is_signal || !writes};
        saw_all &= look_at_pieces(&looking, all);
        if (writes)
            search->last_write[token->target] = i + 1;
    }
    for (uint32_t i = 0; i < shape->count; i++)
        if (shape->tokens[i].kind == ST_TOKEN_WRITE)
            search->last_write[shape->tokens[i].target] = 0;
    return saw_all;
}

/* ---- ways ---- */

static void put_step(struct st_piece_search *search, struct st_piece_step step) {
    st_reserve(&search->steps, &search->step_capacity, search->step_count + 1);
    search->steps[search->step_count++] = step;
}

static void raise_reach(struct st_piece_search *search, uint32_t group, uint64_t level) {
    struct st_piece_reach *reach = &search->reach[group];
    if (level >= reach->level)
        return;
    reach->level = level;
    reach->source = (uint32_t)(search->step_count - 1);
    if (!reach->queued)
        search->queue[search->queued++] = group;
    reach->queued = true;
}

/* Enters a group by a piece that begins there. From it, order leads to what its thread does later,
 * and to what must come after it in other threads. */
static void enter_piece(struct st_piece_search *search, struct st_piece_step step) {
    const struct st_model *model = search->model;
    const struct st_piece *piece = &model->pieces->items[step.enters];
    const struct st_piece_group *groups = model->pieces->groups, *group = &groups[piece->group];
    if (search->reach[piece->group].entered <= piece->begin)
        return;
    search->reach[piece->group].entered = piece->begin;
    put_step(search, step);
    for (size_t i = 0; i < search->near_count; i++) {
        const struct st_piece_group *other = &groups[search->near[i]];
        if (other->thread == group->thread)
            raise_reach(search, search->near[i], piece->begin);
        else if (st_period_before(model->periods, group->last_period, other->first_period))
            raise_reach(search, search->near[i], 0);
    }
}

static void go_on(struct st_piece_search *search) {
    const struct st_crossings *crossings = search->model->crossings;
    while (search->queued) {
        uint32_t group = search->queue[--search->queued];
        search->reach[group].queued = false;
        for (size_t i = crossings->first[group]; i < crossings->first[group + 1]; i++) {
            const struct st_crossing_list *list = &crossings->lists[i];
            if (!is_near(search, list->to))
                continue;
            const struct st_crossing *crossing = st_crossing_from(list, search->reach[group].level);
            if (crossing)
                enter_piece(search, (struct st_piece_step){search->reach[group].source,
                                                           crossing->leaves, crossing->enters});
        }
    }
}

/* ---- is there one that comes back? ---- */

static int by_out_end(const void *left, const void *right) {
    const struct st_encounter *a = left, *b = right;
    if (a->node.end != b->node.end)
        return a->node.end < b->node.end ? -1 : 1;
    return (a->token > b->token) - (a->token < b->token);
}

struct backs {
    const struct st_piece *items;
    const struct st_piece_reach *reach;
};

static int by_group_and_start(const void *left, const void *right, void *context) {
    const struct backs *backs = context;
    const struct st_encounter *a = left, *b = right;
    uint32_t x = backs->reach[backs->items[a->piece].group].place;
    uint32_t y = backs->reach[backs->items[b->piece].group].place;
    if (x != y)
        return x < y ? -1 : 1;
    return (a->node.start < b->node.start) - (a->node.start > b->node.start);
}

static void sort_encounters(struct st_piece_search *search) {
    const struct st_piece *items = search->model->pieces->items;
    struct backs backs = {items, search->reach};
    if (search->out_count)
        qsort(search->outs, search->out_count, sizeof *search->outs, by_out_end);
    if (search->back_count)
        qsort_r(search->backs, search->back_count, sizeof *search->backs, by_group_and_start,
                &backs);
    st_reserve(&search->best, &search->best_capacity, search->back_count + 1);
    for (size_t i = 0; i < search->back_count; i++) {
        uint32_t group = items[search->backs[i].piece].group;
        struct st_piece_reach *reach = &search->reach[group];
        bool first = !i || items[search->backs[i - 1].piece].group != group;
        search->best[i] = (uint32_t)i;
        if (first)
            reach->first_back = i;
        else if (items[search->backs[search->best[i - 1]].piece].end >=
                 items[search->backs[i].piece].end)
            search->best[i] = search->best[i - 1];
        reach->end_back = i + 1;
    }
}

/* Has a path come to something that the transaction meets at a node that starts after `end`? */
static bool comes_back(const struct st_piece_search *search, uint32_t end,
                       struct st_piece_path *path) {
    for (size_t i = 0; i < search->near_count; i++) {
        const struct st_piece_reach *reach = &search->reach[search->near[i]];
        size_t behind;
        if (reach->level == NOWHERE)
            continue;
        st_lower_bound(behind, reach->first_back, reach->end_back,
                       search->backs[behind].node.start > end);
        if (behind == reach->first_back)
            continue;
        const struct st_encounter *back = &search->backs[search->best[behind - 1]];
        if (search->model->pieces->items[back->piece].end < reach->level)
            continue;
        path->back = *back;
        path->last = reach->source;
        return true;
    }
    return false;
}

/* The transaction's own node at which the path begins. */
static void find_out(const struct st_piece_search *search, struct st_piece_path *path) {
    uint32_t step = path->last;
    while (search->steps[step].before != ST_NO_NAME)
        step = search->steps[step].before;
    for (size_t i = 0; i < search->out_count; i++)
        if (search->outs[i].token == search->steps[step].leaves &&
            search->outs[i].piece == search->steps[step].enters) {
            path->out = search->outs[i];
            return;
        }
}

static void forget_ways(struct st_piece_search *search) {
    search->step_count = 0;
    for (size_t i = 0; i < search->near_count; i++) {
        struct st_piece_reach *reach = &search->reach[search->near[i]];
        reach->level = reach->entered = NOWHERE;
        reach->queued = false;
        reach->first_back = reach->end_back = 0;
    }
}

/* It starts from the node that ends first, and continues from the next one when it reaches nothing
 * new: what is reached is reached from the earliest end that leads there. */
static bool has_way_back(struct st_piece_search *search, struct st_piece_path *path) {
    forget_ways(search);
    sort_encounters(search);
    for (size_t i = 0; i < search->out_count; i++) {
        const struct st_encounter *out = &search->outs[i];
        enter_piece(search, (struct st_piece_step){ST_NO_NAME, out->token, out->piece});
        if (i + 1 < search->out_count && search->outs[i + 1].node.end == out->node.end)
            continue;
        go_on(search);
        if (comes_back(search, out->node.end, path)) {
            find_out(search, path);
            return true;
        }
    }
    return false;
}

enum st_commit_look st_piece_look(struct st_piece_search *search, uint32_t transaction, bool all,
                                  struct st_piece_path *path) {
    find_near(search, transaction);
    bool saw_all = find_encounters(search, transaction, all);
    bool apart = search->least_end < search->last_start;
    if (apart && has_way_back(search, path))
        return ST_COMMIT_VIOLATED;
    if (saw_all)
        return apart ? ST_COMMIT_OPEN : ST_COMMIT_ATOMIC;
    return st_piece_look(search, transaction, true, path);
}

struct st_shape_span st_innermost_node(const struct st_piece_search *search,
                                       struct st_shape_span node) {
    struct st_shape_span inner = node;
    for (uint32_t from = node.start; inner.start != UINT32_MAX; from = inner.start + 1) {
        node = inner;
        inner = (struct st_shape_span){UINT32_MAX, UINT32_MAX};
        for (size_t i = 0; i < search->out_count + search->back_count; i++) {
            struct st_shape_span other = i < search->out_count
                                             ? search->outs[i].node
                                             : search->backs[i - search->out_count].node;
            if (other.start >= from && other.end <= node.end &&
                (other.start < inner.start ||
                 (other.start == inner.start && other.end < inner.end)))
                inner = other;
        }
    }
    return node;
}

/* ---- what a search needs ---- */

void st_piece_search_start(struct st_piece_search *search, const struct st_model *model,
                           const uint32_t *ranks) {
    size_t groups = model->pieces->group_count + 1;
    *search = (struct st_piece_search){.model = model, .ranks = ranks};
    search->near = st_alloc(groups, sizeof *search->near);
    search->reach = st_alloc(groups, sizeof *search->reach);
    search->queue = st_alloc(groups, sizeof *search->queue);
    search->last_write = st_alloc(model->variable_count + 1, sizeof *search->last_write);
}

void st_piece_search_end(struct st_piece_search *search) {
    free(search->near);
    free(search->reach);
    free(search->queue);
    free(search->last_write);
    free(search->nodes);
    free(search->tallies);
    free(search->outs);
    free(search->backs);
    free(search->best);
    free(search->steps);
}
