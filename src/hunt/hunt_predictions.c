/* Predictions in a hunt: where they come from, when they are tried, and what became of each. */
#include "base/memory.h"
#include "hunt/hunt_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Among other strategies, a prediction is tried so often; at first in every second run. */
enum { MOST_TRIES = 12, EAGER_TRIES = 2, EAGER_TURN = 2, LATER_TURN = 4 };

static const char *text_in(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* ---- from a trace: is it of this program? ---- */

static bool ran(const struct st_hunt *hunt, const char *block) {
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(hunt->base, "blocks"), index, row) {
        if (strcmp(text_in(row, "name"), block) == 0)
            return true;
    }
    return false;
}

static int check_blocks(const struct st_hunt *hunt, struct st_error *error) {
    const struct st_hunt_predictions *given = hunt->options->predictions;
    size_t index;
    json_t *name;
    json_array_foreach(given->blocks, index, name) {
        if (ran(hunt, json_string_value(name)))
            return 0;
    }
    if (!json_array_size(given->blocks))
        return 0;
    return st_fail(error, given->trace, ST_AT_FILE, 0,
                   "is not of %s: no block of the trace ran there (%s, for example); record this "
                   "program with 'seriatim record', or leave the trace out",
                   hunt->subject.words[0], json_string_value(json_array_get(given->blocks, 0)));
}

/* Lines move when a program is changed. */
static int check_places(const struct st_hunt *hunt, struct st_error *error) {
    const struct st_suspects *suspects = &hunt->suspects;
    const struct st_suspect *lost = NULL;
    for (size_t i = 0; i < suspects->count; i++) {
        if (suspects->list[i].way_count)
            return 0;
        lost = lost ? lost : &suspects->list[i];
    }
    if (!lost)
        return 0;
    return st_fail(error, hunt->options->predictions->trace, ST_AT_FILE, 0,
                   "does not fit %s: the program did not come by any line that a prediction is "
                   "about (%s, for example); it may have been changed since, so record it again",
                   hunt->subject.words[0], text_in(lost->prediction, "loc"));
}

/* ---- from a run of our own ---- */

/* The predictions, or NULL: an analysis that fails is no reason not to hunt. */
static json_t *record_one(struct st_hunt *hunt) {
    json_t *predictions = NULL;
    struct st_error error;
    struct st_controlled_run run, *pointer = &run;
    struct st_candidate *none;
    st_controlled_run_init(&run);
    run.recorded = true;
    st_portfolio_plan(&run.plan, &hunt->knowledge, ST_STRATEGY_DEFAULT, hunt->options->seed, 0,
                      hunt->subject.real_time ? ST_CONTROL_REAL_TIME : 0, &none);
    st_hunt_show(hunt, "predicting");
    if (st_do_runs(&hunt->subject, &pointer, 1, 1, NULL, st_hunt_is_stopped, hunt, &error) == 0)
        predictions = json_incref(json_object_get(run.described.json, "predictions"));
    hunt->interrupted |= st_hunt_is_stopped(hunt);
    st_controlled_run_free(&run);
    return predictions;
}

static bool wants_predictions(const struct st_hunt *hunt) {
    const struct st_hunt_options *options = hunt->options;
    bool tries =
        options->choice == ST_CHOICE_PORTFOLIO || options->choice == (size_t)ST_STRATEGY_STEPS;
    return tries && hunt->knowledge.thread_count > 1 && !hunt->interrupted &&
           !(options->until_first && st_hunt_has_found(hunt));
}

int st_hunt_foresee(struct st_hunt *hunt, struct st_error *error) {
    const struct st_hunt_predictions *given = hunt->options->predictions;
    if (given && check_blocks(hunt, error) < 0)
        return -1;
    json_t *made = !given && wants_predictions(hunt) ? record_one(hunt) : NULL;
    st_suspects_take(&hunt->suspects, given ? given->list : made, hunt->places);
    json_decref(made);
    if (given && check_places(hunt, error) < 0)
        return -1;
    st_hunt_compare(hunt, false);
    return 0;
}

/* ---- trying ---- */

/* So often may the one that is next have been tried. */
static uint64_t most_tries(const struct st_hunt *hunt, uint64_t run) {
    if (hunt->options->choice == (size_t)ST_STRATEGY_STEPS)
        return hunt->options->tries ? hunt->options->tries : UINT64_MAX;
    if (hunt->options->choice != ST_CHOICE_PORTFOLIO)
        return 0;
    return run % LATER_TURN == LATER_TURN - 1   ? MOST_TRIES
           : run % EAGER_TURN == EAGER_TURN - 1 ? EAGER_TRIES
                                                : 0;
}

