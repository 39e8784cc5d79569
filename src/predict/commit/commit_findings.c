/* Turns a violated transaction into a finding: its commit nodes, and the path of events that leaves
 * it and comes back. */
#include "base/lower_bound.h"
#include "base/memory.h"
#include "predict/commit/commit_node.h"
#include "predict/commit/path_search.h"
#include "predict/commit/piece_search.h"
#include "predict/model/block_verdicts.h"

#include <stdlib.h>

void st_commit_explainer_free(struct st_commit_explainer *explainer) {
    free(explainer->uses);
}

/* ---- where locks are acquired and released ----
 *
 * If a critical section spans several units, a unit in it need not contain its acquire or its
 * release, but a finding must show events that exist. Equal units of a period are stored once, and
 * so are their lock operations: the operation found may be that of an equal unit. */

static int by_place(const void *left, const void *right) {
    const struct st_lock_use *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->lock != b->lock)
        return a->lock < b->lock ? -1 : 1;
    if (a->releases != b->releases)
        return a->releases ? 1 : -1;
    return (a->number > b->number) - (a->number < b->number);
}

static void add_use(struct st_commit_explainer *explainer, uint32_t unit, uint32_t token,
                    bool releases) {
    const struct st_unit *self = &explainer->analysis->model->units[unit];
    st_reserve(&explainer->uses, &explainer->use_capacity, explainer->use_count + 1);
    explainer->uses[explainer->use_count++] = (struct st_lock_use){
        .thread = self->thread,
        .lock = st_unit_shape(explainer->analysis->model, unit)->tokens[token].target,
        .releases = releases,
        .number = st_unit_spot(explainer->analysis->model, unit, token).number,
        .unit = unit,
        .token = token};
}

static void add_uses_of(struct st_commit_explainer *explainer, uint32_t unit) {
    const struct st_shape *shape = st_unit_shape(explainer->analysis->model, unit);
    for (uint32_t i = 0; i < shape->count; i++)
        if (shape->tokens[i].kind == ST_TOKEN_ACQUIRE && shape->ends[i] == shape->count)
            add_use(explainer, unit, i, false);
    for (uint32_t i = 0; i < shape->held_count; i++)
        if (shape->held_ends[i] < shape->count)
            add_use(explainer, unit, shape->held_ends[i], true);
}

static void list_uses(struct st_commit_explainer *explainer) {
    if (explainer->listed)
        return;
    explainer->listed = true;
    for (uint32_t i = 0; i < explainer->analysis->model->unit_count; i++)
        add_uses_of(explainer, i);
    if (explainer->use_count)
        qsort(explainer->uses, explainer->use_count, sizeof *explainer->uses, by_place);
}

/* How many uses come before this one. */
static size_t count_before(const struct st_commit_explainer *explainer,
                           const struct st_lock_use *use) {
    size_t count;
    st_lower_bound(count, 0, explainer->use_count, by_place(&explainer->uses[count], use) < 0);
    return count;
}

static bool is_alike(const struct st_lock_use *a, const struct st_lock_use *b) {
    return a->thread == b->thread && a->lock == b->lock && a->releases == b->releases;
}

/* The last acquire of the lock before the event, or the first release after it. If it is that of an
 * equal unit, its number may be on the other side of the event. NULL: there is none at all. */
static const struct st_lock_use *find_use(struct st_commit_explainer *explainer, uint32_t thread,
                                          uint32_t lock, bool releases, uint64_t number) {
    list_uses(explainer);
    struct st_lock_use wanted = {
        .thread = thread, .lock = lock, .releases = releases, .number = number};
    size_t place = count_before(explainer, &wanted);
    const struct st_lock_use *before = place ? &explainer->uses[place - 1] : NULL;
    const struct st_lock_use *behind =
        place < explainer->use_count ? &explainer->uses[place] : NULL;
    const struct st_lock_use *first = releases ? behind : before;
    const struct st_lock_use *second = releases ? before : behind;
    if (first && is_alike(first, &wanted))
        return first;
    return second && is_alike(second, &wanted) ? second : NULL;
}

static uint32_t held_end(const struct st_shape *shape, uint32_t lock) {
    for (uint32_t i = 0; i < shape->held_count; i++)
        if (shape->held[i] == lock)
            return shape->held_ends[i];
    return shape->count;
}

/* The acquire of the critical section on `lock` that starts at the token, or, for ST_NO_TOKEN, of
 * the one in which the unit begins. */
static struct st_place acquire_of(struct st_commit_explainer *explainer, uint32_t unit,
                                  uint32_t token, uint32_t lock) {
    const struct st_unit *self = &explainer->analysis->model->units[unit];
    if (token != ST_NO_TOKEN)
        return st_unit_place(explainer->analysis->model, unit, token);
    const struct st_lock_use *use = find_use(explainer, self->thread, lock, false, self->begin);
    return use ? st_unit_place(explainer->analysis->model, use->unit, use->token)
               : (struct st_place){0};
}

