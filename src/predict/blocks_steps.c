/* Makes steps of occurrences, and finds what can be explored apart.
 *
 * Items that share a variable or a lock must be explored together, and so must items that the order
 * of threads, forks, joins and barriers ties into a ring: if an item of part A must come before one
 * of part B, and another of B before another of A, then B may carry an order from one item of A to
 * another. Parts that are not tied in this way can be run one after the other in any schedule, and
 * in any serial schedule, and each part alone decides whether it can be serialized. (Parts that
 * share no variable and no lock are not enough: `T1.begin T1.w(y) T1.r(x) T1.end`, `T3.r(y)
 * T3.w(q)` and `T4.r(q) T4.w(x)` are serializable apart, but not together.) */
#include "predict/blocks_steps.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* An occurrence with steps, before there are groups. */
struct entry {
    size_t occurrence;
    uint32_t thread, unit;
    size_t first, count; /* in st_plan.steps */
    uint32_t part;       /* by variables and locks */
};

struct plan {
    struct st_blocks_run *run;
    bool whole;
    struct st_step *steps; /* targets are those of the trace */
    size_t step_count, step_capacity;
    struct entry *entries; /* those of a thread are in order */
    size_t entry_count, entry_capacity;
    uint32_t *parents; /* of entries: union-find */
    uint32_t *groups;  /* by entry */
    uint32_t group_count;
};

/* ---- steps ---- */

/* roles->last is used for the variables whose initial read is known, as in blocks_2v.c. */
static void put_steps(struct plan *plan, struct st_roles *roles, const struct st_occurrence *from) {
    const struct st_model *model = plan->run->model;
    const struct st_shape *shape = st_unit_shape(model, from->unit);
    size_t first = plan->step_count;
    st_roles_find(roles, shape);
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct st_token *token = &shape->tokens[i];
        bool lock = token->kind == ST_TOKEN_ACQUIRE || token->kind == ST_TOKEN_RELEASE;
        bool first_read = roles->initial[i] && (plan->whole || !roles->last[token->target]);
        if (lock ? !model->locks[token->target].contended : !st_is_access(token))
            continue;
        if (first_read)
            roles->last[token->target] = 1;
        uint32_t held = shape->locksets[i];
        if (lock)
            held = st_lockset_without(&plan->run->locksets, held, token->target);
        st_reserve(&plan->steps, &plan->step_capacity, plan->step_count + 1);
        plan->steps[plan->step_count++] =
            (struct st_step){.kind = token->kind,
                             .target = token->target,
                             .held = held,
                             .core = lock || first_read || roles->final[i],
                             .spot = model->spots[from->spots + i]};
    }
    for (size_t i = first; i < plan->step_count; i++)
        if (plan->steps[i].kind == ST_TOKEN_READ)
            roles->last[plan->steps[i].target] = 0;
}

static void put_entries(struct plan *plan) {
    const struct st_model *model = plan->run->model;
    struct st_roles roles;
    st_roles_init(plan->run, &roles);
    for (size_t i = 0; i < model->occurrence_count; i++) {
        const struct st_occurrence *occurrence = &model->occurrences[i];
        size_t first = plan->step_count;
        put_steps(plan, &roles, occurrence);
        if (plan->step_count == first)
            continue;
        st_reserve(&plan->entries, &plan->entry_capacity, plan->entry_count + 1);
        plan->entries[plan->entry_count++] =
            (struct entry){.occurrence = i,
                           .thread = model->units[occurrence->unit].thread,
                           .unit = occurrence->unit,
                           .first = first,
                           .count = plan->step_count - first};
    }
    st_roles_free(&roles);
}

/* ---- parts that share variables and locks ---- */

static uint32_t root_of(struct plan *plan, uint32_t entry) {
    while (plan->parents[entry] != entry) {
        plan->parents[entry] = plan->parents[plan->parents[entry]];
        entry = plan->parents[entry];
    }
    return entry;
}

static void tie(struct plan *plan, uint32_t *user, uint32_t entry) {
    if (*user)
        plan->parents[root_of(plan, entry)] = root_of(plan, *user - 1);
    *user = entry + 1;
}

