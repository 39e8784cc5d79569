/* seriatim run: runs a program and checks what it does while it runs. */
#define _GNU_SOURCE /* memfd_create */
#include "base/memory.h"
#include "base/output.h"
#include "cli/compare/engine_list.h"
#include "cli/messages.h"
#include "cli/other_processes.h"
#include "cli/report_output.h"
#include "report/load/load.h"
#include "session/live_report.h"
#include "session/process_results.h"
#include "session/watched_program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct values {
    struct common_values common;
    const char *spec, *log, *engine;
    uint64_t limit, error_exitcode;
    bool first, strict, no_follow;
    unsigned relation, format;
    struct st_texts allocators;
    struct st_java_options java;
    struct filter_values filters;
};

/* Of the first process, or in a watcher of its own of another one. */
struct run {
    const struct values *values;
    const char *const *words;
    struct st_live_check check;
    struct st_filters filters;
    struct st_other_process *other;     /* in a watcher of its own */
    struct other_processes others;      /* otherwise: the other processes, */
    struct st_process_results *results; /* and what came of those that have ended; or NULL */
    struct st_process_results *so_far;  /* and of those that have not, while somebody asks */
    bool over;                          /* the program has ended */
    bool found;                         /* something new, when the last report was written */
    bool failed;                        /* the report could not be written */
    bool unchecked;                     /* nothing was checked, when the last report was written */
    bool reported;                      /* what was found first, by --first */
    bool others_found, others_in_trouble;
};

/* What a watcher says about its result, in the first of its values. */
enum { FOUND = 1, TROUBLE = 2, INCOMPLETE = 4, FOUND_FIRST = 8, SO_FAR = 16 };

/* ---- the report of a process ---- */

/* Is there no answer where there should be one? */
static bool gave_up(const struct st_live_check *check) {
    return check->run.findings.gave_up &&
           (check->run.engine != &st_empty || check->watch.interrupted);
}

/* As far as it is known so far. */
static enum status exit_status(const struct run *run) {
    bool trouble = run->failed || gave_up(&run->check) || run->others_in_trouble ||
                   (run->values->strict && run->unchecked);
    bool found = run->found || run->others_found;
    return watch_status(&run->check.watch, found     ? (int)run->values->error_exitcode
                                           : trouble ? STATUS_TROUBLE
                                                     : STATUS_CLEAN);
}

/* Writes a report, which may be changed. */
typedef void report_writer(struct run *run, struct st_report *report, FILE *file, int fd);

/* In the format that was asked for, without what is known or suppressed. */
static void write_filtered(struct run *run, struct st_report *report, FILE *file, int fd) {
    const struct values *values = run->values;
    struct st_triaged *triaged = st_filters_apply(&run->filters, report, values->limit);
    run->unchecked = was_unchecked(report);
    run->found = st_report_found(report);
    report->has_status = run->over;
    report->status = exit_status(run);
    write_report_as(report, &values->filters, values->format, text_style(&values->common, fd),
                    file);
    st_triaged_free(triaged);
}

/* All of it, for another process of ours to read. */
static void write_plain(struct run *run, struct st_report *report, FILE *file, int fd) {
    (void)fd;
    run->unchecked = was_unchecked(report);
    run->found = st_report_found(report);
    st_report_json(report, file);
}

struct writing {
    struct run *run;
    report_writer *write;
    FILE *file;
    int fd;
};

static void use_report(void *context, struct st_report *report) {
    struct writing *writing = context;
    writing->write(writing->run, report, writing->file, writing->fd);
}

static void with_report(struct run *run, report_writer *write, FILE *file, int fd) {
    struct writing writing = {run, write, file, fd};
    st_live_report(&run->check, watched_name(&run->check.watch, run->words),
                   run->values->spec != NULL, use_report, &writing);
}

static void write_one(struct run *run, FILE *file, int fd) {
    with_report(run, write_filtered, file, fd);
}

/* ---- the report of several processes ---- */

static bool was_seen(const struct st_watch *watch) {
    return st_watch_attached(watch) && !st_watch_had_no_room(watch);
}

static bool is_complete(const struct st_live_check *check) {
    return !gave_up(check) && !check->watch.interrupted && !st_watch_had_no_room(&check->watch) &&
           !st_watch_gave_up(&check->watch);
}

