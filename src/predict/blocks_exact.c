/* All transactions at once (TSE 2006, 6.3 and Theorem 5), second condition: each schedule of
 * IR-FW(T) has a serial one with the same view.
 *
 * IR-FW(T) is what is left of the run without all but synchronisation, initial reads and final
 * writes; events outside of transactions are units in it like all others. Since the first condition
 * has been looked at before (blocks_1v.c), no write can come between two initial reads of a
 * variable in a transaction, and only the first is kept; unless something was found there.
 *
 * The search takes exponential time in the worst case. It is cut down without a loss:
 *
 * - parts of the run that do not depend on each other are explored apart (blocks_steps.c);
 * - parts in which each unit has one step at most that matters to others need no search;
 * - steps that make no difference to anybody else need no choice (blocks_search.c);
 * - first we ask whether all schedules are conflict-serializable, which is more than needed, but
 *   quickly answered (blocks_rings.c). If they are, that is all; if one is not, it is looked at
 *   whether it is view-serializable nevertheless. Only if all those that we meet are, the search
 *   starts again and asks for no more than needed;
 * - then a schedule is taken apart where no transaction is open and no lock is held. If each part
 *   has a serial schedule with the same view, so has the whole, one after the other. So a part need
 *   not know what was before it but for where each thread is. Only where a part has none does the
 *   whole have to be looked at, since a write that nobody reads may be moved behind another one
 *   that hides it.
 *
 * Where a lock is held from one unit to another outside of transactions, the theorem does not hold,
 * and neither does its first condition: a unit may have to wait for a lock that the transaction
 * took before it began, and so never come between. There all accesses are kept, and the search
 * decides everything from the definition.
 *
 * It gives up after some time, or when it would need too much memory.
 *
 * Which transactions are reported: a finding is about all transactions together, not one of them,
 * even more so with views (another write may hide what one of them does). In a schedule that no
 * serial one is like, we report each transaction t that has accesses e before h such that t must
 * come both before some unit by e and after some unit by h, and a chain of conflicts and of "must
 * happen before" leads from the one to the other. There is at least one, because a ring of units in
 * which nobody leaves earlier than it enters would go back in time. Each comes with the schedule.
 * A unit stands for all that are like it in the same period.
 *
 * Equal units in a period are all explored: two or three of them need not do. */
#include "base/memory.h"
#include "predict/blocks_rings.h"
#include "predict/blocks_search.h"
#include "predict/parallel.h"

#include <stdlib.h>
#include <string.h>

enum {
    LARGEST_WHOLE = 3000, /* items of a schedule that is looked at as a whole */
    LARGEST_PART = 500,   /* moves of a part of which all transactions are looked at */
    MOST_HIDDEN = 50      /* rings without a consequence before something else is tried */
};
#define MOST_BYTES ((size_t)1 << 30)

/* What is told of a unit. */
struct st_cut_unit {
    uint32_t unit;
    struct st_place *events;
    size_t event_count;
    struct st_edge *path;
    size_t path_length;
    uint64_t *witness;
    size_t witness_length;
};

/* Of one group. */
struct explorer {
    struct st_blocks_run *run;
    const struct st_group *group;
    enum st_search_kind kind;
    bool confirmed;  /* a schedule is not view-serializable */
    uint32_t hidden; /* how often a part was not, or had a ring, but the whole is */
    struct st_cut_unit *cuts;
    size_t count, capacity;
};

struct st_blocks_exact {
    struct st_groups groups;
    struct explorer *explorers;
    struct st_search_limits limits;
};

static const struct st_step *step_of(const struct st_group *group, struct st_move move) {
    return &group->lanes[move.lane].steps[move.step];
}

/* ---- schedules as a whole ---- */

struct schedule {
    struct st_move *moves;
    size_t count, capacity;
    bool complete;
};