static void find_parts(struct plan *plan) {
    const struct st_model *model = plan->run->model;
    uint32_t *variables = st_alloc(model->variable_count + 1, sizeof *variables);
    uint32_t *locks = st_alloc(model->lock_count + 1, sizeof *locks);
    plan->parents = st_alloc(plan->entry_count + 1, sizeof *plan->parents);
    for (uint32_t i = 0; i < plan->entry_count; i++)
        plan->parents[i] = i;
    for (uint32_t i = 0; i < plan->entry_count; i++)
        for (size_t k = 0; k < plan->entries[i].count; k++) {
            const struct st_step *step = &plan->steps[plan->entries[i].first + k];
            tie(plan, st_is_access_step(step) ? &variables[step->target] : &locks[step->target], i);
        }
    free(variables);
    free(locks);
}

/* ---- rings of parts ---- */

/* Which part must come, at least in part, before which other. */
struct ties {
    uint32_t (*pairs)[2];
    size_t count, capacity;
    size_t *first; /* by part: in `pairs` once they are sorted */
};

static void put_tie(struct ties *ties, uint32_t from, uint32_t to) {
    if (from == to)
        return;
    st_reserve(&ties->pairs, &ties->capacity, ties->count + 1);
    ties->pairs[ties->count][0] = from;
    ties->pairs[ties->count++][1] = to;
}

/* The last entry of each thread so far. */
struct thread_entries {
    uint32_t *entries;
    size_t count, capacity;
};

/* The last entry of the thread that must end before this one begins, plus 1; or 0. */
static uint32_t last_before(const struct plan *plan, const struct thread_entries *thread,
                            const struct st_unit *unit) {
    const struct st_model *model = plan->run->model;
    size_t low = 0, high = thread->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct st_unit *old = &model->units[plan->entries[thread->entries[middle]].unit];
        if (st_period_before(model->periods, old->last_period, unit->first_period))
            low = middle + 1;
        else
            high = middle;
    }
    return low ? thread->entries[low - 1] + 1 : 0;
}

