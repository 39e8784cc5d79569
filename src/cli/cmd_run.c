/* seriatim run: runs a program and checks what it does while it runs. */
#include "base/output.h"
#include "cli/messages.h"
#include "cli/report_output.h"
#include "session/finding_names.h"
#include "session/seen.h"
#include "session/watched_program.h"

#include <stdlib.h>
#include <unistd.h>

struct values {
    struct common_values common;
    const char *spec, *log;
    uint64_t limit, error_exitcode;
    bool first, strict;
    unsigned relation, format;
    struct filter_values filters;
};

struct run {
    const struct values *values;
    const char *const *words;
    struct st_live_check check;
    struct st_filters filters;
    bool over;      /* the program has ended */
    bool found;     /* something new, when the last report was written */
    bool failed;    /* the report could not be written */
    bool unchecked; /* nothing was checked, when the last report was written */
};

/* ---- the report ---- */

/* As far as it is known so far. */
static enum status exit_status(const struct run *run) {
    bool trouble =
        run->failed || run->check.run.findings.gave_up || (run->values->strict && run->unchecked);
    return watch_status(&run->check.watch, run->found ? (int)run->values->error_exitcode
                                           : trouble  ? STATUS_TROUBLE
                                                      : STATUS_CLEAN);
}

static void write_to(struct run *run, FILE *file, int fd) {
    const struct values *values = run->values;
    struct st_live_check *check = &run->check;
    struct st_findings findings = st_engine_run_snapshot(&check->run);
    struct st_finding_names *names = st_finding_names_new(check->watch.translator, &findings);
    struct st_details details = st_finding_names_details(names);
    struct st_result result = st_engine_run_result(&check->run, &findings);
    struct st_seen seen = {0};
    struct st_report report = {.schema = ST_RUN_SCHEMA,
                               .trace = run->words[0],
                               .details = &details,
                               .built =
                                   st_places_built(st_translator_places(check->watch.translator)),
                               .symbols = st_finding_names_symbols(names),
                               .facts = st_validator_facts(check->validator),
                               .repairs = st_validator_repairs(check->validator),
                               .stopped = check->run.stopped,
                               .relation = check->relation,
                               .kind = ST_REPORT_RESULT,
                               .results = {&result, 1}};
    if (was_unchecked(&report)) {
        st_seen_find(&seen, check->watch.translator, values->spec != NULL);
        report.coverage = &seen.coverage;
    }
    struct st_triaged *triaged = st_filters_apply(&run->filters, &report, values->limit);
    run->unchecked = was_unchecked(&report);
    run->found = st_report_found(&report);
    report.has_status = run->over;
    report.status = exit_status(run);
    write_report_as(&report, &values->filters, values->format, text_style(&values->common, fd),
                    file);
    st_triaged_free(triaged);
    st_seen_free(&seen);
    st_finding_names_free(names);
    free(findings.violations);
}

static char *log_path(const struct run *run) {
    const struct st_watch *watch = &run->check.watch;
    pid_t attached = st_watch_attached(watch);
    return st_expand_process(run->values->log, attached ? attached : watch->program.process);
}

/* What was found must not be lost. */
static void write_to_standard_error(struct run *run) {
    write_to(run, stderr, STDERR_FILENO);
    fflush(stderr);
}

static void write_log(struct run *run) {
    struct st_output output;
    struct st_error error;
    char *path = log_path(run);
    int result = st_output_open(&output, path, NULL, &error);
    if (result == 0) {
        write_to(run, output.file, output.fd);
        result = st_output_finish(&output, &error);
    }
    if (result < 0) {
        complain(&error);
        run->failed = true;
        write_to_standard_error(run);
    }
    free(path);
}

static void write_report(void *context) {
    struct run *run = context;
    const struct st_watch *watch = &run->check.watch;
    if (!st_watch_attached(watch) || st_watch_had_no_room(watch))
        return;
    if (run->values->log)
        write_log(run);
    else
        write_to_standard_error(run);
}

static void put_behind(void *context, uint64_t records, double rate) {
    const struct run *run = context;
    show_behind(&run->values->common.quiet, records, rate);
}

