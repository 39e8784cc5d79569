#include "report/load/load_hunt.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void *own(struct st_loaded_hunt *hunt, size_t count, size_t size) {
    void *memory = st_alloc(count + 1, size);
    st_reserve(&hunt->owned, &hunt->owned_capacity, hunt->owned_count + 1);
    hunt->owned[hunt->owned_count++] = memory;
    return memory;
}

void st_loaded_hunt_free(struct st_loaded_hunt *hunt) {
    for (size_t i = 0; i < hunt->owned_count; i++)
        free(hunt->owned[i]);
    free(hunt->owned);
}

/* ---- parts ---- */

static const char *const *read_texts(struct st_loaded_hunt *hunt, struct st_fields *fields,
                                     const json_t *object, const char *key) {
    const json_t *array = st_field_maybe_array(fields, object, key);
    size_t count = json_array_size(array);
    if (!array)
        return NULL;
    const char **texts = own(hunt, count, sizeof *texts);
    st_fields_enter(fields, key, 0);
    for (size_t i = 0; i < count; i++) {
        texts[i] = json_string_value(json_array_get(array, i));
        if (texts[i])
            continue;
        st_fields_reject(fields, "must be a list of texts");
        texts[i] = "";
    }
    st_fields_leave(fields);
    return texts;
}

static struct st_course_step read_step(struct st_loaded_hunt *hunt, struct st_fields *fields,
                                       const json_t *object) {
    uint64_t more = st_field_maybe_number(fields, object, "more");
    if (more)
        return (struct st_course_step){.more = more,
                                       .alike = st_field_maybe_bool(fields, object, "alike")};
    return (struct st_course_step){.thread = st_field_text(fields, object, "thread"),
                                   .does = st_field_text(fields, object, "does"),
                                   .function = st_field_maybe_text(fields, object, "function"),
                                   .loc = st_field_maybe_text(fields, object, "loc"),
                                   .until = st_field_maybe_text(fields, object, "until"),
                                   .awaited = st_field_maybe_text(fields, object, "for"),
                                   .blocks = read_texts(hunt, fields, object, "blocks")};
}

