#include "reference/foresight.h"

#include "reference/ablation.h"
#include "reference/fresh_memory.h"
#include "reference/generate.h"
#include "reference/signals.h"

#include <string.h>

/* ---- what is promised ---- */

#define UNTRIMMED true
#define TRIMMED false
#define CONFLICT .notion = ST_NOTION_CONFLICT
#define VIEW .notion = ST_NOTION_VIEW
#define DATA .relation = ST_DATA
#define PAIRWISE .races = ST_RACES_PAIRWISE
#define DEFAULTS                                                                                   \
    {                                                                                              \
        .reduction = { 0 }                                                                         \
    }

#define WITHOUT_ESCAPE .without = ST_WITHOUT_ESCAPE
#define WITHOUT_ORDER .without = ST_WITHOUT_HAPPEN_BEFORE
#define WITHOUT_BOTH .without = ST_WITHOUT_ESCAPE | ST_WITHOUT_HAPPEN_BEFORE

enum {
    COMMIT_NODE = PROMISE_SOUND | PROMISE_EXACT_FOR_PAIRS,
    ABLATION = PROMISE_NO_FEWER | PROMISE_EXACT_FOR_PAIRS
};

/* Eraser's locksets are a heuristic that forgets the first accesses to a variable, and an online
 * analysis does not know the later events. Both can miss something. */