/* The release of that section, or its acquire if the trace has no release of it. */
static struct st_place release_of(struct st_commit_explainer *explainer, uint32_t unit,
                                  uint32_t token, uint32_t lock) {
    const struct st_unit *self = &explainer->analysis->model->units[unit];
    const struct st_shape *shape = st_unit_shape(explainer->analysis->model, unit);
    uint32_t end = token == ST_NO_TOKEN ? held_end(shape, lock) : shape->ends[token];
    if (end < shape->count)
        return st_unit_place(explainer->analysis->model, unit, end);
    uint64_t from = token == ST_NO_TOKEN
                        ? self->begin
                        : st_unit_spot(explainer->analysis->model, unit, token).number;
    const struct st_lock_use *use = find_use(explainer, self->thread, lock, true, from);
    return use ? st_unit_place(explainer->analysis->model, use->unit, use->token)
               : acquire_of(explainer, unit, token, lock);
}

/* ---- findings ---- */

/* A finding under construction. */
struct finding {
    const struct st_commit_analysis *analysis;
    struct st_commit_explainer *explainer;
    struct st_predicted_block *block;
    size_t event_capacity, path_capacity, variable_capacity;
};

static void put_event(struct finding *finding, struct st_place place) {
    struct st_predicted_block *block = finding->block;
    if (block->event_count && block->events[block->event_count - 1].number == place.number)
        return;
    st_reserve(&block->events, &finding->event_capacity, block->event_count + 1);
    block->events[block->event_count++] = place;
}

static void put_variable(struct finding *finding, uint32_t variable) {
    struct st_predicted_block *block = finding->block;
    for (size_t i = 0; i < block->variable_count; i++)
        if (block->variables[i] == variable)
            return;
    st_reserve(&block->variables, &finding->variable_capacity, block->variable_count + 1);
    block->variables[block->variable_count++] = variable;
}

static uint32_t token_with(const struct st_forest *forest, uint32_t unit, uint32_t entry) {
    for (size_t i = forest->first_access[unit]; i < forest->first_access[unit + 1]; i++)
        if (forest->accesses[i].entry == entry)
            return forest->accesses[i].token;
    return ST_NO_TOKEN;
}

static void put_edge(struct finding *finding, struct st_edge edge) {
    struct st_predicted_block *block = finding->block;
    put_event(finding, edge.from);
    put_event(finding, edge.to);
    st_reserve(&block->path, &finding->path_capacity, block->path_length + 1);
    block->path[block->path_length++] = edge;
}

/* An edge between accesses to a variable. */
static void put_conflict(struct finding *finding, struct st_place from, struct st_place to,
                         uint32_t variable) {
    bool signal = from.event.op == ST_SEND && to.event.op == ST_RECEIVE;
    put_edge(
        finding,
        (struct st_edge){.from = from, .to = to, .kind = signal ? ST_EDGE_SYNC : ST_EDGE_CONFLICT});
    put_variable(finding, variable);
}

/* Adds an edge from an access of one unit to an access of another. An edge over a lock goes from a
 * release to an acquire, neither of which need be in the unit. */
static void put_units_edge(struct finding *finding, uint32_t from, uint32_t from_token, uint32_t to,
                           uint32_t to_token, uint32_t subject) {
    const struct st_model *model = finding->analysis->model;
    const struct st_forest *forest = finding->analysis->forest;
    uint32_t variables = forest->variable_count;
    if (subject < variables)
        put_conflict(finding, st_unit_place(model, from, from_token),
                     st_unit_place(model, to, to_token), forest->variables[subject]);
    else
        put_edge(finding,
                 (struct st_edge){
                     .from = release_of(finding->explainer, from, from_token, subject - variables),
                     .to = acquire_of(finding->explainer, to, to_token, subject - variables),
                     .kind = ST_EDGE_LOCK});
}

/* Adds the path from the transaction to the unit, at which it arrives in this way. */
static void put_path(struct finding *finding, const struct st_commit_search *search,
                     uint32_t transaction, uint32_t unit, const struct st_arrival *arrival) {
    const struct st_forest *forest = finding->analysis->forest;
    if (arrival->from != ST_NO_NAME)
        put_path(finding, search, transaction, arrival->from, st_arrival_before(search, arrival));
    if (arrival->leaves == ST_NO_NAME)
        return; /* thread order, fork, join or a barrier */
    uint32_t from = arrival->from == ST_NO_NAME ? transaction : arrival->from;
    const struct st_unit_access *leaves = &forest->accesses[arrival->leaves];
    put_units_edge(finding, from, leaves->token, unit, token_with(forest, unit, arrival->enters),
                   forest->entries[arrival->enters].subject);
}