/* ---- the command ---- */

static enum status follow(struct run *run) {
    struct st_engine_run *engine = &run->check.run;
    st_live_check_follow(&run->check);
    run->over = true;
    if (!engine->stopped)
        write_report(run);
    if (!st_filters_wanted(&run->values->filters.files))
        run->found = st_engine_run_has_found(engine); /* even if the report could not be written */
    warn_of_watch(&run->check.watch, run->words[0]);
    if (engine->findings.gave_up)
        warn("%s: %s", engine->engine->name, engine->findings.gave_up);
    return exit_status(run);
}

/* Better to fail now than after hours. */
static int check_log(const struct values *values, struct st_error *error) {
    struct st_output output;
    if (!values->log)
        return 0;
    char *path = st_expand_process(values->log, 0);
    int result = st_output_open(&output, path, NULL, error);
    if (result == 0)
        st_output_abandon(&output);
    free(path);
    return result;
}

static int check_exitcode(const struct values *values, struct st_error *error) {
    if (values->error_exitcode <= 255)
        return 0;
    return st_fail(error, "run", ST_AT_FILE, 0,
                   "option '--error-exitcode' needs a number up to 255");
}

static int open_filters(struct run *run, struct st_error *error) {
    const struct values *values = run->values;
    const char *const inputs[] = {values->spec, NULL};
    if (values->first && st_filters_wanted(&values->filters.files))
        return st_fail(
            error, "run", ST_AT_FILE, 0,
            "--first cannot be used with --suppressions or --baseline: it stops before it is "
            "known whether a finding is new");
    return st_filters_open(&run->filters, &values->filters.files, "run", inputs, error);
}

static enum status run_program(const void *command_values, const char *const *operands) {
    const struct values *values = command_values;
    struct run run = {.values = values, .words = operands};
    struct st_live_check_hooks hooks = {
        .asked = write_report, .found = write_report, .behind = put_behind, .context = &run};
    struct st_error error;
    if (check_exitcode(values, &error) < 0 || check_log(values, &error) < 0 ||
        open_filters(&run, &error) < 0)
        return complain(&error);
    st_live_check_init(&run.check, st_relation_or_usual(values->relation, true),
                       st_filters_keep(&values->filters.files, values->limit), values->first,
                       &hooks);
    int started = st_live_check_start(&run.check, "run", operands, values->spec, &error);
    enum status status = started < 0 ? complain(&error) : follow(&run);
    st_live_check_free(&run.check);
    st_filters_close(&run.filters);
    return status;
}

static const struct st_option options[] = {
    RELATION_OPTIONS(struct values),
    {.name = "spec",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, spec),
     .value = "FILE",
     .help = "a specification that says which functions should be atomic; without it, nearly all "
             "should"},
    LIMIT_OPTION(struct values),
    {.name = "first",
     .kind = ST_FLAG,
     .offset = offsetof(struct values, first),
     .help = "report the first finding at once; the program then continues unwatched"},
    {.name = "log",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, log),
     .value = "FILE",
     .help = "write the report to FILE instead of standard error; %p in its name becomes the "
             "process id"},
    {.name = "error-exitcode",
     .kind = ST_NUMBER,
     .offset = offsetof(struct values, error_exitcode),
     .value = "N",
     .initial = "66",
     .help = "exit with status N if the program succeeded but something was found"},
    STRICT_OPTION(struct values),
    FILTER_OPTIONS(struct values, filters),
    REPORT_FORMAT_OPTION(struct values, "text"),
    COMMON_OPTIONS,
};

const struct command cmd_run = {
    .name = "run",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .summary = "run a program and report which blocks were violated",
    .description = "Runs a program that was built with seriatim-cc or seriatim-c++, and checks it\n"
                   "while it runs. Reports at the end which functions and blocks were not atomic.\n"
                   "Send SIGUSR1 for a report of what was found so far.\n\n"
                   "Exit status: that of the program (128 + N after signal N). If the program\n"
                   "succeeded: 66 if something new was found, 2 after an error.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .operands_end_options = true,
    .run = run_program,
};
