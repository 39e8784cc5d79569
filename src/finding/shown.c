#include "finding/shown.h"

#include "base/memory.h"

#include <stdlib.h>

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
