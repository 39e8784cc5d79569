/* All transactions at once (TSE 2006, 6.3 and Theorem 5), second condition: each schedule of
 * IR-FW(T) has a serial one with the same view.
 *
 * IR-FW(T) is the run reduced to synchronisation, initial reads and final writes. Events outside
 * transactions are units in it like all others. The first condition has already been checked
 * (one_variable.c), so no write can come between two initial reads of a variable in a transaction,
 * and only the first is kept, unless that check found something.
 *
 * The search takes exponential time in the worst case. Much of it can be skipped without loss:
 *
 * - Parts of the run that do not depend on each other are explored separately (partition.c).
 * - Parts in which each unit has at most one step that matters to others need no search.
 * - Steps that make no difference to any other thread need no choice (schedule_search.c).
 * - First we ask whether all schedules are conflict-serializable, which is more than necessary but
 *   quick to answer (cycles.c). If they are, we are done. If one is not, we check whether it is
 *   view-serializable nevertheless. Only if all those that we meet are does the search start again,
 *   and then it asks for no more than necessary.
 * - That search splits a schedule wherever no transaction is open and no lock is held. If each part
 *   has a serial schedule with the same view, so has the whole: these one after another. So a part
 *   needs to know nothing about what came before it except where each thread is. Only if a part has
 *   none must the whole be checked, since a write that nobody reads may be moved after another one
 *   that hides it.
 *
 * If a lock is held from one unit to another outside transactions, the theorem does not hold, and
 * neither does its first condition: a unit may have to wait for a lock that the transaction
 * acquired before it began, and so never come between. There we keep all accesses, and the search
 * decides everything from the definition.
 *
 * The search gives up after some time, or when it would need too much memory.
 *
 * Which transactions are reported: a finding is about all transactions together, not one of them,
 * even more so with views (another write may hide what one of them does). In a schedule that has no
 * equivalent serial one, we report each transaction t that has accesses e before h such that t must
 * come both before some unit by e and after some unit by h, and a chain of conflicts and of "must
 * happen before" leads from the one to the other (violated.c). There is at least one, because a
 * cycle of units in which none is left earlier than it is entered would go back in time. Each comes
 * with the schedule. A unit stands for all that are like it in the same period.
 *
 * All equal units in a period are explored: two or three of them may not be enough. */
#include "base/memory.h"
#include "predict/blocks/exact/cycles.h"
#include "predict/blocks/exact/schedule_search.h"
#include "predict/blocks/exact/violated.h"
#include "predict/parallel.h"

#include <stdlib.h>

enum {
    LARGEST_WHOLE = 3000, /* items of a schedule that is checked as a whole */
    LARGEST_PART = 500,   /* moves of a part in which all transactions are checked */
    MOST_HIDDEN = 50      /* cycles without consequence before something else is tried */
};
#define MOST_BYTES ((size_t)1 << 30)

/* The state for one group. */
struct explorer {
    struct st_blocks_run *run;
    const struct st_group *group;
    enum st_search_kind kind;
    bool confirmed;  /* a schedule is not view-serializable */
    uint32_t hidden; /* how often a part was not, or had a cycle, although the whole is */
    struct st_violated *violated;
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
    bool cycles = explorer->kind == ST_SEARCH_CYCLES;
    if (explorer->kind == ST_SEARCH_WHOLE ||
        (!st_part_has_blind_writes(part) && !(cycles && explorer->group->lasting)))
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

static void add_violated(struct explorer *explorer, const struct st_part *part, uint32_t self,
                         struct st_part_hop back, const struct st_schedule *schedule) {
    uint32_t unit = explorer->group->items[part->items[self]].unit;
    st_reserve(&explorer->violated, &explorer->capacity, explorer->count + 1);
    struct st_violated *found = &explorer->violated[explorer->count++];
    *found = (struct st_violated){.unit = unit};
    st_violated_fill(found, part, self, back, schedule);
    explorer->run->verdicts[unit] = ST_BLOCK_VIOLATION;
}

/* A cycle is closed by a step of an item that it leaves earlier, so the item of the last move is
 * violated. In long parts we look for no others: it would take long, and other cycles show them. */
static bool on_violation(void *context, const struct st_move *moves, size_t count, size_t first) {
    struct explorer *explorer = context;
    const struct st_blocks_run *run = explorer->run;
    struct st_part part;
    struct st_schedule schedule = {.count = 0};
    bool checked = false, confirmed = false;
    bool closer_only = explorer->kind == ST_SEARCH_CYCLES && count - first > LARGEST_PART;
    st_part_init(&part, explorer->group, moves + first, count - first);
    for (uint32_t i = 0; i < part.item_count; i++) {
        uint32_t unit = explorer->group->items[part.items[i]].unit;
        struct st_part_hop back;
        if (!run->model->units[unit].transaction || run->verdicts[unit] == ST_BLOCK_VIOLATION ||
            (closer_only && i != part.places[part.count - 1]) ||
            !st_part_is_violated(&part, i, &back))
            continue;
        if (!checked) {
            schedule = st_schedule_complete(explorer->group, moves, count);
            confirmed = is_confirmed(explorer, &part, &schedule);
            checked = true;
        }
        if (!confirmed)
            break;
        add_violated(explorer, &part, i, back, &schedule);
    }
    explorer->confirmed |= confirmed;
    explorer->hidden += checked && !confirmed;
    st_schedule_free(&schedule);
    st_part_free(&part);
    return !all_known(explorer) && (explorer->kind != ST_SEARCH_CYCLES || explorer->confirmed ||
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

/* Drops what the first condition found, since it is not certain here. */
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
    for (int kind = ST_SEARCH_CYCLES; kind <= ST_SEARCH_WHOLE; kind++) {
        explorer->kind = (enum st_search_kind)kind;
        bool fits = kind != ST_SEARCH_CYCLES || explorer->group->lane_count <= ST_CYCLE_LANES;
        explorer->hidden = !fits;
        if (fits)
            end =
                st_search(explorer->group, explorer->kind, &exact->limits, on_violation, explorer);
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
    st_blocks_give_up(run);
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
        st_prediction_caveat(prediction, "Channels other than barriers order whole units only; "
                                         "what they do inside a unit was not considered.");
    exact->limits.deadline = options->timeout > 0 ? st_search_clock() + options->timeout : 0;
    exact->limits.total = options->total;
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
            st_violated_free(&explorer->violated[k]);
        free(explorer->violated);
    }
    free(exact->explorers);
    st_groups_free(&exact->groups);
    free(exact);
}

static const struct st_violated *find_violated(const struct st_blocks_exact *exact, uint32_t unit) {
    for (size_t i = 0; i < exact->groups.count; i++)
        for (size_t k = 0; k < exact->explorers[i].count; k++)
            if (exact->explorers[i].violated[k].unit == unit)
                return &exact->explorers[i].violated[k];
    return NULL;
}

void st_blocks_exact_explain(const struct st_blocks_exact *exact, uint32_t unit,
                             struct st_predicted_block *block) {
    const struct st_violated *found = find_violated(exact, unit);
    if (found)
        st_violated_explain(found, block);
}
