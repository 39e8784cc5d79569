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
    free(block->around);
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
    for (size_t i = 0; i < prediction->caveat_count; i++)
        free((char *)prediction->caveats[i]);
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
    prediction->caveats[prediction->caveat_count++] = st_strdup(sentence);
}

void st_prediction_may_miss(struct st_prediction *prediction, const char *sentence) {
    prediction->may_miss = true;
    st_prediction_caveat(prediction, sentence);
}

void st_prediction_ends_early(struct st_prediction *prediction, const char *sentence) {
    prediction->may_miss = true;
    if (prediction->end_caveat) {
        const char **caveat = &prediction->caveats[prediction->end_caveat - 1];
        free((char *)*caveat);
        *caveat = st_strdup(sentence);
        return;
    }
    st_prediction_caveat(prediction, sentence);
    prediction->end_caveat = prediction->caveat_count;
}

static int by_begin(const void *left, const void *right) {
    const struct st_predicted_block *a = left, *b = right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

void st_prediction_leave_out(struct st_prediction *prediction, uint32_t block, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        st_prediction_count(prediction, block, ST_BLOCK_TIMEOUT);
    if (count && prediction->atomic == ST_SERIALIZABLE)
        prediction->atomic = ST_UNDECIDED;
}

void st_prediction_add_atomic(struct st_prediction *prediction, uint32_t block, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        st_prediction_count(prediction, block, ST_BLOCK_ATOMIC);
    if (prediction->checks_statically)
        prediction->static_proofs += count;
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

/* ---- blocks in blocks ---- */

static void add_names(struct st_prediction *prediction, const struct st_prediction *inner) {
    size_t capacity = prediction->name_capacity;
    st_reserve(&prediction->executed, &capacity, inner->name_capacity);
    st_reserve(&prediction->reported, &prediction->name_capacity, inner->name_capacity);
    for (size_t i = 0; i < inner->name_capacity; i++) {
        prediction->executed[i] += inner->executed[i];
        prediction->reported[i] += inner->reported[i];
    }
    prediction->unnamed_executed += inner->unnamed_executed;
    prediction->unnamed_reported += inner->unnamed_reported;
}

static bool is_around(const struct st_predicted_block *outer,
                      const struct st_predicted_block *inner) {
    return outer->thread == inner->thread && (!outer->end || inner->begin < outer->end);
}

/* Those around `inner` are the last of `open`, the innermost at its end. */
static void note_around(struct st_predicted_block *inner, struct st_predicted_block *const *open,
                        size_t count) {
    inner->around_count = 0;
    for (size_t i = count; i-- > 0;) {
        st_reserve(&inner->around, &inner->around_capacity, inner->around_count + 1);
        inner->around[inner->around_count++] = open[i]->block;
        open[i]->cut_inside |= inner->verdict >= open[i]->verdict;
    }
}

static int by_thread_then_begin(const void *left, const void *right) {
    const struct st_predicted_block *a = *(struct st_predicted_block *const *)left;
    const struct st_predicted_block *b = *(struct st_predicted_block *const *)right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

static void find_around(struct st_prediction *prediction) {
    size_t count = 0, open_count = 0;
    struct st_predicted_block **sorted = st_alloc(prediction->listed + 1, sizeof *sorted);
    struct st_predicted_block **open = st_alloc(prediction->listed + 1, sizeof *open);
    for (size_t i = 0; i < prediction->listed; i++)
        if (st_is_reported(&prediction->blocks[i]))
            sorted[count++] = &prediction->blocks[i];
    qsort(sorted, count, sizeof *sorted, by_thread_then_begin);
    for (size_t i = 0; i < count; i++) {
        while (open_count && !is_around(open[open_count - 1], sorted[i]))
            open_count--;
        note_around(sorted[i], open, open_count);
        open[open_count++] = sorted[i];
    }
    free(open);
    free(sorted);
}

static void add_blocks(struct st_prediction *prediction, struct st_prediction *inner) {
    prediction->block_count += inner->block_count;
    for (size_t i = 0; i <= ST_BLOCK_VIOLATION; i++)
        prediction->by[i] += inner->by[i];
    prediction->static_proofs += inner->static_proofs;
    prediction->seconds += inner->seconds;
    prediction->storage += inner->storage;
    prediction->may_miss |= inner->may_miss;
    prediction->stopped |= inner->stopped;
    prediction->unproven += inner->unproven;
    for (size_t i = 0; i < inner->caveat_count; i++)
        if (i + 1 == inner->end_caveat)
            st_prediction_ends_early(prediction, inner->caveats[i]);
        else
            st_prediction_caveat(prediction, inner->caveats[i]);
    add_names(prediction, inner);
    st_reserve(&prediction->blocks, &prediction->capacity, prediction->listed + inner->listed);
    for (size_t i = 0; i < inner->listed; i++)
        prediction->blocks[prediction->listed++] = inner->blocks[i];
    inner->listed = 0;
}

void st_prediction_add_depth(struct st_prediction *prediction, struct st_prediction *inner,
                             unsigned depth) {
    prediction->deepest = depth;
    for (size_t i = 0; i < inner->listed; i++)
        inner->blocks[i].depth = depth;
    add_blocks(prediction, inner);
    find_around(prediction);
    st_prediction_finish(prediction);
}

void st_prediction_add_portion(struct st_prediction *prediction, struct st_prediction *portion) {
    add_blocks(prediction, portion);
    st_prediction_finish(prediction);
}

void st_predictions_add_portion(struct st_predictions *predictions,
                                struct st_predictions *portion) {
    if (predictions->count) {
        for (size_t i = 0; i < predictions->count; i++)
            st_prediction_add_portion(&predictions->items[i], &portion->items[i]);
        st_predictions_free(portion);
    } else {
        *predictions = *portion;
    }
    *portion = (struct st_predictions){0};
}

/* ---- locations ---- */

static void map_block(const struct st_mapping *mapping, struct st_predicted_block *block) {
    block->begin_loc = mapping->map(mapping->context, block->begin_loc);
    for (size_t i = 0; i < block->event_count; i++)
        st_map_place(mapping, &block->events[i]);
    for (size_t i = 0; i < block->node_count; i++)
        st_map_place(mapping, &block->nodes[i]);
    for (size_t i = 0; i < block->path_length; i++) {
        st_map_place(mapping, &block->path[i].from);
        st_map_place(mapping, &block->path[i].to);
    }
    for (size_t i = 0; i < block->schedule_length; i++)
        st_map_place(mapping, &block->schedule[i]);
}

/* Replaces each location by what `map` gives for it. */
static void map_prediction_locations(struct st_prediction *prediction,
                                     uint64_t (*map)(void *context, uint64_t loc), void *context) {
    struct st_mapping mapping = {map, context};
    for (size_t i = 0; i < prediction->listed; i++)
        map_block(&mapping, &prediction->blocks[i]);
    for (size_t i = 0; i < prediction->race_count; i++) {
        st_map_place(&mapping, &prediction->races[i].first);
        st_map_place(&mapping, &prediction->races[i].second);
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
    struct st_mapping mapping = {map, context};
    for (size_t i = 0; i < predictions->count; i++)
        map_prediction_locations(&predictions->items[i], map, context);
    for (size_t i = 0; i < predictions->deadlock_count; i++) {
        const struct st_predicted_deadlock *deadlock = &predictions->deadlocks[i];
        for (size_t k = 0; k < deadlock->count; k++) {
            st_map_place(&mapping, &deadlock->waits[k].holds);
            st_map_place(&mapping, &deadlock->waits[k].wants);
        }
    }
}