static bool may_move(const struct st_group *group, const size_t *places, const uint32_t *holders,
                     uint32_t lane) {
    const struct st_lane *self = &group->lanes[lane];
    if (places[lane] == self->count)
        return false;
    const struct st_step *step = &self->steps[places[lane]];
    const struct st_window *window = st_item_window(group, step->item);
    for (uint32_t i = 0; i < group->lane_count; i++)
        if (places[i] < window->from[i])
            return false;
    return step->kind != ST_TOKEN_ACQUIRE || !holders[step->target];
}

static void put_move(const struct st_group *group, struct schedule *schedule, size_t *places,
                     uint32_t *holders, uint32_t lane) {
    struct st_move move = {lane, places[lane]++};
    const struct st_step *step = step_of(group, move);
    if (!st_is_access_step(step))
        holders[step->target] = step->kind == ST_TOKEN_ACQUIRE ? lane + 1 : 0;
    st_reserve(&schedule->moves, &schedule->capacity, schedule->count + 1);
    schedule->moves[schedule->count++] = move;
}

/* These moves and then, one thread after the other as far as it goes, the rest. */
static struct schedule complete(const struct st_group *group, const struct st_move *moves,
                                size_t count) {
    struct schedule schedule = {.complete = true};
    size_t *places = st_alloc(group->lane_count + 1, sizeof *places);
    uint32_t *holders = st_alloc((size_t)group->lock_count + 1, sizeof *holders);
    for (size_t i = 0; i < count; i++)
        put_move(group, &schedule, places, holders, moves[i].lane);
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < group->lane_count; i++)
            for (; may_move(group, places, holders, i); moved = true)
                put_move(group, &schedule, places, holders, i);
    }
    for (uint32_t i = 0; i < group->lane_count; i++)
        schedule.complete &= places[i] == group->lanes[i].count;
    free(places);
    free(holders);
    return schedule;
}

static bool is_serializable(const struct st_group *group, const struct schedule *schedule) {
    size_t *starts = st_alloc(group->lane_count + 1, sizeof *starts);
    size_t *ends = st_alloc(group->lane_count + 1, sizeof *ends);
    uint32_t *last = st_alloc((size_t)group->variable_count + 1, sizeof *last);
    uint32_t *items = st_alloc(group->item_count + 1, sizeof *items);
    uint32_t *sources = st_alloc(group->offsets[group->lane_count] + 1, sizeof *sources);
    for (size_t i = 0; i < group->lane_count; i++)
        ends[i] = group->lanes[i].count;
    for (size_t i = 0; i < schedule->count; i++) {
        struct st_move move = schedule->moves[i];
        const struct st_step *step = step_of(group, move);
        size_t number = group->offsets[move.lane] + move.step;
        if (step->kind == ST_TOKEN_READ)
            sources[number] = last[step->target];
        else if (step->kind == ST_TOKEN_WRITE)
            last[step->target] = (uint32_t)number + 1;
    }
    for (uint32_t i = 0; i < group->item_count; i++)
        items[i] = i;
    struct st_view view = {items, group->item_count, starts, ends, sources, last};
    bool serializable = st_view_is_serializable(group, &view);
    free(starts);
    free(ends);
    free(last);
    free(items);
    free(sources);
    return serializable;
}

/* ---- who is cut ---- */

#define NO_MOVE SIZE_MAX

/* How the search came to a unit. */
struct hop {
    uint32_t from;         /* place */
    size_t leaves, enters; /* moves; NO_MOVE: by order */
};

/* The part of a schedule in which something went wrong. Places are those of items in it. */
struct part {
    const struct st_group *group;
    const struct st_move *moves;
    size_t count;
    uint32_t *items;  /* ascending */
    uint32_t *places; /* of moves */
    size_t item_count;
    size_t *firsts;   /* by place: the first move */
    size_t *owns;     /* by move: the next one of the same item */
    size_t *nexts;    /* by move: the next one of the same variable or lock */
    struct hop *hops; /* by place */
    bool *reached;
    uint32_t *queue;
};

