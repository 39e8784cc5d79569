#include "predict/blocks/exact/exact_groups.h"

#include "base/memory.h"

#include <stdlib.h>

/* ---- the steps of occurrences ---- */

/* roles->last holds the variables whose initial read is known, as in two_variables.c. */
static void put_steps(struct st_plan *plan, struct st_roles *roles,
                      const struct st_occurrence *from, bool whole) {
    const struct st_model *model = plan->run->model;
    const struct st_shape *shape = st_unit_shape(model, from->unit);
    size_t first = plan->step_count;
    st_roles_find(roles, shape);
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct st_token *token = &shape->tokens[i];
        bool lock = token->kind == ST_TOKEN_ACQUIRE || token->kind == ST_TOKEN_RELEASE;
        bool first_read = roles->initial[i] && (whole || !roles->last[token->target]);
        if (lock ? !model->locks[token->target].contended : !st_is_access(token))
            continue;
        if (first_read)
            roles->last[token->target] = 1;
        uint32_t held = shape->locksets[i];
        if (lock)
            held = st_lockset_without(&plan->run->locksets, held, token->target);
        st_reserve(&plan->steps, &plan->step_capacity, plan->step_count + 1);
        plan->steps[plan->step_count++] =
            (struct st_exact_step){.kind = token->kind,
                                   .target = token->target,
                                   .held = held,
                                   .core = lock || first_read || roles->final[i],
                                   .spot = model->spots[from->spots + i]};
    }
    for (size_t i = first; i < plan->step_count; i++)
        if (plan->steps[i].kind == ST_TOKEN_READ)
            roles->last[plan->steps[i].target] = 0;
}

static void make_plan(struct st_plan *plan, struct st_blocks_run *run, bool whole) {
    const struct st_model *model = run->model;
    struct st_roles roles;
    *plan = (struct st_plan){.run = run};
    st_roles_init(run, &roles);
    for (size_t i = 0; i < model->occurrence_count; i++) {
        const struct st_occurrence *occurrence = &model->occurrences[i];
        size_t first = plan->step_count;
        put_steps(plan, &roles, occurrence, whole);
        if (plan->step_count == first)
            continue;
        st_reserve(&plan->entries, &plan->entry_capacity, plan->entry_count + 1);
        plan->entries[plan->entry_count++] =
            (struct st_plan_entry){.thread = model->units[occurrence->unit].thread,
                                   .unit = occurrence->unit,
                                   .first = first,
                                   .count = plan->step_count - first};
    }
    st_roles_free(&roles);
}

static void free_plan(struct st_plan *plan) {
    free(plan->steps);
    free(plan->entries);
    free(plan->groups);
}

/* ---- into groups, in which threads, variables and locks have small numbers ---- */

/* Numbers of threads, variables and locks in the current group, plus 1; all zero between groups. */
struct renaming {
    uint32_t *lanes, *variables, *locks;
};

/* The number of a name in the group. A new name is appended to the list of names. */
static uint32_t number_of(uint32_t *numbers, uint32_t name, uint32_t **names, uint32_t *count,
                          size_t *capacity) {
    if (!numbers[name]) {
        st_reserve(names, capacity, (size_t)*count + 1);
        (*names)[(*count)++] = name;
        numbers[name] = *count;
    }
    return numbers[name] - 1;
}

static uint32_t rename_target(struct st_group *group, struct renaming *names,
                              const struct st_exact_step *step) {
    if (st_is_access_step(step))
        return number_of(names->variables, step->target, &group->variables, &group->variable_count,
                         &group->variable_capacity);
    return number_of(names->locks, step->target, &group->locks, &group->lock_count,
                     &group->lock_capacity);
}

static uint32_t lane_of(struct st_group *group, struct renaming *names, uint32_t thread) {
    if (!names->lanes[thread]) {
        st_reserve(&group->lanes, &group->lane_capacity, group->lane_count + 1);
        group->lanes[group->lane_count++] = (struct st_lane){.thread = thread};
        names->lanes[thread] = (uint32_t)group->lane_count;
    }
    return names->lanes[thread] - 1;
}

/* Does it hold a lock before it begins, or after it ends? */
static bool is_lasting(const struct st_plan *plan, const struct st_plan_entry *entry) {
    const struct st_model *model = plan->run->model;
    const struct st_shape *shape = st_unit_shape(model, entry->unit);
    for (uint32_t i = 0; i < shape->held_count; i++)
        if (model->locks[shape->held[i]].contended)
            return true;
    for (uint32_t i = 0; i < shape->count; i++)
        if (shape->tokens[i].kind == ST_TOKEN_ACQUIRE && shape->ends[i] == shape->count &&
            model->locks[shape->tokens[i].target].contended)
            return true;
    return false;
}

