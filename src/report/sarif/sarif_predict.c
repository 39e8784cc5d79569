/* What could happen in other schedules, as results of SARIF. */
#include "base/memory.h"
#include "report/predicted_violation.h"
#include "report/json/json_fields.h"
#include "report/sarif/sarif_results.h"
#include "report/triage/finding_groups.h"

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

static void put_properties(struct st_sarif *sarif, const struct st_foreseen *block) {
    st_json_key(&sarif->json, "properties");
    st_json_flat_object(&sarif->json);
    string_field(&sarif->json, "verdict", st_foresight_name(block->foresight));
    if (block->pattern)
        string_field(&sarif->json, "pattern", block->pattern);
    st_json_object_end(&sarif->json);
}

static void put_block(struct st_sarif *sarif, const struct st_prediction *prediction,
                      const struct st_predicted_group *group) {
    const struct st_foreseen *block = group->block;
    struct st_story story = st_predicted_story(sarif->report, prediction, group);
    size_t count;
    struct st_place *steps = st_foreseen_steps(block, &count);
    struct st_violation violation = st_foreseen_violation(block);
    st_sarif_result(sarif, block->foresight == ST_FORESEEN_VIOLATION ? ST_RULE_FORESEEN
                                                                     : ST_RULE_POTENTIAL);
    put_locations(sarif, &violation);
    put_related(sarif, steps, count);
    st_sarif_code_flow(sarif, steps, count, block->thread);
    st_sarif_sentence(sarif, st_sarif_words(&story), steps, count);
    st_story_free(&story);
    st_sarif_fingerprint(sarif, st_foreseen_fingerprint(sarif->report, block));
    number_field(&sarif->json, "occurrenceCount", group->count);
    st_sarif_mark(
        sarif, st_foreseen_mark(sarif->report, prediction, (size_t)(block - prediction->blocks)));
    put_properties(sarif, block);
    st_json_object_end(&sarif->json);
    free(violation.path);
    free(steps);
}

static void put_blocks(struct st_sarif *sarif, const struct st_prediction *prediction) {
    struct st_predicted_groups groups = st_group_predictions(sarif->report, prediction);
    for (size_t i = 0; i < groups.count; i++)
        put_block(sarif, prediction, &groups.items[i]);
    st_predicted_groups_free(&groups);
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

static void put_race(struct st_sarif *sarif, const struct st_race_group *group) {
    const struct st_place steps[] = {group->race->first, group->race->second};
    struct st_story story = st_race_story(sarif->report, group->race, group->count);
    put_steps(sarif, ST_RULE_RACE, st_sarif_words(&story), steps, 2, group->count);
    st_story_free(&story);
}

static void put_races(struct st_sarif *sarif, const struct st_prediction *prediction) {
    size_t count;
    struct st_race_group *groups = st_group_races(sarif->report, prediction, &count);
    for (size_t i = 0; i < count; i++)
        put_race(sarif, &groups[i]);
    free(groups);
}

static void put_deadlock(struct st_sarif *sarif, const struct st_foreseen_deadlock *deadlock) {
    struct st_place *steps = st_alloc(2 * deadlock->count, sizeof *steps);
    struct st_story story = st_deadlock_story(sarif->report, deadlock);
    for (size_t i = 0; i < story.steps.count; i++)
        steps[i] = story.steps.items[i].place;
    put_steps(sarif, ST_RULE_DEADLOCK, st_sarif_words(&story), steps, story.steps.count, 1);
    st_story_free(&story);
    free(steps);
}

void st_sarif_prediction(struct st_sarif *sarif, const struct st_prediction *prediction) {
    const struct st_predictions *all = sarif->report->predictions;
    put_blocks(sarif, prediction);
    put_races(sarif, prediction);
    for (size_t i = 0; prediction == all->items && i < all->deadlock_count; i++)
        put_deadlock(sarif, &all->deadlocks[i]);
}
