#include "report/triage/forecasts.h"

#include "base/memory.h"
#include "report/text_buffer.h"
#include "report/triage/groups.h"

#include <stdlib.h>
#include <string.h>

/* ---- What is alike ---- */

static void put_step(FILE *file, const struct st_report *report, const struct st_foreseen *block,
                     const struct st_place *place, const struct st_calls *around) {
    bool own = place->event.thread == block->thread;
    fprintf(file, "\n%s %s ", own ? "own" : "other", st_op_std((enum st_op)place->event.written));
    st_put_lines(file, report, place->event.loc, own ? around : NULL);
}

/* A text that two blocks share if they are told alike. */
static char *make_key(const struct st_report *report, const struct st_foreseen *block) {
    struct st_text_buffer buffer;
    struct st_calls around = st_calls_at(report->details, block->begin_loc);
    FILE *file = st_text_buffer_open(&buffer);
    fprintf(file, "%u %u %s\n", (unsigned)block->block, (unsigned)block->foresight,
            block->pattern ? block->pattern : "");
    st_put_lines(file, report, block->begin_loc, NULL);
    for (size_t i = 0; i < block->event_count; i++)
        put_step(file, report, block, &block->events[i], &around);
    for (size_t i = 0; !block->event_count && i < block->path_length; i++) {
        put_step(file, report, block, &block->path[i].from, &around);
        put_step(file, report, block, &block->path[i].to, &around);
    }
    st_calls_free(&around);
    return st_text_buffer_close(&buffer);
}

/* ---- The order ---- */

static int by_rank(const void *left, const void *right) {
    const struct st_forecast *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->block->foresight != b->block->foresight)
        return a->block->foresight > b->block->foresight ? -1 : 1;
    return (a->block->begin > b->block->begin) - (a->block->begin < b->block->begin);
}

/* By the name plus 1; blocks without a name come first. */
static size_t number_of(uint32_t name) {
    return (uint32_t)(name + 1);
}

static size_t *rank_by_name(const struct st_block_row *rows, size_t count, size_t *capacity) {
    size_t *ranks = NULL;
    *capacity = 0;
    for (size_t i = 0; i < count; i++) {
        st_reserve(&ranks, capacity, number_of(rows[i].block) + 1);
        ranks[number_of(rows[i].block)] = i;
    }
    return ranks;
}

/* ---- All ---- */

/* Forecasts in the making: the one with the number i has the key i. */
struct gathering {
    struct st_names keys;
    struct st_forecasts made;
    size_t *ranks, rank_count;
};

static void gather(struct gathering *g, const struct st_report *report,
                   const struct st_foreseen *block) {
    char *key = make_key(report, block);
    uint32_t number = st_names_add(&g->keys, key, strlen(key));
    size_t name = number_of(block->block);
    free(key);
    if (number == g->made.count)
        g->made.items[g->made.count++] =
            (struct st_forecast){block, 0, name < g->rank_count ? g->ranks[name] : SIZE_MAX};
    g->made.items[number].count++;
}

struct st_forecasts st_forecasts_make(const struct st_report *report,
                                      const struct st_prediction *prediction, enum st_state state,
                                      const struct st_block_row *rows, size_t row_count) {
    struct gathering g = {
        .made = {.items = st_alloc(prediction->listed + 1, sizeof *g.made.items)}};
    st_names_init(&g.keys);
    g.ranks = rank_by_name(rows, row_count, &g.rank_count);
    for (size_t i = 0; i < prediction->listed; i++)
        if (st_is_reported(&prediction->blocks[i]) &&
            st_foreseen_mark(report, prediction, i).state == state)
            gather(&g, report, &prediction->blocks[i]);
    if (g.made.count)
        qsort(g.made.items, g.made.count, sizeof *g.made.items, by_rank);
    free(g.ranks);
    st_names_free(&g.keys);
    return g.made;
}

void st_forecasts_free(struct st_forecasts *forecasts) {
    free(forecasts->items);
}

/* ---- Races ---- */

/* What two races share if they are told alike. */
static char *race_key(const struct st_report *report, const struct st_foreseen_race *race) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    fprintf(file, "%u %u\n", (unsigned)race->first.event.written,
            (unsigned)race->second.event.written);
    st_put_lines(file, report, race->first.event.loc, NULL);
    fputc('\n', file);
    st_put_lines(file, report, race->second.event.loc, NULL);
    return st_text_buffer_close(&buffer);
}

struct st_race_place *st_race_places(const struct st_report *report,
                                     const struct st_prediction *prediction, size_t *count) {
    struct st_race_place *places = st_alloc(prediction->race_count + 1, sizeof *places);
    struct st_names keys;
    *count = 0;
    st_names_init(&keys);
    for (size_t i = 0; i < prediction->race_count; i++) {
        char *key = race_key(report, &prediction->races[i]);
        uint32_t number = st_names_add(&keys, key, strlen(key));
        free(key);
        if (number == *count)
            places[(*count)++].race = &prediction->races[i];
        places[number].count++;
    }
    st_names_free(&keys);
    return places;
}
