/* seriatim predict: which blocks other schedules of the same run could cut. */
#include "base/output.h"
#include "cli/cluster/dealt_predictions.h"
#include "cli/cluster/ranks.h"
#include "cli/hunting.h"
#include "cli/messages.h"
#include "cli/predict_options.h"
#include "cluster/shared_files.h"
#include "hunt/foreseen/foresee.h"
#include "report/context_details.h"
#include "report/triage/gaps.h"
#include "report/tables.h"
#include "session/trace_prediction.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct predict {
    const struct predict_values *values;
    const char *path;         /* as the user named it */
    const char *place, *spec; /* where the trace and the specification are: mostly the same */
    struct st_trace_input input;
    struct st_output output;
    struct st_filters filters;
    struct st_analysis analyses[MOST_PREDICTORS];
    struct st_predict_plan plan;
    struct st_total_time total;
    struct st_work_time proofs;
    struct st_piece_dealer dealer;
    struct st_trace_prediction prediction;
};

/* ---- when to stop ---- */

static atomic_bool interrupted; /* lock-free, so that a handler may set it */
static struct sigaction before; /* what happens after that */

static void interrupt(int signal) {
    atomic_store(&interrupted, true);
    sigaction(signal, &before, NULL);
}

/* The first Ctrl-C ends the searches, and the report says what is settled. The next one ends the
 * program, as does one while the trace is read. On several ranks, mpirun passes signals on, and
 * waits. Returns the flag that is set then. */
static const atomic_bool *mind_interrupts(void) {
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
    if (ranks_crew())
        return ranks_catch_stops();
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
    return &interrupted;
}

/* ---- the plan ---- */

/* Seconds for which each thread that works looks for proofs of what is possible anyway, unless
 * --total-timeout says when to stop. */
static const double usual_proof_time = 240;

static unsigned count_jobs(uint64_t wanted) {
    enum { MOST = 1024 };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!wanted && ranks_crew() && st_crew_workers(ranks_crew()))
        return 1; /* a rank is one processor */
    if (!wanted)
        return processors > 0 ? (unsigned)processors : 1;
    return wanted < MOST ? (unsigned)wanted : MOST;
}

static unsigned count_workers(unsigned jobs) {
    return ranks_crew() ? 1 + st_crew_workers(ranks_crew()) : jobs;
}

static void make_plan(struct predict *predict) {
    const struct predict_values *values = predict->values;
    bool all = runs_all_predictors(values);
    predict->dealer = (struct st_piece_dealer){deal_predictions, ranks_crew()};
    if (values->total_timeout > 0)
        predict->total.end = st_clock_seconds() + values->total_timeout;
    unsigned jobs = count_jobs(values->jobs);
    predict->proofs.limit = usual_proof_time * count_workers(jobs);
    predict->plan = (struct st_predict_plan){
        .options = {.notion = values->notion,
                    .as_published = values->as_published,
                    .without = values->without,
                    .jobs = jobs,
                    .timeout = values->timeout,
                    .total = &predict->total,
                    .proofs = values->total_timeout > 0 ? NULL : &predict->proofs,
                    .memory = predict_memory(values),
                    .limit = st_filters_keep_predicted(&values->filters.files, values->limit),
                    .order = values->sync,
                    .dealer = values->confirm || !ranks_crew() ? NULL : &predict->dealer},
        .analyses = predict->analyses,
        .all_depths = values->all_depths,
        .analysis_count = all ? st_predictor_count() : 1};
    for (size_t i = 0; i < predict->plan.analysis_count; i++) {
        const struct st_predictor *predictor = all ? st_predictors[i] : chosen_predictor(values);
        predict->analyses[i] =
            (struct st_analysis){predictor, predictor_options(values, predictor)};
    }
    predict->prediction.plan = &predict->plan;
}

/* ---- the report ---- */

static int dump_witness(struct predict *predict) {
    const char *path = predict->values->witness;
    const struct st_predicted_block *block = st_find_witness(&predict->prediction.predictions);
    struct st_error error;
    if (!path)
        return 0;
    if (!block) {
        warn("%s: not written, since there is no violation with a witness", path);
        return 0;
    }
    if (st_write_witness(&predict->input, block, path, &error) == 0)
        return 0;
    complain(&error);
    return -1;
}