static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static void link_moves(struct part *part) {
    const struct st_group *group = part->group;
    size_t columns = (size_t)group->variable_count + group->lock_count;
    size_t *heads = st_alloc(columns + 1, sizeof *heads); /* moves plus 1 */
    part->firsts = st_alloc(part->item_count + 1, sizeof *part->firsts);
    part->owns = st_alloc(part->count + 1, sizeof *part->owns);
    part->nexts = st_alloc(part->count + 1, sizeof *part->nexts);
    for (size_t i = 0; i < part->item_count; i++)
        part->firsts[i] = NO_MOVE;
    for (size_t i = part->count; i-- > 0;) {
        const struct st_step *step = step_of(group, part->moves[i]);
        size_t *first = &part->firsts[part->places[i]];
        size_t *head =
            &heads[st_is_access_step(step) ? step->target
                                           : (size_t)group->variable_count + step->target];
        part->owns[i] = *first;
        *first = i;
        part->nexts[i] = *head ? *head - 1 : NO_MOVE;
        *head = i + 1;
    }
    free(heads);
}

static void init_part(struct part *part, const struct st_group *group, const struct st_move *moves,
                      size_t count) {
    size_t kept = 0;
    *part = (struct part){.group = group, .moves = moves, .count = count};
    part->items = st_alloc(count + 1, sizeof *part->items);
    part->places = st_alloc(count + 1, sizeof *part->places);
    part->hops = st_alloc(count + 1, sizeof *part->hops);
    part->reached = st_alloc(count + 1, sizeof *part->reached);
    part->queue = st_alloc(count + 1, sizeof *part->queue);
    for (size_t i = 0; i < count; i++)
        part->items[i] = step_of(group, moves[i])->item;
    qsort(part->items, count, sizeof *part->items, by_number);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || part->items[i] != part->items[kept - 1])
            part->items[kept++] = part->items[i];
    part->item_count = kept;
    for (size_t i = 0; i < count; i++) {
        uint32_t item = step_of(group, moves[i])->item;
        uint32_t *found = bsearch(&item, part->items, kept, sizeof item, by_number);
        part->places[i] = (uint32_t)(found - part->items);
    }
    link_moves(part);
}

static void free_part(struct part *part) {
    free(part->items);
    free(part->places);
    free(part->firsts);
    free(part->owns);
    free(part->nexts);
    free(part->hops);
    free(part->reached);
    free(part->queue);
}

/* Two accesses that conflict; or two uses of a lock, if one of them lasts from item to item. (Of
 * others a serial schedule need not keep the order.) */
static bool conflict(const struct part *part, size_t i, size_t k) {
    const struct st_step *a = step_of(part->group, part->moves[i]);
    const struct st_step *b = step_of(part->group, part->moves[k]);
    if (a->target != b->target || part->moves[i].lane == part->moves[k].lane)
        return false;
    if (st_is_access_step(a) && st_is_access_step(b))
        return a->kind == ST_TOKEN_WRITE || b->kind == ST_TOKEN_WRITE;
    return a->kind == ST_TOKEN_RELEASE && b->kind == ST_TOKEN_ACQUIRE && (a->lasting || b->lasting);
}

static bool must_precede(const struct part *part, uint32_t a, uint32_t b) {
    const struct st_model *model = part->group->run->model;
    const struct st_item *one = &part->group->items[part->items[a]];
    const struct st_item *other = &part->group->items[part->items[b]];
    if (one->lane == other->lane)
        return a < b;
    return st_period_before(model->periods, model->units[one->unit].last_period,
                            model->units[other->unit].first_period);
}

static void reach(struct part *part, uint32_t place, struct hop hop, size_t *count) {
    if (part->reached[place])
        return;
    part->reached[place] = true;
    part->hops[place] = hop;
    part->queue[(*count)++] = place;
}