static void list_by_thread(const struct plan *plan, struct thread_entries **threads,
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

static void list_ties(struct plan *plan, struct ties *ties) {
    const struct st_model *model = plan->run->model;
    struct thread_entries *threads;
    size_t thread_count;
    list_by_thread(plan, &threads, &thread_count);
    for (size_t t = 0; t < thread_count; t++)
        for (size_t k = 0; k < threads[t].count; k++) {
            uint32_t self = threads[t].entries[k], old = k ? threads[t].entries[k - 1] : self;
            const struct st_unit *unit = &model->units[plan->entries[self].unit];
            put_tie(ties, root_of(plan, old), root_of(plan, self));
            if (k && model->units[plan->entries[old].unit].first_period == unit->first_period)
                continue;
            for (size_t u = 0; u < thread_count; u++) {
                uint32_t before = u == t ? 0 : last_before(plan, &threads[u], unit);
                if (before)
                    put_tie(ties, root_of(plan, before - 1), root_of(plan, self));
            }
        }
    for (size_t t = 0; t < thread_count; t++)
        free(threads[t].entries);
    free(threads);
}

static int by_pair(const void *left, const void *right) {
    const uint32_t *a = left, *b = right;
    if (a[0] != b[0])
        return a[0] < b[0] ? -1 : 1;
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

static void sort_ties(struct ties *ties, size_t parts) {
    size_t kept = 0;
    if (ties->count)
        qsort(ties->pairs, ties->count, sizeof *ties->pairs, by_pair);
    for (size_t i = 0; i < ties->count; i++)
        if (i == 0 || by_pair(ties->pairs[i], ties->pairs[i - 1]) != 0)
            memmove(ties->pairs[kept++], ties->pairs[i], sizeof *ties->pairs);
    ties->count = kept;
    ties->first = st_alloc(parts + 2, sizeof *ties->first);
    for (size_t i = 0; i < ties->count; i++)
        ties->first[ties->pairs[i][0] + 1]++;
    for (size_t i = 0; i <= parts; i++)
        ties->first[i + 1] += ties->first[i];
}

/* Tarjan's strongly connected components, without recursion: parts may be many. */
struct components {
    const struct ties *ties;
    uint32_t *numbers, *lows; /* by part; numbers are from 1 */
    bool *stacked;
    uint32_t *stack, *calls;
    size_t *nexts; /* by part: the next tie to follow */
    size_t stack_count, call_count;
    uint32_t number;
    uint32_t *found; /* by part: the component plus 1 */
    uint32_t count;
};

static void enter_part(struct components *all, uint32_t part) {
    all->numbers[part] = all->lows[part] = ++all->number;
    all->stack[all->stack_count++] = part;
    all->stacked[part] = true;
    all->nexts[part] = all->ties->first[part];
    all->calls[all->call_count++] = part;
}

static void leave_part(struct components *all, uint32_t part) {
    all->call_count--;
    if (all->call_count) {
        uint32_t *low = &all->lows[all->calls[all->call_count - 1]];
        if (all->lows[part] < *low)
            *low = all->lows[part];
    }
    if (all->lows[part] != all->numbers[part])
        return;
    uint32_t member;
    all->count++;
    do {
        member = all->stack[--all->stack_count];
        all->stacked[member] = false;
        all->found[member] = all->count;
    } while (member != part);
}

static void find_component(struct components *all, uint32_t start) {
    enter_part(all, start);
    while (all->call_count) {
        uint32_t part = all->calls[all->call_count - 1];
        if (all->nexts[part] == all->ties->first[part + 1]) {
            leave_part(all, part);
            continue;
        }
        uint32_t next = all->ties->pairs[all->nexts[part]++][1];
        if (!all->numbers[next])
            enter_part(all, next);
        else if (all->stacked[next] && all->numbers[next] < all->lows[part])
            all->lows[part] = all->numbers[next];
    }
}

/* Parts are known by one of their entries. */
static void find_groups(struct plan *plan) {
    size_t parts = plan->entry_count;
    struct ties ties = {.count = 0};
    list_ties(plan, &ties);
    sort_ties(&ties, parts);
    struct components all = {.ties = &ties,
                             .numbers = st_alloc(parts + 1, sizeof(uint32_t)),
                             .lows = st_alloc(parts + 1, sizeof(uint32_t)),
                             .stacked = st_alloc(parts + 1, sizeof(bool)),
                             .stack = st_alloc(parts + 1, sizeof(uint32_t)),
                             .calls = st_alloc(parts + 1, sizeof(uint32_t)),
                             .nexts = st_alloc(parts + 1, sizeof(size_t)),
                             .found = st_alloc(parts + 1, sizeof(uint32_t))};
    plan->groups = st_alloc(parts + 1, sizeof *plan->groups);
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t root = root_of(plan, i);
        if (!all.found[root])
            find_component(&all, root);
        plan->groups[i] = all.found[root] - 1;
    }
    plan->group_count = all.count;
    free(all.numbers);
    free(all.lows);
    free(all.stacked);
    free(all.stack);
    free(all.calls);
    free(all.nexts);
    free(all.found);
    free(ties.pairs);
    free(ties.first);
}

/* ---- groups ---- */

/* Numbers of threads, variables and locks in the group at hand, plus 1; all zero between groups. */
struct renaming {
    uint32_t *lanes, *variables, *locks;
};

static uint32_t rename_target(struct st_group *group, struct renaming *names,
                              const struct st_step *step) {
    if (!st_is_access_step(step)) {
        if (!names->locks[step->target]) {
            st_reserve(&group->locks, &group->lock_capacity, (size_t)group->lock_count + 1);
            group->locks[group->lock_count++] = step->target;
            names->locks[step->target] = group->lock_count;
        }
        return names->locks[step->target] - 1;
    }
    if (!names->variables[step->target]) {
        st_reserve(&group->variables, &group->variable_capacity, (size_t)group->variable_count + 1);
        group->variables[group->variable_count++] = step->target;
        names->variables[step->target] = group->variable_count;
    }
    return names->variables[step->target] - 1;
}

static uint32_t lane_of(struct st_group *group, struct renaming *names, uint32_t thread) {
    if (!names->lanes[thread]) {
        st_reserve(&group->lanes, &group->lane_capacity, group->lane_count + 1);
        group->lanes[group->lane_count++] = (struct st_lane){.thread = thread};
        names->lanes[thread] = (uint32_t)group->lane_count;
    }
    return names->lanes[thread] - 1;
}

/* Does it hold a lock before it begins, or when it has ended? */
static bool is_lasting(const struct plan *plan, const struct entry *entry) {
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

static void put_item(struct st_group *group, const struct plan *plan, const struct entry *entry,
                     struct renaming *names) {
    uint32_t number = (uint32_t)group->item_count,
             lane_number = lane_of(group, names, entry->thread);
    struct st_lane *lane = &group->lanes[lane_number];
    st_reserve(&group->items, &group->item_capacity, group->item_count + 1);
    st_reserve(&lane->steps, &lane->capacity, lane->count + entry->count);
    struct st_item *item = &group->items[group->item_count++];
    *item = (struct st_item){.unit = entry->unit, .lane = lane_number, .first = lane->count};
    for (size_t i = 0; i < entry->count; i++) {
        struct st_step step = plan->steps[entry->first + i];
        if (!step.core && !group->lasting)
            continue;
        step.target = rename_target(group, names, &step);
        step.item = number;
        lane->steps[lane->count++] = step;
    }
    item->end = lane->count;
}

static void forget_names(const struct plan *plan, const struct entry *entry,
                         struct renaming *names) {
    names->lanes[entry->thread] = 0;
    for (size_t i = 0; i < entry->count; i++) {
        const struct st_step *step = &plan->steps[entry->first + i];
        *(st_is_access_step(step) ? &names->variables[step->target] : &names->locks[step->target]) =
            0;
    }
}

static int by_use(const void *left, const void *right) {
    const struct st_use *a = left, *b = right;
    if ((a->kind == ST_TOKEN_ACQUIRE) != (b->kind == ST_TOKEN_ACQUIRE))
        return a->kind == ST_TOKEN_ACQUIRE ? 1 : -1;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->held < b->held ? -1 : a->held > b->held;
}

/* A step with its place, to be sorted by what it does. */
struct placed {
    struct st_use use;
    size_t step;
};

static int by_placed_use(const void *left, const void *right) {
    const struct placed *a = left, *b = right;
    int order = by_use(&a->use, &b->use);
    return order ? order : a->step < b->step ? -1 : 1;
}

static void list_uses(struct st_lane *lane) {
    struct placed *all = st_alloc(lane->count + 1, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < lane->count; i++) {
        const struct st_step *step = &lane->steps[i];
        if (step->kind != ST_TOKEN_RELEASE)
            all[count++] = (struct placed){
                .use = {.target = step->target, .kind = step->kind, .held = step->held}, .step = i};
    }
    qsort(all, count, sizeof *all, by_placed_use);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || by_use(&all[i].use, &all[i - 1].use) != 0) {
            st_reserve(&lane->uses, &lane->use_capacity, lane->use_count + 1);
            lane->uses[lane->use_count++] = all[i].use;
        }
        struct st_use *use = &lane->uses[lane->use_count - 1];
        st_reserve(&use->steps, &use->capacity, use->count + 1);
        use->steps[use->count++] = all[i].step;
    }
    free(all);
}

