/* What the files of the commit-node analysis share (commit_node.c). */
#ifndef SERIATIM_PREDICT_COMMIT_COMMIT_NODE_H
#define SERIATIM_PREDICT_COMMIT_COMMIT_NODE_H

#include "predict/predictor.h"

struct st_commit_node_options {
    bool pairwise; /* two transactions at a time (Theorems 4.2 and 4.5) */
};

struct st_commit_analysis {
    const struct st_model *model;
    const struct st_predict_options *options;
    bool pairwise; /* see the options */
    struct st_forest *forest;
    uint32_t chain_count;
    uint32_t **of_chain; /* the units of each chain (predict/model/periods.h), in the order of
                          * their ends */
    uint32_t *of_chain_count;
    enum st_block_verdict *verdicts;
    struct st_commit_search *searches; /* one for each worker */
    /* If the model has pieces, there is no forest, and these do the work. */
    uint32_t *ranks; /* of locks */
    struct st_piece_search *piece_searches;
    /* Those that need more than a look, in groups of one thread and one pair of periods. */
    uint32_t *open;
    size_t open_count, open_capacity;
    size_t *groups; /* where they begin; after the last, how many are open */
    size_t group_count, group_capacity;
    struct st_components *components; /* one for each worker */
};

/* Judges all units; the verdicts are in analysis->verdicts. Release it with st_commit_end. */
void st_commit_judge(struct st_commit_analysis *analysis, const struct st_run *run,
                     const struct st_predict_options *options,
                     const struct st_commit_node_options *own);
void st_commit_end(struct st_commit_analysis *analysis);

/* ---- findings (commit_findings.c) ---- */

/* An acquire whose critical section continues past its unit, or a release of one that began
 * before. */
struct st_lock_use {
    uint32_t thread, lock;
    bool releases;
    uint64_t number; /* of the event */
    uint32_t unit, token;
};

/* What explaining findings needs. Starts as all zero apart from the analysis. Invariant: `uses` are
 * sorted by thread, lock, kind and number. They are collected on first use. */
struct st_commit_explainer {
    struct st_commit_analysis *analysis;
    struct st_lock_use *uses;
    size_t use_count, use_capacity;
    bool listed;
};

/* Fills in what is known about a violated unit: an st_explain (predict/model/block_verdicts.h). */
void st_commit_explain(void *explainer, uint32_t unit, struct st_predicted_block *block);
void st_commit_explainer_free(struct st_commit_explainer *explainer);

#endif