/* What conflicts with the move, and comes after it. */
static void follow(struct part *part, uint32_t self, size_t move, size_t *count) {
    uint32_t place = part->places[move];
    for (size_t k = part->nexts[move]; k != NO_MOVE; k = part->nexts[k])
        if (part->places[k] != self && conflict(part, move, k))
            reach(part, part->places[k], (struct hop){place, move, k}, count);
}

/* All that must come behind a transaction because of its moves up to `until`. */
static size_t reach_all(struct part *part, uint32_t self, size_t until) {
    size_t count = 0;
    memset(part->reached, 0, part->item_count * sizeof *part->reached);
    for (size_t i = part->firsts[self]; i != NO_MOVE && i <= until; i = part->owns[i])
        follow(part, self, i, &count);
    for (size_t n = 0; n < count; n++) {
        uint32_t place = part->queue[n];
        for (size_t i = part->firsts[place]; i != NO_MOVE; i = part->owns[i])
            follow(part, self, i, &count);
        for (uint32_t i = 0; i < part->item_count; i++)
            if (i != self && !part->reached[i] && must_precede(part, place, i))
                reach(part, i, (struct hop){place, NO_MOVE, NO_MOVE}, &count);
    }
    return count;
}

/* Does something that must come behind it because of moves up to `until` come before it because of
 * a later one? */
static bool comes_back(struct part *part, uint32_t self, size_t until, struct hop *back) {
    if (!reach_all(part, self, until))
        return false;
    for (size_t k = part->owns[until]; k != NO_MOVE; k = part->owns[k])
        for (size_t i = 0; i < k; i++)
            if (part->reached[part->places[i]] && conflict(part, i, k)) {
                *back = (struct hop){part->places[i], i, k};
                return true;
            }
    return false;
}

static bool is_cut(struct part *part, uint32_t self, struct hop *back) {
    for (size_t i = part->firsts[self]; i != NO_MOVE; i = part->owns[i])
        if (part->owns[i] != NO_MOVE && comes_back(part, self, i, back))
            return true;
    return false;
}

/* ---- what is told ---- */

static struct st_place place_of(const struct part *part, size_t move) {
    static const enum st_op ops[] = {ST_READ, ST_WRITE, ST_ACQUIRE, ST_RELEASE};
    const struct st_group *group = part->group;
    const struct st_step *step = step_of(group, part->moves[move]);
    const uint32_t *names = st_is_access_step(step) ? group->variables : group->locks;
    return (struct st_place){.number = step->spot.number,
                             .event = {.thread = group->lanes[part->moves[move].lane].thread,
                                       .target = names[step->target],
                                       .loc = step->spot.loc,
                                       .written = ops[step->kind],
                                       .op = ops[step->kind]}};
}

static void put_event(struct st_cut_unit *cut, struct st_place place) {
    if (!cut->event_count || cut->events[cut->event_count - 1].number != place.number)
        cut->events[cut->event_count++] = place;
}

/* How a move was reached: by a conflict with an earlier one, or in the order of its lane. */
struct way {
    size_t from; /* NO_MOVE: not reached */
    bool conflict;
};

/* A chain that leaves the transaction and comes back to it, forwards in time all the way. False
 * when there is none; `end` becomes the move that it comes back with. */
static bool find_way(const struct part *part, uint32_t self, struct way *ways, size_t *end) {
    size_t *lanes = st_alloc(part->group->lane_count + 1, sizeof *lanes); /* reached, plus 1 */
    bool found = false;
    for (size_t i = 0; i < part->count && !found; i++) {
        uint32_t lane = part->moves[i].lane;
        bool own = part->places[i] == self;
        if (!own && ways[i].from == NO_MOVE && lanes[lane])
            ways[i] = (struct way){lanes[lane] - 1, false};
        if (!own && ways[i].from == NO_MOVE)
            continue;
        if (!own)
            lanes[lane] = i + 1;
        for (size_t k = part->nexts[i]; k != NO_MOVE && !found; k = part->nexts[k]) {
            bool back = part->places[k] == self;
            if ((own && back) || !conflict(part, i, k))
                continue;
            found = back;
            *end = k;
            if (ways[k].from == NO_MOVE)
                ways[k] = (struct way){i, true};
        }
    }
    free(lanes);
    return found;
}

