/* seriatim check: runs one engine, or all of them, over a trace and reports what they found. */
#include "cli/cmd_check.h"

#include "base/memory.h"
#include "base/output.h"
#include "cli/compare/engine_list.h"
#include "cli/cluster/check_many.h"
#include "cli/cluster/ranks.h"
#include "cli/messages.h"
#include "report/context_details.h"
#include "report/triage/gaps.h"
#include "session/trace_check.h"

#include <stdlib.h>
#include <string.h>

struct check {
    const struct check_values *values;
    const char *path;  /* as the user named it */
    const char *place; /* where it is; mostly the same */
    struct st_trace_input input;
    FILE *file; /* where the report goes */
    struct st_text_style style;
    struct st_filters filters;
    const struct st_engine **chosen;
    size_t chosen_count;
    struct st_trace_check engines;
};

static size_t count_engines(const struct st_engine *const *engines) {
    size_t count = 0;
    while (engines[count])
        count++;
    return count;
}

static const char *engine_choice(size_t index) {
    size_t count = count_engines(st_engines), others = count_engines(st_other_engines);
    if (index < count)
        return st_engines[index]->name;
    index -= count;
    return index < others ? st_other_engines[index]->name : index == others ? "all" : NULL;
}

static void choose(struct check *check, const struct st_engine *engine) {
    check->chosen = st_realloc(check->chosen, check->chosen_count + 1, sizeof *check->chosen);
    check->chosen[check->chosen_count++] = engine;
}

/* Adds the forms as published of those that are chosen; witness is the measure for all. */
static void choose_published(struct check *check) {
    const struct st_engine *first = check->chosen[0];
    bool all = strcmp(first->name, "witness") == 0;
    for (size_t i = 0; st_other_engines[i]; i++) {
        const char *form_of = st_other_engines[i]->published_form_of;
        if (form_of && (all || strcmp(form_of, first->name) == 0))
            choose(check, st_other_engines[i]);
    }
}

static int choose_for(struct check *check, struct st_error *error) {
    const struct check_values *values = check->values;
    const char *name = engine_choice(values->engine);
    const struct st_engine *engine = st_engine_find(name);
    if (engine)
        choose(check, engine);
    for (size_t i = 0; !engine && st_engines[i]; i++)
        choose(check, st_engines[i]);
    if (!values->as_published)
        return 0;
    choose_published(check);
    if (check->chosen_count == 1)
        return st_fail(error, "check", ST_AT_FILE, 0,
                       "--as-published: %s has no other form; it goes with velodrome, aerodrome, "
                       "regiontrack, witness and all",
                       name);
    return 0;
}

static bool compares(const struct check *check) {
    return check->chosen_count > 1;
}

static void start_engines(struct check *check) {
    const struct check_values *values = check->values;
    enum st_relation relation =
        st_relation_or_usual(values->relation, st_trace_is_recording(check->input.reading.trace));
    st_trace_check_start(&check->engines, check->chosen, check->chosen_count, relation,
                         st_filters_keep(values->limit), values->first);
}

/* Returns the exit status. */
static enum status write_report(struct check *check, const struct st_result *results) {
    const struct check_values *values = check->values;
    struct st_trace_input *input = &check->input;
    const struct st_trace *trace = input->reading.trace;
    struct st_facts facts = st_trace_input_facts(input);
    struct st_context_details contexts = {.symbols = &input->symbols};
    struct st_details details = {st_context_details_lookup, &contexts};
    struct st_report report = {.trace = check->path,
                               .details = input->tracker ? &details : NULL,
                               .built = st_trace_input_recorded(input),
                               .symbols = &input->symbols,
                               .facts = &facts,
                               .repairs = st_trace_repairs(trace),
                               .file_truncated = st_trace_truncated(trace),
                               .stopped = st_trace_check_stopped(&check->engines),
                               .relation = check->engines.relation,
                               .kind = compares(check) ? ST_REPORT_COMPARISON : ST_REPORT_RESULT,
                               .results = {results, check->engines.count}};
    for (size_t i = 0; i < check->engines.count; i++)
        st_find_gaps(&report, &check->engines.runs[i].findings);
    struct st_triaged *triaged = st_filters_apply(&check->filters, &report, values->limit);
    enum status status = report_status(&report);
    if (values->strict && status == STATUS_CLEAN && was_unchecked(&report))
        status = STATUS_TROUBLE;
    report.has_status = true;
    report.status = status;
    write_report_as(&report, &values->filters, values->format, check->style, check->file);
    st_triaged_free(triaged);
    st_context_details_free(&contexts);
    return status;
}

