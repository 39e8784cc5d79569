/* seriatim record: runs a program and writes what it does as a trace. */
#include "base/memory.h"
#include "base/output.h"
#include "cli/common_options.h"
#include "cli/messages.h"
#include "cli/other_processes.h"
#include "session/recording.h"
#include "session/watched_program.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct values {
    struct common_values common;
    const char *output, *spec, *source_root;
    bool no_follow, reduced, every_access, values;
    struct st_texts allocators;
    struct st_java_options java;
};

/* Of the first process, or in a watcher of its own of another one. */
struct record {
    const struct values *values;
    const char *const *words;
    struct st_watch watch;
    struct st_other_process *other; /* in a watcher of its own */
    struct other_processes others;
    bool others_failed;
    struct st_spec *spec;
    struct st_recording recording;
};

/* "t.stt" is "t.4711.stt" for another process. */
static char *path_of_another(const char *output, pid_t process) {
    static const char ending[] = ".stt";
    size_t length = strlen(output), end = sizeof ending - 1;
    bool ends = length > end && strcmp(output + length - end, ending) == 0;
    char *path = st_alloc(length + 32, 1);
    sprintf(path, "%.*s.%ld%s", (int)(ends ? length - end : length), output, (long)process, ending);
    return path;
}

/* Named after the program and its process, so that no trace replaces another. */
static char *choose_path(const struct values *values, const char *program, pid_t process,
                         bool another) {
    if (values->output && another && !strstr(values->output, "%p"))
        return path_of_another(values->output, process);
    if (values->output)
        return st_expand_process(values->output, process);
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;
    char *path = st_alloc(strlen(name) + 32, 1);
    sprintf(path, "%s.%ld.stt", name, (long)process);
    return path;
}

/* ---- what the recording asks ---- */

static char *choose_own_path(void *context) {
    const struct record *record = context;
    return choose_path(record->values, watched_name(&record->watch, record->words),
                       st_watch_attached(&record->watch), record->other != NULL);
}

static void say_gave_up(void *context, const struct st_error *error) {
    (void)context;
    complain(error);
    warn("recording stops here; the program continues");
}

static void init_recording(struct record *record) {
    struct st_recording_hooks hooks = {
        .choose_path = choose_own_path, .gave_up = say_gave_up, .context = record};
    bool every = record->values->every_access || record->values->values;
    enum st_stream_rule rule = record->values->reduced ? ST_STREAM_REDUCED
                               : every                 ? ST_STREAM_EVERY
                                                       : ST_STREAM_SUFFICIENT;
    st_recording_init(&record->recording, &record->watch, rule, &hooks);
    record->recording.values = record->values->values;
}

/* What there is to say about a trace. */
struct extent {
    uint64_t events, threads, bytes;
};

static struct extent extent_of(const struct record *record, uint64_t bytes) {
    const struct st_facts *facts = st_validator_facts(record->recording.validator);
    uint64_t events = facts->events - facts->dropped + record->recording.more;
    return (struct extent){.events = record->recording.defers ? record->recording.placed : events,
                           .threads =
                               st_translator_symbols(record->watch.translator)->threads.count,
                           .bytes = bytes};
}

static void put_summary(const char *path, struct extent extent) {
    fprintf(stderr,
            "seriatim: %s: %" PRIu64 " event%s of %" PRIu64 " thread%s, %" PRIu64
            " bytes (%.2f per event)\n",
            path, extent.events, plural(extent.events), extent.threads, plural(extent.threads),
            extent.bytes, extent.events ? (double)extent.bytes / (double)extent.events : 0);
}

static void put_next(const struct record *record, uint64_t events) {
    if (events)
        fprintf(stderr, "seriatim: next: seriatim check %s\n", record->recording.path);
    else
        warn("%s emitted no events, so its trace is empty",
             watched_name(&record->watch, record->words));
}

static void put_behind(void *context, uint64_t records, double rate) {
    const struct record *record = context;
    show_behind(&record->values->common.quiet, records, rate);
}

/* Follows it to the end, and closes the trace. */
static struct extent follow_one(struct record *record, const struct st_watch_hooks *hooks) {
    st_watch_follow(&record->watch, hooks);
    uint64_t bytes = st_recording_close(&record->recording);
    return record->recording.file ? extent_of(record, bytes) : (struct extent){0};
}

static void release(struct record *record) {
    st_recording_free(&record->recording);
    st_watch_free(&record->watch);
    other_processes_free(&record->others);
}

static void tick(void *context) {
    struct record *record = context;
    st_recording_save(&record->recording);
}

/* ---- other processes ---- */

/* In a watcher of its own. */
static void record_other(void *context, struct st_other_process *other) {
    const struct record *first = context;
    const char *const words[] = {other->program, NULL};
    struct record record = {.values = first->values, .words = words, .other = other};
    init_recording(&record);
    struct st_translation translation = st_recording_translation(&record.recording);
    struct st_watch_hooks hooks = {.tick = tick, .context = &record};
    struct st_error error;
    translation.spec = first->spec;
    translation.allocators = &first->values->allocators;
    translation.source_root = first->values->source_root;
    if (st_watch_attach(&record.watch, other, &translation, &error) < 0) {
        complain(&error);
        _exit(STATUS_TROUBLE);
    }
    struct extent extent = follow_one(&record, &hooks);
    warn_of_watch(&record.watch, other->program);
    bool trouble =
        record.recording.failed || watch_status(&record.watch, STATUS_CLEAN) != STATUS_CLEAN;
    st_other_send(other, (uint64_t[4]){trouble, extent.events, extent.threads, extent.bytes}, -1);
    release(&record);
}