static int by_number(const void *left, const void *right) {
    const struct st_place *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

/* A path may leave a unit at an earlier event than it enters it, since the search treats the events
 * of a unit as staying together. The schedule has them in thread order. */
static void order_events(struct st_predicted_block *block) {
    struct st_place *events = block->events;
    for (size_t i = 1, j; i + 1 < block->event_count; i = j) {
        for (j = i + 1; j + 1 < block->event_count;)
            if (events[j++].event.thread != events[i].event.thread) {
                j--;
                break;
            }
        qsort(events + i, j - i, sizeof *events, by_number);
    }
}

/* The place of a node, which is an access, or a critical section, represented by its acquire. */
static struct st_place node_place(const struct finding *finding, uint32_t unit,
                                  struct st_shape_span node) {
    const struct st_shape *shape = st_unit_shape(finding->analysis->model, unit);
    uint32_t lock = 0;
    if (node.start)
        return st_unit_place(finding->analysis->model, unit, node.start - 1);
    for (uint32_t i = shape->held_count; i-- > 0;)
        if (shape->held_ends[i] + 1 == node.end)
            lock = shape->held[i];
    struct st_place place = acquire_of(finding->explainer, unit, ST_NO_TOKEN, lock);
    return place.number ? place : st_unit_place(finding->analysis->model, unit, 0);
}

static void put_nodes(struct finding *finding, uint32_t unit, struct st_shape_span out,
                      struct st_shape_span back) {
    finding->block->nodes = st_alloc(2, sizeof *finding->block->nodes);
    finding->block->node_count = 2;
    finding->block->nodes[0] = node_place(finding, unit, out);
    finding->block->nodes[1] = node_place(finding, unit, back);
}

static void finish_finding(struct st_predicted_block *block) {
    order_events(block);
    block->pattern = st_places_pattern(block->events, block->event_count);
    block->why = st_strdup("They cannot be moved together, since others can come in between");
}

/* ---- with pieces ---- */

static struct st_place piece_place(const struct st_model *model, uint32_t number) {
    const struct st_piece *piece = &model->pieces->items[number];
    const struct st_token what = {piece->writes ? ST_TOKEN_WRITE : ST_TOKEN_READ, piece->variable};
    const struct st_spot spot = {piece->number, model->unit_spots.locs.ids[piece->loc]};
    return st_token_place(model, model->pieces->groups[piece->group].thread, what, spot);
}

/* Adds the path from the transaction to where the step leads. */
static void put_steps(struct finding *finding, const struct st_piece_search *search,
                      uint32_t transaction, uint32_t number) {
    const struct st_model *model = search->model;
    const struct st_piece_step *step = &search->steps[number];
    bool first = step->before == ST_NO_NAME;
    if (!first)
        put_steps(finding, search, transaction, step->before);
    put_conflict(finding,
                 first ? st_unit_place(model, transaction, step->leaves)
                       : piece_place(model, step->leaves),
                 piece_place(model, step->enters), model->pieces->items[step->enters].variable);
}

static void explain_by_pieces(struct finding *finding, uint32_t unit) {
    const struct st_model *model = finding->analysis->model;
    struct st_piece_search *search = &finding->analysis->piece_searches[0];
    struct st_piece_path path;
    if (st_piece_look(search, unit, true, &path) != ST_COMMIT_VIOLATED)
        return;
    put_nodes(finding, unit, st_innermost_node(search, path.out.node),
              st_innermost_node(search, path.back.node));
    put_steps(finding, search, unit, path.last);
    put_conflict(finding, piece_place(model, path.back.piece),
                 st_unit_place(model, unit, path.back.token),
                 model->pieces->items[path.back.piece].variable);
    finish_finding(finding->block);
}

/* ---- with units ---- */

void st_commit_explain(void *context, uint32_t unit, struct st_predicted_block *block) {
    struct st_commit_explainer *explainer = context;
    struct st_commit_analysis *analysis = explainer->analysis;
    const struct st_forest *forest = analysis->forest;
    struct finding finding = {.analysis = analysis, .explainer = explainer, .block = block};
    struct st_commit_violation violation;
    if (analysis->piece_searches) {
        explain_by_pieces(&finding, unit);
        return;
    }
    struct st_commit_search *search = &analysis->searches[0];
    search->deadline = 0; /* it was found in time before */
    search->total = NULL;
    search->expired = false;
    search->explains = true;
    if (!st_commit_is_violated(search, unit, &violation))
        return;
    put_nodes(&finding, unit, st_commit_node_in(forest, unit, violation.out.node),
              st_commit_node_in(forest, unit, violation.back.node));
    if (violation.last != ST_NO_NAME) {
        put_path(&finding, search, unit, violation.last, &search->arrivals[violation.last]);
        put_units_edge(&finding, violation.last,
                       token_with(forest, violation.last, violation.back.entry), unit,
                       forest->accesses[violation.back.access].token,
                       forest->entries[violation.back.entry].subject);
    }
    finish_finding(block);
}
