#include "finding/schedules.h"

#include "base/memory.h"

#include <stdlib.h>

/* Invariant: the places from `next` on have no event yet; they are in the order of their numbers.
 */
struct st_schedules {
    struct st_predictions *predictions;
    struct st_place **places;
    size_t count, capacity, next;
};

static void want_end_of(struct st_schedules *schedules, struct st_foreseen *block) {
    size_t length =
        block->witness_length < ST_SCHEDULE_SHOWN ? block->witness_length : ST_SCHEDULE_SHOWN;
    if (!length || block->schedule_length)
        return;
    block->schedule = st_alloc(length, sizeof *block->schedule);
    block->schedule_length = length;
    st_reserve(&schedules->places, &schedules->capacity, schedules->count + length);
    for (size_t i = 0; i < length; i++) {
        block->schedule[i].number = block->witness[block->witness_length - length + i];
        schedules->places[schedules->count++] = &block->schedule[i];
    }
}

static int by_number(const void *left, const void *right) {
    const struct st_place *a = *(const struct st_place *const *)left;
    const struct st_place *b = *(const struct st_place *const *)right;
    return (a->number > b->number) - (a->number < b->number);
}

struct st_schedules *st_schedules_new(struct st_predictions *predictions) {
    struct st_schedules *schedules = st_alloc(1, sizeof *schedules);
    schedules->predictions = predictions;
    for (size_t i = 0; i < predictions->count; i++)
        for (size_t k = 0; k < predictions->items[i].listed; k++)
            want_end_of(schedules, &predictions->items[i].blocks[k]);
    if (schedules->count)
        qsort(schedules->places, schedules->count, sizeof *schedules->places, by_number);
    return schedules;
}

bool st_schedules_wait(const struct st_schedules *schedules) {
    return schedules->next < schedules->count;
}

void st_schedules_feed(struct st_schedules *schedules, const struct st_event *events, size_t count,
                       uint64_t first) {
    for (; st_schedules_wait(schedules); schedules->next++) {
        struct st_place *place = schedules->places[schedules->next];
        if (place->number >= first + count)
            return;
        if (place->number < first)
            place->number = 0; /* there is no such event */
        else
            place->event = events[place->number - first];
    }
}

static void drop_unknown(struct st_foreseen *block) {
    size_t known = 0;
    for (size_t i = 0; i < block->schedule_length; i++)
        if (block->schedule[i].number)
            block->schedule[known++] = block->schedule[i];
    block->schedule_length = known;
}

void st_schedules_free(struct st_schedules *schedules) {
    struct st_predictions *predictions = schedules->predictions;
    while (st_schedules_wait(schedules))
        schedules->places[schedules->next++]->number = 0;
    for (size_t i = 0; i < predictions->count; i++)
        for (size_t k = 0; k < predictions->items[i].listed; k++)
            drop_unknown(&predictions->items[i].blocks[k]);
    free(schedules->places);
    free(schedules);
}
