/* seriatim predict: which blocks other schedules of the same run could cut. */
#include "base/memory.h"
#include "base/output.h"
#include "cli/predict_rules.h"
#include "cli/predict_tables.h"
#include "cli/messages.h"
#include "cli/trace_messages.h"
#include "cli/witness_file.h"
#include "finding/schedules.h"
#include "predict/analysis.h"
#include "report/context_details.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ENGINES = 16 };

struct predict {
    const struct predict_values *values;
    const char *path;
    struct st_trace_input input;
    struct st_output output;
    struct st_filters filters;
    struct st_reduction_options reduction;
    struct st_analysis analyses[MOST_ENGINES];
    struct st_predict_plan plan;
    struct st_run *observed;
    struct st_predictions predictions;
};

static const char *engine_choice(size_t index) {
    size_t count = st_predictor_count();
    return index < count ? st_predictors[index]->name : index == count ? "all" : NULL;
}

static bool runs_all(const struct predict_values *values) {
    return values->engine == st_predictor_count();
}

/* ---- options ---- */

static const struct {
    const char *name;
    enum st_improvement improvement;
} improvements[] = {
    {"escape", ST_WITHOUT_ESCAPE},
    {"happen-before", ST_WITHOUT_HAPPEN_BEFORE},
    {"multilockset", ST_WITHOUT_MULTILOCKSET},
    {"sections", ST_WITHOUT_SECTIONS},
    {"re-entrant", ST_WITHOUT_REENTRANT},
    {"thread-local", ST_WITHOUT_THREAD_LOCAL},
    {"protected", ST_WITHOUT_PROTECTED},
};
enum { IMPROVEMENTS = sizeof improvements / sizeof improvements[0] };

static int find_improvement(const char *name, unsigned *without, struct st_error *error) {
    for (size_t i = 0; i < IMPROVEMENTS; i++)
        if (strcmp(name, improvements[i].name) == 0) {
            *without |= improvements[i].improvement;
            return 0;
        }
    return st_fail(error, "predict", ST_AT_FILE, 0,
                   "--without knows no '%s'; it knows escape, happen-before, multilockset, "
                   "sections, re-entrant, thread-local and protected",
                   name);
}

static unsigned count_jobs(uint64_t wanted) {
    enum { MOST = 1024 };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!wanted)
        return processors > 0 ? (unsigned)processors : 1;
    return wanted < MOST ? (unsigned)wanted : MOST;
}

static void plan_analysis(struct predict *predict, const struct st_predictor *predictor) {
    const struct predict_values *values = predict->values;
    const void *own = predictor == &st_tas           ? &values->tas
                      : predictor == &st_blocks      ? &values->blocks
                      : predictor == &st_commit_node ? &values->commit_node
                                                     : (const void *)&predict->reduction;
    predict->analyses[predict->plan.analysis_count++] = (struct st_analysis){predictor, own};
}

static void make_plan(struct predict *predict) {
    const struct predict_values *values = predict->values;
    predict->plan = (struct st_predict_plan){
        .options = {.notion = values->notion,
                    .as_published = values->as_published,
                    .jobs = count_jobs(values->jobs),
                    .timeout = values->timeout,
                    .limit = st_filters_keep(&values->filters.files, values->limit),
                    .order = values->sync},
        .analyses = predict->analyses};
    if (values->tas.table)
        plan_analysis(predict, &st_tas);
    else if (values->reduction.ablation)
        plan_analysis(predict, &st_reduction);
    else if (!runs_all(values))
        plan_analysis(predict, st_predictors[values->engine]);
    else
        for (size_t i = 0; i < st_predictor_count(); i++)
            plan_analysis(predict, st_predictors[i]);
}

static int read_options(struct predict *predict, struct st_error *error) {
    const struct predict_values *values = predict->values;
    predict->reduction = values->reduction;
    if (check_predict_options(values, engine_choice(values->engine), error) < 0)
        return -1;
    if (values->witness && values->output && strcmp(values->witness, values->output) == 0)
        return st_fail(error, "predict", ST_AT_FILE, 0,
                       "--dump-witness and --output cannot be the same file");
    const char *format = st_report_format_name(values->format);
    if ((values->reduction.ablation || values->tas.table) && strcmp(format, "text") != 0 &&
        strcmp(format, "json") != 0)
        return st_fail(error, "predict", ST_AT_FILE, 0, "--%s can be written as text or json only",
                       values->tas.table ? "table" : "ablation");
    for (size_t i = 0; i < values->without.count; i++)
        if (find_improvement(values->without.items[i], &predict->reduction.without, error) < 0 ||
            check_predict_without(values, values->without.items[i], error) < 0)
            return -1;
    make_plan(predict);
    return 0;
}

