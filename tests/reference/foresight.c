#include "reference/foresight.h"

#include "predict/model.h"
#include "reference/generate.h"

#include <string.h>

/* While analyses are still being written, a missing one must not keep the others from being
 * compared: these are NULL then. */
#pragma weak st_predictors
#pragma weak st_model_new
#pragma weak st_model_wants_pass
#pragma weak st_model_feed
#pragma weak st_model_end_pass
#pragma weak st_model_free

/* ---- what is promised ---- */

#define REDUCTION(suffix, promised, ...)                                                           \
    {                                                                                              \
        "reduction" suffix, "reduction", promised, {.notion = ST_NOTION_CONFLICT, __VA_ARGS__},    \
            false                                                                                  \
    }
#define BLOCKS(suffix, promised, ...)                                                              \
    { "blocks" suffix, "blocks", promised, {.notion = ST_NOTION_VIEW, __VA_ARGS__}, true }
#define COMMIT_NODE(suffix, promised, ...)                                                         \
    {"commit-node conflict" suffix,                                                                \
     "commit-node",                                                                                \
     promised,                                                                                     \
     {.notion = ST_NOTION_CONFLICT, __VA_ARGS__},                                                  \
     false},                                                                                       \
    {                                                                                              \
        "commit-node view" suffix, "commit-node", promised,                                        \
            {.notion = ST_NOTION_VIEW, __VA_ARGS__}, true                                          \
    }

/* Eraser's locksets are a heuristic, which forgets the first accesses to a variable, and an online
 * analysis does not know the events to come: both can miss something. */
const struct setup setups[] = {
    REDUCTION("", PROMISE_SOUND, .online = false),
    REDUCTION(" without escape", PROMISE_SOUND, .without = ST_WITHOUT_ESCAPE),
    REDUCTION(" without happen-before", PROMISE_SOUND, .without = ST_WITHOUT_HAPPEN_BEFORE),
    REDUCTION(" without multilockset", PROMISE_NOTHING, .without = ST_WITHOUT_MULTILOCKSET),
    REDUCTION(" without AcqA*Rel", PROMISE_SOUND, .without = ST_WITHOUT_SECTIONS),
    REDUCTION(" without re-entrant", PROMISE_SOUND, .without = ST_WITHOUT_REENTRANT),
    REDUCTION(" without thread-local", PROMISE_SOUND, .without = ST_WITHOUT_THREAD_LOCAL),
    REDUCTION(" without protected", PROMISE_SOUND, .without = ST_WITHOUT_PROTECTED),
    REDUCTION(" multilockset", PROMISE_SOUND, .races = ST_RACES_MULTILOCKSET),
    REDUCTION(" eraser", PROMISE_NOTHING, .races = ST_RACES_ERASER),
    REDUCTION(" ownership", PROMISE_NOTHING, .races = ST_RACES_OWNERSHIP),
    REDUCTION(" online", PROMISE_NOTHING, .online = true),
    BLOCKS(" 1v", PROMISE_SOUND_FOR_ONE_VARIABLE, .depth = ST_BLOCKS_1V),
    BLOCKS(" 2v", PROMISE_EXACT_FOR_PAIRS, .depth = ST_BLOCKS_2V),
    BLOCKS(" exact", PROMISE_EXACT, .depth = ST_BLOCKS_EXACT),
    COMMIT_NODE("", PROMISE_SOUND | PROMISE_EXACT_FOR_PAIRS, .pairwise = false),
    COMMIT_NODE(" pairwise", PROMISE_EXACT_FOR_PAIRS, .pairwise = true),
    {0},
};

const struct st_predictor *setup_predictor(const struct setup *setup) {
    if (!st_predictors || !st_model_new)
        return NULL;
    for (const struct st_predictor *const *predictor = st_predictors; *predictor; predictor++)
        if (strcmp((*predictor)->name, setup->predictor) == 0)
            return *predictor;
    return NULL;
}

/* ---- running ---- */

static void feed(struct st_model *model, const struct sample *sample, struct chance *batches) {
    for (size_t i = 0; i < sample->count;) {
        /* A copy of its own for each batch, so that no pointer into it can be kept unnoticed. */
        struct st_event batch[SAMPLE_EVENTS];
        size_t rest = sample->count - i, count = 1 + chance_below(batches, SAMPLE_EVENTS);
        count = count < rest ? count : rest;
        memcpy(batch, &sample->events[i], count * sizeof batch[0]);
        st_model_feed(model, batch, count, i + 1);
        memset(batch, 0xff, sizeof batch);
        i += count;
    }
}

struct st_model *foresight_model(const struct sample *sample, uint64_t batches) {
    struct chance chance = {batches};
    struct st_model *model = st_model_new(&(struct st_model_options){.order = ST_MODEL_BARRIERS});
    while (st_model_wants_pass(model)) {
        feed(model, sample, &chance);
        st_model_end_pass(model);
    }
    return model;
}

/* ---- comparing ---- */

const struct atomicity_verdict *setup_expects(const struct setup *setup,
                                              const struct atomicity *atomicity) {
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
    if (setup->promises & PROMISE_SOUND_FOR_ONE_VARIABLE && has_one_variable(sample))
        promises |= PROMISE_SOUND;
    return promises;
}

bool foresight_judge(const struct setup *setup, const struct st_prediction *prediction,
                     const struct sample *sample, const struct atomicity *atomicity, char *why) {
    bool is_atomic = setup_expects(setup, atomicity)->atomic;
    unsigned promises = promises_for(setup, sample, &atomicity->units);
    const char *broken = NULL;
    if (is_atomic && prediction->by[ST_FORESEEN_VIOLATION])
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

bool foresight_compare(const struct setup *setup, const struct st_model *model,
                       const struct sample *sample, const struct atomicity *atomicity,
                       enum st_verdict *atomic, char *why) {
    struct st_prediction prediction;
    st_prediction_init(&prediction);
    setup_predictor(setup)->run(model, &setup->options, &prediction);
    *atomic = prediction.atomic;
    bool kept = foresight_judge(setup, &prediction, sample, atomicity, why);
    st_prediction_free(&prediction);
    return kept;
}