struct st_suspect *st_hunt_try_prediction(struct st_hunt *hunt, struct st_controlled_run *run) {
    struct st_suspect *suspect = st_suspects_next(&hunt->suspects, most_tries(hunt, run->number));
    struct st_candidate *none;
    if (!suspect)
        return NULL;
    st_portfolio_plan(&run->plan, &hunt->knowledge, ST_STRATEGY_STEPS, hunt->options->seed,
                      run->number, hunt->subject.real_time ? ST_CONTROL_REAL_TIME : 0, &none);
    st_suspect_try(suspect, &run->plan);
    return suspect;
}

/* ---- what became of them ---- */

/* A cycle confirms nothing: no block was cut. */
static bool confirms(const struct st_hunt *hunt, const struct st_cause *cause,
                     const struct st_suspect *suspect) {
    const json_t *run = hunt->sightings[cause->sighting].json;
    switch (cause->kind) {
    case ST_FOUND_VIOLATION:
        return st_suspect_is_cut(suspect, cause->shown);
    case ST_FOUND_FAILURE:
        return st_suspect_is_stuck(suspect, json_object_get(run, "stuck"));
    default:
        return false;
    }
}

void st_hunt_compare(struct st_hunt *hunt, bool doubtful_too) {
    for (; hunt->causes_compared < hunt->cause_count; hunt->causes_compared++) {
        const struct st_cause *cause = &hunt->causes[hunt->causes_compared];
        for (size_t i = 0; i < hunt->suspects.count && (doubtful_too || !cause->doubtful); i++) {
            struct st_suspect *suspect = &hunt->suspects.list[i];
            if (suspect->confirmed || !confirms(hunt, cause, suspect))
                continue;
            suspect->confirmed = true;
            suspect->by = cause->kind;
            suspect->key = cause->key;
        }
    }
}

static const struct st_cause *cause_of(const struct st_hunt *hunt,
                                       const struct st_suspect *suspect) {
    for (size_t i = 0; suspect->confirmed && i < hunt->cause_count; i++)
        if (hunt->causes[i].kind == suspect->by && hunt->causes[i].key == suspect->key)
            return &hunt->causes[i];
    return NULL;
}

static void set_confirmation(json_t *object, const struct st_hunt *hunt,
                             const struct st_cause *cause) {
    const struct st_sighting *sighting = &hunt->sightings[cause->sighting];
    const struct st_replay_kept *kept = cause->replay ? &hunt->replays[cause->replay - 1] : NULL;
    json_object_set_new(object, "run", json_integer((json_int_t)sighting->run));
    json_object_set_new(object, "schedule",
                        kept && kept->schedule ? json_string(kept->schedule) : json_null());
    json_object_set_new(object, "outcome", json_string(st_outcome_name(sighting->harm.outcome)));
}

static json_t *make_tried(const struct st_hunt *hunt, const struct st_suspect *suspect) {
    const struct st_cause *cause = cause_of(hunt, suspect);
    json_t *tried = json_deep_copy(suspect->prediction);
    json_t *steps = json_incref(json_array_get(json_object_get(tried, "ways"), 0));
    const char *state = cause                 ? "confirmed"
                        : suspect->impossible ? "cannot happen"
                                              : "not confirmed";
    json_object_del(tried, "ways");
    json_object_del(tried, "impossible");
    json_object_set_new(tried, "steps", steps ? steps : json_array());
    json_object_set_new(tried, "state", json_string(state));
    json_object_set_new(tried, "confirmed",
                        cause                 ? json_true()
                        : suspect->impossible ? json_false()
                                              : json_null());
    json_object_set_new(tried, "tries", json_integer((json_int_t)suspect->tries));
    json_object_set_new(tried, "placed", json_boolean(suspect->way_count > 0));
    if (cause)
        set_confirmation(tried, hunt, cause);
    return tried;
}

json_t *st_hunt_tried(const struct st_hunt *hunt) {
    json_t *list = json_array();
    for (size_t i = 0; i < hunt->suspects.count; i++)
        json_array_append_new(list, make_tried(hunt, &hunt->suspects.list[i]));
    return list;
}