/* ---- analyses ---- */

static void feed(void *context, const struct st_event *events, size_t count, uint64_t first) {
    st_run_feed(context, events, count, first);
}

static int read_trace(struct predict *predict, struct st_error *error) {
    struct st_run_needs needs = st_predict_needs(&predict->plan);
    predict->observed = st_run_new(&needs);
    while (st_run_wants_pass(predict->observed)) {
        if (pass_trace_input(&predict->input, feed, predict->observed, error) < 0)
            return -1;
        st_run_end_pass(predict->observed);
    }
    return 0;
}

/* ---- the report ---- */

static void feed_schedules(void *context, const struct st_event *events, size_t count,
                           uint64_t first) {
    if (st_schedules_wait(context))
        st_schedules_feed(context, events, count, first);
}

/* What goes wrong now has no consequence but that schedules are shown as numbers. */
static void look_up_schedules(struct predict *predict) {
    struct st_schedules *schedules = st_schedules_new(&predict->predictions);
    struct st_error error;
    if (st_schedules_wait(schedules))
        st_trace_input_pass(&predict->input, feed_schedules, schedules, &error);
    st_schedules_free(schedules);
}

static int dump_witness(struct predict *predict) {
    const char *path = predict->values->witness;
    const struct st_foreseen *block = find_witness(&predict->predictions);
    struct st_error error;
    if (!path)
        return 0;
    if (!block) {
        warn("%s: not written, since there is no violation with a witness", path);
        return 0;
    }
    if (write_witness(&predict->input, block, path, &error) == 0)
        return 0;
    complain(&error);
    return -1;
}

static enum status write_report(struct predict *predict) {
    struct st_trace_input *input = &predict->input;
    const struct st_trace *trace = input->reading.trace;
    struct st_facts facts = st_trace_input_facts(input);
    struct st_context_details contexts = {.symbols = &input->symbols};
    struct st_details details = {st_context_details_lookup, &contexts};
    struct st_report report = {.schema = ST_PREDICT_SCHEMA,
                               .trace = predict->path,
                               .details = input->replay ? &details : NULL,
                               .built = st_trace_input_recorded(input),
                               .symbols = &input->symbols,
                               .facts = &facts,
                               .repairs = st_trace_repairs(trace),
                               .cut = st_trace_cut(trace),
                               .kind = runs_all(predict->values) ? ST_REPORT_PREDICTION_COMPARISON
                                                                 : ST_REPORT_PREDICTION,
                               .predictions = &predict->predictions};
    struct st_text_style style = text_style(&predict->values->common, predict->output.fd);
    look_up_schedules(predict);
    st_trace_input_symbols(input);
    st_predictions_map_locations(&predict->predictions, st_trace_input_location, input);
    struct st_triaged *triaged =
        st_filters_apply(&predict->filters, &report, predict->values->limit);
    enum status status = report_status(&report);
    report.has_status = true;
    report.status = status;
    write_report_as(&report, &predict->values->filters, predict->values->format, style,
                    predict->output.file);
    st_triaged_free(triaged);
    st_context_details_free(&contexts);
    return dump_witness(predict) < 0 ? STATUS_TROUBLE : status;
}

static enum status write_tables(struct predict *predict) {
    const struct predict_values *values = predict->values;
    bool json = strcmp(st_report_formats[values->format].name, "json") == 0;
    const struct st_run *run = predict->observed;
    if (values->reduction.ablation) {
        struct st_ablation_row rows[ST_ABLATION_ROWS];
        st_ablation_find(run->shared_model, run->model, rows);
        return write_ablation(predict->path, rows, json, predict->output.file);
    }
    const struct st_predict_options *options = &predict->plan.options;
    struct st_tas_setup setup = {.timeout = options->timeout, .jobs = options->jobs};
    struct st_tas_graph *graph = st_tas_graph_new(run->events, run->event_count);
    enum status status =
        write_scenarios(predict->path, run->event_count, graph, &setup, json, predict->output.file);
    st_tas_graph_free(graph);
    return status;
}

static enum status predict_and_report(struct predict *predict) {
    struct st_error error;
    if (read_trace(predict, &error) < 0) {
        st_output_abandon(&predict->output);
        return complain(&error);
    }
    warn_of_no_blocks(&predict->input);
    enum status status;
    if (predict->values->reduction.ablation || predict->values->tas.table) {
        status = write_tables(predict);
    } else {
        st_predict_run(&predict->plan, predict->observed, &predict->predictions);
        status = write_report(predict);
    }
    return st_output_finish(&predict->output, &error) < 0 ? complain(&error) : status;
}

/* ---- opening ---- */