static void put_long(struct st_lane *lane, uint32_t lock, size_t acquire, size_t release) {
    st_reserve(&lane->longs, &lane->long_capacity, lane->long_count + 1);
    lane->longs[lane->long_count++] = (struct st_long_section){lock, acquire, release};
    lane->steps[acquire].lasting = true;
    if (release < lane->count)
        lane->steps[release].lasting = true;
}

static void list_long_sections(const struct st_group *group, struct st_lane *lane) {
    size_t *open = st_alloc((size_t)group->lock_count + 1, sizeof *open); /* acquire plus 1 */
    for (size_t i = 0; i < lane->count; i++) {
        const struct st_step *step = &lane->steps[i];
        if (step->kind == ST_TOKEN_ACQUIRE)
            open[step->target] = i + 1;
        if (step->kind != ST_TOKEN_RELEASE || !open[step->target])
            continue;
        if (lane->steps[open[step->target] - 1].item != step->item)
            put_long(lane, step->target, open[step->target] - 1, i);
        open[step->target] = 0;
    }
    for (uint32_t lock = 0; lock < group->lock_count; lock++)
        if (open[lock])
            put_long(lane, lock, open[lock] - 1, lane->count);
    free(open);
}

/* How many steps of the lane belong to items that must end before this period, or (the other way)
 * need not begin behind it. */
static size_t count_steps(const struct st_group *group, const uint32_t *items, size_t count,
                          uint32_t period, bool before) {
    const struct st_model *model = group->run->model;
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct st_unit *unit = &model->units[group->items[items[middle]].unit];
        bool counts = before ? st_period_before(model->periods, unit->last_period, period)
                             : !st_period_before(model->periods, period, unit->first_period);
        if (counts)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? group->items[items[low - 1]].end : 0;
}