// clang-format off
const struct setup setups[] = {
    {"reduction", "reduction", PROMISE_SOUND | PROMISE_COMMIT_NODES, {CONFLICT},
     {.reduction = {PAIRWISE}}, TRIMMED, false},
    {"reduction without escape", "reduction", PROMISE_SOUND, {CONFLICT},
     {.reduction = {PAIRWISE, .without = ST_WITHOUT_ESCAPE}}, TRIMMED, false},
    {"reduction without happen-before", "reduction", PROMISE_SOUND, {CONFLICT},
     {.reduction = {PAIRWISE, .without = ST_WITHOUT_HAPPEN_BEFORE}}, TRIMMED, false},
    {"reduction without multilockset", "reduction", PROMISE_NOTHING, {CONFLICT},
     {.reduction = {PAIRWISE, .without = ST_WITHOUT_MULTILOCKSET}}, TRIMMED, false},
    {"reduction without AcqA*Rel", "reduction", PROMISE_SOUND, {CONFLICT},
     {.reduction = {PAIRWISE, .without = ST_WITHOUT_SECTIONS}}, TRIMMED, false},
    {"reduction without re-entrant", "reduction", PROMISE_SOUND, {CONFLICT},
     {.reduction = {PAIRWISE, .without = ST_WITHOUT_REENTRANT}}, TRIMMED, false},
    {"reduction without thread-local", "reduction", PROMISE_SOUND, {CONFLICT},
     {.reduction = {PAIRWISE, .without = ST_WITHOUT_THREAD_LOCAL}}, TRIMMED, false},
    {"reduction without protected", "reduction", PROMISE_SOUND, {CONFLICT},
     {.reduction = {PAIRWISE, .without = ST_WITHOUT_PROTECTED}}, TRIMMED, false},
    {"reduction by variable", "reduction", PROMISE_SOUND | PROMISE_COMMIT_NODES, {CONFLICT},
     {.reduction = {.races = ST_RACES_BY_VARIABLE}}, TRIMMED, false},
    {"reduction multilockset", "reduction", PROMISE_SOUND | PROMISE_COMMIT_NODES, {CONFLICT},
     DEFAULTS, TRIMMED, false},
    {"reduction eraser", "reduction", PROMISE_NOTHING, {CONFLICT},
     {.reduction = {.races = ST_RACES_ERASER}}, TRIMMED, false},
    {"reduction ownership", "reduction", PROMISE_NOTHING, {CONFLICT},
     {.reduction = {.races = ST_RACES_OWNERSHIP}}, TRIMMED, false},
    {"reduction online", "reduction", PROMISE_NOTHING, {CONFLICT},
     {.reduction = {.online = true}}, TRIMMED, false},

    {"blocks 1v", "blocks", PROMISE_SOUND_FOR_ONE_VARIABLE, {VIEW},
     {.blocks = {.one_variable = true}}, TRIMMED, true},
    {"blocks 2v", "blocks", PROMISE_EXACT_FOR_PAIRS, {VIEW}, DEFAULTS, TRIMMED, true},
    {"blocks 2v untrimmed", "blocks", PROMISE_EXACT_FOR_PAIRS, {VIEW}, DEFAULTS, UNTRIMMED, true},
    {"blocks 1v without happen-before", "blocks", PROMISE_NO_FEWER | PROMISE_SOUND_FOR_ONE_VARIABLE,
     {VIEW, WITHOUT_ORDER}, {.blocks = {.one_variable = true}}, TRIMMED, true},
    {"blocks without escape", "blocks", ABLATION, {VIEW, WITHOUT_ESCAPE}, DEFAULTS, TRIMMED, true},
    {"blocks without happen-before", "blocks", ABLATION, {VIEW, WITHOUT_ORDER},
     DEFAULTS, TRIMMED, true},
    {"blocks without both", "blocks", ABLATION, {VIEW, WITHOUT_BOTH}, DEFAULTS, TRIMMED, true},
    {"blocks exact", "blocks", PROMISE_EXACT, {VIEW},
     {.blocks = {.exact = true}}, TRIMMED, true},
    {"blocks exact untrimmed", "blocks", PROMISE_EXACT, {VIEW},
     {.blocks = {.exact = true}}, UNTRIMMED, true},

    {"commit-node conflict", "commit-node", COMMIT_NODE, {CONFLICT}, DEFAULTS, TRIMMED, false},
    {"commit-node view", "commit-node", COMMIT_NODE, {VIEW}, DEFAULTS, TRIMMED, true},
    {"commit-node conflict untrimmed", "commit-node", COMMIT_NODE, {CONFLICT},
     DEFAULTS, UNTRIMMED, false},
    {"commit-node view untrimmed", "commit-node", COMMIT_NODE, {VIEW}, DEFAULTS, UNTRIMMED, true},
    {"commit-node conflict pairwise", "commit-node", PROMISE_EXACT_FOR_PAIRS, {CONFLICT},
     {.commit_node = {.pairwise = true}}, TRIMMED, false},
    {"commit-node view pairwise", "commit-node", PROMISE_EXACT_FOR_PAIRS, {VIEW},
     {.commit_node = {.pairwise = true}}, TRIMMED, true},

    {"reduction, data", "reduction", PROMISE_SOUND | PROMISE_COMMIT_NODES, {CONFLICT, DATA},
     {.reduction = {PAIRWISE}}, TRIMMED, false},
    {"reduction without escape, data", "reduction", PROMISE_SOUND, {CONFLICT, DATA},
     {.reduction = {PAIRWISE, .without = ST_WITHOUT_ESCAPE}}, TRIMMED, false},
    {"reduction without happen-before, data", "reduction", PROMISE_SOUND, {CONFLICT, DATA},
     {.reduction = {PAIRWISE, .without = ST_WITHOUT_HAPPEN_BEFORE}}, TRIMMED, false},
    {"reduction by variable, data", "reduction", PROMISE_SOUND | PROMISE_COMMIT_NODES,
     {CONFLICT, DATA},
     {.reduction = {.races = ST_RACES_BY_VARIABLE}}, TRIMMED, false},
    {"reduction multilockset, data", "reduction", PROMISE_SOUND | PROMISE_COMMIT_NODES,
     {CONFLICT, DATA},
     DEFAULTS, TRIMMED, false},
    {"blocks 1v, data", "blocks", PROMISE_SOUND_FOR_ONE_VARIABLE, {VIEW, DATA},
     {.blocks = {.one_variable = true}}, TRIMMED, true},
    {"blocks 2v, data", "blocks", PROMISE_EXACT_FOR_PAIRS, {VIEW, DATA}, DEFAULTS, TRIMMED, true},
    {"blocks 2v untrimmed, data", "blocks", PROMISE_EXACT_FOR_PAIRS, {VIEW, DATA},
     DEFAULTS, UNTRIMMED, true},
    {"blocks without escape, data", "blocks", ABLATION, {VIEW, DATA, WITHOUT_ESCAPE},
     DEFAULTS, TRIMMED, true},
    {"blocks without happen-before, data", "blocks", ABLATION, {VIEW, DATA, WITHOUT_ORDER},
     DEFAULTS, TRIMMED, true},
    {"blocks exact, data", "blocks", PROMISE_EXACT, {VIEW, DATA},
     {.blocks = {.exact = true}}, TRIMMED, true},
    {"blocks exact untrimmed, data", "blocks", PROMISE_EXACT, {VIEW, DATA},
     {.blocks = {.exact = true}}, UNTRIMMED, true},
    {"commit-node conflict, data", "commit-node", COMMIT_NODE, {CONFLICT, DATA},
     DEFAULTS, TRIMMED, false},
    {"commit-node view, data", "commit-node", COMMIT_NODE, {VIEW, DATA}, DEFAULTS, TRIMMED, true},
    {"commit-node conflict untrimmed, data", "commit-node", COMMIT_NODE, {CONFLICT, DATA},
     DEFAULTS, UNTRIMMED, false},
    {"commit-node view untrimmed, data", "commit-node", COMMIT_NODE, {VIEW, DATA},
     DEFAULTS, UNTRIMMED, true},
    {"commit-node conflict pairwise, data", "commit-node", PROMISE_EXACT_FOR_PAIRS,
     {CONFLICT, DATA},
     {.commit_node = {.pairwise = true}}, TRIMMED, false},
    {"commit-node view pairwise, data", "commit-node", PROMISE_EXACT_FOR_PAIRS, {VIEW, DATA},
     {.commit_node = {.pairwise = true}}, TRIMMED, true},
    {0},
};
// clang-format on