static enum status predict_trace(struct predict *predict) {
    struct st_error error;
    const char *inputs[ST_FILTER_INPUTS];
    st_filters_list_inputs(&predict->values->filters.files, predict->path, predict->values->spec,
                           inputs);
    if (st_output_open(&predict->output, predict->values->output, inputs, &error) < 0)
        return complain(&error);
    enum status status = predict_and_report(predict);
    st_predictions_free(&predict->predictions);
    st_run_free(predict->observed);
    return status;
}

static enum status run(const void *command_values, const char *const *operands) {
    const struct predict_values *values = command_values;
    struct predict predict = {.values = values, .path = operands[0]};
    struct st_error error;
    if (read_options(&predict, &error) < 0 ||
        st_filters_open_for_trace(&predict.filters, &values->filters.files, "predict", predict.path,
                                  values->spec, &error) < 0)
        return complain(&error);
    enum status status;
    struct st_trace_source source = {.command = "predict",
                                     .path = predict.path,
                                     .spec = values->spec,
                                     .flags =
                                         (values->repair ? ST_TRACE_REPAIR : 0) | ST_TRACE_AHEAD,
                                     .again = true};
    if (open_trace_input(&predict.input, source, values->common.quiet, &error) < 0) {
        status = complain(&error);
    } else {
        status = predict_trace(&predict);
        st_trace_input_close(&predict.input);
    }
    st_filters_close(&predict.filters);
    return status;
}

static void more_help(FILE *file) {
    fputs("engines:\n", file);
    for (size_t i = 0; st_predictors[i]; i++)
        fprintf(file, "  %-14s %s\n", st_predictors[i]->name, st_predictors[i]->summary);
    fprintf(file, "  %-14s %s\n", "all", "each of them, side by side");
}

static const char *const notion_words[] = {
    [ST_NOTION_CONFLICT] = "conflict", [ST_NOTION_VIEW] = "view", NULL};
static const char *const sync_words[] = {
    [ST_MODEL_BARRIERS] = "barriers", [ST_MODEL_ALL] = "all", NULL};
static const char *const search_words[] = {
    [ST_TAS_CHAINS] = "chains", [ST_TAS_STATES] = "states", [ST_TAS_DPOR] = "dpor", NULL};
static const char *const race_words[] = {
    [ST_RACES_BY_VARIABLE] = "by-variable",   [ST_RACES_PAIRWISE] = "pairwise",
    [ST_RACES_MULTILOCKSET] = "multilockset", [ST_RACES_ERASER] = "eraser",
    [ST_RACES_OWNERSHIP] = "ownership",       NULL};

#define GIVEN(option) .given = offsetof(struct predict_values, given[option])

