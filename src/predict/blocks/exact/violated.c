#include "predict/blocks/exact/violated.h"

#include "base/memory.h"
#include "predict/model/block_verdicts.h"

#include <stdlib.h>
#include <string.h>

/* ---- parts ---- */

static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static void link_moves(struct st_part *part) {
    const struct st_group *group = part->group;
    size_t columns = (size_t)group->variable_count + group->lock_count;
    size_t *heads = st_alloc(columns + 1, sizeof *heads); /* moves plus 1 */
    part->firsts = st_alloc(part->item_count + 1, sizeof *part->firsts);
    part->owns = st_alloc(part->count + 1, sizeof *part->owns);
    part->nexts = st_alloc(part->count + 1, sizeof *part->nexts);
    for (size_t i = 0; i < part->item_count; i++)
        part->firsts[i] = ST_NO_MOVE;
    for (size_t i = part->count; i-- > 0;) {
        const struct st_exact_step *step = st_move_step(group, part->moves[i]);
        size_t *first = &part->firsts[part->places[i]];
        size_t *head =
            &heads[st_is_access_step(step) ? step->target
                                           : (size_t)group->variable_count + step->target];
        part->owns[i] = *first;
        *first = i;
        part->nexts[i] = *head ? *head - 1 : ST_NO_MOVE;
        *head = i + 1;
    }
    free(heads);
}

void st_part_init(struct st_part *part, const struct st_group *group, const struct st_move *moves,
                  size_t count) {
    size_t kept = 0;
    *part = (struct st_part){.group = group, .moves = moves, .count = count};
    part->items = st_alloc(count + 1, sizeof *part->items);
    part->places = st_alloc(count + 1, sizeof *part->places);
    part->hops = st_alloc(count + 1, sizeof *part->hops);
    part->reached = st_alloc(count + 1, sizeof *part->reached);
    part->queue = st_alloc(count + 1, sizeof *part->queue);
    for (size_t i = 0; i < count; i++)
        part->items[i] = st_move_step(group, moves[i])->item;
    qsort(part->items, count, sizeof *part->items, by_number);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || part->items[i] != part->items[kept - 1])
            part->items[kept++] = part->items[i];
    part->item_count = kept;
    for (size_t i = 0; i < count; i++) {
        uint32_t item = st_move_step(group, moves[i])->item;
        uint32_t *found = bsearch(&item, part->items, kept, sizeof item, by_number);
        part->places[i] = (uint32_t)(found - part->items);
    }
    link_moves(part);
}

void st_part_free(struct st_part *part) {
    free(part->items);
    free(part->places);
    free(part->firsts);
    free(part->owns);
    free(part->nexts);
    free(part->hops);
    free(part->reached);
    free(part->queue);
}

/* ---- which items are violated ---- */

/* Two accesses that conflict; or two uses of a lock, if one of them spans several items. (A serial
 * schedule need not keep the order of other uses.) */
static bool in_conflict(const struct st_part *part, size_t i, size_t k) {
    const struct st_exact_step *a = st_move_step(part->group, part->moves[i]);
    const struct st_exact_step *b = st_move_step(part->group, part->moves[k]);
    if (a->target != b->target || part->moves[i].lane == part->moves[k].lane)
        return false;
    if (st_is_access_step(a) && st_is_access_step(b))
        return a->kind == ST_TOKEN_WRITE || b->kind == ST_TOKEN_WRITE;
    return a->kind == ST_TOKEN_RELEASE && b->kind == ST_TOKEN_ACQUIRE &&
           (st_stays_apart(part->group, a) || st_stays_apart(part->group, b));
}

static bool must_precede(const struct st_part *part, uint32_t a, uint32_t b) {
    const struct st_model *model = part->group->run->model;
    const struct st_item *one = &part->group->items[part->items[a]];
    const struct st_item *other = &part->group->items[part->items[b]];
    if (one->lane == other->lane)
        return a < b;
    return st_period_before(model->periods, model->units[one->unit].last_period,
                            model->units[other->unit].first_period);
}

static void reach(struct st_part *part, uint32_t place, struct st_part_hop hop, size_t *count) {
    if (part->reached[place])
        return;
    part->reached[place] = true;
    part->hops[place] = hop;
    part->queue[(*count)++] = place;
}

/* Visits what conflicts with the move and comes after it. */
static void follow(struct st_part *part, uint32_t self, size_t move, size_t *count) {
    uint32_t place = part->places[move];
    for (size_t k = part->nexts[move]; k != ST_NO_MOVE; k = part->nexts[k])
        if (part->places[k] != self && in_conflict(part, move, k))
            reach(part, part->places[k], (struct st_part_hop){place, move, k}, count);
}

