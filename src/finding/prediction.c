#include "finding/prediction.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

const char *st_block_verdict_name(enum st_block_verdict verdict) {
    static const char *const names[] = {"atomic", "timeout", "potential", "violation"};
    return names[verdict];
}

void st_prediction_init(struct st_prediction *prediction) {
    *prediction = (struct st_prediction){.atomic = ST_UNDECIDED};
}

static void free_block(struct st_predicted_block *block) {
    st_block_gap_free(block->gap);
    free(block->pattern);
    free(block->why);
    free(block->variables);
    free(block->events);
    free(block->path);
    free(block->nodes);
    free(block->witness);
    free(block->broken);
    free(block->schedule);
    free(block->left_out);
}

void st_prediction_free(struct st_prediction *prediction) {
    for (size_t i = 0; i < prediction->listed; i++)
        free_block(&prediction->blocks[i]);
    free(prediction->blocks);
    free(prediction->executed);
    free(prediction->reported);
    free(prediction->races);
    free(prediction->caveats);
}

static bool means(const struct st_prediction *prediction, const char *notion) {
    return prediction->notion && strcmp(prediction->notion, notion) == 0;
}

/* What is about conflicts alone claims nothing for certain. */
bool st_prediction_any_reads(const struct st_prediction *prediction) {
    return means(prediction, "view");
}

bool st_prediction_same_reads(const struct st_prediction *prediction) {
    return means(prediction, "avp");
}

void st_prediction_count(struct st_prediction *prediction, uint32_t block,
                         enum st_block_verdict verdict) {
    bool reported = verdict >= ST_BLOCK_POTENTIAL;
    prediction->block_count++;
    prediction->by[verdict]++;
    if (block == ST_NO_NAME) {
        prediction->unnamed_executed++;
        prediction->unnamed_reported += reported;
        return;
    }
    if (block >= prediction->name_capacity) {
        size_t capacity = prediction->name_capacity;
        st_reserve(&prediction->executed, &capacity, (size_t)block + 1);
        st_reserve(&prediction->reported, &prediction->name_capacity, (size_t)block + 1);
    }
    prediction->executed[block]++;
    prediction->reported[block] += reported;
}

void st_prediction_add(struct st_prediction *prediction, const struct st_predicted_block *block) {
    st_prediction_count(prediction, block->block, block->verdict);
    st_reserve(&prediction->blocks, &prediction->capacity, prediction->listed + 1);
    prediction->blocks[prediction->listed++] = *block;
}

void st_prediction_caveat(struct st_prediction *prediction, const char *sentence) {
    for (size_t i = 0; i < prediction->caveat_count; i++)
        if (strcmp(prediction->caveats[i], sentence) == 0)
            return;
    st_reserve(&prediction->caveats, &prediction->caveat_capacity, prediction->caveat_count + 1);
    prediction->caveats[prediction->caveat_count++] = sentence;
}

void st_prediction_may_miss(struct st_prediction *prediction, const char *sentence) {
    prediction->may_miss = true;
    st_prediction_caveat(prediction, sentence);
}

static int by_begin(const void *left, const void *right) {
    const struct st_predicted_block *a = left, *b = right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

void st_prediction_finish(struct st_prediction *prediction) {
    const uint64_t *by = prediction->by;
    if (by[ST_BLOCK_POTENTIAL] || by[ST_BLOCK_VIOLATION])
        prediction->atomic = ST_NOT_SERIALIZABLE;
    else
        prediction->atomic = by[ST_BLOCK_TIMEOUT] ? ST_UNDECIDED : ST_SERIALIZABLE;
    if (prediction->listed)
        qsort(prediction->blocks, prediction->listed, sizeof *prediction->blocks, by_begin);
}

struct mapping {
    uint64_t (*map)(void *context, uint64_t loc);
    void *context;
};

static void map_place(const struct mapping *mapping, struct st_place *place) {
    if (place->number)
        place->event.loc =
            mapping->map(mapping->context, place->event.loc) & ((ST_LOC_NAME << 1) - 1);
}

static void map_block(const struct mapping *mapping, struct st_predicted_block *block) {
    block->begin_loc = mapping->map(mapping->context, block->begin_loc);
    for (size_t i = 0; i < block->event_count; i++)
        map_place(mapping, &block->events[i]);
    for (size_t i = 0; i < block->node_count; i++)
        map_place(mapping, &block->nodes[i]);
    for (size_t i = 0; i < block->path_length; i++) {
        map_place(mapping, &block->path[i].from);
        map_place(mapping, &block->path[i].to);
    }
    for (size_t i = 0; i < block->schedule_length; i++)
        map_place(mapping, &block->schedule[i]);
}

/* Replaces each location by what `map` gives for it. */
static void map_prediction_locations(struct st_prediction *prediction,
                                     uint64_t (*map)(void *context, uint64_t loc), void *context) {
    struct mapping mapping = {map, context};
    for (size_t i = 0; i < prediction->listed; i++)
        map_block(&mapping, &prediction->blocks[i]);
    for (size_t i = 0; i < prediction->race_count; i++) {
        map_place(&mapping, &prediction->races[i].first);
        map_place(&mapping, &prediction->races[i].second);
    }
}

void st_predictions_free(struct st_predictions *predictions) {
    for (size_t i = 0; i < predictions->count; i++)
        st_prediction_free(&predictions->items[i]);
    free(predictions->items);
    for (size_t i = 0; i < predictions->deadlock_count; i++)
        free(predictions->deadlocks[i].waits);
    free(predictions->deadlocks);
}

void st_predictions_deadlock(struct st_predictions *predictions,
                             const struct st_predicted_wait *waits, size_t count) {
    struct st_predicted_wait *copy = st_alloc(count, sizeof *copy);
    memcpy(copy, waits, count * sizeof *copy);
    st_reserve(&predictions->deadlocks, &predictions->deadlock_capacity,
               predictions->deadlock_count + 1);
    predictions->deadlocks[predictions->deadlock_count++] =
        (struct st_predicted_deadlock){copy, count};
}

void st_predictions_map_locations(struct st_predictions *predictions,
                                  uint64_t (*map)(void *context, uint64_t loc), void *context) {
    struct mapping mapping = {map, context};
    for (size_t i = 0; i < predictions->count; i++)
        map_prediction_locations(&predictions->items[i], map, context);
    for (size_t i = 0; i < predictions->deadlock_count; i++) {
        const struct st_predicted_deadlock *deadlock = &predictions->deadlocks[i];
        for (size_t k = 0; k < deadlock->count; k++) {
            map_place(&mapping, &deadlock->waits[k].holds);
            map_place(&mapping, &deadlock->waits[k].wants);
        }
    }
}
