#include "report/load/load_hunt.h"

#include "base/memory.h"
#include "report/hunt_members.h"

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

/* What is read, and into what. */
struct reading {
    struct st_loading *loading;
    struct st_fields *fields; /* of `loading` */
    struct st_loaded_hunt *hunt;
};

/* ---- members ---- */

static const char *const *read_texts(struct reading *reading, const json_t *object,
                                     const char *key) {
    struct st_fields *fields = reading->fields;
    const json_t *array = st_field_maybe_array(fields, object, key);
    size_t count = json_array_size(array);
    if (!array)
        return NULL;
    const char **texts = own(reading->hunt, count, sizeof *texts);
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

static enum st_outcome read_outcome(struct st_fields *fields, const json_t *object,
                                    const char *key) {
    enum st_outcome outcome = st_outcome_find(st_field_text(fields, object, key));
    if (outcome != ST_OUTCOME_COUNT)
        return outcome;
    st_fields_enter(fields, key, 0);
    st_fields_reject(fields, "is not known");
    st_fields_leave(fields);
    return ST_OUTCOME_SAME;
}

static void read_member(struct reading *reading, const json_t *object,
                        const struct st_member *member, void *into) {
    struct st_fields *fields = reading->fields;
    const char *key = member->key;
    bool needed = member->need == ST_MEMBER_NEEDED;
    switch (member->type) {
    case ST_MEMBER_TEXT:
        *(const char **)into =
            needed ? st_field_text(fields, object, key) : st_field_maybe_text(fields, object, key);
        break;
    case ST_MEMBER_TEXTS:
        *(const char *const **)into = read_texts(reading, object, key);
        break;
    case ST_MEMBER_NUMBER:
        *(uint64_t *)into = needed ? st_field_number(fields, object, key)
                                   : st_field_maybe_number(fields, object, key);
        break;
    case ST_MEMBER_BOOL:
        *(bool *)into = st_field_maybe_bool(fields, object, key);
        break;
    case ST_MEMBER_OUTCOME:
        *(enum st_outcome *)into = read_outcome(fields, object, key);
        break;
    }
}

static void read_members(struct reading *reading, const json_t *object,
                         const struct st_member *member, void *into) {
    for (; member->key; member++)
        read_member(reading, object, member, (char *)into + member->offset);
}

/* ---- lists ---- */

typedef void read_element(struct reading *reading, const json_t *object, void *into);

/* The elements of a list that may be missing. */
static void *read_list(struct reading *reading, const json_t *object, const char *key, size_t size,
                       read_element *read, size_t *count) {
    struct st_fields *fields = reading->fields;
    const json_t *array = st_field_maybe_array(fields, object, key);
    *count = json_array_size(array);
    char *elements = own(reading->hunt, *count, size);
    st_fields_enter(fields, key, 0);
    for (size_t i = 0; i < *count; i++) {
        const json_t *element = st_element_object(fields, array, i);
        st_fields_enter(fields, NULL, i);
        read(reading, element, elements + i * size);
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
    return elements;
}

/* ---- observations ---- */

static void read_course_step(struct reading *reading, const json_t *object, void *into) {
    struct st_course_step *step = into;
    step->more = st_field_maybe_number(reading->fields, object, "more");
    if (step->more)
        step->alike = st_field_maybe_bool(reading->fields, object, "alike");
    else
        read_members(reading, object, st_course_members, step);
}

static void read_observation(struct reading *reading, const json_t *object,
                             struct st_observation *observation) {
    read_members(reading, object, st_observation_members, observation);
    observation->course = read_list(reading, object, "course", sizeof *observation->course,
                                    read_course_step, &observation->course_count);
}

/* ---- failures ---- */

static void read_stuck(struct reading *reading, const json_t *object, void *into) {
    read_members(reading, object, st_stuck_members, into);
}

static void read_failure(struct reading *reading, const json_t *object, void *into) {
    struct st_failure *failure = into;
    read_observation(reading, object, &failure->observation);
    read_members(reading, object, st_failure_members, failure);
    failure->stuck = read_list(reading, object, "threads", sizeof *failure->stuck, read_stuck,
                               &failure->stuck_count);
    const char *loc = failure->loc           ? failure->loc
                      : failure->stuck_count ? failure->stuck[0].loc
                                             : NULL;
    if (loc && !reading->fields->failed)
        failure->place = st_load_location(reading->loading, loc);
}

/* ---- predictions ---- */

static void read_tried_step(struct reading *reading, const json_t *object, void *into) {
    read_members(reading, object, st_tried_step_members, into);
}

static void read_prediction(struct reading *reading, const json_t *object, void *into) {
    struct st_tried_prediction *prediction = into;
    const json_t *confirmed = json_object_get(object, "confirmed");
    read_members(reading, object, st_tried_members, prediction);
    read_members(reading, object, st_confirmation_members, prediction);
    prediction->depth = st_field_maybe_number(reading->fields, object, "depth");
    prediction->state = json_is_true(confirmed)    ? ST_CONFIRMED
                        : json_is_false(confirmed) ? ST_IMPOSSIBLE
                                                   : ST_UNCONFIRMED;
    prediction->steps = read_list(reading, object, "steps", sizeof *prediction->steps,
                                  read_tried_step, &prediction->step_count);
}

/* ---- all ---- */

/* Of the violations, which somebody else has read, and of the cycle. */
static void read_observations(struct reading *reading, const json_t *root,
                              struct st_violation *violations, size_t count) {
    struct st_fields *fields = reading->fields;
    struct st_loaded_hunt *hunt = reading->hunt;
    const json_t *array = st_field_array(fields, root, "violations");
    const json_t *cycle = st_field_maybe_object(fields, root, "cycle_observation");
    hunt->observations = own(hunt, count + 1, sizeof *hunt->observations);
    st_fields_enter(fields, "violations", 0);
    for (size_t i = 0; i < count; i++) {
        st_fields_enter(fields, NULL, i);
        read_observation(reading, json_array_get(array, i), &hunt->observations[i]);
        violations[i].observation = &hunt->observations[i];
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
    if (!cycle)
        return;
    st_fields_enter(fields, "cycle_observation", 0);
    read_observation(reading, cycle, &hunt->observations[count]);
    hunt->facts.cycle = &hunt->observations[count];
    st_fields_leave(fields);
}

void st_load_hunt(struct st_loading *loading, const json_t *root, struct st_violation *violations,
                  size_t violation_count, struct st_loaded_hunt *hunt) {
    struct reading reading = {loading, &loading->fields, hunt};
    struct st_hunt_facts *facts = &hunt->facts;
    read_members(&reading, root, st_hunt_members, facts);
    read_observations(&reading, root, violations, violation_count);
    facts->failures = read_list(&reading, root, "failures", sizeof *facts->failures, read_failure,
                                &facts->failure_count);
    facts->predictions = read_list(&reading, root, "predictions", sizeof *facts->predictions,
                                   read_prediction, &facts->prediction_count);
}