static void add_result(struct run *run, struct st_process_results *results,
                       const struct st_process_facts *facts, const char *json, size_t length) {
    struct st_error error;
    if (st_process_results_add(results, facts, json, length, &error) < 0) {
        complain(&error);
        run->others_in_trouble = true;
    }
}

static void add_own_result(struct run *run, struct st_process_results *results) {
    const struct st_watch *watch = &run->check.watch;
    struct st_text_buffer buffer;
    if (!was_seen(watch))
        return;
    with_report(run, write_plain, st_text_buffer_open(&buffer), -1);
    char *json = st_text_buffer_close(&buffer);
    struct st_process_facts facts = {.pid = st_watch_attached(watch),
                                     .program = *watch->path ? watch->path : run->words[0],
                                     .complete = is_complete(&run->check),
                                     .status = watched_status(watch)};
    add_result(run, results, &facts, json, strlen(json));
    free(json);
}

static void write_merged_json(struct run *run, struct st_process_results *results,
                              struct st_report *report, FILE *file) {
    struct st_text_buffer buffer;
    write_filtered(run, report, st_text_buffer_open(&buffer), -1);
    char *document = st_text_buffer_close(&buffer);
    st_process_results_write(results, document, file);
    free(document);
}

static void write_merged(struct run *run, struct st_process_results *results, FILE *file, int fd) {
    struct st_error error;
    struct st_loaded *loaded = st_process_results_load(results, run->words[0], &error);
    if (!loaded) {
        complain(&error);
        run->failed = true;
        return;
    }
    struct st_report report = *st_loaded_report(loaded);
    bool json = strcmp(st_report_format_name(run->values->format), "json") == 0;
    if (json && !run->values->filters.print)
        write_merged_json(run, results, &report, file);
    else
        write_filtered(run, &report, file, fd);
    st_loaded_free(loaded);
}

/* Of all processes that are known, ours as far as it is. */
static void write_all(struct run *run, FILE *file, int fd) {
    const struct st_process_results *known = run->so_far ? run->so_far : run->results;
    if (!known || !st_process_results_count(known)) {
        write_one(run, file, fd);
        return;
    }
    struct st_process_results *results = st_process_results_copy(known);
    add_own_result(run, results);
    write_merged(run, results, file, fd);
    st_process_results_free(results);
}

/* ---- where it goes ---- */

static bool has_log_each(const struct values *values) {
    return values->log && strstr(values->log, "%p");
}

static void write_to(struct run *run, FILE *file, int fd) {
    if (has_log_each(run->values) || run->other)
        write_one(run, file, fd);
    else
        write_all(run, file, fd);
}

static char *log_path(const struct run *run) {
    const struct st_watch *watch = &run->check.watch;
    pid_t attached = st_watch_attached(watch);
    return st_expand_process(run->values->log, attached ? attached : watch->program.process);
}