static void take_news(void *context, const struct st_broker_message *message, int fd) {
    struct record *record = context;
    note_news(&record->others, message);
    if (message->news == ST_NEWS_RESULT) {
        char *path = choose_path(record->values, message->program, message->pid, true);
        record->others_failed |= message->value[0];
        if (!message->value[0] && !record->values->common.quiet)
            put_summary(path,
                        (struct extent){message->value[1], message->value[2], message->value[3]});
        free(path);
    }
    if (fd >= 0)
        close(fd);
}

static void put_waiting(void *context) {
    const struct record *record = context;
    show_waiting(&record->others, record->values->common.quiet);
}

/* ---- the command ---- */

static enum status follow(struct record *record) {
    struct st_watch_hooks hooks = {.tick = tick,
                                   .behind = put_behind,
                                   .news = take_news,
                                   .waiting = put_waiting,
                                   .context = record};
    struct extent extent = follow_one(record, &hooks);
    const struct st_recording *recording = &record->recording;
    bool good = recording->file && !recording->failed;
    show_status_line(NULL);
    warn_of_watch(&record->watch, record->words[0]);
    warn_of_others(&record->others, record->words[0]);
    if (good && !record->values->common.quiet) {
        put_summary(recording->path, extent);
        put_next(record, extent.events);
    }
    bool one_name = record->values->output && !strstr(record->values->output, "%p");
    if (good && one_name && record->others.begun)
        warn("%s has the first process only; the traces of the others have their process ids in "
             "their names",
             recording->path);
    bool failed = recording->failed || record->others_failed || record->others.failed;
    return watch_status(&record->watch, failed ? STATUS_TROUBLE : STATUS_CLEAN);
}

/* Better to fail now than after hours. */
static int check_output(const struct record *record, struct st_error *error) {
    struct st_output output;
    struct stat status;
    char *path = choose_path(record->values, record->words[0], 0, false);
    int result = 0;
    /* Who reads a pipe would think that this is all. */
    if (stat(path, &status) < 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) {
        result = st_output_open(&output, path, NULL, error);
        if (result == 0)
            st_output_abandon(&output);
    }
    free(path);
    return result;
}

static enum status run(const void *values, const char *const *operands) {
    struct record record = {.values = values, .words = operands};
    struct st_error error;
    if (record.values->reduced && record.values->values) {
        st_fail(&error, "record", ST_AT_FILE, 0,
                "options '--reduced' and '--values' exclude each other: values need every access");
        return complain(&error);
    }
    const char **changed;
    if (check_output(&record, &error) < 0 ||
        st_java_prepare(&record.values->java, "record", operands, &changed, &error) < 0)
        return complain(&error);
    init_recording(&record);
    struct st_translation translation = st_recording_translation(&record.recording);
    translation.allocators = &record.values->allocators;
    translation.source_root = record.values->source_root;
    const struct st_following following = {
        .all = !record.values->no_follow, .watch = record_other, .context = &record};
    int started = st_watched_program_start(&record.watch, "record", changed ? changed : operands,
                                           record.values->spec, &record.spec, &translation,
                                           &following, &error);
    free(changed);
    warn_of_elements(record.spec, record.values->spec);
    enum status status = started < 0 ? complain(&error) : follow(&record);
    release(&record);
    st_spec_free(record.spec);
    return status;
}

static const struct st_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = ST_TEXT,
     .offset = offsetof(struct values, output),
     .value = "TRACE",
     .help = "write to TRACE; %p in its name becomes the process id (default PROGRAM.%p.stt)"},
    {.name = "spec",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, spec),
     .value = "FILE",
     .help = "a specification that says which functions should be atomic; without it, all are "
             "recorded as blocks"},
    {.name = "reduced",
     .kind = ST_FLAG,
     .offset = offsetof(struct values, reduced),
     .help = "leave out what check does without: for most programs that costs far less, but "
             "predict may miss something"},
    {.name = "every-access",
     .kind = ST_FLAG,
     .offset = offsetof(struct values, every_access),
     .help = "leave out nothing, not even what makes no difference to check and predict"},
    {.name = "values",
     .kind = ST_FLAG,
     .offset = offsetof(struct values, values),
     .help = "also keep what accesses of up to 8 bytes read and wrote, for predict; leaves out "
             "nothing"},
    ALLOCATOR_OPTION(struct values),
    JAVA_OPTIONS(struct values),
    {.name = "source-root",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, source_root),
     .value = "DIR",
     .help = "Java: look for sources below DIR, too"},
    NO_FOLLOW_OPTION(struct values, no_follow),
    COMMON_OPTIONS,
};

const struct command cmd_record = {
    .name = "record",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .summary = "run a program and write its events to a trace",
    .description =
        "Runs a program that was built with seriatim-cc or seriatim-c++, or a Java\n"
        "program as it is, and writes its events to a trace in the native format, which\n"
        "check and the other commands read.\n\n"
        "Exit status: that of the program (128 + N after signal N). If the program\n"
        "succeeded, but not the trace: 2.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .operands_end_options = true,
    .run = run,
};
