/* Runs an analysis of other schedules (src/predict) on a small trace, and compares the result with
 * the reference. foresight.c states what each analysis promises. */
#ifndef SERIATIM_REFERENCE_FORESIGHT_H
#define SERIATIM_REFERENCE_FORESIGHT_H

#include "predict/model/model.h"
#include "predict/blocks/blocks.h"
#include "predict/commit/commit_node.h"
#include "predict/reduction/reduction.h"
#include "reference/atomicity.h"

/* What an analysis may promise, on samples that cannot get stuck. If it says that a block is
 * certainly violated, that must be true in any case. */
enum promise {
    PROMISE_NOTHING = 0,
    PROMISE_SOUND = 1, /* what it calls atomic is atomic */
    PROMISE_EXACT = 2, /* and what it reports is not, if critical sections are
                        * nested: empty ones are left out, and where they overlap
                        * they may keep threads apart */
    PROMISE_EXACT_FOR_PAIRS = 4,
    PROMISE_SOUND_FOR_ONE_VARIABLE = 8, /* a lock that a block only releases counts as another
                                         * one, if locks order blocks */
    PROMISE_COMMIT_NODES = 16, /* what it accepts, commit nodes accept, too: a consequence of
                                * Theorem 6.1 (PPoPP 2006) */
    PROMISE_NO_FEWER = 32      /* it does without something: it reports each block that it would
                                * otherwise, and the other promises are about what is left
                                * (ablation.h) */
};

/* An analysis with the options that it is run with. */
struct setup {
    const char *name;
    const char *predictor;
    unsigned promises;
    struct st_predict_options options;
    union {
        struct st_reduction_options reduction;
        struct st_blocks_options blocks;
        struct st_commit_node_options commit_node;
    } own;          /* the options of the predictor; all zero are the defaults */
    bool untrimmed; /* the model keeps repetitions */
    bool by_view;   /* which verdict of the reference is meant; not always options.notion */
};

/* All setups that are compared, ending with one without a name. */
extern const struct setup setups[];

/* The analysis itself; NULL if there is none of that name. */
const struct st_predictor *setup_predictor(const struct setup *setup);

/* The model of a sample, fed in batches of any size. */
struct st_model *foresight_model(const struct setup *setup, const struct sample *sample,
                                 uint64_t batches);

/* Can both work on one model? */
bool setups_share_model(const struct setup *one, const struct setup *other);

/* The verdict of the reference that the setup is compared with. */
const struct atomicity_verdict *setup_expects(const struct setup *setup,
                                              const struct atomicity *atomicity);

/* Does the result keep the promises of the analysis? If not, `why` becomes a sentence about it. */
enum { FORESIGHT_TEXT = 80 };
bool foresight_judge(const struct setup *setup, const struct st_prediction *prediction,
                     const struct sample *sample, const struct atomicity *atomicity, char *why);

/* Runs the analysis and compares the result; *atomic becomes its verdict. */
bool foresight_compare(const struct setup *setup, const struct st_model *model,
                       const struct sample *sample, const struct atomicity *atomicity,
                       enum st_verdict *atomic, char *why);

#endif