static void read_course(struct st_loaded_hunt *hunt, struct st_fields *fields, const json_t *object,
                        struct st_observation *observation) {
    const json_t *array = st_field_maybe_array(fields, object, "course");
    size_t count = json_array_size(array);
    struct st_course_step *steps = own(hunt, count, sizeof *steps);
    st_fields_enter(fields, "course", 0);
    for (size_t i = 0; i < count; i++) {
        const json_t *step = st_element_object(fields, array, i);
        st_fields_enter(fields, NULL, i);
        steps[i] = read_step(hunt, fields, step);
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
    observation->course = steps;
    observation->course_count = count;
}

static enum st_outcome read_outcome(struct st_fields *fields, const json_t *object) {
    enum st_outcome outcome = st_outcome_find(st_field_text(fields, object, "outcome"));
    if (outcome != ST_OUTCOME_COUNT)
        return outcome;
    st_fields_enter(fields, "outcome", 0);
    st_fields_reject(fields, "is not known");
    st_fields_leave(fields);
    return ST_OUTCOME_SAME;
}

static struct st_observation read_observation(struct st_loaded_hunt *hunt, struct st_fields *fields,
                                              const json_t *object) {
    struct st_observation observation = {
        .run = st_field_number(fields, object, "run"),
        .seed = st_field_number(fields, object, "seed"),
        .preemptions = st_field_maybe_number(fields, object, "preemptions"),
        .seen_in = st_field_maybe_number(fields, object, "seen_in"),
        .strategy = st_field_text(fields, object, "strategy"),
        .schedule = st_field_maybe_text(fields, object, "schedule"),
        .replayed = st_field_maybe_text(fields, object, "replayed"),
        .minimised = st_field_maybe_bool(fields, object, "minimised"),
        .outcome = read_outcome(fields, object),
        .signal = st_field_maybe_text(fields, object, "signal"),
        .message = st_field_maybe_text(fields, object, "message"),
        .printed = st_field_maybe_text(fields, object, "printed"),
        .expected = st_field_maybe_text(fields, object, "expected"),
        .status = st_field_maybe_number(fields, object, "status"),
        .expected_status = st_field_maybe_number(fields, object, "expected_status"),
        .client = st_field_maybe_bool(fields, object, "client")};
    read_course(hunt, fields, object, &observation);
    return observation;
}

/* ---- failures ---- */

static void read_stuck(struct st_loaded_hunt *hunt, struct st_fields *fields, const json_t *object,
                       struct st_failure *failure) {
    const json_t *array = st_field_maybe_array(fields, object, "threads");
    size_t count = json_array_size(array);
    struct st_stuck_thread *stuck = own(hunt, count, sizeof *stuck);
    st_fields_enter(fields, "threads", 0);
    for (size_t i = 0; i < count; i++) {
        const json_t *thread = st_element_object(fields, array, i);
        st_fields_enter(fields, NULL, i);
        stuck[i] =
            (struct st_stuck_thread){.thread = st_field_text(fields, thread, "thread"),
                                     .awaited = st_field_maybe_text(fields, thread, "for"),
                                     .object = st_field_maybe_text(fields, thread, "object"),
                                     .owner = st_field_maybe_text(fields, thread, "owner"),
                                     .function = st_field_maybe_text(fields, thread, "function"),
                                     .loc = st_field_maybe_text(fields, thread, "loc")};
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
    failure->stuck = stuck;
    failure->stuck_count = count;
}

static struct st_failure read_failure(struct st_loading *loading, struct st_loaded_hunt *hunt,
                                      const json_t *object) {
    struct st_fields *fields = &loading->fields;
    struct st_failure failure = {.observation = read_observation(hunt, fields, object),
                                 .fingerprint = st_field_text(fields, object, "fingerprint"),
                                 .thread = st_field_maybe_text(fields, object, "thread"),
                                 .function = st_field_maybe_text(fields, object, "function"),
                                 .loc = st_field_maybe_text(fields, object, "where"),
                                 .exact = st_field_maybe_bool(fields, object, "exact")};
    read_stuck(hunt, fields, object, &failure);
    const char *loc = failure.loc ? failure.loc : failure.stuck_count ? failure.stuck[0].loc : NULL;
    failure.place = loc && !fields->failed ? st_load_location(loading, loc) : 0;
    return failure;
}

static void read_failures(struct st_loading *loading, const json_t *root,
                          struct st_loaded_hunt *hunt) {
    struct st_fields *fields = &loading->fields;
    const json_t *array = st_field_maybe_array(fields, root, "failures");
    size_t count = json_array_size(array);
    hunt->failures = own(hunt, count, sizeof *hunt->failures);
    st_fields_enter(fields, "failures", 0);
    for (size_t i = 0; i < count; i++) {
        const json_t *object = st_element_object(fields, array, i);
        st_fields_enter(fields, NULL, i);
        hunt->failures[i] = read_failure(loading, hunt, object);
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
    hunt->facts.failures = hunt->failures;
    hunt->facts.failure_count = count;
}

/* ---- predictions ---- */

static void read_tried_steps(struct st_loaded_hunt *hunt, struct st_fields *fields,
                             const json_t *object, struct st_tried_prediction *prediction) {
    const json_t *array = st_field_maybe_array(fields, object, "steps");
    size_t count = json_array_size(array);
    struct st_tried_step *steps = own(hunt, count, sizeof *steps);
    st_fields_enter(fields, "steps", 0);
    for (size_t i = 0; i < count; i++) {
        const json_t *step = st_element_object(fields, array, i);
        st_fields_enter(fields, NULL, i);
        steps[i] = (struct st_tried_step){.thread = st_field_text(fields, step, "thread"),
                                          .op = st_field_text(fields, step, "op"),
                                          .function = st_field_text(fields, step, "function"),
                                          .loc = st_field_text(fields, step, "loc")};
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
    prediction->steps = steps;
    prediction->step_count = count;
}

static struct st_tried_prediction read_prediction(struct st_loaded_hunt *hunt,
                                                  struct st_fields *fields, const json_t *object) {
    const json_t *confirmed = json_object_get(object, "confirmed");
    struct st_tried_prediction prediction = {
        .kind = st_field_text(fields, object, "kind"),
        .block = st_field_maybe_text(fields, object, "block"),
        .pattern = st_field_maybe_text(fields, object, "pattern"),
        .verdict = st_field_text(fields, object, "verdict"),
        .thread = st_field_text(fields, object, "thread"),
        .loc = st_field_maybe_text(fields, object, "loc"),
        .engines = read_texts(hunt, fields, object, "engines"),
        .variables = read_texts(hunt, fields, object, "on"),
        .depth = st_field_maybe_number(fields, object, "depth"),
        .begin = st_field_number(fields, object, "begin"),
        .state = json_is_true(confirmed)    ? ST_CONFIRMED
                 : json_is_false(confirmed) ? ST_IMPOSSIBLE
                                            : ST_UNCONFIRMED,
        .tries = st_field_number(fields, object, "tries"),
        .placed = st_field_maybe_bool(fields, object, "placed"),
        .run = st_field_maybe_number(fields, object, "run"),
        .schedule = st_field_maybe_text(fields, object, "schedule"),
        .outcome = st_field_maybe_text(fields, object, "outcome")};
    read_tried_steps(hunt, fields, object, &prediction);
    return prediction;
}

static void read_predictions(struct st_loading *loading, const json_t *root,
                             struct st_loaded_hunt *hunt) {
    struct st_fields *fields = &loading->fields;
    const json_t *array = st_field_maybe_array(fields, root, "predictions");
    size_t count = json_array_size(array);
    hunt->predictions = own(hunt, count, sizeof *hunt->predictions);
    st_fields_enter(fields, "predictions", 0);
    for (size_t i = 0; i < count; i++) {
        const json_t *object = st_element_object(fields, array, i);
        st_fields_enter(fields, NULL, i);
        hunt->predictions[i] = read_prediction(hunt, fields, object);
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
    hunt->facts.predictions = hunt->predictions;
    hunt->facts.prediction_count = count;
}

/* ---- all ---- */

static void read_observations(struct st_loading *loading, const json_t *root,
                              struct st_violation *violations, size_t count,
                              struct st_loaded_hunt *hunt) {
    struct st_fields *fields = &loading->fields;
    const json_t *array = st_field_array(fields, root, "violations");
    const json_t *cycle = st_field_maybe_object(fields, root, "cycle_observation");
    hunt->observations = own(hunt, count + 1, sizeof *hunt->observations);
    st_fields_enter(fields, "violations", 0);
    for (size_t i = 0; i < count; i++) {
        st_fields_enter(fields, NULL, i);
        hunt->observations[i] = read_observation(hunt, fields, json_array_get(array, i));
        violations[i].observation = &hunt->observations[i];
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
    if (!cycle)
        return;
    st_fields_enter(fields, "cycle_observation", 0);
    hunt->observations[count] = read_observation(hunt, fields, cycle);
    hunt->facts.cycle = &hunt->observations[count];
    st_fields_leave(fields);
}

void st_load_hunt(struct st_loading *loading, const json_t *root, struct st_violation *violations,
                  size_t violation_count, struct st_loaded_hunt *hunt) {
    struct st_fields *fields = &loading->fields;
    hunt->facts = (struct st_hunt_facts){
        .runs = st_field_number(fields, root, "runs"),
        .points = st_field_number(fields, root, "points"),
        .switches = st_field_maybe_number(fields, root, "switches"),
        .seed = st_field_number(fields, root, "seed"),
        .loose = st_field_maybe_number(fields, root, "loose"),
        .other_outputs = st_field_maybe_number(fields, root, "other_outputs"),
        .exhausted = st_field_maybe_bool(fields, root, "exhausted"),
        .bound = st_field_maybe_number(fields, root, "bound"),
        .interrupted = st_field_maybe_bool(fields, root, "interrupted")};
    read_observations(loading, root, violations, violation_count, hunt);
    read_failures(loading, root, hunt);
    read_predictions(loading, root, hunt);
}