/* What was found must not be lost. */
static void write_to_standard_error(struct run *run) {
    show_status_line(NULL);
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
    if (!was_seen(&run->check.watch) && !run->results)
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

/* By the engine that was asked for. */
static void init_check(struct run *run, const struct st_live_check_hooks *hooks) {
    const struct values *values = run->values;
    st_live_check_init(&run->check, st_relation_or_usual(values->relation, true),
                       st_filters_keep(values->limit), values->first, hooks);
    run->check.allocators = &values->allocators;
    run->check.source_root = values->filters.files.root;
    if (values->engine)
        st_live_check_compare(&run->check, st_engine_find(values->engine));
}

/* ---- in a watcher of its own ---- */

static void send_result(struct run *run, unsigned flags) {
    struct st_watch *watch = &run->check.watch;
    int fd = memfd_create("seriatim-result", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(dup(fd), "w") : NULL;
    if (!file || !was_seen(watch))
        flags |= TROUBLE;
    if (file && was_seen(watch))
        with_report(run, write_plain, file, -1);
    if (file && fclose(file) != 0)
        flags |= TROUBLE;
    flags |= is_complete(&run->check) ? 0 : INCOMPLETE | TROUBLE;
    st_other_send(run->other, (uint64_t[4]){flags, (uint64_t)(watched_status(watch) + 1)}, fd);
}

static void answer_so_far(void *context) {
    struct run *run = context;
    if (has_log_each(run->values))
        write_report(run);
    else
        send_result(run, SO_FAR);
}

static void send_first(void *context) {
    struct run *run = context;
    send_result(run, FOUND_FIRST);
}

static void watch_other(void *context, struct st_other_process *other) {
    const struct run *first = context;
    const struct values *values = first->values;
    const char *const words[] = {other->program, NULL};
    struct run run = {.values = values, .words = words, .filters = first->filters, .other = other};
    struct st_live_check_hooks hooks = {
        .asked = answer_so_far, .found = send_first, .context = &run};
    struct st_error error;
    init_check(&run, &hooks);
    if (st_live_check_attach(&run.check, other, first->check.spec, &error) < 0) {
        complain(&error);
        _exit(STATUS_TROUBLE);
    }
    st_live_check_follow(&run.check);
    run.over = true;
    bool each = has_log_each(values) && was_seen(&run.check.watch) && !run.check.run.stopped;
    if (each)
        write_log(&run);
    unsigned flags = (each && run.found ? FOUND : 0) | (run.failed ? TROUBLE : 0);
    warn_of_watch(&run.check.watch, other->program);
    send_result(&run, flags);
    st_live_check_free(&run.check);
}

/* ---- what other watchers have to say ---- */

static void stop_at_first(struct run *run) {
    st_broker_stop(&run->check.watch.broker);
    if (run->reported || run->check.run.stopped)
        return;
    run->reported = true;
    write_report(run);
    st_watch_stop(&run->check.watch);
}

static void take_result(struct run *run, const struct st_broker_message *message, int fd) {
    unsigned flags = (unsigned)message->value[0];
    struct stat status;
    const struct st_process_facts facts = {.pid = message->pid,
                                           .program = message->program,
                                           .forked = message->forked,
                                           .complete = !(flags & INCOMPLETE),
                                           .status = (int)message->value[1] - 1};
    run->others_found |= flags & FOUND;
    run->others_in_trouble |= !(flags & SO_FAR) && flags & TROUBLE;
    if (run->reported || fd < 0 || fstat(fd, &status) < 0 || !status.st_size)
        return;
    char *json = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (json == MAP_FAILED)
        return;
    if (!run->results)
        run->results = st_process_results_new(run->values->limit);
    if (!(flags & SO_FAR))
        add_result(run, run->results, &facts, json, (size_t)status.st_size);
    if (run->so_far && note_answer(&run->others, message->pid))
        add_result(run, run->so_far, &facts, json, (size_t)status.st_size);
    munmap(json, (size_t)status.st_size);
    if (flags & FOUND_FIRST)
        stop_at_first(run);
}

static void take_news(void *context, const struct st_broker_message *message, int fd) {
    struct run *run = context;
    note_news(&run->others, message);
    if (message->news == ST_NEWS_RESULT)
        take_result(run, message, fd);
    if (fd >= 0)
        close(fd);
}

/* On request. The others are asked, and answer in no time. */
static void write_so_far(void *context) {
    struct run *run = context;
    struct st_watch *watch = &run->check.watch;
    st_broker_ask(&watch->broker);
    if (!has_log_each(run->values) && run->others.active_count) {
        uint64_t limit = run->values->limit;
        run->so_far =
            run->results ? st_process_results_copy(run->results) : st_process_results_new(limit);
        expect_answers(&run->others);
        while (missing_answers(&run->others) && !watch->broker_over) {
            st_watch_hear(watch);
            usleep(1000);
        }
    }
    write_report(run);
    st_process_results_free(run->so_far);
    run->so_far = NULL;
}

static void put_waiting(void *context) {
    const struct run *run = context;
    show_waiting(&run->others, run->values->common.quiet);
}

static void on_found(void *context) {
    struct run *run = context;
    if (!run->reported)
        write_report(run);
    run->reported = true;
    st_broker_stop(&run->check.watch.broker);
}

/* ---- the command ---- */

static enum status follow(struct run *run) {
    struct st_engine_run *engine = &run->check.run;
    st_live_check_follow(&run->check);
    run->over = true;
    show_status_line(NULL);
    if (!run->reported)
        write_report(run);
    if (!st_filters_wanted(&run->values->filters.files)) /* even if it could not be written */
        run->found |= st_engine_run_has_found(engine);
    run->others_in_trouble |= run->others.failed > 0;
    warn_of_watch(&run->check.watch, run->words[0]);
    warn_of_others(&run->others, run->words[0]);
    if (gave_up(&run->check))
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

static int check_engine(const struct values *values, struct st_error *error) {
    char quoted[80];
    if (!values->engine || st_engine_find(values->engine))
        return 0;
    return st_fail(error, "run", ST_AT_FILE, 0,
                   "unknown engine %s in --engine; 'seriatim help run' lists them",
                   st_quote(quoted, sizeof quoted, values->engine, strlen(values->engine)));
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
    struct st_live_check_hooks hooks = {.asked = write_so_far,
                                        .found = on_found,
                                        .behind = put_behind,
                                        .news = take_news,
                                        .waiting = put_waiting,
                                        .context = &run};
    const struct st_following following = {
        .all = !values->no_follow, .watch = watch_other, .context = &run};
    struct st_error error;
    const char **changed;
    if (check_exitcode(values, &error) < 0 || check_engine(values, &error) < 0 ||
        check_log(values, &error) < 0 || open_filters(&run, &error) < 0)
        return complain(&error);
    if (st_java_prepare(&values->java, "run", operands, &changed, &error) < 0) {
        st_filters_close(&run.filters);
        return complain(&error);
    }
    init_check(&run, &hooks);
    int started = st_live_check_start(&run.check, "run", changed ? changed : operands, values->spec,
                                      &following, &error);
    free(changed);
    warn_of_elements(run.check.spec, values->spec);
    enum status status = started < 0 ? complain(&error) : follow(&run);
    st_live_check_free(&run.check);
    st_process_results_free(run.results);
    other_processes_free(&run.others);
    st_filters_close(&run.filters);
    return status;
}

static void more_help(FILE *file) {
    describe_engines(true, file);
}

static const struct st_option options[] = {
    {.name = "engine",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, engine),
     .value = "ENGINE",
     .help = "check with ENGINE, which gets every access as it happens, so that engines can be "
             "compared; without it, witness does, and gets what it needs"},
    RELATION_OPTIONS(struct values),
    FUNCTIONS_SPEC_OPTION(struct values),
    ALLOCATOR_OPTION(struct values),
    JAVA_OPTIONS(struct values),
    LIMIT_OPTION(struct values),
    STORIES_OPTION(struct values, filters),
    {.name = "first",
     .kind = ST_FLAG,
     .offset = offsetof(struct values, first),
     .help = "report the first finding at once; the program then continues unwatched"},
    {.name = "log",
     .letter = 'o',
     .kind = ST_TEXT,
     .offset = offsetof(struct values, log),
     .value = "FILE",
     .help = "write the report to FILE instead of standard error; %p in its name becomes the "
             "process id"},
    NO_FOLLOW_OPTION(struct values, no_follow),
    {.name = "error-exitcode",
     .kind = ST_NUMBER,
     .offset = offsetof(struct values, error_exitcode),
     .value = "N",
     .initial = "66",
     .help = "exit with status N if the program succeeded but something was found"},
    STRICT_OPTION(struct values),
    FILTER_OPTIONS(struct values, filters),
    REPORT_FORMAT_OPTION(struct values, "text"),
    EDITOR_OPTION(struct values, filters),
    COMMON_OPTIONS,
};

const struct command cmd_run = {
    .name = "run",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .summary = "run a program and report which blocks were violated",
    .description = "Runs a program that was built with seriatim-cc or seriatim-c++, or a Java\n"
                   "program as it is (java -jar app.jar), and checks it while it runs. Reports at\n"
                   "the end which functions and blocks were not atomic. Send SIGUSR1 for a report\n"
                   "of what was found so far.\n\n"
                   "Exit status: that of the program (128 + N after signal N). If the program\n"
                   "succeeded: 66 if something new was found, 2 after an error.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .operands_end_options = true,
    .more_help = more_help,
    .run = run_program,
};
