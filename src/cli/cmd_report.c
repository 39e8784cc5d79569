/* seriatim report: writes a saved result, or what is found in a trace, in any format. */
#include "base/output.h"
#include "cli/cmd_check.h"
#include "cli/messages.h"
#include "session/filters.h"
#include "report/load/merged_runs.h"

#include <string.h>
#include <unistd.h>

/* How much to read to distinguish a result from a trace. */
enum { FIRST_LOOK = 4096 };

struct values {
    struct common_values common;
    unsigned relation, format;
    const char *output;
    struct filter_values filters;
};

/* Findings keep the state they were saved with, unless files are given now. */
static enum status write_loaded(const struct values *values, const struct st_filters *filters,
                                const struct st_loaded *loaded, struct st_output *output) {
    struct st_report report = *st_loaded_report(loaded);
    struct st_triaged *triaged = st_filters_apply(filters, &report, 0);
    enum status status = report_status(&report);
    struct st_error error;
    report.has_status = true;
    report.status = status;
    write_report_as(&report, &values->filters, values->format,
                    text_style(&values->common, output->fd), output->file);
    st_triaged_free(triaged);
    return st_output_finish(output, &error) < 0 ? complain(&error) : status;
}

static enum status filter_loaded(const struct values *values, const char *path,
                                 const struct st_loaded *loaded) {
    const struct st_filter_files *files = &values->filters.files;
    const char *const others[] = {path, NULL};
    const char *inputs[ST_FILTER_INPUTS];
    struct st_filters filters;
    struct st_output output;
    struct st_error error;
    enum status status;
    st_filters_list_inputs(files, path, NULL, inputs);
    if (st_filters_open(&filters, files, "report", others, &error) < 0)
        return complain(&error);
    if (st_output_open(&output, values->output, inputs, &error) < 0)
        status = complain(&error);
    else
        status = write_loaded(values, &filters, loaded, &output);
    st_filters_close(&filters);
    return status;
}

static enum status report_result(const struct values *values, const char *path,
                                 struct st_input *input) {
    struct st_error error;
    struct st_loaded *loaded = st_result_read(input, &error);
    if (!loaded)
        return complain(&error);
    enum st_relation relation = st_loaded_report(loaded)->relation;
    enum status status;
    if (values->relation && relation != (enum st_relation)values->relation) {
        st_fail(&error, input->name, ST_AT_FILE, 0,
                "is a saved result, which option '--%s' cannot change; check the trace again "
                "with it",
                st_relation_name(values->relation));
        status = complain(&error);
    } else {
        status = filter_loaded(values, path, loaded);
    }
    st_loaded_free(loaded);
    return status;
}

/* ---- several results ---- */

/* Of each finding so many violations are kept: those of the first runs. */
enum { KEPT_OF_EACH = 3 };

static enum status report_merged(const struct values *values, const char *const *paths) {
    struct st_merged_runs *runs = st_merged_runs_new(KEPT_OF_EACH);
    struct st_error error;
    struct st_loaded *loaded = NULL;
    int result = 0;
    for (size_t i = 0; paths[i] && result == 0; i++)
        result = st_add_saved_run(runs, paths[i], &error);
    if (result == 0)
        loaded = st_merged_runs_load(runs, paths[0], &error);
    enum status status = loaded ? filter_loaded(values, paths[0], loaded) : complain(&error);
    st_loaded_free(loaded);
    st_merged_runs_free(runs);
    return status;
}

/* ---- one ---- */

/* Like `seriatim check` without options. */
static enum status report_trace(const struct values *values, const char *path) {
    const struct check_values check = {.common = values->common,
                                       .relation = values->relation,
                                       .limit = 100,
                                       .format = values->format,
                                       .output = values->output,
                                       .filters = values->filters};
    return check_path(&check, path);
}

/* A pipe has been read by now, and cannot be read again as a trace. */
static enum status refuse_pipe(const struct st_input *input) {
    struct st_error error;
    st_fail(&error, input->name, ST_AT_FILE, 0,
            "is not a result of check, run, hunt or predict; for a trace from a pipe use "
            "'seriatim check --format html -'");
    return complain(&error);
}

/* Nobody reads a page on a terminal: there the report is text. */
static struct values for_terminal(const struct values *wanted, const char *path) {
    struct values values = *wanted;
    bool page = strcmp(st_report_formats[values.format].name, "html") == 0;
    if (!page || values.output || values.filters.print || !isatty(STDOUT_FILENO))
        return values;
    values.format = 0;
    if (!values.common.quiet)
        fprintf(stderr,
                "seriatim: as text, since standard output is a terminal; for a page: "
                "seriatim report -o report.html %s\n",
                path);
    return values;
}

static enum status run(const void *command_values, const char *const *operands) {
    const struct values chosen = for_terminal(command_values, operands[0]), *values = &chosen;
    struct st_input input;
    struct st_error error;
    if (operands[1])
        return report_merged(values, operands);
    if (st_input_open(&input, operands[0], &error) < 0)
        return complain(&error);
    enum status status;
    if (st_input_fill(&input, FIRST_LOOK, &error) < 0) {
        status = complain(&error);
    } else if (st_is_result(st_input_bytes(&input), st_input_available(&input))) {
        status = report_result(values, operands[0], &input);
    } else if (strcmp(operands[0], "-") == 0 || (!input.size && st_input_available(&input))) {
        status = refuse_pipe(&input);
    } else {
        st_input_close(&input);
        return report_trace(values, operands[0]);
    }
    st_input_close(&input);
    return status;
}

static const struct st_option options[] = {
    RELATION_OPTIONS(struct values),
    FILTER_OPTIONS(struct values, filters),
    STORIES_OPTION(struct values, filters),
    REPORT_FORMAT_OPTION(struct values, "html"),
    EDITOR_OPTION(struct values, filters),
    OUTPUT_OPTION(struct values),
    COMMON_OPTIONS,
};

const struct command cmd_report = {
    .name = "report",
    .operands = "RESULT|TRACE...",
    .summary = "show a saved result as a page for a browser, or in another format",
    .description =
        "Shows a result that check, run, hunt or predict saved with --format json, as a\n"
        "page for a browser or in another format; on a terminal, as text in place of a\n"
        "page. RESULT is a file, or - for standard input. A TRACE is checked first, as\n"
        "'seriatim check' does without options. Of several results of check, run and\n"
        "hunt one is made: counts add up, and what several have found is one finding.\n\n"
        "Exit status: 0 nothing new found, 1 something new found, 2 error.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .run = run,
};
