/* The JSON of `seriatim predict`: the contract "seriatim-predict/1". Fields may be added, never
 * changed or taken away. */
#include "report/predicted_violation.h"
#include "report/json/json_report.h"
#include "base/output.h"
#include "report/json/json_parts.h"
#include "report/json/page_choice.h"
#include "report/triage/finding_groups.h"
#include "report/calls.h"

#include <stdlib.h>

static void write_places(const struct st_report *report, const char *key,
                         const struct st_place *places, size_t count, struct st_json *json) {
    st_json_key(json, key);
    st_json_array(json);
    for (size_t i = 0; i < count; i++)
        st_write_place(report, &places[i], json);
    st_json_array_end(json);
}

/* ---- Blocks ---- */

static void write_variables(const struct st_report *report, const struct st_predicted_block *block,
                            struct st_json *json) {
    st_json_key(json, "on");
    st_json_flat_array(json);
    for (size_t i = 0; i < block->variable_count; i++)
        st_json_string(json, st_target_name(report->symbols, ST_READ, block->variables[i]));
    st_json_array_end(json);
}

static void write_event_numbers(const struct st_predicted_block *block, struct st_json *json) {
    st_json_key(json, "events");
    st_json_flat_array(json);
    for (size_t i = 0; i < block->event_count; i++)
        st_json_number(json, block->events[i].number);
    st_json_array_end(json);
    if (block->events_of)
        st_json_number_field(json, "events_of", block->events_of);
    if (block->replayed)
        st_json_number_field(json, "replayed", block->replayed);
    st_json_key(json, "witness");
    st_json_flat_array(json);
    for (size_t i = 0; i < block->witness_length && !json->in_page; i++)
        st_json_number(json, block->witness[i]);
    st_json_array_end(json);
}