const struct st_predictor *setup_predictor(const struct setup *setup) {
    return st_predictor_find(setup->predictor);
}

/* ---- running ---- */

static void feed(struct st_model *model, const struct sample *sample, struct chance *batches) {
    for (size_t i = 0; i < sample->count;) {
        /* A separate copy for each batch, so that a pointer kept into it is noticed. */
        struct st_event batch[SAMPLE_EVENTS];
        size_t rest = sample->count - i, count = 1 + chance_below(batches, SAMPLE_EVENTS);
        count = count < rest ? count : rest;
        memcpy(batch, &sample->events[i], count * sizeof batch[0]);
        st_model_feed(model, batch, count, i + 1);
        memset(batch, 0xff, sizeof batch);
        i += count;
    }
}

static struct st_run_needs needs_of(const struct setup *setup) {
    const struct st_predictor *predictor = setup_predictor(setup);
    struct st_run_needs needs = {.model = {.keep_repetitions = setup->untrimmed,
                                           .ends_only = predictor->ends_are_enough &&
                                                        setup->options.notion == ST_NOTION_CONFLICT,
                                           .data = setup->options.relation == ST_DATA}};
    if (predictor->prepare)
        predictor->prepare(&setup->options, &setup->own, &needs);
    return needs;
}

static bool observers_are_equal(const struct st_observer_list *one,
                                const struct st_observer_list *other) {
    bool equal = one->count == other->count;
    for (size_t i = 0; equal && i < one->count; i++)
        equal = one->items[i].observer == other->items[i].observer &&
                one->items[i].flags == other->items[i].flags;
    return equal;
}

bool setups_share_model(const struct setup *left, const struct setup *right) {
    struct st_model_options one = needs_of(left).model, other = needs_of(right).model;
    return one.order == other.order && one.keep_shared == other.keep_shared &&
           one.ends_only == other.ends_only && one.keep_repetitions == other.keep_repetitions &&
           one.keep_sequence == other.keep_sequence && one.data == other.data &&
           observers_are_equal(&one.observers, &other.observers);
}

