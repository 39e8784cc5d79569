#include "finding/schedules.h"

#include "base/memory.h"
#include "finding/endings.h"
#include "finding/shown.h"

#include <stdlib.h>

/* Invariant: the places from `next` on have no event yet; they are in the order of their numbers.
 */
struct st_schedules {
    struct st_predictions *predictions;
    struct st_place **places;
    size_t count, capacity, next;

    /* The threads of the events that were fed, by number - 1, if some will not be shown. */
    uint32_t *threads;
    size_t thread_capacity;
    uint64_t fed, last; /* how many they are, and how many are needed */
    uint32_t thread_count;
    struct st_endings endings;
};

/* ---- What is wanted ---- */

static void want_place(struct st_schedules *schedules, struct st_predicted_block *block,
                       uint64_t number) {
    struct st_place *place = &block->schedule[block->schedule_length++];
    place->number = number;
    st_reserve(&schedules->places, &schedules->capacity, schedules->count + 1);
    schedules->places[schedules->count++] = place;
}

static void want_events_of(struct st_schedules *schedules, struct st_predicted_block *block) {
    if (!block->witness_length || block->schedule_length)
        return;
    size_t count = 0;
    bool *shown = st_shown_events(block);
    for (size_t i = 0; i < block->witness_length; i++)
        count += shown[i];
    block->schedule = st_alloc(count, sizeof *block->schedule);
    for (size_t i = 0; i < block->witness_length; i++)
        if (shown[i])
            want_place(schedules, block, block->witness[i]);
        else if (block->witness[i] > schedules->last)
            schedules->last = block->witness[i];
    free(shown);
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
            want_events_of(schedules, &predictions->items[i].blocks[k]);
    if (schedules->count)
        qsort(schedules->places, schedules->count, sizeof *schedules->places, by_number);
    return schedules;
}

/* ---- The trace ---- */

static bool places_wait(const struct st_schedules *schedules) {
    return schedules->next < schedules->count;
}

bool st_schedules_wait(const struct st_schedules *schedules) {
    return places_wait(schedules) || schedules->fed < schedules->last;
}

static void note_thread(struct st_schedules *schedules, uint64_t number, uint32_t thread) {
    if (number > schedules->last)
        return;
    st_reserve(&schedules->threads, &schedules->thread_capacity, (size_t)number);
    schedules->threads[number - 1] = thread;
    schedules->fed = number;
    if (thread >= schedules->thread_count)
        schedules->thread_count = thread + 1;
}

static void fill_places(struct st_schedules *schedules, uint64_t number,
                        const struct st_event *event) {
    for (; places_wait(schedules); schedules->next++) {
        struct st_place *place = schedules->places[schedules->next];
        if (place->number > number)
            return;
        if (place->number < number)
            place->number = 0; /* there is no such event */
        else
            place->event = *event;
    }
}

void st_schedules_feed(struct st_schedules *schedules, const struct st_event *events, size_t count,
                       uint64_t first) {
    for (size_t i = 0; i < count && st_schedules_wait(schedules); i++) {
        struct st_event event = events[i];
        st_endings_name(&schedules->endings, &event);
        note_thread(schedules, first + i, event.thread);
        fill_places(schedules, first + i, &event);
    }
}

/* ---- What is left out ---- */

/* The events of one row that is not shown, by thread. */
struct row {
    uint64_t *counts;  /* by thread */
    uint32_t *threads; /* those that have some, in the order in which they came */
    size_t count;
};

static void count_event(const struct st_schedules *schedules, struct row *row, uint64_t number) {
    if (number > schedules->fed)
        return;
    uint32_t thread = schedules->threads[number - 1];
    if (!row->counts[thread]++)
        row->threads[row->count++] = thread;
}

/* Those with many events first; insertion keeps the order of the others. */
static void end_row(struct row *row, struct st_predicted_block *block, uint64_t before) {
    size_t first = block->left_out_count;
    st_reserve(&block->left_out, &block->left_out_capacity, first + row->count);
    for (size_t i = 0; i < row->count; i++) {
        struct st_left_out part = {before, row->threads[i], row->counts[row->threads[i]]};
        size_t place = block->left_out_count++;
        for (; place > first && block->left_out[place - 1].count < part.count; place--)
            block->left_out[place] = block->left_out[place - 1];
        block->left_out[place] = part;
        row->counts[part.thread] = 0;
    }
    row->count = 0;
}

static void tell_left_out(const struct st_schedules *schedules, struct row *row,
                          struct st_predicted_block *block) {
    size_t next = 0;
    if (block->left_out_count)
        return;
    for (size_t i = 0; i < block->witness_length; i++) {
        if (next == block->schedule_length || block->schedule[next].number != block->witness[i])
            count_event(schedules, row, block->witness[i]);
        else
            end_row(row, block, block->schedule[next++].number);
    }
    end_row(row, block, 0);
}

static void drop_unknown(struct st_predicted_block *block) {
    size_t known = 0;
    for (size_t i = 0; i < block->schedule_length; i++)
        if (block->schedule[i].number)
            block->schedule[known++] = block->schedule[i];
    block->schedule_length = known;
}

void st_schedules_free(struct st_schedules *schedules) {
    struct st_predictions *predictions = schedules->predictions;
    struct row row = {st_alloc((size_t)schedules->thread_count + 1, sizeof *row.counts),
                      st_alloc((size_t)schedules->thread_count + 1, sizeof *row.threads), 0};
    while (places_wait(schedules))
        schedules->places[schedules->next++]->number = 0;
    for (size_t i = 0; i < predictions->count; i++)
        for (size_t k = 0; k < predictions->items[i].listed; k++) {
            drop_unknown(&predictions->items[i].blocks[k]);
            tell_left_out(schedules, &row, &predictions->items[i].blocks[k]);
        }
    free(row.counts);
    free(row.threads);
    free(schedules->places);
    free(schedules->threads);
    st_endings_free(&schedules->endings);
    free(schedules);
}