static void warn_of_giving_up(const struct check *check, const struct st_result *results) {
    for (size_t i = 0; i < check->engines.count; i++)
        if (results[i].findings->gave_up)
            warn("%s: %s", results[i].engine, results[i].findings->gave_up);
}

/* False: the trace could not be read, and there is no report. */
static bool check_and_report(struct check *check, enum status *status) {
    struct st_error error;
    int result = st_trace_check_read(&check->engines, &check->input, &error);
    end_reading(&check->input.reading, result == 0);
    if (result < 0) {
        *status = complain(&error);
        return false;
    }
    if (!st_trace_check_stopped(&check->engines))
        warn_of_no_blocks(&check->input);
    const char *no_races = st_trace_check_mark_races(&check->engines, &check->input);
    if (no_races)
        warn("%s: not all data races are marked: %s", check->path, no_races);
    struct st_result *results = st_trace_check_results(&check->engines, &check->input);
    *status = write_report(check, results);
    warn_of_giving_up(check, results);
    free(results);
    return true;
}

/* What a thread starts with is around all that it does: it would hide that from other engines. */
static bool looks_at_every_depth(const struct check *check) {
    return !compares(check) && strcmp(check->chosen[0]->name, "witness") == 0;
}

static int open_trace(struct check *check, struct st_error *error) {
    const struct check_values *values = check->values;
    struct st_trace_source source = {.command = "check",
                                     .path = check->place,
                                     .spec = values->spec,
                                     .no_starts = !looks_at_every_depth(check),
                                     .flags = (values->repair ? ST_TRACE_REPAIR : 0) |
                                              (values->first ? 0 : ST_TRACE_AHEAD) |
                                              ST_TRACE_LIVES | ST_TRACE_PACKED};
    return open_trace_input(&check->input, source, values->common.quiet, error);
}

static int open_filters(struct check *check, struct st_error *error) {
    const struct check_values *values = check->values;
    if (values->first && st_filters_wanted(&values->filters.files))
        return st_fail(
            error, "check", ST_AT_FILE, 0,
            "--first cannot be used with --suppressions or --baseline: it stops before it is "
            "known whether a finding is new");
    return st_filters_open_for_trace(&check->filters, &values->filters.files, "check", check->path,
                                     values->spec, error);
}

static enum status check_trace(struct check *check) {
    const struct check_values *values = check->values;
    struct st_error error;
    const char *inputs[ST_FILTER_INPUTS];
    st_filters_list_inputs(&values->filters.files, check->path, values->spec, inputs);
    struct st_output output;
    if (st_output_open(&output, values->output, inputs, &error) < 0)
        return complain(&error);
    check->file = output.file;
    check->style = text_style(&values->common, output.fd);
    enum status status;
    start_engines(check);
    bool good = check_and_report(check, &status);
    st_trace_check_free(&check->engines);
    if (!good)
        st_output_abandon(&output);
    return good && st_output_finish(&output, &error) < 0 ? complain(&error) : status;
}

/* Without filters: they are for all traces together. */
static enum status check_opened(struct check *check) {
    enum status status;
    start_engines(check);
    check_and_report(check, &status);
    st_trace_check_free(&check->engines);
    st_trace_input_close(&check->input);
    return status;
}

