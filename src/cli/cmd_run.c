/* seriatim run: runs a program and checks what it does while it runs. */
#include "base/memory.h"
#include "check/witness/witness.h"
#include "cli/judging.h"
#include "cli/watching.h"
#include "report/formats.h"
#include "session/finding_names.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct values {
    struct common_values common;
    const char *spec, *log;
    uint64_t limit, error_exitcode;
    bool first;
    unsigned format;
    struct judging_values judging;
};

struct run {
    const struct values *values;
    const char *const *words;
    struct st_watch watch;
    struct st_spec *spec;
    struct st_validator *validator;
    const struct st_engine *engine;
    void *state;
    struct st_findings findings;
    double seconds;
    size_t peak_bytes;
    struct judging judging;
    bool over;    /* the program has ended */
    bool found;   /* something new, when the last report was written */
    bool stopped; /* --first: something was found and told */
    bool failed;  /* the report could not be written */
};

static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool has_found(const struct run *run) {
    return run->findings.first_bad_event || run->findings.kept;
}

/* ---- the report ---- */

/* What was found so far, with the violations in order. The engine goes on with its own. */
static struct st_findings sorted_findings(const struct run *run) {
    struct st_findings findings = run->findings;
    findings.violations = st_alloc(findings.kept + 1, sizeof *findings.violations);
    if (findings.kept)
        memcpy(findings.violations, run->findings.violations,
               findings.kept * sizeof *findings.violations);
    st_findings_sort(&findings);
    if (findings.verdict == ST_UNDECIDED && !findings.gave_up)
        findings.verdict = findings.first_bad_event ? ST_NOT_SERIALIZABLE : ST_SERIALIZABLE;
    return findings;
}

/* As far as it is known by now. */
static enum status exit_status(const struct run *run) {
    return watching_status(&run->watch, run->found ? (int)run->values->error_exitcode
                                        : run->failed || run->findings.gave_up ? STATUS_TROUBLE
                                                                               : STATUS_CLEAN);
}

static void write_to(struct run *run, FILE *file, int fd) {
    struct st_findings findings = sorted_findings(run);
    struct words *words = words_new(run->watch.translator, &findings);
    struct st_details details = words_details(words);
    struct st_result result = {.engine = run->engine->name,
                               .findings = &findings,
                               .seconds = run->seconds,
                               .peak_bytes = run->peak_bytes};
    struct st_report report = {.schema = "seriatim-run/1",
                               .trace = run->words[0],
                               .details = &details,
                               .built =
                                   st_places_built(st_translator_places(run->watch.translator)),
                               .symbols = words_symbols(words),
                               .facts = st_validator_facts(run->validator),
                               .repairs = st_validator_repairs(run->validator),
                               .stopped = run->stopped,
                               .results = &result,
                               .result_count = 1};
    struct st_judgement *judgement = judging_apply(&run->judging, &report, run->values->limit);
    run->found = st_report_found(&report);
    report.has_status = run->over;
    report.status = exit_status(run);
    judging_write(&run->judging, &report, run->values->format, text_style(&run->values->common, fd),
                  file);
    st_judgement_free(judgement);
    words_free(words);
    free(findings.violations);
}

static char *log_path(const struct run *run) {
    pid_t attached = st_watch_attached(&run->watch);
    return watching_path(run->values->log, attached ? attached : run->watch.program.process);
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
    }
    free(path);
}

static void write_report(void *context) {
    struct run *run = context;
    if (!st_watch_attached(&run->watch) || st_watch_had_no_room(&run->watch))
        return;
    if (run->values->log) {
        write_log(run);
        return;
    }
    write_to(run, stderr, STDERR_FILENO);
    fflush(stderr);
}

/* ---- the events ---- */

static void report_first(struct run *run) {
    run->stopped = true;
    write_report(run);
    st_watch_stop(&run->watch);
}

/* Event by event, so that nothing behind the first finding is seen. */
static void feed_until_found(struct run *run, const struct st_event *events, const uint64_t *at,
                             size_t count, uint64_t first) {
    for (size_t i = 0; i < count && !has_found(run); i++)
        st_witness_feed_at(run->state, &events[i], &at[i], 1, first + i);
    if (has_found(run))
        report_first(run);
}

static void check_events(void *context, struct st_event *events, const uint64_t *at, size_t count) {
    struct run *run = context;
    if (run->stopped)
        return;
    const struct st_symbols *symbols = st_translator_symbols(run->watch.translator);
    uint64_t first = st_validator_facts(run->validator)->events + 1;
    st_validate(run->validator, events, count, symbols->threads.count, symbols->locks.count);
    double start = processor_time();
    if (run->values->first)
        feed_until_found(run, events, at, count, first);
    else
        st_witness_feed_at(run->state, events, at, count, first);
    run->seconds += processor_time() - start;
}

