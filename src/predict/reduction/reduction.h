/* Reduction (TSE 2006, section 5): a transaction whose events can all move together is atomic. */
#ifndef SERIATIM_PREDICT_REDUCTION_REDUCTION_H
#define SERIATIM_PREDICT_REDUCTION_REDUCTION_H

#include "predict/model/model.h"
#include "predict/predictor.h"
#include "predict/reduction/lockset_races.h"
#include "predict/reduction/movers.h"
#include "predict/reduction/pair_races.h"

/* How to find data races. */
enum st_race_search {
    ST_RACES_MULTILOCKSET,
    ST_RACES_PAIRWISE,    /* conflicting, concurrent, no common lock */
    ST_RACES_BY_VARIABLE, /* pairwise, but then all accesses to a variable in a race count, as in
                           * the paper */
    ST_RACES_ERASER,
    ST_RACES_OWNERSHIP /* Eraser with a transfer to a second owner (von Praun and Gross) */
};

struct st_reduction_options {
    bool online;      /* as Atomizer does it, while the trace is read */
    unsigned without; /* bits of enum st_improvement, beside those of the shared options */
    unsigned races;   /* enum st_race_search */
    bool ablation;    /* a table of what each improvement gains */
    bool storage;     /* a table of what is stored */
};

/* One configuration of reduction. */
struct st_reduction_setup {
    struct st_mover_rules rules;
    bool trusting;        /* AcqA*Rel count for all locks, as if all were within transactions */
    bool lists_races;     /* `races` will be read */
    bool by_pairs;        /* find races pair by pair ... */
    bool by_variable;     /* (all accesses to a variable with such a pair count) */
    bool by_multilockset; /* ... or by variable, by Figure 3 over all accesses at once ... */
    unsigned race_flags;  /* ... or else by variable: those with one of these st_racy_by bits */
};

/* What deciding units needs: who races with whom, and how. */
struct st_reducer {
    const struct st_model *model;
    struct st_reduction_setup setup;
    struct st_pair_races races;                   /* empty if not needed */
    const struct st_lockset_races *lockset_races; /* if race_flags is not 0 */
    bool *racy;  /* by variable, with by_variable or by_multilockset */
    bool *loose; /* by lock: it may be held between units (see the rules) */
};
void st_reducer_init(struct st_reducer *reducer, const struct st_model *model,
                     const struct st_reduction_setup *setup);
void st_reducer_free(struct st_reducer *reducer);

/* Can the transaction, or the event outside blocks, be moved together? */
void st_reducer_judge(const struct st_reducer *reducer, struct st_movers *movers, uint32_t unit);
bool st_reducer_is_racy(const struct st_reducer *reducer, uint32_t variable);

/* Why a transaction is reported, by how the two events move between which others can come: 'L' or
 * 'N', then 'R' or 'N'. */
const char *st_reduction_sentence(char commit, char breach);

/* ---- online reduction (atomizer.c) ---- */

/* The atomizer of a model, which must have st_lockset_observer before it. Its flags are the enum
 * st_improvement bits that it does without, and whether it takes the theorem as printed. */
extern const struct st_observer st_atomizer_observer;
enum { ST_ATOMIZER_AS_PUBLISHED = 1 << 16 };

/* What the atomizer of the model found. */
void st_atomizer_predict(const struct st_model *model, size_t limit,
                         struct st_prediction *prediction);

/* ---- what each improvement gains (ablation.c) ---- */

struct st_ablation_row {
    const char *name;
    unsigned theorem;         /* 1 or 2 */
    const char *races;        /* the search for data races */
    const char *counted;      /* which accesses count for it */
    bool may_miss;            /* since it depends on the observed schedule */
    uint64_t reported_blocks; /* outermost blocks of the trace */
    uint64_t reported_names;  /* distinct names among them; all blocks without a name count as
                               * one */
    uint64_t racy_variables;  /* those known to be in a race */
    double seconds;           /* of work, excluding what runs while the trace is read */
};

enum { ST_ABLATION_ROWS = 7, ST_ABLATION_DEFAULT = 5 /* the row `seriatim` */ };

/* `shared` is a model of the run that was made with keep_shared, and `model` one without. */
void st_ablation_find(const struct st_model *shared, const struct st_model *model,
                      struct st_ablation_row rows[ST_ABLATION_ROWS]);

/* The same as a table for people and programs. */
void st_ablation_fill(const struct st_run *run, const struct st_predict_options *options,
                      struct st_table *table);

/* ---- what is stored (storage.c) ---- */

/* For the table, which needs it among the observers of the model. */
extern const struct st_observer st_lockset_sizes_observer;
void st_storage_fill(const struct st_run *run, const struct st_predict_options *options,
                     struct st_table *table);

#endif