enum status check_into(const struct check_values *values, const char *name, const char *place,
                       FILE *file) {
    static const struct st_filter_files no_files = {.root = NULL};
    const char *const inputs[] = {place, NULL};
    struct check check = {.values = values, .path = name, .place = place, .file = file};
    struct st_error error;
    enum status status;
    if (st_filters_open(&check.filters, &no_files, "check", inputs, &error) < 0)
        return complain(&error);
    if (choose_for(&check, &error) < 0 || open_trace(&check, &error) < 0)
        status = complain(&error);
    else
        status = check_opened(&check);
    st_filters_close(&check.filters);
    free(check.chosen);
    return status;
}

bool check_compares(const struct check_values *values) {
    return values->as_published || !st_engine_find(engine_choice(values->engine));
}

enum status check_path(const struct check_values *values, const char *path) {
    struct check check = {.values = values, .path = path, .place = path};
    struct st_error error;
    enum status status;
    if (choose_for(&check, &error) < 0 || open_filters(&check, &error) < 0) {
        free(check.chosen);
        return complain(&error);
    }
    if (open_trace(&check, &error) < 0) {
        status = complain(&error);
    } else {
        status = check_trace(&check);
        st_trace_input_close(&check.input);
    }
    st_filters_close(&check.filters);
    free(check.chosen);
    return status;
}

static enum status run(const void *values, const char *const *operands) {
    if (operands[1] || *operands[0] == '@')
        return check_many(values, operands);
    return st_crew_is_worker(ranks_crew()) ? STATUS_CLEAN : check_path(values, operands[0]);
}

static void more_help(FILE *file) {
    describe_engines(false, file);
    fprintf(file, "  %-20s the first %zu, side by side\n", "all", count_engines(st_engines));
}

static const struct st_option options[] = {
    {.name = "engine",
     .kind = ST_CHOICE,
     .offset = offsetof(struct check_values, engine),
     .value = "ENGINE",
     .initial = "witness",
     .choice = engine_choice,
     .help = "the analysis to run"},
    {.name = "as-published",
     .kind = ST_FLAG,
     .offset = offsetof(struct check_values, as_published),
     .help = "beside the engine, its algorithm as the paper has it, with its errors"},
    RELATION_OPTIONS(struct check_values),
    {.name = "spec",
     .kind = ST_TEXT,
     .offset = offsetof(struct check_values, spec),
     .value = "FILE",
     .help = "a specification that says which blocks should be atomic; without it, all should"},
    LIMIT_OPTION(struct check_values),
    STORIES_OPTION(struct check_values, filters),
    {.name = "first",
     .kind = ST_FLAG,
     .offset = offsetof(struct check_values, first),
     .help = "stop at the first finding and report only that"},
    REPAIR_OPTION(struct check_values),
    STRICT_OPTION(struct check_values),
    FILTER_OPTIONS(struct check_values, filters),
    REPORT_FORMAT_OPTION(struct check_values, "text"),
    EDITOR_OPTION(struct check_values, filters),
    RESUME_OPTION(struct check_values),
    OUTPUT_OPTION(struct check_values),
    COMMON_OPTIONS,
};

const struct command cmd_check = {
    .name = "check",
    .operands = "TRACE...",
    .summary = "check a trace for atomicity violations",
    .description =
        "Checks whether a trace is serializable. If it is not, says from which event on,\n"
        "and which blocks are violated. TRACE is a file in STD text or in the native\n"
        "format, or - for standard input. Of several traces one result is made, as\n"
        "'seriatim report' does; @FILE stands for the traces that FILE names, one a line.\n\n"
        "Exit status: 0 nothing new found, 1 something new found, 2 error.\n",
    .options = options,
    .values_size = sizeof(struct check_values),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .in_crew = true,
    .more_help = more_help,
    .run = run,
};
