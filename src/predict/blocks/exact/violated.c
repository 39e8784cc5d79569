#include "predict/blocks/exact/violated.h"

#include "base/memory.h"

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
        const struct st_step *step = st_move_step(group, part->moves[i]);
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

/* ---- who is cut ---- */

/* Two accesses that conflict; or two uses of a lock, if one of them lasts from item to item. (Of
 * others a serial schedule need not keep the order.) */
bool st_part_conflict(const struct st_part *part, size_t i, size_t k) {
    const struct st_step *a = st_move_step(part->group, part->moves[i]);
    const struct st_step *b = st_move_step(part->group, part->moves[k]);
    if (a->target != b->target || part->moves[i].lane == part->moves[k].lane)
        return false;
    if (st_is_access_step(a) && st_is_access_step(b))
        return a->kind == ST_TOKEN_WRITE || b->kind == ST_TOKEN_WRITE;
    return a->kind == ST_TOKEN_RELEASE && b->kind == ST_TOKEN_ACQUIRE && (a->lasting || b->lasting);
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

/* What conflicts with the move, and comes after it. */
static void follow(struct st_part *part, uint32_t self, size_t move, size_t *count) {
    uint32_t place = part->places[move];
    for (size_t k = part->nexts[move]; k != ST_NO_MOVE; k = part->nexts[k])
        if (part->places[k] != self && st_part_conflict(part, move, k))
            reach(part, part->places[k], (struct st_part_hop){place, move, k}, count);
}

/* All that must come behind a transaction because of its moves up to `until`. */
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

/* Does something that must come behind it because of moves up to `until` come before it because of
 * a later one? */
static bool comes_back(struct st_part *part, uint32_t self, size_t until,
                       struct st_part_hop *back) {
    if (!reach_all(part, self, until))
        return false;
    for (size_t k = part->owns[until]; k != ST_NO_MOVE; k = part->owns[k])
        for (size_t i = 0; i < k; i++)
            if (part->reached[part->places[i]] && st_part_conflict(part, i, k)) {
                *back = (struct st_part_hop){part->places[i], i, k};
                return true;
            }
    return false;
}

bool st_part_is_cut(struct st_part *part, uint32_t self, struct st_part_hop *back) {
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
            const struct st_step *step = &group->lanes[l].steps[i];
            if (step->kind == ST_TOKEN_READ)
                reader[step->target] = step->item + 1;
            else if (step->kind == ST_TOKEN_WRITE && used[step->target])
                blind |= reader[step->target] != step->item + 1;
        }
    free(used);
    free(reader);
    return blind;
}
