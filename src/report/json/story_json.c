/* A story as JSON: report/story/story.h describes it. */
#include "report/json/json_parts.h"

static void write_step(const struct st_story_step *step, struct st_json *json) {
    st_json_flat_object(json);
    if (step->gap) {
        st_json_string_field(json, "gap", step->gap);
        st_json_object_end(json);
        return;
    }
    st_write_event_number(json, "event", step->place.number);
    st_json_string_field(json, "thread", step->thread);
    st_json_string_field(json, "action", step->action);
    st_json_string_field(json, "loc", step->location);
    st_json_string_field(json, "function", step->calls.count ? step->calls.frames[0].function : "");
    if (step->holding)
        st_json_string_field(json, "holding", step->holding);
    if (step->follows)
        st_json_string_field(json, "follows", step->follows);
    if (step->race)
        st_json_string_field(json, "race", step->race);
    if (step->marked)
        st_json_bool_field(json, "marked", true);
    st_json_object_end(json);
}

static void write_steps(const char *key, const struct st_story_steps *steps, struct st_json *json) {
    st_json_key(json, key);
    st_json_array(json);
    for (size_t i = 0; i < steps->count; i++)
        write_step(&steps->items[i], json);
    st_json_array_end(json);
}

static void write_schedule(const struct st_story *story, struct st_json *json) {
    st_json_key(json, "schedule");
    if (!story->schedule_title) {
        st_json_null(json);
        return;
    }
    st_json_object(json);
    st_json_string_field(json, "title", story->schedule_title);
    write_steps("steps", &story->schedule, json);
    st_json_object_end(json);
}

void st_write_story(const struct st_story *story, struct st_json *json) {
    st_json_object(json);
    st_json_string_field(json, "kind", st_story_kind_name(story->kind));
    st_json_number_field(json, "count", story->count);
    st_json_string_field(json, "headline", story->headline);
    st_json_maybe_string_field(json, "frequency", story->frequency);
    st_json_maybe_string_field(json, "introduction", story->introduction);
    write_steps("steps", &story->steps, json);
    st_json_maybe_string_field(json, "explanation", story->explanation);
    st_json_maybe_string_field(json, "conclusion", story->conclusion);
    st_json_maybe_string_field(json, "hint", story->hint);
    if (story->suppression)
        st_json_string_field(json, "suppression", story->suppression);
    st_json_key(json, "notes");
    st_json_array(json);
    for (size_t i = 0; i < story->note_count; i++)
        st_json_string(json, story->notes[i]);
    st_json_array_end(json);
    write_schedule(story, json);
    if (story->kind == ST_STORY_FAILURE)
        write_steps("course", &story->course, json);
    st_json_object_end(json);
}
