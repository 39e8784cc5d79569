#include "finding/schedules.h"

#include "base/memory.h"

#include <stdlib.h>

/* ---- which events are shown ---- */

bool st_is_step(const struct st_predicted_block *block, uint64_t number) {
    for (size_t i = 0; i < block->event_count; i++)
        if (block->events[i].number == number)
            return true;
    for (size_t i = 0; i < block->path_length; i++)
        if (block->path[i].from.number == number || block->path[i].to.number == number)
            return true;
    return false;
}

/* Numbers of events that must be shown, in ascending order. */
struct musts {
    uint64_t *numbers;
    size_t count;
};

static int by_value(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static struct musts find_musts(const struct st_predicted_block *block) {
    size_t most = block->event_count + 2 * block->path_length + block->broken_count + 2;
    struct musts musts = {.numbers = st_alloc(most, sizeof *musts.numbers)};
    for (size_t i = 0; i < block->event_count; i++)
        musts.numbers[musts.count++] = block->events[i].number;
    for (size_t i = 0; i < block->path_length; i++) {
        musts.numbers[musts.count++] = block->path[i].from.number;
        musts.numbers[musts.count++] = block->path[i].to.number;
    }
    for (size_t i = 0; i < block->broken_count; i++)
        musts.numbers[musts.count++] = block->broken[i].event;
    musts.numbers[musts.count++] = block->begin;
    musts.numbers[musts.count++] = block->witness[block->witness_length - 1];
    qsort(musts.numbers, musts.count, sizeof *musts.numbers, by_value);
    return musts;
}

/* What is chosen so far. */
struct choice {
    bool *shown; /* by place in the witness */
    size_t length, count;
    size_t *fixed; /* the places that must be shown, in ascending order */
    size_t fixed_count;
};

static void show(struct choice *choice, size_t place) {
    choice->count += !choice->shown[place];
    choice->shown[place] = true;
}

static void show_musts(struct choice *choice, const struct st_predicted_block *block) {
    struct musts musts = find_musts(block);
    for (size_t i = 0; i < choice->length; i++) {
        if (!bsearch(&block->witness[i], musts.numbers, musts.count, sizeof *musts.numbers,
                     by_value))
            continue;
        choice->fixed[choice->fixed_count++] = i;
        show(choice, i);
    }
    free(musts.numbers);
}

/* The closer an event is to one that must be shown, the sooner. What comes before all of them has
 * the least to say. */
static void show_around(struct choice *choice) {
    size_t first = choice->fixed[0], rest = choice->length - first;
    for (size_t far = 1; far < rest && choice->count < ST_SCHEDULE_SHOWN; far++)
        for (size_t i = 0; i < choice->fixed_count; i++) {
            size_t place = choice->fixed[i];
            if (place >= first + far && choice->count < ST_SCHEDULE_SHOWN)
                show(choice, place - far);
            if (place + far < choice->length && choice->count < ST_SCHEDULE_SHOWN)
                show(choice, place + far);
        }
    while (first > 0 && choice->count < ST_SCHEDULE_SHOWN)
        show(choice, --first);
}

/* To say that something is left out takes a line, too. */
static void close_short_gaps(struct choice *choice) {
    size_t gap = 0;
    for (size_t i = 0; i < choice->length; i++) {
        if (!choice->shown[i]) {
            gap++;
            continue;
        }
        for (; gap && gap <= ST_SCHEDULE_GAP; gap--)
            show(choice, i - gap);
        gap = 0;
    }
}

bool *st_shown_events(const struct st_predicted_block *block) {
    size_t length = block->witness_length;
    struct choice choice = {.shown = st_alloc(length, sizeof *choice.shown),
                            .length = length,
                            .fixed = st_alloc(length, sizeof *choice.fixed)};
    show_musts(&choice, block);
    show_around(&choice);
    close_short_gaps(&choice);
    free(choice.fixed);
    return choice.shown;
}

/* ---- which block an end ends: STD text allows an end without a name ---- */

/* The names of the blocks that a thread is in, the innermost last. */
struct open_names {
    uint32_t *items;
    size_t count, capacity;
};

/* Starts as zeros. */
struct endings {
    struct open_names *threads;
    size_t capacity;
};

static void free_endings(struct endings *endings) {
    for (size_t i = 0; i < endings->capacity; i++)
        free(endings->threads[i].items);
    free(endings->threads);
}

/* The next event of the trace. An end without a name gets that of its begin, if there is one. */
static void name_ending(struct endings *endings, struct st_event *event) {
    bool begin = event->written == ST_BEGIN, end = event->written == ST_END;
    if (event->op == ST_DROPPED || !(begin || end))
        return;
    st_reserve(&endings->threads, &endings->capacity, (size_t)event->thread + 1);
    struct open_names *open = &endings->threads[event->thread];
    if (begin) {
        st_reserve(&open->items, &open->capacity, open->count + 1);
        open->items[open->count++] = event->target;
    } else if (open->count) {
        uint32_t name = open->items[--open->count];
        if (event->target == ST_NO_NAME)
            event->target = name;
    }
}

/* ---- looking up events ---- */

/* Beyond so many events, reports do not say which threads those belong to that are not shown. */
enum { MOST_THREADS_NOTED = 1 << 26 };

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
    struct endings endings;
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
    if (schedules->last > MOST_THREADS_NOTED)
        schedules->last = 0;
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
        name_ending(&schedules->endings, &event);
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

static void count_left_out(const struct st_schedules *schedules, struct row *row,
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
            count_left_out(schedules, &row, &predictions->items[i].blocks[k]);
        }
    free(row.counts);
    free(row.threads);
    free(schedules->places);
    free(schedules->threads);
    free_endings(&schedules->endings);
    free(schedules);
}
