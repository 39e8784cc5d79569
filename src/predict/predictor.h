/* Analyses that look beyond the observed schedule. A predictor is a value: its name, its options,
 * what it needs to see of a run, and a function from a run to a prediction. A new one is a folder
 * (or a file) with such a value, and a line in predictors.c; the command line, the library and the
 * reports find it there. */
#ifndef SERIATIM_PREDICT_PREDICTOR_H
#define SERIATIM_PREDICT_PREDICTOR_H

#include "base/options.h"
#include "finding/prediction.h"
#include "finding/table.h"
#include "predict/run.h"
#include "predict/total_time.h"
#include "trace/relation.h"

enum st_notion { ST_NOTION_CONFLICT, ST_NOTION_VIEW };

/* The improvements of TSE 2006. Each can be left out for comparison. The last three concern locks
 * whose acquires and releases are both movers (5.5). */
enum st_improvement {
    ST_WITHOUT_ESCAPE = 1,        /* a variable counts from its first access on */
    ST_WITHOUT_HAPPEN_BEFORE = 2, /* all threads are concurrent all the time */
    ST_WITHOUT_MULTILOCKSET = 4,  /* races by Eraser's locksets */
    ST_WITHOUT_SECTIONS = 8,      /* Theorem 1 instead of Theorem 2: no AcqA*Rel */
    ST_WITHOUT_REENTRANT = 16,
    ST_WITHOUT_THREAD_LOCAL = 32,
    ST_WITHOUT_PROTECTED = 64,
};

/* Their names, in this order, ending with NULL. */
extern const char *const st_improvement_names[];
struct st_piece_dealer;

/* Options that several predictors share. All zero are the defaults. */
struct st_predict_options {
    enum st_notion notion;
    bool as_published;                 /* the theorems as printed, errors and all */
    unsigned without;                  /* bits of enum st_improvement */
    unsigned jobs;                     /* threads to work with; 0 counts as 1 */
    double timeout;                    /* seconds for what may take exponential time; 0: no limit */
    const struct st_total_time *total; /* for all of them together; NULL: no limit */
    struct st_work_time *proofs; /* for searches that only look for proofs; NULL: any amount */
    size_t memory;               /* bytes that the command may use; 0: any amount */
    size_t limit;                /* how many blocks to list at most; 0: all */
    enum st_model_order order;   /* which order holds in every schedule */
    enum st_relation relation;   /* ST_DATA: only accesses conflict */
    const struct st_piece_dealer *dealer; /* others work with us; NULL: nobody does */
    bool may_deadlock; /* st_predict_run sets it: some schedule may end in deadlock */
};

struct st_predictor {
    const char *name;
    const char *result_name; /* what results call it; NULL: its name */
    const char *summary;     /* one line for --help */
    const char *notion;      /* what atomic means to it; NULL: what the options ask for */
    bool reads_events;       /* it looks at the events of the run */
    bool reads_model;        /* it looks at the model of the run */
    bool ends_are_enough;    /* it does not need inner variables (predict/model/model.h) */
    bool as_published;       /* it has the theorems as printed, too */
    unsigned improvements;   /* those that it can do without: bits of enum st_improvement */
    bool gives_traces;       /* its witnesses have all events that run, so that each is a trace */

    /* Its own options: a table that ends with a row without a name, and the size of the struct of
     * values that `own` points to below. All zero are the defaults, and the names differ from those
     * of all other predictors. */
    const struct st_option *options;
    size_t own_size;

    /* Options that do not go together, by their names, its own and shared ones. "without escape" is
     * the option `without`, given with that word. Ends with a row of NULLs. NULL: all do. */
    const char *const (*conflicts)[2];

    /* Sets what else it needs to see, and leaves the rest as it is. NULL: nothing. */
    void (*prepare)(const struct st_predict_options *options, const void *own,
                    struct st_run_needs *needs);
    void (*run)(const struct st_run *run, const struct st_predict_options *options, const void *own,
                struct st_prediction *prediction);

    /* Tables of its paper, ending with a row without an option. NULL: there are none. */
    const struct st_predictor_table *tables;
};

/* A table, and the flag among the options of its predictor that asks for it instead of a report. */
struct st_predictor_table {
    const char *option;
    const char *name; /* among the tables of all predictors */
    void (*fill)(const struct st_run *run, const struct st_predict_options *options,
                 struct st_table *table);
};

extern const struct st_predictor st_reduction;
extern const struct st_predictor st_blocks;
extern const struct st_predictor st_commit_node;
extern const struct st_predictor st_tas;

/* What is worth running, in one answer: what st_commit_node reports, and what of it st_tas can
 * prove. Made of others, so it is none of st_predictors. */
extern const struct st_predictor st_tiers;

/* All of them, ending with NULL, in the order in which tables show them. */
extern const struct st_predictor *const st_predictors[];

size_t st_predictor_count(void);
const struct st_predictor *st_predictor_find(const char *name); /* st_tiers, too; NULL: none */

/* "conflict", "view" */
extern const char *const st_notion_names[];

#endif