static uint64_t dead_before(void *context, uint32_t thread) {
    struct run *run = context;
    return st_witness_dead_before(run->state, thread);
}

static void forget_variable(void *context, uint32_t variable) {
    struct run *run = context;
    run->engine->forget(run->state, variable);
}

static void note_memory(void *context) {
    struct run *run = context;
    size_t bytes = run->engine->memory(run->state);
    if (bytes > run->peak_bytes)
        run->peak_bytes = bytes;
}

static enum status follow(struct run *run) {
    struct st_watch_hooks hooks = {.asked = write_report, .tick = note_memory, .context = run};
    st_watch_follow(&run->watch, &hooks);
    note_memory(run);
    run->over = true;
    if (!run->stopped) {
        run->engine->finish(run->state, st_validator_facts(run->validator)->events);
        write_report(run);
    }
    if (!judging_is_wanted(&run->values->judging))
        run->found = has_found(run); /* even if it could not be told */
    watching_warn(&run->watch, run->words[0]);
    if (run->findings.gave_up)
        warn("%s: %s", run->engine->name, run->findings.gave_up);
    return exit_status(run);
}

/* Better now than after hours. */
static int check_log(const struct values *values) {
    struct st_output output;
    struct st_error error;
    if (!values->log)
        return 0;
    char *path = watching_path(values->log, 0);
    int result = st_output_open(&output, path, NULL, &error);
    if (result == 0)
        st_output_abandon(&output);
    else
        complain(&error);
    free(path);
    return result;
}

static int check_exitcode(const struct values *values) {
    struct st_error error;
    if (values->error_exitcode <= 255)
        return 0;
    st_fail(&error, "run", ST_AT_FILE, 0, "option '--error-exitcode' needs a number up to 255");
    complain(&error);
    return -1;
}

static int open_judging(struct run *run) {
    const struct values *values = run->values;
    const char *const inputs[] = {values->spec, NULL};
    struct st_error error;
    int result = -1;
    if (values->first && judging_is_wanted(&values->judging))
        st_fail(&error, "run", ST_AT_FILE, 0,
                "--first stops at a finding before it is known whether that is new; leave it out "
                "with --suppressions and --baseline");
    else
        result = judging_open(&run->judging, &values->judging, "run", inputs, &error);
    if (result < 0)
        complain(&error);
    return result;
}

static enum status run_program(const void *values, const char *const *operands) {
    struct run run = {.values = values, .words = operands};
    struct st_translation translation = {.sites = true,
                                         .sink = check_events,
                                         .dead_before = dead_before,
                                         .forget = forget_variable,
                                         .context = &run};
    enum status status = STATUS_TROUBLE;
    if (check_exitcode(values) < 0 || check_log(values) < 0 || open_judging(&run) < 0)
        return status;
    run.validator = st_validator_new(true);
    run.engine = st_engine_find("witness");
    st_findings_init(&run.findings, judging_keeps(&run.values->judging, run.values->limit));
    run.state = run.engine->create(&run.findings);
    if (watching_start(&run.watch, &run.spec, run.values->spec, operands, &translation) == 0)
        status = follow(&run);
    st_watch_free(&run.watch);
    run.engine->destroy(run.state);
    st_findings_free(&run.findings);
    st_validator_free(run.validator);
    st_spec_free(run.spec);
    judging_close(&run.judging);
    return status;
}

static const struct st_option options[] = {
    {.name = "spec",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, spec),
     .value = "FILE",
     .help = "which functions are meant to be atomic; without it, nearly all are"},
    LIMIT_OPTION(struct values),
    {.name = "first",
     .kind = ST_FLAG,
     .offset = offsetof(struct values, first),
     .help = "report the first finding at once, then let the program go on unwatched"},
    {.name = "log",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, log),
     .value = "FILE",
     .help = "write the report to FILE, with the process for each %p in it, instead of standard "
             "error"},
    {.name = "error-exitcode",
     .kind = ST_NUMBER,
     .offset = offsetof(struct values, error_exitcode),
     .value = "N",
     .initial = "66",
     .help = "exit status when the program succeeded and something was found"},
    JUDGING_OPTIONS(struct values, judging),
    REPORT_FORMAT_OPTION(struct values, "text"),
    COMMON_OPTIONS,
};

const struct command cmd_run = {
    .name = "run",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .summary = "run a program and say which blocks were cut",
    .description =
        "Runs a program that was built with seriatim-cc or seriatim-c++, checks what it\n"
        "does and reports at its end which functions and blocks were not atomic. The\n"
        "signal SIGUSR1 asks for a report of what was found so far.\n\n"
        "Exit status: that of the program (128 + N after signal N); if the program\n"
        "succeeded, 66 when something new was found and 2 when there is trouble.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .operands_end_options = true,
    .run = run_program,
};