/* The items of each lane, in order. */
struct lane_items {
    uint32_t *items;
    size_t count, capacity;
};

static void put_window(struct st_group *group, const struct lane_items *lanes, uint32_t lane,
                       uint32_t first_period, uint32_t last_period) {
    struct st_window window = {first_period, last_period,
                               st_alloc(group->lane_count + 1, sizeof(size_t)),
                               st_alloc(group->lane_count + 1, sizeof(size_t))};
    for (uint32_t i = 0; i < group->lane_count; i++) {
        if (i == lane)
            continue;
        window.from[i] = count_steps(group, lanes[i].items, lanes[i].count, first_period, true);
        window.until[i] = count_steps(group, lanes[i].items, lanes[i].count, last_period, false);
    }
    st_reserve(&group->windows, &group->window_capacity, group->window_count + 1);
    group->windows[group->window_count++] = window;
}

static void find_windows(struct st_group *group) {
    const struct st_model *model = group->run->model;
    struct lane_items *lanes = st_alloc(group->lane_count + 1, sizeof *lanes);
    group->windows_of = st_alloc(group->item_count + 1, sizeof *group->windows_of);
    for (uint32_t i = 0; i < group->item_count; i++) {
        struct lane_items *lane = &lanes[group->items[i].lane];
        st_reserve(&lane->items, &lane->capacity, lane->count + 1);
        lane->items[lane->count++] = i;
    }
    for (uint32_t l = 0; l < group->lane_count; l++)
        for (size_t k = 0; k < lanes[l].count; k++) {
            const struct st_unit *unit = &model->units[group->items[lanes[l].items[k]].unit];
            const struct st_window *last = k ? &group->windows[group->window_count - 1] : NULL;
            if (!last || last->first_period != unit->first_period ||
                last->last_period != unit->last_period)
                put_window(group, lanes, l, unit->first_period, unit->last_period);
            group->windows_of[lanes[l].items[k]] = (uint32_t)group->window_count - 1;
        }
    for (uint32_t l = 0; l < group->lane_count; l++)
        free(lanes[l].items);
    free(lanes);
}

static void number_steps(struct st_group *group) {
    group->offsets = st_alloc(group->lane_count + 1, sizeof *group->offsets);
    for (size_t i = 0; i < group->lane_count; i++)
        group->offsets[i + 1] = group->offsets[i] + group->lanes[i].count;
    group->owners = st_alloc(group->offsets[group->lane_count] + 1, sizeof *group->owners);
    for (size_t i = 0; i < group->lane_count; i++)
        for (size_t k = 0; k < group->lanes[i].count; k++)
            group->owners[group->offsets[i] + k] = group->lanes[i].steps[k].item;
}

static void complete_group(struct st_group *group) {
    number_steps(group);
    for (size_t i = 0; i < group->lane_count; i++) {
        list_uses(&group->lanes[i]);
        list_long_sections(group, &group->lanes[i]);
    }
    find_windows(group);
}

static uint32_t count_threads(const struct plan *plan) {
    uint32_t count = 0;
    for (size_t i = 0; i < plan->entry_count; i++)
        if (plan->entries[i].thread >= count)
            count = plan->entries[i].thread + 1;
    return count;
}

/* Entries in order of groups, as a list of their numbers. */
static uint32_t *sort_by_group(const struct plan *plan, size_t *first) {
    uint32_t *sorted = st_alloc(plan->entry_count + 1, sizeof *sorted);
    for (size_t i = 0; i < plan->entry_count; i++)
        first[plan->groups[i] + 2]++;
    for (size_t i = 1; i < (size_t)plan->group_count + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < plan->entry_count; i++)
        sorted[first[plan->groups[i] + 1]++] = (uint32_t)i;
    return sorted;
}

static void fill_groups(const struct plan *plan, struct st_groups *groups) {
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
        complete_group(group);
    }
    free(sorted);
    free(first);
    free(names.lanes);
    free(names.variables);
    free(names.locks);
}

void st_groups_make(struct st_blocks_run *run, bool whole, struct st_groups *groups) {
    struct plan plan = {.run = run, .whole = whole};
    put_entries(&plan);
    find_parts(&plan);
    find_groups(&plan);
    fill_groups(&plan, groups);
    free(plan.steps);
    free(plan.entries);
    free(plan.parents);
    free(plan.groups);
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