static const struct st_option options[] = {
    {.name = "engine",
     .kind = ST_CHOICE,
     .offset = offsetof(struct predict_values, engine),
     GIVEN(PREDICT_ENGINE),
     .value = "ENGINE",
     .initial = "tas",
     .choice = engine_choice,
     .help = "which analysis to run"},
    {.name = "notion",
     .kind = ST_CHOICE,
     .offset = offsetof(struct predict_values, notion),
     GIVEN(PREDICT_NOTION),
     .value = "NOTION",
     .initial = "conflict",
     .choices = notion_words,
     .help = "commit-node, reduction, blocks: which schedules count as equal",
     .note = "reduction is about conflicts only, blocks about views only"},
    {.name = "jobs",
     .kind = ST_NUMBER,
     .offset = offsetof(struct predict_values, jobs),
     .value = "N",
     .initial = "0",
     .help = "work with N threads; 0 means one for each processor"},
    {.name = "timeout",
     .kind = ST_SECONDS,
     .offset = offsetof(struct predict_values, timeout),
     .value = "S",
     .initial = "10",
     .help = "give up a block (tas, commit-node) after S seconds of processor time, or the exact "
             "search (blocks) after S seconds, which may be a fraction; 0 means never"},
    {.name = "search",
     .kind = ST_CHOICE,
     .offset = offsetof(struct predict_values, tas.search),
     GIVEN(PREDICT_SEARCH),
     .value = "SEARCH",
     .choices = search_words,
     .initial = "chains",
     .help = "tas: how to look for a schedule"},
    {.name = "max-switches",
     .kind = ST_NUMBER,
     .offset = offsetof(struct predict_values, tas.max_switches),
     GIVEN(PREDICT_MAX_SWITCHES),
     .value = "N",
     .initial = "0",
     .help = "tas: only schedules with at most N switches between threads, counted at accesses and "
             "lock operations behind the start of the run that is replayed as observed; 0 means "
             "all"},
    {.name = "whole-trace",
     .kind = ST_FLAG,
     .offset = offsetof(struct predict_values, tas.whole_trace),
     GIVEN(PREDICT_WHOLE_TRACE),
     .help = "tas: search all of the trace instead of the segment, without the static check"},
    {.name = "dump-witness",
     .kind = ST_TEXT,
     .offset = offsetof(struct predict_values, witness),
     GIVEN(PREDICT_DUMP_WITNESS),
     .value = "FILE",
     .help = "tas: write the schedule of the first violation to FILE, as a trace in STD text for "
             "check"},
    {.name = "table",
     .kind = ST_FLAG,
     .offset = offsetof(struct predict_values, tas.table),
     GIVEN(PREDICT_TABLE),
     .help = "tas: write a table of what segments and the static check are worth, instead of the "
             "report"},
    {.name = "sync",
     .kind = ST_CHOICE,
     .offset = offsetof(struct predict_values, sync),
     .value = "VALUE",
     .initial = "barriers",
     .choices = sync_words,
     .help = "which order holds in every schedule, besides locks, fork and join: that of barriers "
             "and of what is done once, or that of conditions, semaphores and all else, too, as it "
             "was observed"},
    {.name = "as-published",
     .kind = ST_FLAG,
     .offset = offsetof(struct predict_values, as_published),
     GIVEN(PREDICT_AS_PUBLISHED),
     .help = "reduction, blocks, commit-node: use the theorems as they were printed, with their "
             "errors"},
    {.name = "one-variable",
     .kind = ST_FLAG,
     .offset = offsetof(struct predict_values, blocks.one_variable),
     GIVEN(PREDICT_ONE_VARIABLE),
     .help = "blocks: look at one variable at a time (Theorem 3)"},
    {.name = "exact",
     .kind = ST_FLAG,
     .offset = offsetof(struct predict_values, blocks.exact),
     GIVEN(PREDICT_EXACT),
     .help = "blocks: look at all transactions together (Theorem 5), which can take very long"},
    {.name = "pairwise",
     .kind = ST_FLAG,
     .offset = offsetof(struct predict_values, commit_node.pairwise),
     GIVEN(PREDICT_PAIRWISE),
     .help = "commit-node: look at two transactions at a time (Theorems 4.2 and 4.5)"},
    {.name = "online",
     .kind = ST_FLAG,
     .offset = offsetof(struct predict_values, reduction.online),
     GIVEN(PREDICT_ONLINE),
     .help = "reduction: judge by what was seen so far, as Atomizer does"},
    {.name = "races",
     .kind = ST_CHOICE,
     .offset = offsetof(struct predict_values, reduction.races),
     GIVEN(PREDICT_RACES),
     .value = "SEARCH",
     .initial = "multilockset",
     .choices = race_words,
     .help = "reduction: how to look for data races",
     .note = "by-variable and pairwise report fewer false alarms; eraser and ownership miss "
             "races"},
    {.name = "without",
     .kind = ST_TEXTS,
     .offset = offsetof(struct predict_values, without),
     GIVEN(PREDICT_WITHOUT),
     .value = "IMPROVEMENT",
     .help = "reduction: leave out escape, happen-before, multilockset, sections, re-entrant, "
             "thread-local or protected; can be given several times"},
    {.name = "ablation",
     .kind = ST_FLAG,
     .offset = offsetof(struct predict_values, reduction.ablation),
     GIVEN(PREDICT_ABLATION),
     .help = "reduction: write a table of what each improvement is worth, instead of the report"},
    {.name = "spec",
     .kind = ST_TEXT,
     .offset = offsetof(struct predict_values, spec),
     .value = "FILE",
     .help = "which blocks are meant to be atomic; without it, all are"},
    {.name = "limit",
     .kind = ST_NUMBER,
     .offset = offsetof(struct predict_values, limit),
     .value = "N",
     .initial = "100",
     .help = "list at most N blocks, those with findings first; 0 lists all"},
    REPAIR_OPTION(struct predict_values),
    FILTER_OPTIONS(struct predict_values, filters),
    REPORT_FORMAT_OPTION(struct predict_values, "text"),
    OUTPUT_OPTION(struct predict_values),
    COMMON_OPTIONS,
};

const struct command cmd_predict = {
    .name = "predict",
    .operands = "TRACE",
    .summary = "say which blocks other schedules of the same run could cut",
    .description = "Says which blocks could be cut in other schedules of the run that a trace was\n"
                   "recorded of. TRACE is a file in STD text or in the native format, or - for\n"
                   "standard input.\n\n"
                   "Exit status: 0 nothing new found, 1 found, 2 trouble.\n",
    .options = options,
    .values_size = sizeof(struct predict_values),
    .least_operands = 1,
    .most_operands = 1,
    .more_help = more_help,
    .run = run,
};