/* What reads see that do not see what they saw; left out where all do. */
static void write_broken_reads(const struct st_predicted_block *block, struct st_json *json) {
    if (!block->broken_count)
        return;
    st_json_key(json, "broken_reads");
    st_json_array(json);
    for (size_t i = 0; i < block->broken_count; i++) {
        st_json_flat_object(json);
        st_json_number_field(json, "event", block->broken[i].event);
        if (block->broken[i].sees != ST_UNKNOWN_WRITE)
            st_write_event_number(json, "sees", block->broken[i].sees);
        st_write_event_number(json, "saw", block->broken[i].saw);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_left_out(const struct st_report *report, const struct st_predicted_block *block,
                           struct st_json *json) {
    if (!block->left_out_count)
        return;
    st_json_key(json, "left_out");
    st_json_array(json);
    for (size_t i = 0; i < block->left_out_count; i++) {
        const struct st_left_out *part = &block->left_out[i];
        st_json_flat_object(json);
        st_write_event_number(json, "before", part->before);
        st_json_string_field(json, "thread", st_name(&report->symbols->threads, part->thread));
        st_json_number_field(json, "events", part->count);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

/* All that there is to say of a block that is reported. */
static void write_finding(const struct st_report *report, const struct st_prediction *prediction,
                          const struct st_predicted_group *group, struct st_json *json) {
    const struct st_predicted_block *block = group->block;
    struct st_mark mark =
        st_predicted_mark(report, prediction, (size_t)(block - prediction->blocks));
    struct st_story story = st_predicted_story(report, prediction, group);
    struct st_place begin = st_begin_place(&(struct st_violation){.block = block->block,
                                                                  .thread = block->thread,
                                                                  .begin_loc = block->begin_loc,
                                                                  .begin = block->begin});
    st_json_string_field(json, "fingerprint", st_predicted_fingerprint(report, block).text);
    if (block->gap)
        st_write_gap(block->gap, json);
    st_write_mark(report, mark, "", json);
    st_json_maybe_string_field(json, "why", block->why);
    st_json_key(json, "entry");
    st_write_place(report, &begin, json);
    write_places(report, "steps", block->events, block->event_count, json);
    st_write_path(report, block->path, block->path_length, json);
    if (block->node_count)
        write_places(report, "commit_nodes", block->nodes, block->node_count, json);
    if (block->around_count) {
        st_json_key(json, "around");
        st_json_flat_array(json);
        for (size_t i = 0; i < block->around_count; i++)
            st_json_string(json, st_target_name(report->symbols, ST_BEGIN, block->around[i]));
        st_json_array_end(json);
    }
    if (block->cut_inside)
        st_json_bool_field(json, "cut_inside", true);
    write_broken_reads(block, json);
    write_places(report, "schedule", block->schedule, block->schedule_length, json);
    write_left_out(report, block, json);
    st_json_key(json, "story");
    st_write_story(&story, json);
    st_story_free(&story);
}

static void write_block(const struct st_report *report, const struct st_prediction *prediction,
                        const struct st_predicted_group *group, struct st_json *json) {
    const struct st_predicted_block *block = group->block;
    const struct st_symbols *symbols = report->symbols;
    char buffer[ST_LOCATION_SIZE];
    if (st_is_reported(block))
        st_json_object(json);
    else
        st_json_flat_object(json);
    st_json_string_field(json, "block", st_target_name(symbols, ST_BEGIN, block->block));
    st_json_string_field(json, "thread", st_name(&symbols->threads, block->thread));
    st_json_number_field(json, "begin", block->begin);
    st_write_event_number(json, "end", block->end);
    st_json_string_field(json, "begin_loc",
                         st_user_location(symbols, report->details, block->begin_loc, buffer));
    if (prediction->deepest)
        st_json_number_field(json, "depth", block->depth);
    st_json_string_field(json, "verdict", st_block_verdict_name(block->verdict));
    st_json_maybe_string_field(json, "pattern", block->pattern);
    write_variables(report, block, json);
    write_event_numbers(block, json);
    if (st_is_reported(block))
        write_finding(report, prediction, group, json);
    st_json_object_end(json);
}

/* A prediction that is being written. */
struct block_listing {
    const struct st_report *report;
    const struct st_prediction *prediction;
    const struct st_predicted_groups *groups;
};

static void write_listed(void *context, size_t item, struct st_json *json) {
    const struct block_listing *listing = context;
    write_block(listing->report, listing->prediction, &listing->groups->by_block[item], json);
}

/* A page shows what is reported, and blocks inside others in place of those. */
static bool is_for_page(const struct st_predicted_block *block) {
    return st_is_reported(block) && !block->cut_inside;
}

static char *block_key(const struct block_listing *listing,
                       const struct st_predicted_block *block) {
    struct st_mark mark = st_predicted_mark(listing->report, listing->prediction,
                                            (size_t)(block - listing->prediction->blocks));
    struct st_text_buffer buffer;
    fprintf(st_text_buffer_open(&buffer), "%d %s", (int)mark.state,
            st_predicted_fingerprint(listing->report, block).text);
    return st_text_buffer_close(&buffer);
}

/* The blocks that a page has room for. */
static void choose_blocks(struct st_page_choice *choice, struct block_listing *listing,
                          const struct st_json *json) {
    const struct st_prediction *prediction = listing->prediction;
    st_page_choice_init(choice, prediction->listed);
    if (!json->in_page)
        return;
    for (size_t i = 0; i < listing->groups->count; i++) {
        char *key = block_key(listing, listing->groups->items[i].block);
        st_page_choice_rank(choice, key);
        free(key);
    }
    for (size_t i = 0; i < prediction->listed; i++) {
        const struct st_predicted_block *block = &prediction->blocks[i];
        char *key = is_for_page(block) ? block_key(listing, block) : NULL;
        st_page_choice_add(choice, i, key ? key : "", listing->groups->by_block[i].count > 0);
        choice->skipped[i] = !key;
        free(key);
    }
    st_page_choose(choice, json, write_listed, listing);
}

static void write_blocks(const struct st_report *report, const struct st_prediction *prediction,
                         const struct st_predicted_groups *groups, struct st_json *json) {
    st_json_number_field(json, "block_count", prediction->block_count);
    if (prediction->deepest)
        st_json_number_field(json, "deepest_judged", prediction->deepest);
    st_json_key(json, "verdicts");
    st_json_flat_object(json);
    for (enum st_block_verdict verdict = 0; verdict <= ST_BLOCK_VIOLATION; verdict++)
        st_json_number_field(json, st_block_verdict_name(verdict), prediction->by[verdict]);
    st_json_object_end(json);
    if (prediction->checks_statically)
        st_json_number_field(json, "static_proofs", prediction->static_proofs);
    struct block_listing listing = {report, prediction, groups};
    struct st_page_choice choice;
    choose_blocks(&choice, &listing, json);
    st_json_key(json, "blocks");
    st_json_array(json);
    for (size_t i = 0; i < prediction->listed; i++)
        if (choice.chosen[i])
            write_listed(&listing, i, json);
    st_json_array_end(json);
    st_write_left_out_of_page(&choice, json);
    st_page_choice_free(&choice);
}

static void write_names(const struct st_predicted_groups *groups, struct st_json *json) {
    st_json_key(json, "names");
    st_json_array(json);
    for (size_t i = 0; i < groups->row_count && !(json->in_page && i == ST_PAGE_ROWS); i++) {
        st_json_flat_object(json);
        st_json_string_field(json, "name", groups->rows[i].name);
        st_json_number_field(json, "executed", groups->rows[i].executed);
        st_json_number_field(json, "reported", groups->rows[i].violated);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

/* ---- Races and deadlocks ---- */

static void write_race(const struct st_report *report, const struct st_predicted_race *race,
                       size_t count, struct st_json *json) {
    struct st_story story = st_race_story(report, race, count);
    st_json_flat_object(json);
    st_json_string_field(json, "on", st_target_name(report->symbols, ST_READ, race->variable));
    if (race->suspected)
        st_json_bool_field(json, "suspected", true);
    st_json_key(json, "first");
    st_write_place(report, &race->first, json);
    st_json_key(json, "second");
    st_write_place(report, &race->second, json);
    st_json_key(json, "story");
    st_write_story(&story, json);
    st_json_object_end(json);
    st_story_free(&story);
}

/* Groups are in the order of the races that stand for them. */
static void write_races(const struct st_report *report, const struct st_prediction *prediction,
                        struct st_json *json) {
    size_t group_count, next = 0;
    st_json_key(json, "races");
    if (!prediction->finds_races) {
        st_json_null(json);
        return;
    }
    struct st_race_group *groups = st_group_races(report, prediction, &group_count);
    st_json_array(json);
    for (size_t i = 0; i < prediction->race_count && !(json->in_page && i == ST_PAGE_RACES); i++) {
        bool first = next < group_count && groups[next].race == &prediction->races[i];
        write_race(report, &prediction->races[i], first ? groups[next++].count : 0, json);
    }
    st_json_array_end(json);
    free(groups);
}

static void write_deadlock(const struct st_report *report,
                           const struct st_predicted_deadlock *deadlock, struct st_json *json) {
    st_json_array(json);
    for (size_t i = 0; i < deadlock->count; i++) {
        st_json_flat_object(json);
        st_json_key(json, "holds");
        st_write_place(report, &deadlock->waits[i].holds, json);
        st_json_key(json, "wants");
        st_write_place(report, &deadlock->waits[i].wants, json);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_deadlock_potential(const struct st_predictions *predictions,
                                     struct st_json *json) {
    st_json_key(json, "deadlock_potential");
    if (predictions->deadlocks_sought)
        st_json_bool(json, predictions->deadlock_count);
    else
        st_json_null(json);
}

static void write_deadlock_stories(const struct st_report *report, struct st_json *json) {
    const struct st_predictions *predictions = report->predictions;
    st_json_key(json, "deadlock_stories");
    st_json_array(json);
    for (size_t i = 0; i < predictions->deadlock_count; i++) {
        struct st_story story = st_deadlock_story(report, &predictions->deadlocks[i]);
        st_write_story(&story, json);
        st_story_free(&story);
    }
    st_json_array_end(json);
}

static void write_deadlocks(const struct st_report *report, struct st_json *json) {
    const struct st_predictions *predictions = report->predictions;
    st_json_key(json, "deadlocks");
    st_json_array(json);
    for (size_t i = 0; i < predictions->deadlock_count; i++)
        write_deadlock(report, &predictions->deadlocks[i], json);
    st_json_array_end(json);
    write_deadlock_stories(report, json);
    if (predictions->more_deadlocks)
        st_json_bool_field(json, "more_deadlocks", true);
}

/* ---- A prediction ---- */

static void write_atomic(enum st_verdict atomic, struct st_json *json) {
    st_json_key(json, "atomic");
    if (atomic == ST_UNDECIDED)
        st_json_null(json);
    else
        st_json_bool(json, atomic == ST_SERIALIZABLE);
}

static void write_caveats(const struct st_prediction *prediction, struct st_json *json) {
    st_json_key(json, "caveats");
    st_json_array(json);
    for (size_t i = 0; i < prediction->caveat_count; i++)
        st_json_string(json, prediction->caveats[i]);
    st_json_array_end(json);
}

static void write_tiers(const struct st_prediction *prediction, struct st_json *json) {
    if (!prediction->in_tiers)
        return;
    st_json_key(json, "tiers");
    st_json_array(json);
    for (size_t i = 0; i < ST_TIERS; i++) {
        const struct st_tier *tier = &st_tiers_promise[i];
        st_json_flat_object(json);
        st_json_string_field(json, "tier", tier->name);
        st_json_number_field(json, "blocks", prediction->by[tier->verdict]);
        st_json_string_field(json, "means", tier->means);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_cost(const struct st_prediction *prediction, struct st_json *json) {
    st_json_key(json, "seconds");
    st_json_real(json, prediction->seconds);
    if (!prediction->storage_unit)
        return;
    st_json_number_field(json, "storage", prediction->storage);
    st_json_string_field(json, "storage_unit", prediction->storage_unit);
}

/* A finding in a line, as text reports begin with. */
static void write_overview(const struct st_report *report, const struct st_predicted_group *group,
                           struct st_json *json) {
    struct st_overview line = st_predicted_overview(report, group);
    st_json_object(json);
    st_json_number_field(json, "rank", line.rank);
    st_json_string_field(json, "verdict", st_block_verdict_name(group->block->verdict));
    st_json_string_field(json, "function", line.function);
    st_json_string_field(json, "what", line.subject);
    st_json_string_field(json, "reported", line.frequency);
    st_json_string_field(json, "look_at", line.place);
    st_json_string_field(json, "state", st_state_name(group->state));
    st_json_string_field(json, "fingerprint", st_predicted_fingerprint(report, group->block).text);
    st_json_number_field(json, "count", group->count);
    st_json_number_field(json, "begin", group->block->begin);
    st_json_object_end(json);
    st_overview_free(&line);
}

/* The page has a list of its own. */
static void write_overviews(const struct st_report *report,
                            const struct st_predicted_groups *groups, struct st_json *json) {
    if (json->in_page)
        return;
    st_json_key(json, "findings");
    st_json_array(json);
    for (size_t i = 0; i < groups->count; i++)
        write_overview(report, &groups->items[i], json);
    st_json_array_end(json);
}

static void write_prediction(const struct st_report *report, size_t index, struct st_json *json) {
    const struct st_prediction *prediction = &report->predictions->items[index];
    bool alone = report->kind == ST_REPORT_PREDICTION;
    struct st_predicted_groups groups = st_group_predictions(report, prediction);
    st_json_object(json);
    st_json_string_field(json, "schema", ST_PREDICT_SCHEMA);
    st_json_string_field(json, "engine", prediction->engine);
    st_json_maybe_string_field(json, "notion", prediction->notion);
    st_json_maybe_string_field(json, "method", prediction->method);
    st_write_trace(report, json);
    struct st_summary summary = st_prediction_summary(report, prediction);
    st_json_string_field(json, "summary", summary.text);
    free(summary.text);
    write_atomic(prediction->atomic, json);
    write_tiers(prediction, json);
    write_deadlock_potential(report->predictions, json);
    write_blocks(report, prediction, &groups, json);
    if (report->triage)
        st_write_states(&report->triage->marks[index], json);
    if (alone)
        st_write_triage(report, json);
    write_names(&groups, json);
    write_overviews(report, &groups, json);
    write_races(report, prediction, json);
    if (alone)
        write_deadlocks(report, json);
    write_caveats(prediction, json);
    st_json_key(json, "may_miss");
    st_json_bool(json, prediction->may_miss);
    if (prediction->unproven)
        st_json_number_field(json, "unproven", prediction->unproven);
    if (prediction->stopped) {
        st_json_key(json, "stopped");
        st_json_bool(json, true);
    }
    st_write_repairs(report->repairs, json);
    write_cost(prediction, json);
    st_json_object_end(json);
    st_predicted_groups_free(&groups);
}

void st_prediction_json_value(const struct st_report *report, struct st_json *json) {
    write_prediction(report, 0, json);
}

void st_prediction_comparison_json_value(const struct st_report *report, struct st_json *json) {
    st_json_object(json);
    st_json_string_field(json, "schema", ST_PREDICT_SCHEMA);
    st_write_trace(report, json);
    write_deadlock_potential(report->predictions, json);
    write_deadlocks(report, json);
    st_write_triage(report, json);
    st_json_key(json, "engines");
    st_json_array(json);
    json->room /= report->predictions->count + !report->predictions->count;
    for (size_t i = 0; i < report->predictions->count; i++)
        write_prediction(report, i, json);
    st_json_array_end(json);
    st_json_object_end(json);
}
