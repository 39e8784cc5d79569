/* What is told of a transaction that is cut: a chain of events that leaves it and comes back, and
 * the schedule. */
#include "predict/blocks/exact/violated.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static struct st_place place_of(const struct st_part *part, size_t move) {
    const struct st_group *group = part->group;
    const struct st_step *step = st_move_step(group, part->moves[move]);
    const uint32_t *names = st_is_access_step(step) ? group->variables : group->locks;
    return st_token_place(group->run->model, group->lanes[part->moves[move].lane].thread,
                          (struct st_token){step->kind, names[step->target]}, step->spot);
}

static void put_event(struct st_cut *cut, struct st_place place) {
    if (!cut->event_count || cut->events[cut->event_count - 1].number != place.number)
        cut->events[cut->event_count++] = place;
}

/* How a move was reached: by a conflict with an earlier one, or in the order of its lane. */
struct way {
    size_t from; /* ST_NO_MOVE: not reached */
    bool conflict;
};

/* A chain that leaves the transaction and comes back to it, forwards in time all the way. False
 * when there is none; `end` becomes the move that it comes back with. */
static bool find_way(const struct st_part *part, uint32_t self, struct way *ways, size_t *end) {
    size_t *lanes = st_alloc(part->group->lane_count + 1, sizeof *lanes); /* reached, plus 1 */
    bool found = false;
    for (size_t i = 0; i < part->count && !found; i++) {
        uint32_t lane = part->moves[i].lane;
        bool own = part->places[i] == self;
        if (!own && ways[i].from == ST_NO_MOVE && lanes[lane])
            ways[i] = (struct way){lanes[lane] - 1, false};
        if (!own && ways[i].from == ST_NO_MOVE)
            continue;
        if (!own)
            lanes[lane] = i + 1;
        for (size_t k = part->nexts[i]; k != ST_NO_MOVE && !found; k = part->nexts[k]) {
            bool back = part->places[k] == self;
            if ((own && back) || !st_part_conflict(part, i, k))
                continue;
            found = back;
            *end = k;
            if (ways[k].from == ST_NO_MOVE)
                ways[k] = (struct way){i, true};
        }
    }
    free(lanes);
    return found;
}

/* The edges of the chain that ends with move `end`. */
static void tell_way(const struct st_part *part, uint32_t self, const struct way *ways, size_t end,
                     struct st_cut *cut) {
    size_t count = 0, at = end;
    do {
        count += ways[at].conflict;
        at = ways[at].from;
    } while (part->places[at] != self);
    cut->path = st_alloc(count, sizeof *cut->path);
    cut->path_length = count;
    at = end;
    do {
        if (ways[at].conflict) {
            struct st_edge *edge = &cut->path[--count];
            *edge =
                (struct st_edge){.from = place_of(part, ways[at].from), .to = place_of(part, at)};
            edge->kind = edge->from.event.op <= ST_WRITE ? ST_EDGE_CONFLICT : ST_EDGE_LOCK;
        }
        at = ways[at].from;
    } while (part->places[at] != self);
    for (size_t i = 0; i < cut->path_length; i++) {
        put_event(cut, cut->path[i].from);
        put_event(cut, cut->path[i].to);
    }
}

/* The moves of the chain of hops that ends with `back`, in the order of the schedule. A unit on it
 * may be entered later than it is left, so that there is no path of events. */
static void tell_hops(const struct st_part *part, uint32_t self, struct st_part_hop back,
                      struct st_cut *cut) {
    bool *told = st_alloc(part->count + 1, sizeof *told);
    struct st_part_hop hop = back;
    for (;;) {
        if (hop.leaves != ST_NO_MOVE)
            told[hop.leaves] = told[hop.enters] = true;
        if (hop.from == self)
            break;
        hop = part->hops[hop.from];
    }
    for (size_t i = 0; i < part->count; i++)
        if (told[i])
            put_event(cut, place_of(part, i));
    free(told);
}

static void tell_path(const struct st_part *part, uint32_t self, struct st_part_hop back,
                      struct st_cut *cut) {
    struct way *ways = st_alloc(part->count + 1, sizeof *ways);
    size_t end = 0;
    for (size_t i = 0; i < part->count; i++)
        ways[i].from = ST_NO_MOVE;
    cut->events = st_alloc(part->count + part->item_count * 2 + 2, sizeof *cut->events);
    if (find_way(part, self, ways, &end))
        tell_way(part, self, ways, end, cut);
    else
        tell_hops(part, self, back, cut);
    free(ways);
}

static void tell_witness(const struct st_group *group, const struct st_schedule *schedule,
                         struct st_cut *cut) {
    cut->witness = st_alloc(schedule->count + 1, sizeof *cut->witness);
    for (size_t i = 0; i < schedule->count; i++) {
        uint64_t number = st_move_step(group, schedule->moves[i])->spot.number;
        bool same = cut->witness_length && cut->witness[cut->witness_length - 1] == number;
        if (!same) /* the lock of an atomic operation has the number of its access */
            cut->witness[cut->witness_length++] = number;
    }
}

void st_cut_tell(struct st_cut *cut, const struct st_part *part, uint32_t self,
                 struct st_part_hop back, const struct st_schedule *schedule) {
    tell_path(part, self, back, cut);
    tell_witness(part->group, schedule, cut);
}

void st_cut_free(struct st_cut *cut) {
    free(cut->events);
    free(cut->path);
    free(cut->witness);
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

void st_cut_explain(const struct st_cut *cut, struct st_predicted_block *block) {
    block->events = copy(cut->events, cut->event_count, sizeof *cut->events);
    block->event_count = cut->event_count;
    if (cut->path_length)
        block->path = copy(cut->path, cut->path_length, sizeof *cut->path);
    block->path_length = cut->path_length;
    block->witness = copy(cut->witness, cut->witness_length, sizeof *cut->witness);
    block->witness_length = cut->witness_length;
    block->pattern = st_places_pattern(block->events, block->event_count);
    list_variables(block);
    block->why = st_strdup("these blocks together are not atomic: in the given order this one "
                           "comes both before and after another");
}
