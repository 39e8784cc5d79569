#include "report/load/loading.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- A block ---- */

static enum st_block_verdict read_verdict(struct st_fields *fields, const json_t *object) {
    const char *text = st_field_text(fields, object, "verdict");
    for (enum st_block_verdict verdict = 0; verdict <= ST_BLOCK_VIOLATION; verdict++)
        if (strcmp(text, st_block_verdict_name(verdict)) == 0)
            return verdict;
    st_fields_enter(fields, "verdict", 0);
    st_fields_reject(fields, "must be atomic, timeout, potential or violation");
    st_fields_leave(fields);
    return ST_BLOCK_ATOMIC;
}

static char *read_copy(struct st_fields *fields, const json_t *object, const char *key) {
    const char *text = st_field_maybe_text(fields, object, key);
    return text ? st_strdup(text) : NULL;
}

/* The text with this index in a list, inside of which we are. */
static const char *read_text(struct st_fields *fields, const json_t *array, size_t index) {
    const char *text = json_string_value(json_array_get(array, index));
    if (text)
        return text;
    st_fields_enter(fields, NULL, index);
    st_fields_reject(fields, "must be a text");
    st_fields_leave(fields);
    return "";
}

static void read_variables(struct st_loading *loading, const json_t *object,
                           struct st_predicted_block *block) {
    const json_t *array = st_field_maybe_array(&loading->fields, object, "on");
    size_t count = json_array_size(array);
    block->variables = count ? st_alloc(count, sizeof *block->variables) : NULL;
    block->variable_count = count;
    st_fields_enter(&loading->fields, "on", 0);
    for (size_t i = 0; i < count; i++)
        block->variables[i] = st_load_variable(loading, read_text(&loading->fields, array, i));
    st_fields_leave(&loading->fields);
}

static uint64_t read_number(struct st_fields *fields, const json_t *array, size_t index) {
    json_int_t number = json_integer_value(json_array_get(array, index));
    if (number > 0)
        return (uint64_t)number;
    st_fields_enter(fields, NULL, index);
    st_fields_reject(fields, "must be the number of an event");
    st_fields_leave(fields);
    return 0;
}

static void read_witness(struct st_fields *fields, const json_t *object,
                         struct st_predicted_block *block) {
    const json_t *array = st_field_maybe_array(fields, object, "witness");
    size_t count = json_array_size(array);
    block->witness = count ? st_alloc(count, sizeof *block->witness) : NULL;
    block->witness_length = count;
    block->replayed = st_field_maybe_number(fields, object, "replayed");
    st_fields_enter(fields, "witness", 0);
    for (size_t i = 0; i < count; i++)
        block->witness[i] = read_number(fields, array, i);
    st_fields_leave(fields);
}

static struct st_place *read_places(struct st_loading *loading, const json_t *object,
                                    const char *key, size_t *count) {
    const json_t *array = st_field_maybe_array(&loading->fields, object, key);
    st_fields_enter(&loading->fields, key, 0);
    struct st_place *places = st_load_places(loading, array);
    st_fields_leave(&loading->fields);
    *count = json_array_size(array);
    return places;
}

static uint64_t read_begin_location(struct st_loading *loading, const json_t *object) {
    const char *loc = st_field_maybe_text(&loading->fields, object, "begin_loc");
    if (st_field_maybe_object(&loading->fields, object, "entry"))
        return st_load_place(loading, object, "entry").event.loc;
    return st_load_location(loading, loc ? loc : "");
}

/* Are the events that are shown some of the witness, in its order? Writers rely on it. */
static bool is_part_of_witness(const struct st_predicted_block *block) {
    size_t found = 0;
    for (size_t i = 0; i < block->witness_length && found < block->schedule_length; i++)
        found += block->witness[i] == block->schedule[found].number;
    return found == block->schedule_length;
}