struct st_model *foresight_model(const struct setup *setup, const struct sample *sample,
                                 uint64_t batches) {
    struct chance chance = {batches};
    struct st_run_needs needs = needs_of(setup);
    static struct st_channels kinds; /* the model looks at them as long as it is used */
    st_channels_free(&kinds);
    kinds = (struct st_channels){{0}};
    for (uint32_t channel = 0; channel < SAMPLE_CHANNELS; channel++)
        if (sample->team_channels >> channel & 1)
            st_channels_set(&kinds, channel, (struct st_channel){.kind = ST_TEAM});
    needs.model.channels = &kinds;
    struct st_model *model = st_model_new(&needs.model);
    while (st_model_wants_pass(model)) {
        feed(model, sample, &chance);
        st_model_end_pass(model);
    }
    return model;
}

/* ---- comparing ---- */

const struct atomicity_verdict *setup_expects(const struct setup *setup,
                                              const struct atomicity *atomicity) {
    if (setup->options.relation == ST_DATA)
        return setup->by_view ? &atomicity->data_view : &atomicity->data_conflict;
    return setup->by_view ? &atomicity->view : &atomicity->conflict;
}

static bool has_one_variable(const struct sample *sample) {
    for (size_t i = 0; i < sample->count; i++)
        if (sample->events[i].op <= ST_WRITE && sample->events[i].target > 0)
            return false;
    return true;
}

/* The promises that hold for this sample, as PROMISE_SOUND and PROMISE_EXACT. */
static unsigned promises_for(const struct setup *setup, const struct sample *sample,
                             const struct units *units) {
    unsigned promises = setup->promises & (PROMISE_SOUND | PROMISE_EXACT);
    if (setup->promises & PROMISE_EXACT_FOR_PAIRS && units_are_a_pair(units, sample))
        promises |= PROMISE_EXACT;
    if (setup->promises & PROMISE_SOUND_FOR_ONE_VARIABLE && has_one_variable(sample) &&
        (units_are_nested(sample) || setup->options.relation == ST_DATA))
        promises |= PROMISE_SOUND;
    if (promises & PROMISE_EXACT && !units_are_nested(sample))
        return PROMISE_SOUND;
    return promises;
}

bool foresight_judge(const struct setup *setup, const struct st_prediction *prediction,
                     const struct sample *sample, const struct atomicity *atomicity, char *why) {
    bool is_atomic = setup_expects(setup, atomicity)->atomic;
    unsigned promises = promises_for(setup, sample, &atomicity->units);
    /* No analysis knows all that others cannot know, or all that signals order. */
    bool fresh = fresh_is_marked(sample) || signals_are_there(sample);
    if (promises && fresh)
        promises = PROMISE_SOUND;
    const char *broken = NULL;
    if (is_atomic && !fresh && prediction->by[ST_BLOCK_VIOLATION])
        broken = "a block is certainly violated, it says, but all are atomic";
    else if (!is_atomic && promises && prediction->atomic == ST_SERIALIZABLE)
        broken = "a miss: all are atomic, it says";
    else if (is_atomic && promises & PROMISE_EXACT && prediction->atomic == ST_NOT_SERIALIZABLE)
        broken = "a false alarm";
    else if (promises & PROMISE_EXACT && prediction->atomic == ST_UNDECIDED)
        broken = "it does not decide";
    if (broken)
        snprintf(why, FORESIGHT_TEXT, "%s", broken);
    return !broken;
}

/* Does commit-node accept each block that the prediction accepts? */
static bool commit_nodes_agree(const struct st_model *model, const struct st_prediction *accepted) {
    const struct st_predict_options options = {0};
    const struct st_commit_node_options own = {0};
    struct st_prediction nodes;
    bool agree = true;
    st_prediction_init(&nodes);
    st_commit_node.run(&(struct st_run){.model = model}, &options, &own, &nodes);
    for (size_t i = 0; i < accepted->listed; i++)
        agree &= st_is_reported(&accepted->blocks[i]) || !st_is_reported(&nodes.blocks[i]);
    st_prediction_free(&nodes);
    return agree;
}