static enum status write_report(struct predict *predict) {
    const struct predict_values *values = predict->values;
    struct st_trace_input *input = &predict->input;
    const struct st_trace *trace = input->reading.trace;
    st_trace_prediction_run(&predict->prediction, input);
    struct st_facts facts = st_trace_input_facts(input);
    struct st_context_details contexts = {.symbols = &input->symbols};
    struct st_details details = {st_context_details_lookup, &contexts};
    struct st_report report = {.schema = ST_PREDICT_SCHEMA,
                               .trace = predict->path,
                               .relation = predict->plan.options.relation,
                               .details = input->tracker ? &details : NULL,
                               .built = st_trace_input_recorded(input),
                               .symbols = &input->symbols,
                               .facts = &facts,
                               .repairs = st_trace_repairs(trace),
                               .file_truncated = st_trace_truncated(trace),
                               .kind = runs_all_predictors(values) ? ST_REPORT_PREDICTION_COMPARISON
                                                                   : ST_REPORT_PREDICTION,
                               .predictions = &predict->prediction.predictions};
    struct st_text_style style = text_style(&values->common, predict->output.fd);
    st_find_predicted_gaps(&report, &predict->prediction.predictions);
    struct st_triaged *triaged = st_filters_apply(&predict->filters, &report, values->limit);
    enum status status = report_status(&report);
    report.has_status = true;
    report.status = status;
    write_report_as(&report, &values->filters, values->format, style, predict->output.file);
    st_triaged_free(triaged);
    st_context_details_free(&contexts);
    return dump_witness(predict) < 0 ? STATUS_TROUBLE : status;
}

static enum status write_table(struct predict *predict, const struct st_predictor_table *chosen) {
    uint64_t events = st_trace_facts(predict->input.reading.trace)->events;
    bool json = strcmp(st_report_format_name(predict->values->format), "json") == 0;
    struct st_table table;
    chosen->fill(predict->prediction.run, &predict->plan.options, &table);
    if (json)
        st_write_table_json(&table, predict->path, events, predict->output.file);
    else
        st_write_table_text(&table, predict->path, events, predict->output.file);
    enum status status = table.found       ? STATUS_FOUND
                         : table.undecided ? STATUS_TROUBLE
                                           : STATUS_CLEAN;
    st_table_free(&table);
    return status;
}

/* ---- the trace ---- */

static enum status predict_and_report(struct predict *predict) {
    const struct st_predictor *predictor;
    const struct st_predictor_table *table = chosen_table(predict->values, &predictor);
    struct st_error error;
    if (st_trace_prediction_read(&predict->prediction, &predict->input, pass_trace_input, &error) <
        0) {
        st_output_abandon(&predict->output);
        return complain(&error);
    }
    warn_of_no_blocks(&predict->input);
    predict->total.interrupted = mind_interrupts();
    enum status status = table ? write_table(predict, table) : write_report(predict);
    return st_output_finish(&predict->output, &error) < 0 ? complain(&error) : status;
}

static enum status predict_trace(struct predict *predict) {
    const struct predict_values *values = predict->values;
    struct st_error error;
    const char *inputs[ST_FILTER_INPUTS];
    st_filters_list_inputs(&values->filters.files, predict->path, values->spec, inputs);
    if (st_output_open(&predict->output, values->output, inputs, &error) < 0)
        return complain(&error);
    enum status status = predict_and_report(predict);
    st_trace_prediction_free(&predict->prediction);
    return status;
}

static int open_input(struct predict *predict, struct st_error *error) {
    const struct predict_values *values = predict->values;
    struct st_trace_source source = {.command = "predict",
                                     .path = predict->place,
                                     .spec = predict->spec,
                                     .flags = (values->repair ? ST_TRACE_REPAIR : 0) |
                                              (values->witness ? 0 : ST_TRACE_PACKED) |
                                              ST_TRACE_AHEAD | ST_TRACE_VALUES,
                                     .again = true,
                                     .no_starts = true};
    if (open_trace_input(&predict->input, source, values->common.quiet, error) < 0)
        return -1;
    predict->plan.options.relation =
        st_relation_or_usual(values->relation, st_trace_is_recording(predict->input.reading.trace));
    return 0;
}

