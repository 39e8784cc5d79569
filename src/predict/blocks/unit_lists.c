/* Which units can run at the same time. */
#define _GNU_SOURCE /* qsort_r */

#include "base/lower_bound.h"
#include "base/memory.h"
#include "predict/blocks/blocks.h"

#include <stdlib.h>
#include <string.h>

static uint32_t chain_of(const struct st_model *model, uint32_t unit) {
    return model->periods->items[model->units[unit].first_period].chain;
}

/* Units of a chain follow each other, so their first and last periods are in the same order. */
static int by_time(const struct st_model *model, uint32_t left, uint32_t right) {
    const struct st_unit *a = &model->units[left], *b = &model->units[right];
    uint32_t chain = chain_of(model, left), other = chain_of(model, right);
    if (chain != other)
        return chain < other ? -1 : 1;
    if (a->last_period != b->last_period)
        return a->last_period < b->last_period ? -1 : 1;
    if (a->first_period != b->first_period)
        return a->first_period < b->first_period ? -1 : 1;
    return left < right ? -1 : left > right;
}

static int by_shape(const void *left, const void *right, void *context) {
    const struct st_model *model = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (model->units[a].shape != model->units[b].shape)
        return model->units[a].shape < model->units[b].shape ? -1 : 1;
    return by_time(model, a, b);
}

static int in_list(const void *left, const void *right, void *context) {
    return by_time(context, *(const uint32_t *)left, *(const uint32_t *)right);
}

void st_blocks_index_units(struct st_blocks_run *run) {
    const struct st_model *model = run->model;
    run->units = st_alloc(model->unit_count + 1, sizeof *run->units);
    run->first_unit = st_alloc(model->shapes.count + 2, sizeof *run->first_unit);
    for (uint32_t i = 0; i < model->unit_count; i++) {
        run->units[i] = i;
        run->first_unit[model->units[i].shape + 1]++;
    }
    for (size_t i = 0; i < model->shapes.count; i++)
        run->first_unit[i + 1] += run->first_unit[i];
    qsort_r(run->units, model->unit_count, sizeof *run->units, by_shape, (void *)model);
}

void st_unit_list_add_shape(const struct st_blocks_run *run, uint32_t shape,
                            struct st_unit_list *list) {
    size_t first = run->first_unit[shape], count = run->first_unit[shape + 1] - first;
    st_reserve(&list->units, &list->capacity, list->count + count + 1);
    memcpy(list->units + list->count, run->units + first, count * sizeof *list->units);
    list->count += count;
}

static bool is_same_time(const struct st_model *model, uint32_t left, uint32_t right) {
    const struct st_unit *a = &model->units[left], *b = &model->units[right];
    return a->first_period == b->first_period && a->last_period == b->last_period;
}

void st_unit_list_sort(const struct st_blocks_run *run, struct st_unit_list *list) {
    size_t kept = 0;
    if (!list->count)
        return;
    qsort_r(list->units, list->count, sizeof *list->units, in_list, (void *)run->model);
    for (size_t i = 1; i < list->count; i++)
        if (!is_same_time(run->model, list->units[kept], list->units[i]))
            list->units[++kept] = list->units[i];
    list->count = kept + 1;
}

/* How many periods of the chain are over when this period starts. */
static uint32_t periods_before(const struct st_periods *periods, uint32_t period, uint32_t chain) {
    const struct st_period_clock *clock = &periods->clocks[periods->items[period].clock];
    return chain < clock->chains ? clock->before[chain] : 0;
}

/* The end of the units of one chain. */
static size_t end_of_chain(const struct st_model *model, const struct st_unit_list *list,
                           size_t first) {
    uint32_t chain = chain_of(model, list->units[first]);
    size_t end;
    st_lower_bound(end, first + 1, list->count, chain_of(model, list->units[end]) == chain);
    return end;
}

static uint32_t last_index(const struct st_model *model, uint32_t unit) {
    return model->periods->items[model->units[unit].last_period].index;
}

/* For each chain, it is enough to look at the first unit that does not end before this one begins.
 * If this one must end before that unit begins, it must also end before all later ones. */
uint32_t st_unit_list_meet(const struct st_blocks_run *run, const struct st_unit_list *list,
                           uint32_t unit) {
    const struct st_model *model = run->model;
    const struct st_unit *self = &model->units[unit];
    uint32_t own = chain_of(model, unit);
    for (size_t first = 0, end; first < list->count; first = end) {
        uint32_t chain = chain_of(model, list->units[first]);
        end = end_of_chain(model, list, first);
        if (chain == own)
            continue;
        uint32_t over = periods_before(model->periods, self->first_period, chain);
        size_t at;
        st_lower_bound(at, first, end, last_index(model, list->units[at]) < over);
        if (at < end && st_units_concurrent(model, unit, list->units[at]))
            return list->units[at];
    }
    return ST_NO_UNIT;
}
