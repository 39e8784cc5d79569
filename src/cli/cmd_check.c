/* seriatim check: runs one engine, or all of them, over a trace and reports what they found. */
#include "cli/cmd_check.h"

#include "base/output.h"
#include "cli/messages.h"
#include "report/context_details.h"
#include "report/triage/gaps.h"
#include "session/trace_check.h"

#include <stdlib.h>
#include <string.h>

struct check {
    const struct check_values *values;
    const char *path;
    struct st_trace_input input;
    struct st_output output;
    struct st_filters filters;
    struct st_trace_check engines;
};

static size_t engine_count(void) {
    size_t count = 0;
    while (st_engines[count])
        count++;
    return count;
}

static const char *engine_choice(size_t index) {
    size_t count = engine_count();
    return index < count ? st_engines[index]->name : index == count ? "all" : NULL;
}

static bool runs_all(const struct check *check) {
    return check->values->engine == engine_count();
}

static void start_engines(struct check *check) {
    const struct check_values *values = check->values;
    bool all = runs_all(check);
    enum st_relation relation =
        st_relation_or_usual(values->relation, st_trace_is_recording(check->input.reading.trace));
    st_trace_check_start(&check->engines, all ? st_engines : &st_engines[values->engine],
                         all ? engine_count() : 1, relation, st_filters_keep(values->limit),
                         values->first);
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
                               .kind = runs_all(check) ? ST_REPORT_COMPARISON : ST_REPORT_RESULT,
                               .results = {results, check->engines.count}};
    struct st_text_style style = text_style(&values->common, check->output.fd);
    for (size_t i = 0; i < check->engines.count; i++)
        st_find_gaps(&report, &check->engines.runs[i].findings);
    struct st_triaged *triaged = st_filters_apply(&check->filters, &report, values->limit);
    enum status status = report_status(&report);
    if (values->strict && status == STATUS_CLEAN && was_unchecked(&report))
        status = STATUS_TROUBLE;
    report.has_status = true;
    report.status = status;
    write_report_as(&report, &values->filters, values->format, style, check->output.file);
    st_triaged_free(triaged);
    st_context_details_free(&contexts);
    return status;
}

static void warn_of_giving_up(const struct check *check, const struct st_result *results) {
    for (size_t i = 0; i < check->engines.count; i++)
        if (results[i].findings->gave_up)
            warn("%s: %s", results[i].engine, results[i].findings->gave_up);
}

static enum status check_and_report(struct check *check) {
    struct st_error error;
    int result = st_trace_check_read(&check->engines, &check->input, &error);
    end_reading(&check->input.reading, result == 0);
    if (result < 0) {
        st_output_abandon(&check->output);
        return complain(&error);
    }
    if (!st_trace_check_stopped(&check->engines))
        warn_of_no_blocks(&check->input);
    const char *no_races = st_trace_check_mark_races(&check->engines, &check->input);
    if (no_races)
        warn("%s: not all data races are marked: %s", check->path, no_races);
    struct st_result *results = st_trace_check_results(&check->engines, &check->input);
    enum status status = write_report(check, results);
    warn_of_giving_up(check, results);
    free(results);
    return st_output_finish(&check->output, &error) < 0 ? complain(&error) : status;
}

/* What a thread starts with is around all that it does: it would hide that from other engines. */
static bool looks_at_every_depth(const struct check *check) {
    return !runs_all(check) && strcmp(st_engines[check->values->engine]->name, "witness") == 0;
}

static int open_trace(struct check *check, struct st_error *error) {
    const struct check_values *values = check->values;
    struct st_trace_source source = {.command = "check",
                                     .path = check->path,
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
    if (st_output_open(&check->output, values->output, inputs, &error) < 0)
        return complain(&error);
    start_engines(check);
    enum status status = check_and_report(check);
    st_trace_check_free(&check->engines);
    return status;
}

enum status check_path(const struct check_values *values, const char *path) {
    struct check check = {.values = values, .path = path};
    struct st_error error;
    if (open_filters(&check, &error) < 0)
        return complain(&error);
    enum status status;
    if (open_trace(&check, &error) < 0) {
        status = complain(&error);
    } else {
        status = check_trace(&check);
        st_trace_input_close(&check.input);
    }
    st_filters_close(&check.filters);
    return status;
}

static enum status run(const void *values, const char *const *operands) {
    return check_path(values, operands[0]);
}

static void more_help(FILE *file) {
    fputs("engines:\n", file);
    for (size_t i = 0; st_engines[i]; i++)
        fprintf(file, "  %-14s %s\n", st_engines[i]->name, st_engines[i]->summary);
    fprintf(file, "  %-14s %s\n", "all", "each of them, side by side");
}

static const struct st_option options[] = {
    {.name = "engine",
     .kind = ST_CHOICE,
     .offset = offsetof(struct check_values, engine),
     .value = "ENGINE",
     .initial = "witness",
     .choice = engine_choice,
     .help = "the analysis to run"},
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
    OUTPUT_OPTION(struct check_values),
    COMMON_OPTIONS,
};

const struct command cmd_check = {
    .name = "check",
    .operands = "TRACE",
    .summary = "check a trace for atomicity violations",
    .description =
        "Checks whether a trace is serializable. If it is not, says from which event on,\n"
        "and which blocks are violated. TRACE is a file in STD text or in the native\n"
        "format, or - for standard input.\n\n"
        "Exit status: 0 nothing new found, 1 something new found, 2 error.\n",
    .options = options,
    .values_size = sizeof(struct check_values),
    .least_operands = 1,
    .most_operands = 1,
    .more_help = more_help,
    .run = run,
};