static enum status predict_only(struct predict *predict) {
    struct st_error error;
    if (open_input(predict, &error) < 0)
        return complain(&error);
    enum status status = predict_trace(predict);
    st_trace_input_close(&predict->input);
    return status;
}

/* ---- several ranks ---- */

/* All read the trace, wherever they are. */
static enum status predict_together(struct predict *predict) {
    const char *paths[] = {predict->path, predict->values->spec};
    char *places[] = {NULL, NULL};
    struct st_error error;
    if (strcmp(predict->path, "-") == 0) {
        st_fail(&error, "predict", ST_AT_FILE, 0,
                "several ranks cannot read standard input: write the trace to a file");
        return complain(&error);
    }
    st_share_files(ranks_crew(), paths, predict->values->spec ? 2 : 1, places);
    predict->place = places[0];
    predict->spec = places[1];
    enum status status = predict_only(predict);
    free(places[0]);
    free(places[1]);
    return status;
}

/* ---- confirming ---- */

/* Seconds, unless --total-timeout says otherwise. */
static const double usual_time = 60;

/* What is predicted of a trace has lines, or it cannot be found in a program. */
static int foresee(struct predict *predict, struct st_foresight *foresight,
                   struct st_error *error) {
    enum { LISTED = 2000 }; /* blocks of an analysis at a depth: many may be the same prediction */
    if (open_input(predict, error) < 0)
        return -1;
    predict->plan.options.limit = LISTED;
    int result = st_foresee(&predict->input, &predict->plan, false, foresight, error);
    end_reading(&predict->input.reading, result == 0);
    if (result == 0 && !foresight->has_places)
        result = st_fail(error, predict->path, ST_AT_FILE, 0,
                         "does not say where in a program its events happened, so nothing in it "
                         "can be confirmed; make a trace with 'seriatim record', or leave it out");
    st_trace_input_close(&predict->input);
    return result;
}

static struct st_hunt_options hunt_options(const struct predict *predict,
                                           const struct hunting *hunting,
                                           const char *const *words) {
    const struct predict_values *values = predict->values;
    struct st_hunt_options options = usual_hunt(hunting, "predict", words, values->spec);
    options.choice = ST_STRATEGY_STEPS;
    options.tries = values->tries;
    options.seed = values->seed;
    options.runs = UINT64_MAX;
    options.seconds = predict->total.end > 0 ? predict->total.end - st_clock_seconds() : usual_time;
    options.subject.crew = ranks_crew();
    if (values->jobs)
        options.jobs = (size_t)values->jobs;
    if (values->keep)
        options.keep = values->keep;
    return options;
}

static enum status hunt_for(struct predict *predict, const char *const *words,
                            const struct st_foresight *foresight) {
    const struct predict_values *values = predict->values;
    struct hunting hunting = {.common = &values->common,
                              .filters = &values->filters,
                              .limit = values->limit,
                              .format = values->format,
                              .proofs_count = true,
                              .undecided = foresight && foresight->undecided};
    struct st_hunt_options options = hunt_options(predict, &hunting, words);
    struct st_hunt_predictions predictions;
    if (foresight) {
        predictions = (struct st_hunt_predictions){
            .trace = predict->path, .list = foresight->list, .blocks = foresight->blocks};
        options.predictions = &predictions;
    }
    return hunt_and_write(&hunting, &options, &predict->filters, &predict->output);
}

static enum status confirm(struct predict *predict, const char *const *words) {
    const struct predict_values *values = predict->values;
    struct st_foresight foresight = {0};
    struct st_error error;
    const char *inputs[] = {predict->path ? predict->path : values->spec, values->spec, NULL};
    if (st_output_open(&predict->output, values->output, inputs, &error) < 0)
        return complain(&error);
    enum status status;
    if (predict->path && foresee(predict, &foresight, &error) < 0) {
        st_output_abandon(&predict->output);
        status = complain(&error);
    } else {
        status = hunt_for(predict, words, predict->path ? &foresight : NULL);
    }
    json_decref(foresight.list);
    json_decref(foresight.blocks);
    return status;
}

