/* What a hunt adds to the JSON of a result: "seriatim-hunt/1". */
#include "report/json/json_parts.h"

#include <stdlib.h>

static void write_texts(const char *key, const char *const *texts, struct st_json *json) {
    st_json_key(json, key);
    st_json_flat_array(json);
    for (; texts && *texts; texts++)
        st_json_string(json, *texts);
    st_json_array_end(json);
}

static void write_given(struct st_json *json, const char *key, const char *text) {
    if (text)
        st_json_string_field(json, key, text);
}

static void write_course_step(const struct st_course_step *step, struct st_json *json) {
    st_json_flat_object(json);
    if (step->more) {
        st_json_number_field(json, "more", step->more);
        if (step->alike)
            st_json_bool_field(json, "alike", true);
    } else {
        st_json_string_field(json, "thread", step->thread);
        st_json_string_field(json, "does", step->does);
        if (step->blocks)
            write_texts("blocks", step->blocks, json);
        write_given(json, "until", step->until);
        write_given(json, "for", step->awaited);
        write_given(json, "function", step->function);
        write_given(json, "loc", step->loc);
    }
    st_json_object_end(json);
}

void st_write_observation(const struct st_observation *observation, struct st_json *json) {
    st_json_bool_field(json, "observed", true);
    st_json_number_field(json, "run", observation->run);
    st_json_number_field(json, "seed", observation->seed);
    st_json_string_field(json, "strategy", observation->strategy);
    st_json_number_field(json, "seen_in", observation->seen_in);
    st_json_maybe_string_field(json, "schedule", observation->schedule);
    st_json_number_field(json, "preemptions", observation->preemptions);
    st_json_bool_field(json, "minimised", observation->minimised);
    st_json_maybe_string_field(json, "replayed", observation->replayed);
    st_json_string_field(json, "outcome", st_outcome_name(observation->outcome));
    st_json_maybe_string_field(json, "signal", observation->signal);
    st_json_maybe_string_field(json, "message", observation->message);
    st_json_maybe_string_field(json, "printed", observation->printed);
    st_json_maybe_string_field(json, "expected", observation->expected);
    st_json_number_field(json, "status", observation->status);
    st_json_number_field(json, "expected_status", observation->expected_status);
    st_json_bool_field(json, "client", observation->client);
    st_json_key(json, "course");
    st_json_array(json);
    for (size_t i = 0; i < observation->course_count; i++)
        write_course_step(&observation->course[i], json);
    st_json_array_end(json);
}

static void write_stuck(const struct st_stuck_thread *stuck, struct st_json *json) {
    st_json_flat_object(json);
    st_json_string_field(json, "thread", stuck->thread);
    write_given(json, "for", stuck->awaited);
    write_given(json, "object", stuck->object);
    write_given(json, "owner", stuck->owner);
    write_given(json, "function", stuck->function);
    write_given(json, "loc", stuck->loc);
    st_json_object_end(json);
}

static void write_failure(const struct st_report *report, const struct st_failure *failure,
                          struct st_json *json) {
    struct st_story story = st_failure_story(report, failure);
    st_json_object(json);
    st_json_string_field(json, "kind", st_outcome_name(failure->observation.outcome));
    st_json_maybe_string_field(json, "thread", failure->thread);
    st_json_maybe_string_field(json, "function", failure->function);
    st_json_maybe_string_field(json, "where", failure->loc);
    st_json_bool_field(json, "exact", failure->exact);
    st_json_string_field(json, "fingerprint", failure->fingerprint);
    st_write_observation(&failure->observation, json);
    st_json_key(json, "threads");
    st_json_array(json);
    for (size_t i = 0; i < failure->stuck_count; i++)
        write_stuck(&failure->stuck[i], json);
    st_json_array_end(json);
    st_json_key(json, "story");
    st_write_story(&story, json);
    st_json_object_end(json);
    st_story_free(&story);
}

static void write_tried_steps(const struct st_tried_prediction *prediction, struct st_json *json) {
    st_json_key(json, "steps");
    st_json_array(json);
    for (size_t i = 0; i < prediction->step_count; i++) {
        const struct st_tried_step *step = &prediction->steps[i];
        st_json_flat_object(json);
        st_json_string_field(json, "thread", step->thread);
        st_json_string_field(json, "op", step->op);
        st_json_string_field(json, "function", step->function);
        st_json_string_field(json, "loc", step->loc);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_confirmation(const struct st_tried_prediction *prediction, struct st_json *json) {
    st_json_string_field(json, "state", st_confirmation_name(prediction->state));
    st_json_key(json, "confirmed");
    if (prediction->state == ST_UNCONFIRMED)
        st_json_null(json);
    else
        st_json_bool(json, prediction->state == ST_CONFIRMED);
    st_json_number_field(json, "tries", prediction->tries);
    st_json_bool_field(json, "placed", prediction->placed);
    if (prediction->state != ST_CONFIRMED)
        return;
    st_json_number_field(json, "run", prediction->run);
    st_json_maybe_string_field(json, "schedule", prediction->schedule);
    st_json_maybe_string_field(json, "outcome", prediction->outcome);
}

static void write_prediction(const struct st_tried_prediction *prediction, struct st_json *json) {
    char *sentence = st_tried_text(prediction);
    st_json_object(json);
    st_json_string_field(json, "kind", prediction->kind);
    st_json_maybe_string_field(json, "block", prediction->block);
    if (prediction->block)
        st_json_number_field(json, "depth", prediction->depth);
    st_json_string_field(json, "thread", prediction->thread);
    st_json_number_field(json, "begin", prediction->begin);
    st_json_maybe_string_field(json, "loc", prediction->loc);
    write_texts("engines", prediction->engines, json);
    st_json_string_field(json, "verdict", prediction->verdict);
    st_json_maybe_string_field(json, "pattern", prediction->pattern);
    write_texts("on", prediction->variables, json);
    write_tried_steps(prediction, json);
    write_confirmation(prediction, json);
    st_json_string_field(json, "sentence", sentence);
    st_json_object_end(json);
    free(sentence);
}

void st_write_hunt(const struct st_report *report, struct st_json *json) {
    const struct st_hunt_facts *hunt = report->hunt;
    if (!hunt)
        return;
    st_json_number_field(json, "runs", hunt->runs);
    st_json_number_field(json, "points", hunt->points);
    st_json_number_field(json, "switches", hunt->switches);
    st_json_number_field(json, "seed", hunt->seed);
    st_json_number_field(json, "loose", hunt->loose);
    st_json_number_field(json, "other_outputs", hunt->other_outputs);
    st_json_bool_field(json, "exhausted", hunt->exhausted);
    st_json_number_field(json, "bound", hunt->bound);
    st_json_bool_field(json, "interrupted", hunt->interrupted);
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
        write_prediction(&hunt->predictions[i], json);
    st_json_array_end(json);
}