/* Finds everything that must come after a transaction because of its moves up to `until`. */
static size_t reach_all(struct st_part *part, uint32_t self, size_t until) {
    size_t count = 0;
    memset(part->reached, 0, part->item_count * sizeof *part->reached);
    for (size_t i = part->firsts[self]; i != ST_NO_MOVE && i <= until; i = part->owns[i])
        follow(part, self, i, &count);
    for (size_t n = 0; n < count; n++) {
        uint32_t place = part->queue[n];
        for (size_t i = part->firsts[place]; i != ST_NO_MOVE; i = part->owns[i])
            follow(part, self, i, &count);
        for (uint32_t i = 0; i < part->item_count; i++)
            if (i != self && !part->reached[i] && must_precede(part, place, i))
                reach(part, i, (struct st_part_hop){place, ST_NO_MOVE, ST_NO_MOVE}, &count);
    }
    return count;
}

/* Does something that must come after it because of moves up to `until` come before it because of a
 * later move? */
static bool comes_back(struct st_part *part, uint32_t self, size_t until,
                       struct st_part_hop *back) {
    if (!reach_all(part, self, until))
        return false;
    for (size_t k = part->owns[until]; k != ST_NO_MOVE; k = part->owns[k])
        for (size_t i = 0; i < k; i++)
            if (part->reached[part->places[i]] && in_conflict(part, i, k)) {
                *back = (struct st_part_hop){part->places[i], i, k};
                return true;
            }
    return false;
}

bool st_part_is_violated(struct st_part *part, uint32_t self, struct st_part_hop *back) {
    for (size_t i = part->firsts[self]; i != ST_NO_MOVE; i = part->owns[i])
        if (part->owns[i] != ST_NO_MOVE && comes_back(part, self, i, back))
            return true;
    return false;
}

bool st_part_has_blind_writes(const struct st_part *part) {
    const struct st_group *group = part->group;
    bool *used = st_alloc((size_t)group->variable_count + 1, sizeof *used), blind = false;
    uint32_t *reader = st_alloc((size_t)group->variable_count + 1, sizeof *reader);
    for (size_t i = 0; i < part->count; i++)
        if (st_is_access_step(st_move_step(group, part->moves[i])))
            used[st_move_step(group, part->moves[i])->target] = true;
    for (size_t l = 0; l < group->lane_count; l++)
        for (size_t i = 0; i < group->lanes[l].count; i++) {
            const struct st_exact_step *step = &group->lanes[l].steps[i];
            if (step->kind == ST_TOKEN_READ)
                reader[step->target] = step->item + 1;
            else if (step->kind == ST_TOKEN_WRITE && used[step->target])
                blind |= reader[step->target] != step->item + 1;
        }
    free(used);
    free(reader);
    return blind;
}

/* ---- the finding: the schedule, and events that leave the transaction and come back ---- */

static struct st_place place_of(const struct st_part *part, size_t move) {
    const struct st_group *group = part->group;
    const struct st_exact_step *step = st_move_step(group, part->moves[move]);
    const uint32_t *names = st_is_access_step(step) ? group->variables : group->locks;
    return st_token_place(group->run->model, group->lanes[part->moves[move].lane].thread,
                          (struct st_token){step->kind, names[step->target]}, step->spot);
}

static void put_event(struct st_violated *found, struct st_place place) {
    if (!found->event_count || found->events[found->event_count - 1].number != place.number)
        found->events[found->event_count++] = place;
}

/* How a move was reached: by a conflict with an earlier one, or in the order of its lane. */
struct origin {
    size_t from; /* ST_NO_MOVE: not reached */
    bool conflict;
};

/* Finds a chain that leaves the transaction and comes back to it, always forwards in time. False if
 * there is none. `end` becomes the move by which it comes back. */
static bool find_chain(const struct st_part *part, uint32_t self, struct origin *origins,
                       size_t *end) {
    size_t *lanes = st_alloc(part->group->lane_count + 1, sizeof *lanes); /* reached, plus 1 */
    bool found = false;
    for (size_t i = 0; i < part->count && !found; i++) {
        uint32_t lane = part->moves[i].lane;
        bool own = part->places[i] == self;
        if (!own && origins[i].from == ST_NO_MOVE && lanes[lane])
            origins[i] = (struct origin){lanes[lane] - 1, false};
        if (!own && origins[i].from == ST_NO_MOVE)
            continue;
        if (!own)
            lanes[lane] = i + 1;
        for (size_t k = part->nexts[i]; k != ST_NO_MOVE && !found; k = part->nexts[k]) {
            bool back = part->places[k] == self;
            if ((own && back) || !in_conflict(part, i, k))
                continue;
            found = back;
            *end = k;
            if (origins[k].from == ST_NO_MOVE)
                origins[k] = (struct origin){i, true};
        }
    }
    free(lanes);
    return found;
}

