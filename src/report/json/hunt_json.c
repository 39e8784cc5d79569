/* What a hunt adds to the JSON of a result: "seriatim-hunt/1". */
#include "report/hunt_members.h"
#include "report/json/json_parts.h"

#include <stdlib.h>

static void write_texts(const char *key, const char *const *texts, struct st_json *json) {
    st_json_key(json, key);
    st_json_flat_array(json);
    for (; texts && *texts; texts++)
        st_json_string(json, *texts);
    st_json_array_end(json);
}

static void write_member(const struct st_member *member, const void *at, struct st_json *json) {
    const char *text;
    const char *const *texts;
    switch (member->type) {
    case ST_MEMBER_TEXT:
        text = *(const char *const *)at;
        if (text || member->need != ST_MEMBER_LEFT_OUT)
            st_json_maybe_string_field(json, member->key, text);
        break;
    case ST_MEMBER_TEXTS:
        texts = *(const char *const *const *)at;
        if (texts || member->need != ST_MEMBER_LEFT_OUT)
            write_texts(member->key, texts, json);
        break;
    case ST_MEMBER_NUMBER:
        st_json_number_field(json, member->key, *(const uint64_t *)at);
        break;
    case ST_MEMBER_BOOL:
        st_json_bool_field(json, member->key, *(const bool *)at);
        break;
    case ST_MEMBER_OUTCOME:
        st_json_string_field(json, member->key, st_outcome_name(*(const enum st_outcome *)at));
        break;
    }
}

static void write_members(const struct st_member *member, const void *object,
                          struct st_json *json) {
    for (; member->key; member++)
        write_member(member, (const char *)object + member->offset, json);
}

static void write_course_step(const struct st_course_step *step, struct st_json *json) {
    st_json_flat_object(json);
    if (step->more) {
        st_json_number_field(json, "more", step->more);
        if (step->alike)
            st_json_bool_field(json, "alike", true);
    } else {
        write_members(st_course_members, step, json);
    }
    st_json_object_end(json);
}

void st_write_observation(const struct st_observation *observation, struct st_json *json) {
    st_json_bool_field(json, "observed", true);
    write_members(st_observation_members, observation, json);
    st_json_key(json, "course");
    st_json_array(json);
    for (size_t i = 0; i < observation->course_count; i++)
        write_course_step(&observation->course[i], json);
    st_json_array_end(json);
}

static void write_flat(const struct st_member *members, const void *object, struct st_json *json) {
    st_json_flat_object(json);
    write_members(members, object, json);
    st_json_object_end(json);
}

static void write_failure(const struct st_report *report, const struct st_failure *failure,
                          struct st_json *json) {
    struct st_story story = st_failure_story(report, failure);
    st_json_object(json);
    st_json_string_field(json, "kind", st_outcome_name(failure->observation.outcome));
    write_members(st_failure_members, failure, json);
    st_write_observation(&failure->observation, json);
    st_json_key(json, "threads");
    st_json_array(json);
    for (size_t i = 0; i < failure->stuck_count; i++)
        write_flat(st_stuck_members, &failure->stuck[i], json);
    st_json_array_end(json);
    st_json_key(json, "story");
    st_write_story(&story, json);
    st_json_object_end(json);
    st_story_free(&story);
}

static void write_tried_steps(const struct st_tried_prediction *prediction, struct st_json *json) {
    st_json_key(json, "steps");
    st_json_array(json);
    for (size_t i = 0; i < prediction->step_count; i++)
        write_flat(st_tried_step_members, &prediction->steps[i], json);
    st_json_array_end(json);
}

static void write_confirmation(const struct st_tried_prediction *prediction, struct st_json *json) {
    st_json_string_field(json, "state", st_confirmation_name(prediction->state));
    st_json_key(json, "confirmed");
    if (prediction->state == ST_UNCONFIRMED)
        st_json_null(json);
    else
        st_json_bool(json, prediction->state == ST_CONFIRMED);
    if (prediction->state == ST_CONFIRMED)
        write_members(st_confirmation_members, prediction, json);
}

static void write_prediction(const struct st_hunt_facts *hunt, size_t index, struct st_json *json) {
    const struct st_tried_prediction *prediction = &hunt->predictions[index];
    char *sentence = st_tried_text(hunt, index);
    st_json_object(json);
    write_members(st_tried_members, prediction, json);
    if (prediction->block)
        st_json_number_field(json, "depth", prediction->depth);
    write_tried_steps(prediction, json);
    write_confirmation(prediction, json);
    st_json_string_field(json, "sentence", sentence);
    if (st_tried_is_folded(hunt, index))
        st_json_bool_field(json, "folded", true);
    st_json_object_end(json);
    free(sentence);
}

void st_write_hunt(const struct st_report *report, struct st_json *json) {
    const struct st_hunt_facts *hunt = report->hunt;
    if (!hunt)
        return;
    write_members(st_hunt_members, hunt, json);
    if (hunt->cycle) {
        st_json_key(json, "cycle_observation");
        st_json_object(json);
        st_write_observation(hunt->cycle, json);
        st_json_object_end(json);
    }
    st_json_key(json, "failures");
    st_json_array(json);
    for (size_t i = 0; i < hunt->failure_count; i++)
        write_failure(report, &hunt->failures[i], json);
    st_json_array_end(json);
    st_json_key(json, "predictions");
    st_json_array(json);
    for (size_t i = 0; i < hunt->prediction_count; i++)
        write_prediction(hunt, i, json);
    st_json_array_end(json);
}
