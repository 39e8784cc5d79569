/* What could happen in other schedules, as results of SARIF. */
#include "base/memory.h"
#include "report/story/foreseen.h"
#include "report/json/json_fields.h"
#include "report/text/predict_story.h"
#include "report/sarif/sarif_results.h"

#include <stdlib.h>

/* ---- Blocks ---- */

static void put_locations(struct st_sarif *sarif, const struct st_violation *violation) {
    char *deed = st_sarif_deed(sarif, &violation->event);
    st_json_key(&sarif->json, "locations");
    st_json_array(&sarif->json);
    st_sarif_block_location(sarif, violation, deed);
    st_json_array_end(&sarif->json);
    free(deed);
}

/* All steps. Two of them may be alike but for their numbers, which the standard does not allow. */
static void put_related(struct st_sarif *sarif, const struct st_place *steps, size_t count) {
    char message[32];
    st_json_key(&sarif->json, "relatedLocations");
    st_json_array(&sarif->json);
    for (size_t i = 0; i < count; i++) {
        snprintf(message, sizeof message, "step %zu", i + 1);
        st_sarif_related(sarif, &steps[i], message);
    }
    st_json_array_end(&sarif->json);
}

/* "f may be cut, ...: R-W-R on x. Because ..." */
static char *make_sentence(const struct st_sarif *sarif, const struct st_foreseen *block,
                           const char *notion) {
    struct st_text_buffer buffer;
    struct st_text text = st_sarif_text(sarif, &buffer);
    st_say_foreseen(&text, block, notion);
    fputc('.', text.file);
    if (block->why) {
        fputc(' ', text.file);
        st_say_sentence(&text, block->why);
    }
    return st_text_buffer_close(&buffer);
}

static void put_properties(struct st_sarif *sarif, const struct st_foreseen *block) {
    st_json_key(&sarif->json, "properties");
    st_json_flat_object(&sarif->json);
    string_field(&sarif->json, "verdict", st_foresight_name(block->foresight));
    if (block->pattern)
        string_field(&sarif->json, "pattern", block->pattern);
    st_json_object_end(&sarif->json);
}

static void put_block(struct st_sarif *sarif, const struct st_prediction *prediction,
                      const struct st_forecast *forecast) {
    const struct st_foreseen *block = forecast->block;
    size_t count;
    struct st_place *steps = st_foreseen_steps(block, &count);
    struct st_violation violation = st_foreseen_violation(block);
    st_sarif_result(sarif, block->foresight == ST_FORESEEN_VIOLATION ? ST_RULE_FORESEEN
                                                                     : ST_RULE_POTENTIAL);
    put_locations(sarif, &violation);
    put_related(sarif, steps, count);
    st_sarif_code_flow(sarif, steps, count, block->thread);
    st_sarif_sentence(sarif, make_sentence(sarif, block, prediction->notion), steps, count);
    st_sarif_fingerprint(sarif, st_foreseen_fingerprint(sarif->report, block));
    number_field(&sarif->json, "occurrenceCount", forecast->count);
    st_sarif_mark(
        sarif, st_foreseen_mark(sarif->report, prediction, (size_t)(block - prediction->blocks)));
    put_properties(sarif, block);
    st_json_object_end(&sarif->json);
    free(violation.path);
    free(steps);
}

static void put_blocks(struct st_sarif *sarif, const struct st_prediction *prediction) {
    size_t count;
    struct st_block_row *rows = st_rank_foreseen(sarif->report, prediction, &count);
    for (enum st_state state = 0; state < ST_STATES; state++) {
        struct st_forecasts forecasts =
            st_forecasts_make(sarif->report, prediction, state, rows, count);
        for (size_t i = 0; i < forecasts.count; i++)
            put_block(sarif, prediction, &forecasts.items[i]);
        st_forecasts_free(&forecasts);
    }
    free(rows);
}

/* ---- Races and deadlocks ---- */

/* A result that is about all of these steps alike. */
static void put_steps(struct st_sarif *sarif, enum st_sarif_rule rule, char *sentence,
                      const struct st_place *steps, size_t count, size_t occurrences) {
    st_sarif_result(sarif, rule);
    st_json_key(&sarif->json, "locations");
    st_json_array(&sarif->json);
    char *deed = st_sarif_deed(sarif, &steps[0]);
    st_sarif_location(sarif, &steps[0], deed);
    free(deed);
    st_json_array_end(&sarif->json);
    put_related(sarif, steps, count);
    st_sarif_code_flow(sarif, steps, count, steps[0].event.thread);
    st_sarif_sentence(sarif, sentence, steps, count);
    st_sarif_fingerprint(sarif, st_steps_fingerprint(sarif->report, steps, count));
    number_field(&sarif->json, "occurrenceCount", occurrences);
    st_sarif_mark(sarif, (struct st_mark){.state = ST_NEW});
    st_json_object_end(&sarif->json);
}

static void put_race(struct st_sarif *sarif, const struct st_race_place *place) {
    const struct st_place steps[] = {place->race->first, place->race->second};
    struct st_text_buffer buffer;
    struct st_text text = st_sarif_text(sarif, &buffer);
    st_say_race(&text, place->race);
    fputc('.', text.file);
    put_steps(sarif, ST_RULE_RACE, st_text_buffer_close(&buffer), steps, 2, place->count);
}

static void put_races(struct st_sarif *sarif, const struct st_prediction *prediction) {
    size_t count;
    struct st_race_place *places = st_race_places(sarif->report, prediction, &count);
    for (size_t i = 0; i < count; i++)
        put_race(sarif, &places[i]);
    free(places);
}

static void put_deadlock(struct st_sarif *sarif, const struct st_foreseen_deadlock *deadlock) {
    struct st_place *steps = st_alloc(2 * deadlock->count, sizeof *steps);
    struct st_text_buffer buffer;
    struct st_text text = st_sarif_text(sarif, &buffer);
    st_say_deadlock(&text, deadlock);
    fputc('.', text.file);
    for (size_t i = 0; i < deadlock->count; i++) { /* all have taken a lock before anyone waits */
        steps[i] = deadlock->waits[i].holds;
        steps[deadlock->count + i] = deadlock->waits[i].wants;
    }
    put_steps(sarif, ST_RULE_DEADLOCK, st_text_buffer_close(&buffer), steps, 2 * deadlock->count,
              1);
    free(steps);
}

void st_sarif_prediction(struct st_sarif *sarif, const struct st_prediction *prediction) {
    const struct st_predictions *all = sarif->report->predictions;
    put_blocks(sarif, prediction);
    put_races(sarif, prediction);
    for (size_t i = 0; prediction == all->items && i < all->deadlock_count; i++)
        put_deadlock(sarif, &all->deadlocks[i]);
}