/* Adds the edges of the chain that ends with move `end`. */
static void put_chain(const struct st_part *part, uint32_t self, const struct origin *origins,
                      size_t end, struct st_violated *found) {
    size_t count = 0, at = end;
    do {
        count += origins[at].conflict;
        at = origins[at].from;
    } while (part->places[at] != self);
    found->path = st_alloc(count, sizeof *found->path);
    found->path_length = count;
    at = end;
    do {
        if (origins[at].conflict) {
            struct st_edge *edge = &found->path[--count];
            *edge = (struct st_edge){.from = place_of(part, origins[at].from),
                                     .to = place_of(part, at)};
            edge->kind = edge->from.event.op <= ST_WRITE ? ST_EDGE_CONFLICT : ST_EDGE_LOCK;
        }
        at = origins[at].from;
    } while (part->places[at] != self);
    for (size_t i = 0; i < found->path_length; i++) {
        put_event(found, found->path[i].from);
        put_event(found, found->path[i].to);
    }
}

/* Adds the moves of the chain of hops that ends with `back`, in schedule order. The chain may enter
 * a unit later than it leaves it, so that there is no path of events. */
static void put_hops(const struct st_part *part, uint32_t self, struct st_part_hop back,
                     struct st_violated *found) {
    bool *shown = st_alloc(part->count + 1, sizeof *shown);
    struct st_part_hop hop = back;
    for (;;) {
        if (hop.leaves != ST_NO_MOVE)
            shown[hop.leaves] = shown[hop.enters] = true;
        if (hop.from == self)
            break;
        hop = part->hops[hop.from];
    }
    for (size_t i = 0; i < part->count; i++)
        if (shown[i])
            put_event(found, place_of(part, i));
    free(shown);
}

static void find_path(const struct st_part *part, uint32_t self, struct st_part_hop back,
                      struct st_violated *found) {
    struct origin *origins = st_alloc(part->count + 1, sizeof *origins);
    size_t end = 0;
    for (size_t i = 0; i < part->count; i++)
        origins[i].from = ST_NO_MOVE;
    found->events = st_alloc(part->count + part->item_count * 2 + 2, sizeof *found->events);
    if (find_chain(part, self, origins, &end))
        put_chain(part, self, origins, end, found);
    else
        put_hops(part, self, back, found);
    free(origins);
}

static void copy_witness(const struct st_group *group, const struct st_schedule *schedule,
                         struct st_violated *found) {
    found->witness = st_alloc(schedule->count + 1, sizeof *found->witness);
    for (size_t i = 0; i < schedule->count; i++) {
        uint64_t number = st_move_step(group, schedule->moves[i])->spot.number;
        bool same = found->witness_length && found->witness[found->witness_length - 1] == number;
        if (!same) /* the lock of an atomic operation has the number of its access */
            found->witness[found->witness_length++] = number;
    }
}

void st_violated_fill(struct st_violated *found, const struct st_part *part, uint32_t self,
                      struct st_part_hop back, const struct st_schedule *schedule) {
    find_path(part, self, back, found);
    copy_witness(part->group, schedule, found);
}

void st_violated_free(struct st_violated *found) {
    free(found->events);
    free(found->path);
    free(found->witness);
}

/* ---- explaining ---- */

static void *copy(const void *from, size_t count, size_t size) {
    void *to = st_alloc(count + 1, size);
    memcpy(to, from, count * size);
    return to;
}

static void list_variables(struct st_predicted_block *block) {
    block->variables = st_alloc(block->event_count + 1, sizeof *block->variables);
    for (size_t i = 0; i < block->event_count; i++) {
        bool known = false;
        if (block->events[i].event.op > ST_WRITE)
            continue;
        for (size_t k = 0; k < block->variable_count; k++)
            known |= block->variables[k] == block->events[i].event.target;
        if (!known)
            block->variables[block->variable_count++] = block->events[i].event.target;
    }
}

void st_violated_explain(const struct st_violated *found, struct st_predicted_block *block) {
    block->events = copy(found->events, found->event_count, sizeof *found->events);
    block->event_count = found->event_count;
    if (found->path_length)
        block->path = copy(found->path, found->path_length, sizeof *found->path);
    block->path_length = found->path_length;
    block->witness = copy(found->witness, found->witness_length, sizeof *found->witness);
    block->witness_length = found->witness_length;
    block->pattern = st_places_pattern(block->events, block->event_count);
    list_variables(block);
    block->why = st_strdup("these blocks together are not atomic: in the given order this one "
                           "comes both before and after another");
}
