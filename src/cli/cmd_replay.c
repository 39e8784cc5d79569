/* seriatim replay: does again what a schedule of hunt says. */
#include "base/output.h"
#include "cli/messages.h"
#include "cli/report_output.h"
#include "hunt/replay.h"
#include "report/load/load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The program did not do what the schedule says. */
enum { STATUS_DIVERGED = 3 };

struct values {
    struct common_values common;
    const char *output, *source_root;
    uint64_t limit;
    double run_time;
    bool gdb, minimise;
    unsigned format;
    struct filter_values filters;
};

/* ---- the report ---- */

static void write_to(const struct values *values, const struct st_loaded *loaded, FILE *file,
                     int fd, enum status status) {
    struct st_report report = *st_loaded_report(loaded);
    report.has_status = true;
    report.status = status;
    write_report_as(&report, &values->filters, values->format, text_style(&values->common, fd),
                    file);
}

/* Found, if what was replayed is a finding. */
static enum status write_report(const struct values *values, const struct st_replay *replay) {
    struct st_error error;
    struct st_output output;
    char *text = st_replay_result(replay->hunt);
    struct st_loaded *loaded = st_report_load("replay", text, strlen(text), &error);
    enum status status = loaded ? report_status(st_loaded_report(loaded)) : STATUS_TROUBLE;
    if (replay->diverged)
        status = (enum status)STATUS_DIVERGED;
    if (!loaded) {
        complain(&error);
    } else if (!values->output) {
        write_to(values, loaded, stderr, STDERR_FILENO, status);
    } else if (st_output_open(&output, values->output, NULL, &error) < 0) {
        status = complain(&error);
    } else {
        write_to(values, loaded, output.file, output.fd, status);
        if (st_output_finish(&output, &error) < 0)
            status = complain(&error);
    }
    st_loaded_free(loaded);
    free(text);
    return status;
}

static void warn_of_replay(const struct st_replay *replay) {
    const char *program = replay->options.subject.words[0];
    if (replay->rebuilt)
        warn("%s was built anew since the schedule was made (%s): the places of the schedule were "
             "found by function, line and count",
             program, replay->rebuilt);
    if (replay->cut_off)
        warn("%s printed more than is shown and compared: the first 16 MiB are", program);
    if (replay->diverged)
        warn("%s diverged from the schedule at %s: it depends on more than its threads, or is "
             "another build",
             program, replay->diverged_at);
    else if (!replay->same)
        warn("%s followed the schedule, and something else came of it than when it was found",
             program);
}

/* ---- ways to replay ---- */

static enum status replay_once(const struct values *values, struct st_replay *replay) {
    struct st_error error;
    if (st_replay_run(replay, &error) < 0)
        return complain(&error);
    enum status status = write_report(values, replay);
    warn_of_replay(replay);
    return status;
}

static enum status minimise(const struct values *values, struct st_replay *replay,
                            const char *path) {
    uint32_t before, after;
    struct st_error error;
    if (st_replay_minimise(replay, path, &before, &after, &error) < 0)
        return complain(&error);
    if (!values->common.quiet)
        printf("%s: %" PRIu32 " of %" PRIu32 " deviations are left\n", path, after, before);
    return STATUS_CLEAN;
}

static enum status debug(struct st_replay *replay) {
    struct st_error error;
    return st_replay_debug(replay, &error) < 0 ? complain(&error) : STATUS_CLEAN;
}

/* ---- the command ---- */

static enum status replay_schedule(const void *command_values, const char *const *operands) {
    const struct values *values = command_values;
    struct st_replay replay = {
        .options = {.limit = values->limit,
                    .subject = {.command = "replay",
                                .seconds = values->run_time > 0 ? values->run_time : 60}}};
    struct st_error error;
    const char *const *words = operands + 1;
    char *path = realpath(operands[0], NULL); /* the program runs in another folder */
    char *root = values->source_root ? realpath(values->source_root, NULL) : NULL;
    replay.options.subject.source_root = root;
    if (*words && strcmp(*words, "--") == 0)
        words++;
    int opened = st_replay_open(&replay, path ? path : operands[0], *words ? words : NULL, &error);
    enum status status = opened < 0         ? complain(&error)
                         : values->gdb      ? debug(&replay)
                         : values->minimise ? minimise(values, &replay, path)
                                            : replay_once(values, &replay);
    st_replay_close(&replay);
    free(path);
    free(root);
    return status;
}

static const struct st_option options[] = {
    {.name = "gdb",
     .kind = ST_FLAG,
     .offset = offsetof(struct values, gdb),
     .help = "run the program in gdb, which stops where the block is cut, or where the program was "
             "last seen before it failed"},
    {.name = "minimise",
     .kind = ST_FLAG,
     .offset = offsetof(struct values, minimise),
     .help = "leave out what is not needed for the same finding, and write SCHEDULE anew; hunt has "
             "done so already, up to a limit"},
    {.name = "run-time",
     .kind = ST_SECONDS,
     .offset = offsetof(struct values, run_time),
     .value = "S",
     .initial = "60",
     .help = "end the program after S seconds"},
    {.name = "source-root",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, source_root),
     .value = "DIR",
     .help = "Java: look for sources below DIR, too"},
    LIMIT_OPTION(struct values),
    STORIES_OPTION(struct values, filters),
    {.name = "output",
     .letter = 'o',
     .kind = ST_TEXT,
     .offset = offsetof(struct values, output),
     .value = "FILE",
     .help = "write the report to FILE instead of standard error"},
    REPORT_FORMAT_OPTION(struct values, "text"),
    EDITOR_OPTION(struct values, filters),
    COMMON_OPTIONS,
};

const struct command cmd_replay = {
    .name = "replay",
    .operands = "SCHEDULE [[--] PROGRAM [ARGUMENT...]]",
    .summary = "do again what a schedule of hunt says",
    .description =
        "Runs a program once more, exactly as in the run that SCHEDULE was made from:\n"
        "the same threads are stopped in the same places. Without PROGRAM it is the\n"
        "program of that run, in the same folder and with the same input. The report is\n"
        "that of 'seriatim run'.\n\n"
        "Exit status: 1 if the run shows a finding, 0 if it does not, 2 after an error,\n"
        "3 if the program diverged from the schedule.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .operands_end_options = true,
    .run = replay_schedule,
};
