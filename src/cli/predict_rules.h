/* The values of predict's options, and which of them go together. */
#ifndef SERIATIM_CLI_PREDICT_RULES_H
#define SERIATIM_CLI_PREDICT_RULES_H

#include "cli/report_output.h"
#include "predict/blocks/blocks.h"
#include "predict/commit/commit_node.h"
#include "predict/reduction/reduction.h"
#include "predict/tas/tas.h"

/* Options that do not mean something to every engine, or not together with every other. */
enum predict_option {
    PREDICT_ENGINE,
    PREDICT_NOTION,
    PREDICT_SEARCH,
    PREDICT_MAX_SWITCHES,
    PREDICT_WHOLE_TRACE,
    PREDICT_DUMP_WITNESS,
    PREDICT_TABLE,
    PREDICT_AS_PUBLISHED,
    PREDICT_ONE_VARIABLE,
    PREDICT_EXACT,
    PREDICT_PAIRWISE,
    PREDICT_ONLINE,
    PREDICT_RACES,
    PREDICT_WITHOUT,
    PREDICT_ABLATION,
    PREDICT_OPTIONS
};

struct predict_values {
    struct common_values common;
    unsigned engine; /* index in st_predictors, or one behind the last: all of them */
    unsigned notion; /* enum st_notion */
    unsigned sync;   /* enum st_model_order */
    const char *spec;
    uint64_t limit, jobs;
    double timeout;
    bool as_published, repair;
    struct st_blocks_options blocks;
    struct st_commit_node_options commit_node;
    struct st_tas_options tas;
    const char *witness;
    struct st_reduction_options reduction;
    struct st_texts without;
    unsigned format; /* index in st_report_formats */
    const char *output;
    struct filter_values filters;
    const char *given[PREDICT_OPTIONS]; /* who gave the option (base/options.h), NULL: nobody */
};

/* Refuses options that would be ignored. `engine` is the word for the selected engine. */
int check_predict_options(const struct predict_values *values, const char *engine,
                          struct st_error *error);

/* Refuses `--without improvement` where it would be ignored. */
int check_predict_without(const struct predict_values *values, const char *improvement,
                          struct st_error *error);

#endif
