/* seriatim baseline: keeps a file of known findings up to date. */
#include "base/output.h"
#include "cli/common_options.h"
#include "cli/messages.h"
#include "session/filters.h"
#include "report/load/merged_runs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct values {
    struct common_values common;
    bool prune;
};

static int add_files(struct st_merged_runs *runs, const char *const *operands,
                     struct st_error *error) {
    bool there = access(operands[0], F_OK) == 0 || errno != ENOENT;
    for (size_t i = there ? 0 : 1; operands[i]; i++)
        if (st_add_saved_run(runs, operands[i], error) < 0)
            return -1;
    return 0;
}

static enum status write_baseline(const struct values *values, const char *path,
                                  struct st_merged_runs *runs) {
    struct st_error error;
    struct st_output output;
    struct st_loaded *loaded = st_merged_runs_load(runs, path, &error);
    if (!loaded)
        return complain(&error);
    const struct st_report *report = st_loaded_report(loaded);
    enum status status = STATUS_CLEAN;
    if (st_output_open(&output, path, NULL, &error) < 0) {
        status = complain(&error);
    } else {
        st_report_json(report, output.file);
        if (st_output_finish(&output, &error) < 0)
            status = complain(&error);
    }
    if (status == STATUS_CLEAN && !values->common.quiet) {
        size_t count = report->results.items[0].findings->kept;
        printf("%s has %zu finding%s\n", path, count, count == 1 ? "" : "s");
    }
    st_loaded_free(loaded);
    return status;
}

static enum status run(const void *given, const char *const *operands) {
    const struct values *values = given;
    struct st_error error;
    if (strcmp(operands[0], "update") != 0) {
        st_fail(&error, "baseline", ST_AT_FILE, 0, "'%s' is not known; there is 'update'",
                operands[0]);
        return complain(&error);
    }
    struct st_merged_runs *runs = st_merged_runs_new(1);
    enum status status;
    if (add_files(runs, operands + 1, &error) < 0) {
        status = complain(&error);
    } else {
        if (values->prune)
            st_merged_runs_prune(runs);
        status = write_baseline(values, operands[1], runs);
    }
    st_merged_runs_free(runs);
    return status;
}

static const struct st_option options[] = {
    {.name = "prune",
     .kind = ST_FLAG,
     .offset = offsetof(struct values, prune),
     .help = "leave out what is in FILE and in no RESULT"},
    COMMON_OPTIONS,
};

const struct command cmd_baseline = {
    .name = "baseline",
    .operands = "update FILE RESULT...",
    .summary = "add the findings of saved results to a baseline",
    .description =
        "Adds the findings of each RESULT, which check, run or hunt saved with --format\n"
        "json, to the baseline in FILE, and makes it if it is not there. Findings that\n"
        "are in it are then known to --baseline FILE. One run of a program\n"
        "seldom finds everything: add the results of a few.\n\n"
        "Exit status: 0 done, 2 error.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 3,
    .most_operands = SIZE_MAX,
    .run = run,
};
