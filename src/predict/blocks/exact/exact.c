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
 * - parts of the run that do not depend on each other are explored apart (blocks_apart.c);
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
 * happen before" leads from the one to the other (blocks_cuts.c). There is at least one, because a
 * ring of units in which nobody leaves earlier than it enters would go back in time. Each comes
 * with the schedule. A unit stands for all that are like it in the same period.
 *
 * Equal units in a period are all explored: two or three of them need not do. */
#include "base/memory.h"
#include "predict/blocks/exact/violated.h"
#include "predict/blocks/exact/cycles.h"
#include "predict/parallel.h"

#include <stdlib.h>

enum {
    LARGEST_WHOLE = 3000, /* items of a schedule that is looked at as a whole */
    LARGEST_PART = 500,   /* moves of a part of which all transactions are looked at */
    MOST_HIDDEN = 50      /* rings without a consequence before something else is tried */
};
#define MOST_BYTES ((size_t)1 << 30)

/* Of one group. */
struct explorer {
    struct st_blocks_run *run;
    const struct st_group *group;
    enum st_search_kind kind;
    bool confirmed;  /* a schedule is not view-serializable */
    uint32_t hidden; /* how often a part was not, or had a ring, but the whole is */
    struct st_cut *cuts;
    size_t count, capacity;
};

struct st_blocks_exact {
    struct st_groups groups;
    struct explorer *explorers;
    struct st_search_limits limits;
};

/* ---- one group ---- */

static bool is_confirmed(const struct explorer *explorer, const struct st_part *part,
                         const struct st_schedule *schedule) {
    bool rings = explorer->kind == ST_SEARCH_RINGS;
    if (explorer->kind == ST_SEARCH_WHOLE ||
        (!st_part_has_blind_writes(part) && !(rings && explorer->group->lasting)))
        return true;
    return schedule->complete && explorer->group->item_count <= LARGEST_WHOLE &&
           !st_schedule_is_serializable(explorer->group, schedule);
}

static bool all_known(const struct explorer *explorer) {
    const struct st_blocks_run *run = explorer->run;
    for (size_t i = 0; i < explorer->group->item_count; i++) {
        uint32_t unit = explorer->group->items[i].unit;
        if (run->model->units[unit].transaction && run->verdicts[unit] != ST_BLOCK_VIOLATION)
            return false;
    }
    return true;
}

static void tell_cut(struct explorer *explorer, const struct st_part *part, uint32_t self,
                     struct st_part_hop back, const struct st_schedule *schedule) {
    uint32_t unit = explorer->group->items[part->items[self]].unit;
    st_reserve(&explorer->cuts, &explorer->capacity, explorer->count + 1);
    struct st_cut *cut = &explorer->cuts[explorer->count++];
    *cut = (struct st_cut){.unit = unit};
    st_cut_tell(cut, part, self, back, schedule);
    explorer->run->verdicts[unit] = ST_BLOCK_VIOLATION;
}

/* A ring is closed by a step of an item that it leaves earlier, so the item of the last move is
 * cut. In long parts no others are looked for: it would take long, and other rings tell of them. */
static bool on_cut(void *context, const struct st_move *moves, size_t count, size_t first) {
    struct explorer *explorer = context;
    const struct st_blocks_run *run = explorer->run;
    struct st_part part;
    struct st_schedule schedule = {.count = 0};
    bool checked = false, confirmed = false;
    bool closer_only = explorer->kind == ST_SEARCH_RINGS && count - first > LARGEST_PART;
    st_part_init(&part, explorer->group, moves + first, count - first);
    for (uint32_t i = 0; i < part.item_count; i++) {
        uint32_t unit = explorer->group->items[part.items[i]].unit;
        struct st_part_hop back;
        if (!run->model->units[unit].transaction || run->verdicts[unit] == ST_BLOCK_VIOLATION ||
            (closer_only && i != part.places[part.count - 1]) || !st_part_is_cut(&part, i, &back))
            continue;
        if (!checked) {
            schedule = st_schedule_complete(explorer->group, moves, count);
            confirmed = is_confirmed(explorer, &part, &schedule);
            checked = true;
        }
        if (!confirmed)
            break;
        tell_cut(explorer, &part, i, back, &schedule);
    }
    explorer->confirmed |= confirmed;
    explorer->hidden += checked && !confirmed;
    st_schedule_free(&schedule);
    st_part_free(&part);
    return !all_known(explorer) && (explorer->kind != ST_SEARCH_RINGS || explorer->confirmed ||
                                    explorer->hidden < MOST_HIDDEN);
}

static void give_up(struct explorer *explorer) {
    struct st_blocks_run *run = explorer->run;
    for (size_t i = 0; i < explorer->group->item_count; i++) {
        uint32_t unit = explorer->group->items[i].unit;
        if (run->model->units[unit].transaction && run->verdicts[unit] == ST_BLOCK_ATOMIC)
            run->verdicts[unit] = ST_BLOCK_TIMEOUT;
    }
}

/* What the first condition found is not certain here. */
static void forget_findings(struct explorer *explorer) {
    for (size_t i = 0; i < explorer->group->item_count; i++)
        explorer->run->verdicts[explorer->group->items[i].unit] = ST_BLOCK_ATOMIC;
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
        if (run->verdicts[i] != ST_BLOCK_ATOMIC)
            return true;
    return false;
}

/* Without the order of units there is nothing to explore. */
static void refuse(struct st_blocks_run *run, struct st_prediction *prediction) {
    st_prediction_caveat(prediction, "The order of the units was not kept, so that schedules could "
                                     "not be explored.");
    for (size_t i = 0; i < run->model->unit_count; i++)
        if (run->model->units[i].transaction && run->verdicts[i] == ST_BLOCK_ATOMIC)
            run->verdicts[i] = ST_BLOCK_TIMEOUT;
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
        for (size_t k = 0; k < explorer->count; k++)
            st_cut_free(&explorer->cuts[k]);
        free(explorer->cuts);
    }
    free(exact->explorers);
    st_groups_free(&exact->groups);
    free(exact);
}

static const struct st_cut *find_cut(const struct st_blocks_exact *exact, uint32_t unit) {
    for (size_t i = 0; i < exact->groups.count; i++)
        for (size_t k = 0; k < exact->explorers[i].count; k++)
            if (exact->explorers[i].cuts[k].unit == unit)
                return &exact->explorers[i].cuts[k];
    return NULL;
}

void st_blocks_exact_explain(const struct st_blocks_exact *exact, uint32_t unit,
                             struct st_predicted_block *block) {
    const struct st_cut *cut = find_cut(exact, unit);
    if (cut)
        st_cut_explain(cut, block);
}
