/* Analyses that look beyond the observed schedule: each is a value with a name and a function from
 * the model of a run (predict/model/model.h) to a prediction. */
#ifndef SERIATIM_PREDICT_PREDICTOR_H
#define SERIATIM_PREDICT_PREDICTOR_H

#include "finding/prediction.h"

struct st_model;

enum st_notion { ST_NOTION_CONFLICT, ST_NOTION_VIEW };

/* The improvements of reduction (TSE 2006), each of which can be left out for comparison. The last
 * three are about locks whose acquires and releases can be moved both ways (5.5). */
enum st_improvement {
    ST_WITHOUT_ESCAPE = 1,        /* a variable counts from its first access on */
    ST_WITHOUT_HAPPEN_BEFORE = 2, /* all threads are concurrent all the time */
    ST_WITHOUT_MULTILOCKSET = 4,  /* races by Eraser's locksets */
    ST_WITHOUT_SECTIONS = 8,      /* Theorem 1 instead of Theorem 2: no AcqA*Rel */
    ST_WITHOUT_REENTRANT = 16,
    ST_WITHOUT_THREAD_LOCAL = 32,
    ST_WITHOUT_PROTECTED = 64,
};

/* How reduction finds data races. */
enum st_race_search {
    ST_RACES_PAIRWISE, /* conflicting, concurrent, no common lock */
    ST_RACES_MULTILOCKSET,
    ST_RACES_ERASER,
    ST_RACES_BY_VARIABLE, /* pairwise, and then all accesses to a variable in a race count, as in
                           * the paper */
    ST_RACES_OWNERSHIP    /* Eraser with a transfer to a second owner (von Praun and Gross) */
};

/* How far the blocks analysis goes. */
enum st_block_depth { ST_BLOCKS_1V, ST_BLOCKS_2V, ST_BLOCKS_EXACT };

struct st_predict_options {
    enum st_notion notion;
    bool as_published; /* the theorems as printed, errors and all */
    unsigned jobs;     /* threads to work with; 0 counts as 1 */
    double timeout;    /* seconds for what may take exponential time; 0: no limit */
    size_t limit;      /* how many blocks to list at most; 0: all */

    bool online;      /* reduction as Atomizer does it, while the trace is read */
    unsigned without; /* enum st_improvement */
    enum st_race_search races;
    enum st_block_depth depth;
    bool pairwise; /* commit nodes: two transactions at a time (Theorems 4.2 and 4.5) */
    bool no_paths; /* commit nodes: Theorems 4.1 and 4.4 only, whatever has two is reported */
};

struct st_predictor {
    const char *name;
    const char *summary; /* one line for --help */
    void (*run)(const struct st_model *model, const struct st_predict_options *options,
                struct st_prediction *prediction);
};

extern const struct st_predictor st_reduction;
extern const struct st_predictor st_blocks;
extern const struct st_predictor st_commit_node;

/* All of them, ending with NULL, in the order in which tables show them. */
extern const struct st_predictor *const st_predictors[];

#endif
