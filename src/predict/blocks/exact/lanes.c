/* What the search needs to know about a group's lanes: where each does the same thing, which
 * critical sections span several items, and which steps of other lanes an item must wait for. */
#include "base/lower_bound.h"
#include "base/memory.h"
#include "predict/blocks/exact/exact_groups.h"

#include <stdlib.h>

/* ---- uses ---- */

static int by_use(const void *left, const void *right) {
    const struct st_lane_use *a = left, *b = right;
    if ((a->kind == ST_TOKEN_ACQUIRE) != (b->kind == ST_TOKEN_ACQUIRE))
        return a->kind == ST_TOKEN_ACQUIRE ? 1 : -1;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->held < b->held ? -1 : a->held > b->held;
}

/* A step with its place, for sorting by what it does. */
struct placed {
    struct st_lane_use use;
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
        const struct st_exact_step *step = &lane->steps[i];
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
        struct st_lane_use *use = &lane->uses[lane->use_count - 1];
        st_reserve(&use->steps, &use->capacity, use->count + 1);
        use->steps[use->count++] = all[i].step;
    }
    free(all);
}

/* ---- long sections ---- */

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
        const struct st_exact_step *step = &lane->steps[i];
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

/* ---- windows ---- */

/* How many steps of the lane belong to items that must end before this period or (in the other
 * direction) need not begin after it. */
static size_t count_steps(const struct st_group *group, const uint32_t *items, size_t count,
                          uint32_t period, bool before) {
    const struct st_model *model = group->run->model;
    size_t place;
#define UNIT (&model->units[group->items[items[place]].unit])
    if (before)
        st_lower_bound(place, 0, count,
                       st_period_before(model->periods, UNIT->last_period, period));
    else
        st_lower_bound(place, 0, count,
                       !st_period_before(model->periods, period, UNIT->first_period));
#undef UNIT
    return place ? group->items[items[place - 1]].end : 0;
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

/* ---- all of it ---- */

static void number_steps(struct st_group *group) {
    group->offsets = st_alloc(group->lane_count + 1, sizeof *group->offsets);
    for (size_t i = 0; i < group->lane_count; i++)
        group->offsets[i + 1] = group->offsets[i] + group->lanes[i].count;
    group->owners = st_alloc(group->offsets[group->lane_count] + 1, sizeof *group->owners);
    for (size_t i = 0; i < group->lane_count; i++)
        for (size_t k = 0; k < group->lanes[i].count; k++)
            group->owners[group->offsets[i] + k] = group->lanes[i].steps[k].item;
}

void st_group_complete(struct st_group *group) {
    number_steps(group);
    for (size_t i = 0; i < group->lane_count; i++) {
        list_uses(&group->lanes[i]);
        list_long_sections(group, &group->lanes[i]);
    }
    find_windows(group);
}