static void run_predictor(const struct setup *setup, const struct st_model *model,
                          const struct sample *sample, struct st_prediction *prediction) {
    const struct st_run run = {
        .model = model, .events = sample->events, .event_count = sample->count};
    st_prediction_init(prediction);
    setup_predictor(setup)->run(&run, &setup->options, &setup->own, prediction);
}

/* Does it report the block of another thread that comes in between? */
static bool reports_what_comes_between(const struct st_prediction *prediction,
                                       const struct st_predicted_block *cut) {
    for (size_t i = 0; i < prediction->listed; i++) {
        const struct st_predicted_block *block = &prediction->blocks[i];
        for (size_t k = 0; k < cut->event_count && st_is_reported(block); k++) {
            const struct st_place *place = &cut->events[k];
            if (place->event.thread != cut->thread && place->event.thread == block->thread &&
                place->number > block->begin && (!block->end || place->number < block->end))
                return true;
        }
    }
    return false;
}

/* Does it report each block that the same analysis reports with all that it knows? If accesses to
 * fresh memory count, a read after one of them is no initial read any more, and pairs of accesses
 * that it was in are none. Then the block that came in between is cut itself. */
static bool reports_no_fewer(const struct setup *setup, const struct st_model *model,
                             const struct sample *sample, const struct st_prediction *prediction) {
    struct setup complete = *setup;
    struct st_prediction all;
    complete.options.without = 0;
    run_predictor(&complete, model, sample, &all);
    bool fewer = all.listed != prediction->listed;
    for (size_t i = 0; !fewer && i < all.listed; i++)
        fewer = all.blocks[i].begin != prediction->blocks[i].begin ||
                (st_is_reported(&all.blocks[i]) && !st_is_reported(&prediction->blocks[i]) &&
                 !(setup->options.without & ST_WITHOUT_ESCAPE &&
                   reports_what_comes_between(prediction, &all.blocks[i])));
    st_prediction_free(&all);
    return !fewer;
}

/* Does it find what is to be found without what it does without? */
static bool judge_ablation(const struct setup *setup, const struct st_model *model,
                           const struct sample *sample, const struct st_prediction *prediction,
                           char *why) {
    struct atomicity atomicity = {.decided = false};
    struct sample bare;
    if (!reports_no_fewer(setup, model, sample, prediction)) {
        snprintf(why, FORESIGHT_TEXT, "it reports fewer blocks than with all that it knows");
        return false;
    }
    ablation_find(&atomicity.units, &bare, sample, setup->options.without);
    if (!promises_for(setup, &bare, &atomicity.units))
        return true;
    atomicity_check_units(&atomicity, &bare, ATOMICITY_STATES);
    return !atomicity.decided || atomicity.deadlock ||
           foresight_judge(setup, prediction, &bare, &atomicity, why);
}

bool foresight_compare(const struct setup *setup, const struct st_model *model,
                       const struct sample *sample, const struct atomicity *atomicity,
                       enum st_verdict *atomic, char *why) {
    struct st_prediction prediction;
    run_predictor(setup, model, sample, &prediction);
    *atomic = prediction.atomic;
    bool kept = setup->promises & PROMISE_NO_FEWER
                    ? judge_ablation(setup, model, sample, &prediction, why)
                    : foresight_judge(setup, &prediction, sample, atomicity, why);
    /* Order inside units costs commit nodes more than movers. */
    bool nodes = setup->promises & PROMISE_COMMIT_NODES && !signals_are_there(sample);
    if (kept && nodes && !commit_nodes_agree(model, &prediction)) {
        snprintf(why, FORESIGHT_TEXT, "it accepts a block that commit-node reports (Theorem 6.1)");
        kept = false;
    }
    st_prediction_free(&prediction);
    return kept;
}
