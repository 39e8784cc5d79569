/* The options of predict. Their table is put together from what the command has itself and from
 * what each predictor brings (predict/predictor.h). */
#ifndef SERIATIM_CLI_PREDICT_OPTIONS_H
#define SERIATIM_CLI_PREDICT_OPTIONS_H

#include "cli/report_output.h"
#include "predict/analysis.h"

enum { MOST_PREDICTORS = 16, MOST_PREDICT_OPTIONS = 64, PREDICTOR_ROOM = 512 };

struct predict_values {
    struct common_values common;
    unsigned engine; /* see engine_at in predict_options.c */
    bool proven;
    unsigned notion;  /* enum st_notion */
    unsigned sync;    /* enum st_model_order */
    unsigned without; /* bits of enum st_improvement */
    unsigned relation;
    const char *spec;
    const char *resume;
    uint64_t limit, jobs;
    double timeout, total_timeout;
    const char *memory;
    bool as_published, repair, all_depths;
    const char *witness;
    bool confirm;
    uint64_t tries, seed;
    const char *keep;
    unsigned format; /* index in st_report_formats */
    const char *output;
    struct filter_values filters;
    const char *given[MOST_PREDICT_OPTIONS]; /* by row: who gave it (base/options.h), or NULL */
    _Alignas(max_align_t) unsigned char own[PREDICTOR_ROOM]; /* the options of each predictor */
};

/* The table, ending with a row without a name. */
const struct st_option *predict_options(void);

/* The own options of the predictor; NULL if it has none. */
const void *predictor_options(const struct predict_values *values,
                              const struct st_predictor *predictor);

/* The one to run, unless all are. */
const struct st_predictor *chosen_predictor(const struct predict_values *values);

/* All of them were asked for. What is to be confirmed may come from all, if none was. */
bool runs_all_predictors(const struct predict_values *values);

/* The table that was asked for instead of a report, or NULL; and whose it is. */
const struct st_predictor_table *chosen_table(const struct predict_values *values,
                                              const struct st_predictor **predictor);

/* The bytes that --memory allows; 0: any amount. The option has been checked. */
size_t predict_memory(const struct predict_values *values);

/* Refuses options that would be ignored; warns of a notion that is. */
int check_predict_options(const struct predict_values *values, struct st_error *error);

#endif