static void put_item(struct st_group *group, const struct st_plan *plan,
                     const struct st_plan_entry *entry, struct renaming *names) {
    uint32_t number = (uint32_t)group->item_count,
             lane_number = lane_of(group, names, entry->thread);
    struct st_lane *lane = &group->lanes[lane_number];
    st_reserve(&group->items, &group->item_capacity, group->item_count + 1);
    st_reserve(&lane->steps, &lane->capacity, lane->count + entry->count);
    struct st_item *item = &group->items[group->item_count++];
    *item = (struct st_item){.unit = entry->unit, .lane = lane_number, .first = lane->count};
    for (size_t i = 0; i < entry->count; i++) {
        struct st_exact_step step = plan->steps[entry->first + i];
        if (!step.core && !group->lasting)
            continue;
        step.target = rename_target(group, names, &step);
        step.item = number;
        lane->steps[lane->count++] = step;
    }
    item->end = lane->count;
}

static void forget_names(const struct st_plan *plan, const struct st_plan_entry *entry,
                         struct renaming *names) {
    names->lanes[entry->thread] = 0;
    for (size_t i = 0; i < entry->count; i++) {
        const struct st_exact_step *step = &plan->steps[entry->first + i];
        *(st_is_access_step(step) ? &names->variables[step->target] : &names->locks[step->target]) =
            0;
    }
}

static uint32_t count_threads(const struct st_plan *plan) {
    uint32_t count = 0;
    for (size_t i = 0; i < plan->entry_count; i++)
        if (plan->entries[i].thread >= count)
            count = plan->entries[i].thread + 1;
    return count;
}

/* The numbers of all entries, ordered by group. */
static uint32_t *sort_by_group(const struct st_plan *plan, size_t *first) {
    uint32_t *sorted = st_alloc(plan->entry_count + 1, sizeof *sorted);
    for (size_t i = 0; i < plan->entry_count; i++)
        first[plan->groups[i] + 2]++;
    for (size_t i = 1; i < (size_t)plan->group_count + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < plan->entry_count; i++)
        sorted[first[plan->groups[i] + 1]++] = (uint32_t)i;
    return sorted;
}

static void fill_groups(const struct st_plan *plan, struct st_groups *groups) {
    const struct st_model *model = plan->run->model;
    struct renaming names = {st_alloc((size_t)count_threads(plan) + 1, sizeof(uint32_t)),
                             st_alloc(model->variable_count + 1, sizeof(uint32_t)),
                             st_alloc(model->lock_count + 1, sizeof(uint32_t))};
    size_t *first = st_alloc((size_t)plan->group_count + 3, sizeof *first);
    uint32_t *sorted = sort_by_group(plan, first);
    groups->count = plan->group_count;
    groups->items = st_alloc(groups->count + 1, sizeof *groups->items);
    for (size_t g = 0; g < groups->count; g++) {
        struct st_group *group = &groups->items[g];
        group->run = plan->run;
        for (size_t i = first[g]; i < first[g + 1]; i++)
            group->lasting |= is_lasting(plan, &plan->entries[sorted[i]]);
        for (size_t i = first[g]; i < first[g + 1]; i++)
            put_item(group, plan, &plan->entries[sorted[i]], &names);
        for (size_t i = first[g]; i < first[g + 1]; i++)
            forget_names(plan, &plan->entries[sorted[i]], &names);
        st_group_complete(group);
    }
    free(sorted);
    free(first);
    free(names.lanes);
    free(names.variables);
    free(names.locks);
}

void st_groups_make(struct st_blocks_run *run, bool whole, struct st_groups *groups) {
    struct st_plan plan;
    make_plan(&plan, run, whole);
    st_plan_find_groups(&plan);
    fill_groups(&plan, groups);
    free_plan(&plan);
}

static void free_group(struct st_group *group) {
    for (size_t i = 0; i < group->lane_count; i++) {
        struct st_lane *lane = &group->lanes[i];
        for (size_t k = 0; k < lane->use_count; k++)
            free(lane->uses[k].steps);
        free(lane->uses);
        free(lane->longs);
        free(lane->steps);
    }
    for (size_t i = 0; i < group->window_count; i++) {
        free(group->windows[i].from);
        free(group->windows[i].until);
    }
    free(group->lanes);
    free(group->items);
    free(group->windows_of);
    free(group->offsets);
    free(group->owners);
    free(group->windows);
    free(group->variables);
    free(group->locks);
}

void st_groups_free(struct st_groups *groups) {
    for (size_t i = 0; i < groups->count; i++)
        free_group(&groups->items[i]);
    free(groups->items);
}
