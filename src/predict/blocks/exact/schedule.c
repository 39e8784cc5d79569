#include "predict/blocks/exact/schedule.h"

#include "base/memory.h"

#include <stdlib.h>

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

static void put_move(const struct st_group *group, struct st_schedule *schedule, size_t *places,
                     uint32_t *holders, uint32_t lane) {
    struct st_move move = {lane, places[lane]++};
    const struct st_step *step = st_move_step(group, move);
    if (!st_is_access_step(step))
        holders[step->target] = step->kind == ST_TOKEN_ACQUIRE ? lane + 1 : 0;
    st_reserve(&schedule->moves, &schedule->capacity, schedule->count + 1);
    schedule->moves[schedule->count++] = move;
}

struct st_schedule st_schedule_complete(const struct st_group *group, const struct st_move *moves,
                                        size_t count) {
    struct st_schedule schedule = {.complete = true};
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

void st_schedule_free(struct st_schedule *schedule) {
    free(schedule->moves);
}

bool st_schedule_is_serializable(const struct st_group *group, const struct st_schedule *schedule) {
    size_t *starts = st_alloc(group->lane_count + 1, sizeof *starts);
    size_t *ends = st_alloc(group->lane_count + 1, sizeof *ends);
    uint32_t *last = st_alloc((size_t)group->variable_count + 1, sizeof *last);
    uint32_t *items = st_alloc(group->item_count + 1, sizeof *items);
    uint32_t *sources = st_alloc(group->offsets[group->lane_count] + 1, sizeof *sources);
    for (size_t i = 0; i < group->lane_count; i++)
        ends[i] = group->lanes[i].count;
    for (size_t i = 0; i < schedule->count; i++) {
        struct st_move move = schedule->moves[i];
        const struct st_step *step = st_move_step(group, move);
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