/* ---- the command ---- */

static bool takes_program(const void *values) {
    return ((const struct predict_values *)values)->confirm;
}

/* On a rank that works for rank 0: the same, with nothing to write. */
static enum status help_predicting(const struct predict_values *given, const char *path,
                                   const char *const *words) {
    static const struct st_filter_files no_files = {.root = NULL};
    const char *const inputs[] = {NULL};
    struct predict_values values = *given;
    struct predict predict = {.values = &values, .path = path};
    struct st_error error;
    values.output = "/dev/null";
    values.format = 0;
    values.witness = NULL;
    values.common.quiet = true;
    if (check_predict_options(given, &error) < 0 ||
        st_filters_open(&predict.filters, &no_files, "predict", inputs, &error) < 0)
        return complain(&error);
    make_plan(&predict);
    if (!values.confirm) {
        enum status status = predict_together(&predict);
        return status == STATUS_TROUBLE && last_complaint() ? status : STATUS_CLEAN;
    }
    struct hunting hunting = {
        .common = &values.common, .filters = &values.filters, .limit = values.limit};
    struct st_hunt_options options = hunt_options(&predict, &hunting, words);
    st_hunt_serve(&options, &error);
    return complain(&error);
}

static enum status run(const void *command_values, const char *const *operands) {
    const struct predict_values *values = command_values;
    const char *const *words = operands + (operands[0] ? 2 : 1);
    struct predict predict = {
        .values = values, .path = operands[0], .place = operands[0], .spec = values->spec};
    struct st_error error;
    if (st_crew_is_worker(ranks_crew()))
        return help_predicting(values, operands[0], words);
    if (check_predict_options(values, &error) < 0 ||
        st_filters_open_for_trace(&predict.filters, &values->filters.files, "predict",
                                  predict.path ? predict.path : "", values->spec, &error) < 0)
        return complain(&error);
    if (ranks_resume(values->resume, predict.path, &error) < 0) {
        st_filters_close(&predict.filters);
        return complain(&error);
    }
    make_plan(&predict);
    enum status status = values->confirm ? confirm(&predict, words)
                         : ranks_crew()  ? predict_together(&predict)
                                         : predict_only(&predict);
    st_filters_close(&predict.filters);
    return status;
}

static void more_help(FILE *file) {
    fputs("engines:\n", file);
    fprintf(file, "  %-14s %s (the default)\n", st_tiers.name, st_tiers.summary);
    for (size_t i = 0; st_predictors[i]; i++)
        fprintf(file, "  %-14s %s\n", st_predictors[i]->name, st_predictors[i]->summary);
    fprintf(file, "  %-14s %s\n", "all", "each of them, side by side");
}

const struct command cmd_predict = {
    .name = "predict",
    .operands = "TRACE",
    .summary = "say which blocks other schedules of the same run could cut",
    .description = "Says which blocks could be cut in other schedules of the run that a trace was\n"
                   "recorded of. TRACE is a file in STD text or in the native format, or - for\n"
                   "standard input.\n\n"
                   "With --confirm, a program follows, and hunting tries to make each prediction\n"
                   "happen there: seriatim predict --confirm [TRACE] -- PROGRAM [ARGUMENT...]\n\n"
                   "Exit status: 0 nothing new found, 1 something new found, 2 error. With\n"
                   "--confirm, a prediction counts if a run has shown it, or if it is proven.\n",
    .make_options = predict_options,
    .values_size = sizeof(struct predict_values),
    .least_operands = 1,
    .most_operands = 1,
    .takes_program = takes_program,
    .in_crew = true,
    .program_usage = "--confirm [OPTIONS] [TRACE] -- PROGRAM [ARGUMENT...]",
    .more_help = more_help,
    .run = run,
};
