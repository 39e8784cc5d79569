/* Finds what can be explored separately.
 *
 * Items that share a variable or a lock must be explored together. So must items that the order of
 * threads, forks, joins and barriers ties into a cycle: if an item of part A must come before one
 * of part B, and another of B before another of A, then B may carry an order from one item of A to
 * another. Parts that are not tied in this way can run one after another in any schedule, and in
 * any serial schedule, and each part alone decides whether it can be serialized. (It is not enough
 * that parts share no variable and no lock: `T1.begin T1.w(y) T1.r(x) T1.end`, `T3.r(y) T3.w(q)`
 * and `T4.r(q) T4.w(x)` are serializable separately, but not together.) */
#include "base/lower_bound.h"
#include "base/memory.h"
#include "predict/blocks/exact/exact_groups.h"
#include "base/scc.h"

#include <stdlib.h>

/* A part of the plan is represented by one of its entries. */
struct parts {
    const struct st_plan *plan;
    uint32_t *parents; /* of entries: union-find */
};

/* ---- parts that share variables and locks ---- */

static uint32_t root_of(struct parts *parts, uint32_t entry) {
    while (parts->parents[entry] != entry) {
        parts->parents[entry] = parts->parents[parts->parents[entry]];
        entry = parts->parents[entry];
    }
    return entry;
}

static void tie(struct parts *parts, uint32_t *user, uint32_t entry) {
    if (*user)
        parts->parents[root_of(parts, entry)] = root_of(parts, *user - 1);
    *user = entry + 1;
}

static void find_parts(struct parts *parts) {
    const struct st_plan *plan = parts->plan;
    const struct st_model *model = plan->run->model;
    uint32_t *variables = st_alloc(model->variable_count + 1, sizeof *variables);
    uint32_t *locks = st_alloc(model->lock_count + 1, sizeof *locks);
    parts->parents = st_alloc(plan->entry_count + 1, sizeof *parts->parents);
    for (uint32_t i = 0; i < plan->entry_count; i++)
        parts->parents[i] = i;
    for (uint32_t i = 0; i < plan->entry_count; i++)
        for (size_t k = 0; k < plan->entries[i].count; k++) {
            const struct st_exact_step *step = &plan->steps[plan->entries[i].first + k];
            tie(parts, st_is_access_step(step) ? &variables[step->target] : &locks[step->target],
                i);
        }
    free(variables);
    free(locks);
}

/* ---- cycles of parts ---- */

/* Which part must come, at least partly, before which other. */
struct ties {
    struct st_list_pair *pairs;
    size_t count, capacity;
};

static void put_tie(struct ties *ties, uint32_t from, uint32_t to) {
    if (from == to)
        return;
    st_reserve(&ties->pairs, &ties->capacity, ties->count + 1);
    ties->pairs[ties->count++] = (struct st_list_pair){from, to};
}

/* The entries of a thread, in order. */
struct thread_entries {
    uint32_t *entries;
    size_t count, capacity;
};

/* The last entry of the thread that must end before this one begins, plus 1; or 0. */
static uint32_t last_before(const struct st_plan *plan, const struct thread_entries *thread,
                            const struct st_unit *unit) {
    const struct st_model *model = plan->run->model;
    size_t count;
    st_lower_bound(
        count, 0, thread->count,
        st_period_before(model->periods,
                         model->units[plan->entries[thread->entries[count]].unit].last_period,
                         unit->first_period));
    return count ? thread->entries[count - 1] + 1 : 0;
}

static void list_by_thread(const struct st_plan *plan, struct thread_entries **threads,
                           size_t *thread_count) {
    size_t capacity = 0;
    *threads = NULL;
    *thread_count = 0;
    for (uint32_t i = 0; i < plan->entry_count; i++) {
        uint32_t number = plan->entries[i].thread;
        st_reserve(threads, &capacity, (size_t)number + 1);
        if (*thread_count <= number)
            *thread_count = (size_t)number + 1;
        struct thread_entries *thread = &(*threads)[number];
        st_reserve(&thread->entries, &thread->capacity, thread->count + 1);
        thread->entries[thread->count++] = i;
    }
}

static void list_ties(struct parts *parts, struct ties *ties) {
    const struct st_plan *plan = parts->plan;
    const struct st_model *model = plan->run->model;
    struct thread_entries *threads;
    size_t thread_count;
    list_by_thread(plan, &threads, &thread_count);
    for (size_t t = 0; t < thread_count; t++)
        for (size_t k = 0; k < threads[t].count; k++) {
            uint32_t self = threads[t].entries[k], old = k ? threads[t].entries[k - 1] : self;
            const struct st_unit *unit = &model->units[plan->entries[self].unit];
            put_tie(ties, root_of(parts, old), root_of(parts, self));
            if (k && model->units[plan->entries[old].unit].first_period == unit->first_period)
                continue;
            for (size_t u = 0; u < thread_count; u++) {
                uint32_t before = u == t ? 0 : last_before(plan, &threads[u], unit);
                if (before)
                    put_tie(ties, root_of(parts, before - 1), root_of(parts, self));
            }
        }
    for (size_t t = 0; t < thread_count; t++)
        free(threads[t].entries);
    free(threads);
}

/* Entries that do not represent a part are components of their own, which mean nothing. */
static void number_groups(struct st_plan *plan, struct parts *parts, const uint32_t *found) {
    uint32_t *numbers = st_alloc(plan->entry_count + 1, sizeof *numbers); /* plus 1 */
    plan->groups = st_alloc(plan->entry_count + 1, sizeof *plan->groups);
    for (uint32_t i = 0; i < plan->entry_count; i++) {
        uint32_t *number = &numbers[found[root_of(parts, i)]];
        if (!*number)
            *number = ++plan->group_count;
        plan->groups[i] = *number - 1;
    }
    free(numbers);
}

void st_plan_find_groups(struct st_plan *plan) {
    struct parts parts = {.plan = plan};
    struct ties ties = {.count = 0};
    struct st_lists graph;
    find_parts(&parts);
    list_ties(&parts, &ties);
    st_lists_fill(&graph, plan->entry_count, ties.pairs, ties.count);
    uint32_t *found = st_scc_find(&graph);
    number_groups(plan, &parts, found);
    free(found);
    st_lists_free(&graph);
    free(ties.pairs);
    free(parts.parents);
}