static void read_broken_reads(struct st_fields *fields, const json_t *object,
                              struct st_predicted_block *block) {
    const json_t *array = st_field_maybe_array(fields, object, "broken_reads");
    block->broken_count = json_array_size(array);
    block->broken = array ? st_alloc(block->broken_count + 1, sizeof *block->broken) : NULL;
    st_fields_enter(fields, "broken_reads", 0);
    for (size_t i = 0; i < block->broken_count; i++) {
        const json_t *read = st_element_object(fields, array, i);
        st_fields_enter(fields, NULL, i);
        block->broken[i] = (struct st_broken_read){
            .event = st_load_event_number(fields, read, "event"),
            .sees = json_object_get(read, "sees") ? st_field_maybe_number(fields, read, "sees")
                                                  : ST_UNKNOWN_WRITE,
            .saw = st_field_maybe_number(fields, read, "saw")};
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
}

static void read_left_out(struct st_loading *loading, const json_t *object,
                          struct st_predicted_block *block) {
    struct st_fields *fields = &loading->fields;
    const json_t *array = st_field_maybe_array(fields, object, "left_out");
    block->left_out_count = block->left_out_capacity = json_array_size(array);
    block->left_out = array ? st_alloc(block->left_out_count + 1, sizeof *block->left_out) : NULL;
    st_fields_enter(fields, "left_out", 0);
    for (size_t i = 0; i < block->left_out_count; i++) {
        const json_t *part = st_element_object(fields, array, i);
        st_fields_enter(fields, NULL, i);
        block->left_out[i] = (struct st_left_out){
            .before = st_field_maybe_number(fields, part, "before"),
            .thread = st_load_thread(loading, st_field_text(fields, part, "thread")),
            .count = st_field_number(fields, part, "events")};
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
}

static void read_around(struct st_loading *loading, const json_t *object,
                        struct st_predicted_block *block) {
    struct st_fields *fields = &loading->fields;
    const json_t *array = st_field_maybe_array(fields, object, "around");
    block->around_count = block->around_capacity = json_array_size(array);
    block->around = array ? st_alloc(block->around_count + 1, sizeof *block->around) : NULL;
    st_fields_enter(fields, "around", 0);
    for (size_t i = 0; i < block->around_count; i++)
        block->around[i] = st_load_block(loading, read_text(fields, array, i));
    st_fields_leave(fields);
}

/* What there is to say of a block that is reported. */
static void read_finding(struct st_loading *loading, const json_t *object,
                         struct st_predicted_block *block) {
    struct st_fields *fields = &loading->fields;
    const json_t *path = st_field_maybe_array(fields, object, "path");
    block->gap = st_load_gap(fields, object);
    block->pattern = read_copy(fields, object, "pattern");
    block->why = read_copy(fields, object, "why");
    read_variables(loading, object, block);
    block->events = read_places(loading, object, "steps", &block->event_count);
    block->events_of = st_field_maybe_number(fields, object, "events_of");
    st_fields_enter(fields, "path", 0);
    block->path = st_load_edges(loading, path);
    block->path_length = json_array_size(path);
    st_fields_leave(fields);
    block->nodes = read_places(loading, object, "commit_nodes", &block->node_count);
    read_around(loading, object, block);
    block->cut_inside = st_field_maybe_bool(fields, object, "cut_inside");
    read_witness(fields, object, block);
    read_broken_reads(fields, object, block);
    block->schedule = read_places(loading, object, "schedule", &block->schedule_length);
    read_left_out(loading, object, block);
    if (!is_part_of_witness(block))
        st_fields_reject(fields, "has a schedule that is no part of its witness");
}

static void read_block(struct st_loading *loading, const json_t *object,
                       struct st_predicted_block *block) {
    struct st_fields *fields = &loading->fields;
    block->block = st_load_block(loading, st_field_text(fields, object, "block"));
    block->thread = st_load_thread(loading, st_field_text(fields, object, "thread"));
    block->begin = st_load_event_number(fields, object, "begin");
    block->end = st_field_maybe_number(fields, object, "end");
    block->begin_loc = read_begin_location(loading, object);
    block->depth = (unsigned)st_field_maybe_number(fields, object, "depth");
    block->verdict = read_verdict(fields, object);
    if (st_is_reported(block))
        read_finding(loading, object, block);
}

static void read_blocks(struct st_loading *loading, const json_t *result,
                        struct st_prediction *prediction) {
    struct st_fields *fields = &loading->fields;
    const json_t *array = st_field_array(fields, result, "blocks");
    prediction->listed = prediction->capacity = json_array_size(array);
    prediction->blocks = st_alloc(prediction->listed + 1, sizeof *prediction->blocks);
    st_fields_enter(fields, "blocks", 0);
    for (size_t i = 0; i < prediction->listed; i++) {
        const json_t *block = st_element_object(fields, array, i);
        st_fields_enter(fields, NULL, i);
        read_block(loading, block, &prediction->blocks[i]);
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
}

/* ---- Counts ---- */

static void read_verdicts(struct st_fields *fields, const json_t *result,
                          struct st_prediction *prediction) {
    const json_t *verdicts = st_field_object(fields, result, "verdicts");
    uint64_t sum = 0;
    st_fields_enter(fields, "verdicts", 0);
    for (enum st_block_verdict verdict = 0; verdict <= ST_BLOCK_VIOLATION; verdict++) {
        prediction->by[verdict] = st_field_number(fields, verdicts, st_block_verdict_name(verdict));
        sum += prediction->by[verdict];
    }
    st_fields_leave(fields);
    prediction->deepest = (unsigned)st_field_maybe_number(fields, result, "deepest_judged");
    prediction->block_count = st_field_number(fields, result, "block_count");
    if (prediction->block_count != sum)
        st_fields_reject(fields, "has a block_count that is not the sum of its verdicts");
    const json_t *proofs = json_object_get(result, "static_proofs");
    prediction->checks_statically = proofs && !json_is_null(proofs);
    prediction->static_proofs = st_field_maybe_number(fields, result, "static_proofs");
    if (prediction->static_proofs > prediction->by[ST_BLOCK_ATOMIC])
        st_fields_reject(fields, "has more static_proofs than atomic blocks");
}

static void read_atomic(struct st_fields *fields, const json_t *result,
                        struct st_prediction *prediction) {
    const json_t *atomic = json_object_get(result, "atomic");
    bool yes = st_field_maybe_bool(fields, result, "atomic");
    prediction->atomic = yes                               ? ST_SERIALIZABLE
                         : atomic && !json_is_null(atomic) ? ST_NOT_SERIALIZABLE
                                                           : ST_UNDECIDED;
    if ((prediction->atomic == ST_NOT_SERIALIZABLE) != (st_all_reported(prediction) != 0)) {
        st_fields_enter(fields, "atomic", 0);
        st_fields_reject(fields, "does not agree with the verdicts");
        st_fields_leave(fields);
    }
}

static void read_name(struct st_loading *loading, const json_t *object,
                      struct st_prediction *prediction) {
    struct st_fields *fields = &loading->fields;
    uint32_t name = st_load_block(loading, st_field_text(fields, object, "name"));
    uint64_t executed = st_field_number(fields, object, "executed");
    uint64_t reported = st_field_number(fields, object, "reported");
    size_t capacity = prediction->name_capacity;
    if (reported > executed)
        st_fields_reject(fields, "reports more blocks than were executed");
    if (name == ST_NO_NAME) {
        prediction->unnamed_executed = executed;
        prediction->unnamed_reported = reported;
        return;
    }
    st_reserve(&prediction->executed, &capacity, (size_t)name + 1);
    st_reserve(&prediction->reported, &prediction->name_capacity, (size_t)name + 1);
    prediction->executed[name] = executed;
    prediction->reported[name] = reported;
}

static void read_names(struct st_loading *loading, const json_t *result,
                       struct st_prediction *prediction) {
    const json_t *names = st_field_array(&loading->fields, result, "names");
    st_fields_enter(&loading->fields, "names", 0);
    for (size_t i = 0; i < json_array_size(names); i++) {
        const json_t *name = st_element_object(&loading->fields, names, i);
        st_fields_enter(&loading->fields, NULL, i);
        read_name(loading, name, prediction);
        st_fields_leave(&loading->fields);
    }
    st_fields_leave(&loading->fields);
}

/* Is each block that is listed counted, too? Writers rely on it. */
static void check_counts(struct st_fields *fields, const struct st_prediction *prediction) {
    uint64_t listed[ST_BLOCK_VIOLATION + 1] = {0};
    st_fields_enter(fields, "blocks", 0);
    for (size_t i = 0; i < prediction->listed; i++) {
        const struct st_predicted_block *block = &prediction->blocks[i];
        bool named = block->block == ST_NO_NAME ? prediction->unnamed_executed
                                                : block->block < prediction->name_capacity &&
                                                      prediction->executed[block->block];
        st_fields_enter(fields, NULL, i);
        if (++listed[block->verdict] > prediction->by[block->verdict])
            st_fields_reject(fields, "is not counted in verdicts");
        if (!named)
            st_fields_reject(fields, "is not counted in names");
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
}

/* ---- Races and deadlocks ---- */

static void read_races(struct st_loading *loading, const json_t *result,
                       struct st_prediction *prediction) {
    struct st_fields *fields = &loading->fields;
    const json_t *array = st_field_maybe_array(fields, result, "races");
    prediction->finds_races = array != NULL;
    prediction->race_count = prediction->race_capacity = json_array_size(array);
    prediction->races = st_alloc(prediction->race_count + 1, sizeof *prediction->races);
    st_fields_enter(fields, "races", 0);
    for (size_t i = 0; i < prediction->race_count; i++) {
        const json_t *race = st_element_object(fields, array, i);
        st_fields_enter(fields, NULL, i);
        prediction->races[i] = (struct st_predicted_race){
            .variable = st_load_variable(loading, st_field_text(fields, race, "on")),
            .suspected = st_field_maybe_bool(&loading->fields, race, "suspected"),
            .first = st_load_place(loading, race, "first"),
            .second = st_load_place(loading, race, "second")};
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
}

/* A ring of waits; the caller is inside of it. */
static void read_deadlock(struct st_loading *loading, const json_t *array,
                          struct st_predictions *predictions) {
    size_t count = json_array_size(array);
    struct st_predicted_wait *waits = st_alloc(count + 1, sizeof *waits);
    if (!count)
        st_fields_reject(&loading->fields, "must be a list of waits");
    for (size_t i = 0; i < count; i++) {
        const json_t *wait = st_element_object(&loading->fields, array, i);
        st_fields_enter(&loading->fields, NULL, i);
        waits[i].holds = st_load_place(loading, wait, "holds");
        waits[i].wants = st_load_place(loading, wait, "wants");
        st_fields_leave(&loading->fields);
    }
    st_predictions_deadlock(predictions, waits, count);
    free(waits);
}

static void read_deadlocks(struct st_loading *loading, const json_t *root,
                           struct st_predictions *predictions) {
    struct st_fields *fields = &loading->fields;
    const json_t *potential = json_object_get(root, "deadlock_potential");
    const json_t *array = st_field_maybe_array(fields, root, "deadlocks");
    predictions->deadlocks_sought = potential && !json_is_null(potential);
    predictions->more_deadlocks = st_field_maybe_bool(fields, root, "more_deadlocks");
    st_fields_enter(fields, "deadlocks", 0);
    for (size_t i = 0; i < json_array_size(array) && !fields->failed; i++) {
        st_fields_enter(fields, NULL, i);
        read_deadlock(loading, json_array_get(array, i), predictions);
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
    if (st_field_maybe_bool(fields, root, "deadlock_potential") !=
        (predictions->deadlock_count != 0))
        st_fields_reject(fields, "has deadlocks that do not agree with deadlock_potential");
}

/* ---- All ---- */

static void read_caveats(struct st_fields *fields, const json_t *result,
                         struct st_prediction *prediction) {
    const json_t *array = st_field_maybe_array(fields, result, "caveats");
    st_fields_enter(fields, "caveats", 0);
    for (size_t i = 0; i < json_array_size(array); i++)
        st_prediction_caveat(prediction, read_text(fields, array, i));
    st_fields_leave(fields);
}

static void read_prediction(struct st_loading *loading, const json_t *object,
                            struct st_prediction *prediction) {
    struct st_fields *fields = &loading->fields;
    prediction->engine = st_field_text(fields, object, "engine");
    prediction->notion = st_field_maybe_text(fields, object, "notion");
    prediction->method = st_field_maybe_text(fields, object, "method");
    prediction->in_tiers = st_field_maybe_array(fields, object, "tiers") != NULL;
    read_verdicts(fields, object, prediction);
    read_atomic(fields, object, prediction);
    read_blocks(loading, object, prediction);
    read_names(loading, object, prediction);
    if (!fields->failed)
        check_counts(fields, prediction);
    read_races(loading, object, prediction);
    read_caveats(fields, object, prediction);
    prediction->may_miss = st_field_maybe_bool(fields, object, "may_miss");
    prediction->unproven = st_field_maybe_number(fields, object, "unproven");
    prediction->stopped = st_field_maybe_bool(fields, object, "stopped");
    prediction->seconds = st_field_maybe_real(fields, object, "seconds");
    prediction->storage = st_field_maybe_number(fields, object, "storage");
    prediction->storage_unit = st_field_maybe_text(fields, object, "storage_unit");
}

static void make_predictions(struct st_predictions *predictions, size_t count) {
    predictions->items = st_alloc(count, sizeof *predictions->items);
    predictions->count = count;
    for (size_t i = 0; i < count; i++)
        st_prediction_init(&predictions->items[i]);
}

static void read_engines(struct st_loading *loading, const json_t *root,
                         struct st_predictions *predictions) {
    struct st_fields *fields = &loading->fields;
    const json_t *engines = st_field_array(fields, root, "engines");
    size_t count = json_array_size(engines);
    st_fields_enter(fields, "engines", 0);
    if (count == 0)
        st_fields_reject(fields, "must not be empty");
    make_predictions(predictions, count ? count : 1);
    for (size_t i = 0; i < count; i++) {
        const json_t *engine = st_element_object(fields, engines, i);
        st_fields_enter(fields, NULL, i);
        read_prediction(loading, engine, &predictions->items[i]);
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
}

void st_load_predictions(struct st_loading *loading, const json_t *root,
                         struct st_predictions *predictions) {
    if (json_object_get(root, "engines")) {
        read_engines(loading, root, predictions);
    } else {
        make_predictions(predictions, 1);
        read_prediction(loading, root, &predictions->items[0]);
    }
    read_deadlocks(loading, root, predictions);
}