/* The edges of the chain that ends with move `end`. */
static void tell_way(const struct part *part, uint32_t self, const struct way *ways, size_t end,
                     struct st_cut_unit *cut) {
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
            edge->kind = edge->from.event.op == ST_RELEASE ? ST_EDGE_LOCK : ST_EDGE_CONFLICT;
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
static void tell_hops(const struct part *part, uint32_t self, struct hop back,
                      struct st_cut_unit *cut) {
    bool *told = st_alloc(part->count + 1, sizeof *told);
    struct hop hop = back;
    for (;;) {
        if (hop.leaves != NO_MOVE)
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

static void tell_path(const struct part *part, uint32_t self, struct hop back,
                      struct st_cut_unit *cut) {
    struct way *ways = st_alloc(part->count + 1, sizeof *ways);
    size_t end = 0;
    for (size_t i = 0; i < part->count; i++)
        ways[i].from = NO_MOVE;
    cut->events = st_alloc(part->count + part->item_count * 2 + 2, sizeof *cut->events);
    if (find_way(part, self, ways, &end))
        tell_way(part, self, ways, end, cut);
    else
        tell_hops(part, self, back, cut);
    free(ways);
}

static void tell_witness(const struct st_group *group, const struct schedule *schedule,
                         struct st_cut_unit *cut) {
    cut->witness = st_alloc(schedule->count + 1, sizeof *cut->witness);
    for (size_t i = 0; i < schedule->count; i++) {
        uint64_t number = step_of(group, schedule->moves[i])->spot.number;
        bool same = cut->witness_length && cut->witness[cut->witness_length - 1] == number;
        if (!same) /* the lock of an atomic operation has the number of its access */
            cut->witness[cut->witness_length++] = number;
    }
}

/* ---- one group ---- */

/* Is every write to the part's variables, in the whole group, in a unit that reads it first? Then
 * no write can be hidden, and what is wrong with a part is wrong with the whole. */
static bool has_blind_writes(const struct part *part) {
    const struct st_group *group = part->group;
    bool *used = st_alloc((size_t)group->variable_count + 1, sizeof *used), blind = false;
    uint32_t *reader = st_alloc((size_t)group->variable_count + 1, sizeof *reader);
    for (size_t i = 0; i < part->count; i++)
        if (st_is_access_step(step_of(group, part->moves[i])))
            used[step_of(group, part->moves[i])->target] = true;
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

static bool is_confirmed(const struct explorer *explorer, const struct part *part,
                         const struct schedule *schedule) {
    bool rings = explorer->kind == ST_SEARCH_RINGS;
    if (explorer->kind == ST_SEARCH_WHOLE ||
        (!has_blind_writes(part) && !(rings && explorer->group->lasting)))
        return true;
    return schedule->complete && explorer->group->item_count <= LARGEST_WHOLE &&
           !is_serializable(explorer->group, schedule);
}

static bool all_known(const struct explorer *explorer) {
    const struct st_blocks_run *run = explorer->run;
    for (size_t i = 0; i < explorer->group->item_count; i++) {
        uint32_t unit = explorer->group->items[i].unit;
        if (run->model->units[unit].transaction && run->foresights[unit] != ST_FORESEEN_VIOLATION)
            return false;
    }
    return true;
}

static void tell_cut(struct explorer *explorer, const struct part *part, uint32_t self,
                     struct hop back, const struct schedule *schedule) {
    uint32_t unit = explorer->group->items[part->items[self]].unit;
    st_reserve(&explorer->cuts, &explorer->capacity, explorer->count + 1);
    struct st_cut_unit *cut = &explorer->cuts[explorer->count++];
    *cut = (struct st_cut_unit){.unit = unit};
    tell_path(part, self, back, cut);
    tell_witness(explorer->group, schedule, cut);
    explorer->run->foresights[unit] = ST_FORESEEN_VIOLATION;
}

/* A ring is closed by a step of an item that it leaves earlier, so the item of the last move is
 * cut. In long parts no others are looked for: it would take long, and other rings tell of them. */
static bool on_cut(void *context, const struct st_move *moves, size_t count, size_t first) {
    struct explorer *explorer = context;
    const struct st_blocks_run *run = explorer->run;
    struct part part;
    struct schedule schedule = {.count = 0};
    bool checked = false, confirmed = false;
    bool closer_only = explorer->kind == ST_SEARCH_RINGS && count - first > LARGEST_PART;
    init_part(&part, explorer->group, moves + first, count - first);
    for (uint32_t i = 0; i < part.item_count; i++) {
        uint32_t unit = explorer->group->items[part.items[i]].unit;
        struct hop back;
        if (!run->model->units[unit].transaction ||
            run->foresights[unit] == ST_FORESEEN_VIOLATION ||
            (closer_only && i != part.places[part.count - 1]) || !is_cut(&part, i, &back))
            continue;
        if (!checked) {
            schedule = complete(explorer->group, moves, count);
            confirmed = is_confirmed(explorer, &part, &schedule);
            checked = true;
        }
        if (!confirmed)
            break;
        tell_cut(explorer, &part, i, back, &schedule);
    }
    explorer->confirmed |= confirmed;
    explorer->hidden += checked && !confirmed;
    free(schedule.moves);
    free_part(&part);
    return !all_known(explorer) && (explorer->kind != ST_SEARCH_RINGS || explorer->confirmed ||
                                    explorer->hidden < MOST_HIDDEN);
}

static void give_up(struct explorer *explorer) {
    struct st_blocks_run *run = explorer->run;
    for (size_t i = 0; i < explorer->group->item_count; i++) {
        uint32_t unit = explorer->group->items[i].unit;
        if (run->model->units[unit].transaction && run->foresights[unit] == ST_FORESEEN_ATOMIC)
            run->foresights[unit] = ST_FORESEEN_TIMEOUT;
    }
}

/* What the first condition found is not certain here. */
static void forget_findings(struct explorer *explorer) {
    for (size_t i = 0; i < explorer->group->item_count; i++)
        explorer->run->foresights[explorer->group->items[i].unit] = ST_FORESEEN_ATOMIC;
}

static void explore_group(void *context, unsigned worker, size_t index) {
    struct st_blocks_exact *exact = context;
    struct explorer *explorer = &exact->explorers[index];
    (void)worker;
    if (explorer->group->lane_count < 2 || st_group_is_simple(explorer->group))
        return;
    if (explorer->group->lasting && !explorer->run->options->as_published)
        forget_findings(explorer);
    enum st_search_end end = ST_SEARCH_DONE;
    for (int kind = ST_SEARCH_RINGS; kind <= ST_SEARCH_WHOLE; kind++) {
        explorer->kind = (enum st_search_kind)kind;
        bool fits = kind != ST_SEARCH_RINGS || explorer->group->lane_count <= ST_RINGS_LANES;
        explorer->hidden = !fits;
        if (fits)
            end = st_search(explorer->group, explorer->kind, &exact->limits, on_cut, explorer);
        bool enough = explorer->confirmed && (all_known(explorer) || kind == ST_SEARCH_PARTS);
        if (end == ST_SEARCH_GAVE_UP || enough || !explorer->hidden)
            break;
    }
    if (end == ST_SEARCH_GAVE_UP)
        give_up(explorer);
}

/* ---- all groups ---- */

static bool found_something(const struct st_blocks_run *run) {
    for (size_t i = 0; i < run->model->unit_count; i++)
        if (run->foresights[i] != ST_FORESEEN_ATOMIC)
            return true;
    return false;
}

/* Without the order of units there is nothing to explore. */
static void refuse(struct st_blocks_run *run, struct st_prediction *prediction) {
    st_prediction_caveat(prediction, "The order of the units was not kept, so that schedules could "
                                     "not be explored.");
    for (size_t i = 0; i < run->model->unit_count; i++)
        if (run->model->units[i].transaction && run->foresights[i] == ST_FORESEEN_ATOMIC)
            run->foresights[i] = ST_FORESEEN_TIMEOUT;
}

struct st_blocks_exact *st_blocks_explore(struct st_blocks_run *run,
                                          struct st_prediction *prediction) {
    struct st_blocks_exact *exact = st_alloc(1, sizeof *exact);
    const struct st_predict_options *options = run->options;
    unsigned jobs = options->jobs ? options->jobs : 1;
    if (!run->model->options.keep_sequence) {
        refuse(run, prediction);
        return exact;
    }
    if (run->model->options.order == ST_MODEL_ALL)
        st_prediction_caveat(prediction, "Channels other than barriers order whole units only: "
                                         "what they do inside of one was not looked at.");
    exact->limits.deadline = options->timeout > 0 ? st_search_clock() + options->timeout : 0;
    exact->limits.most_bytes = MOST_BYTES / jobs;
    st_groups_make(run, found_something(run), &exact->groups);
    exact->explorers = st_alloc(exact->groups.count + 1, sizeof *exact->explorers);
    for (size_t i = 0; i < exact->groups.count; i++)
        exact->explorers[i] = (struct explorer){.run = run, .group = &exact->groups.items[i]};
    st_parallel(jobs, exact->groups.count, explore_group, exact);
    return exact;
}

void st_blocks_exact_free(struct st_blocks_exact *exact) {
    if (!exact)
        return;
    for (size_t i = 0; i < exact->groups.count; i++) {
        struct explorer *explorer = &exact->explorers[i];
        for (size_t k = 0; k < explorer->count; k++) {
            free(explorer->cuts[k].events);
            free(explorer->cuts[k].path);
            free(explorer->cuts[k].witness);
        }
        free(explorer->cuts);
    }
    free(exact->explorers);
    st_groups_free(&exact->groups);
    free(exact);
}

/* ---- explaining ---- */

static const struct st_cut_unit *find_cut(const struct st_blocks_exact *exact, uint32_t unit) {
    for (size_t i = 0; i < exact->groups.count; i++)
        for (size_t k = 0; k < exact->explorers[i].count; k++)
            if (exact->explorers[i].cuts[k].unit == unit)
                return &exact->explorers[i].cuts[k];
    return NULL;
}

static void *copy(const void *from, size_t count, size_t size) {
    void *to = st_alloc(count + 1, size);
    memcpy(to, from, count * size);
    return to;
}

static void list_variables(struct st_foreseen *block) {
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

void st_blocks_exact_explain(const struct st_blocks_exact *exact, uint32_t unit,
                             struct st_foreseen *block) {
    const struct st_cut_unit *cut = find_cut(exact, unit);
    if (!cut)
        return;
    block->events = copy(cut->events, cut->event_count, sizeof *cut->events);
    block->event_count = cut->event_count;
    if (cut->path_length)
        block->path = copy(cut->path, cut->path_length, sizeof *cut->path);
    block->path_length = cut->path_length;
    block->witness = copy(cut->witness, cut->witness_length, sizeof *cut->witness);
    block->witness_length = cut->witness_length;
    block->pattern = st_blocks_pattern(block->events, block->event_count);
    list_variables(block);
    block->why = st_strdup("these blocks together are not atomic: in the given schedule this one "
                           "comes both before and after another");
}
