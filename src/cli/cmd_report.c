/* seriatim report: writes a saved result, or what is found in a trace, in any format. */
#include "base/memory.h"
#include "cli/checking.h"
#include "report/formats.h"
#include "report/load.h"
#include "trace/format.h"

#include <stdlib.h>
#include <string.h>

/* The longest result that is read. What is more than that would not be looked at by anybody. */
#define LARGEST_RESULT (UINT64_C(1) << 32)

/* How much to read in order to tell a result from a trace. */
enum { FIRST_LOOK = 4096, MORE = 1 << 20 };

struct values {
    struct common_values common;
    unsigned format;
    const char *output;
};

static bool found_something(const struct st_report *report) {
    for (size_t i = 0; i < report->result_count; i++)
        if (st_result_found(&report->results[i]))
            return true;
    return false;
}

static bool is_undecided(const struct st_report *report) {
    for (size_t i = 0; i < report->result_count; i++)
        if (report->results[i].findings->verdict == ST_UNDECIDED)
            return true;
    return false;
}

static enum status write_loaded(const struct values *values, const char *path,
                                struct st_loaded *loaded) {
    const char *const inputs[] = {path, NULL};
    const struct st_report_format *format = &st_report_formats[values->format];
    const struct st_report *report = st_loaded_report(loaded);
    struct st_output output;
    struct st_error error;
    if (st_output_open(&output, values->output, inputs, &error) < 0)
        return complain(&error);
    struct st_text_style style = text_style(&values->common, output.fd);
    format->write(report, style, output.file);
    if (st_output_finish(&output, &error) < 0)
        return complain(&error);
    return found_something(report) ? STATUS_FOUND
           : is_undecided(report)  ? STATUS_TROUBLE
                                   : STATUS_CLEAN;
}

static int read_rest(struct st_input *input, struct st_error *error) {
    while (!input->at_end) {
        if (st_input_fill(input, st_input_available(input) + MORE, error) < 0)
            return -1;
        if (st_input_available(input) > LARGEST_RESULT)
            return st_fail(error, input->name, ST_AT_FILE, 0, "is too large for a result");
    }
    return 0;
}

static enum status report_result(const struct values *values, const char *path,
                                 struct st_input *input) {
    struct st_error error;
    if (read_rest(input, &error) < 0)
        return complain(&error);
    struct st_loaded *loaded =
        st_report_load(input->name, st_input_bytes(input), st_input_available(input), &error);
    if (!loaded)
        return complain(&error);
    enum status status = write_loaded(values, path, loaded);
    st_loaded_free(loaded);
    return status;
}

/* As `seriatim check` does it without options. */
static enum status report_trace(const struct values *values, const char *path) {
    const struct check_values check = {
        .common = values->common, .limit = 100, .format = values->format, .output = values->output};
    return check_path(&check, path);
}

/* What comes through a pipe was read by now and cannot be read again as a trace. */
static enum status refuse_pipe(const struct st_input *input) {
    struct st_error error;
    st_fail(&error, input->name, ST_AT_FILE, 0,
            "is no result of check or run; a trace has to be a file here, or use 'seriatim check "
            "--format html -'");
    return complain(&error);
}

static enum status run(const void *values, const char *const *operands) {
    struct st_input input;
    struct st_error error;
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
    REPORT_FORMAT_OPTION(struct values, "html"),
    OUTPUT_OPTION(struct values),
    COMMON_OPTIONS,
};

const struct command cmd_report = {
    .name = "report",
    .operands = "RESULT|TRACE",
    .summary = "write a saved result as a page for a browser, or in another format",
    .description =
        "Writes a result that check or run saved with --format json as a page for a\n"
        "browser, or in another format. RESULT is a file or - for standard input. A TRACE\n"
        "is checked first, as 'seriatim check' does without options.\n\n"
        "Exit status: 0 nothing found, 1 found, 2 trouble.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
