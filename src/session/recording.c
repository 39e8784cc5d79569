#include "session/recording.h"

#include "base/memory.h"
#include "base/nameless_file.h"
#include "base/output.h"
#include "trace/format.h"
#include "trace/late/placing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void st_recording_init(struct st_recording *recording, struct st_watch *watch,
                       enum st_stream_rule rule, const struct st_recording_hooks *hooks) {
    *recording = (struct st_recording){.watch = watch,
                                       .hooks = *hooks,
                                       .rule = rule,
                                       .defers = rule == ST_STREAM_REDUCED,
                                       .validator = st_validator_new(true)};
}

void st_recording_free(struct st_recording *recording) {
    st_describer_free(recording->describer);
    st_validator_free(recording->validator);
    st_late_events_free(&recording->late);
    free(recording->ended);
    free(recording->path);
}

/* The program goes on; what is in the file can be read. */
static void give_up(struct st_recording *recording, const struct st_error *error) {
    recording->failed = true;
    if (recording->hooks.gave_up)
        recording->hooks.gave_up(recording->hooks.context, error);
    st_watch_stop(recording->watch);
}

/* What cannot be written in place is written when all is in order, from a file without a name. */
static FILE *open_file(const struct st_recording *recording, struct st_error *error) {
    struct stat status;
    if (recording->defers && stat(recording->path, &status) == 0 && !S_ISREG(status.st_mode))
        return st_nameless_file(error);
    FILE *file = fopen(recording->path, "we");
    if (!file)
        st_fail(error, recording->path, ST_AT_FILE, 0, "cannot write: %s", strerror(errno));
    return file;
}

/* Chunks are written immediately and under the final name, so that the file can be read whatever
 * happens. */
static bool open_trace(struct st_recording *recording) {
    struct st_error error;
    recording->path = recording->hooks.choose_path(recording->hooks.context);
    recording->file = open_file(recording, &error);
    if (!recording->file) {
        give_up(recording, &error);
        return false;
    }
    static const enum st_recording_rule rules[] = {[ST_STREAM_REDUCED] = ST_RULE_REDUCED,
                                                   [ST_STREAM_SUFFICIENT] = ST_RULE_SUFFICIENT,
                                                   [ST_STREAM_EVERY] = ST_RULE_EVERY};
    setvbuf(recording->file, NULL, _IONBF, 0);
    struct st_symbols *symbols = st_translator_symbols(recording->watch->translator);
    symbols->rule = rules[recording->rule];
    symbols->late = recording->defers;
    recording->writer = st_native_writer.open(recording->file, recording->path, symbols);
    return true;
}

/* ---- lives ---- */

/* The end of a life ends a chunk, too, so ends wait until one is nearly full. Chunks of a program
 * with little to do are written each second, and never are. */
static bool may_end_lives(void *context) {
    const struct st_recording *recording = context;
    return recording->since_ends >= ST_CHUNK_EVENTS ||
           (recording->writer &&
            st_native_writer_waiting(recording->writer) >= ST_CHUNK_EVENTS / 4 * 3);
}

static void end_life(void *context, uint32_t variable) {
    struct st_recording *recording = context;
    if (recording->ended_count) {
        struct st_variable_run *last = &recording->ended[recording->ended_count - 1];
        if (last->first + last->count == variable) {
            last->count++;
            return;
        }
    }
    st_reserve(&recording->ended, &recording->ended_capacity, recording->ended_count + 1);
    recording->ended[recording->ended_count++] = (struct st_variable_run){variable, 1};
}

static int write_ends(struct st_recording *recording, struct st_error *error) {
    size_t count = recording->ended_count;
    if (count)
        recording->since_ends = 0;
    recording->ended_count = 0;
    return count ? st_native_writer_end(recording->writer, recording->ended, count, error) : 0;
}

/* ---- events ---- */

/* How many of them still have room. */
static size_t fit(struct st_recording *recording, size_t count) {
    uint64_t room = recording->most_events - recording->events;
    if (!recording->most_events || count <= room)
        return count;
    recording->cut = true;
    return (size_t)room;
}

/* With their positions, if accesses are deferred. */
static int write_batch(struct st_recording *recording, const struct st_event *events,
                       const uint64_t *at, size_t count, struct st_error *error) {
    struct st_late_events *late = &recording->late;
    struct st_translator *translator = recording->watch->translator;
    if (recording->defers) {
        st_late_events_take(late, events, at, count);
        st_native_writer_values(recording->writer, late->words);
        return st_native_writer.write(recording->writer, late->events, late->count, error);
    }
    st_native_writer_values(recording->writer, st_translator_values(translator));
    st_native_writer_runs(recording->writer, st_translator_runs(translator));
    return st_native_writer.write(recording->writer, events, count, error);
}

/* The program has counted these calls, because they were boarded; but they have begins in the trace
 * all the same, so they are none of those that it lacks (finish_trace). */
static void take_counted(struct st_symbols *symbols, struct st_event *events, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (events[i].written == ST_BEGIN && events[i].fresh) {
            events[i].fresh = false;
            st_silent_calls_add(&symbols->left_out, events[i].target, (uint64_t)-1);
        }
}

static void write_events(void *context, struct st_event *events, const uint64_t *at, size_t count) {
    struct st_recording *recording = context;
    struct st_error error;
    if (recording->failed || recording->cut || (!recording->file && !open_trace(recording)))
        return;
    struct st_translator *translator = recording->watch->translator;
    struct st_symbols *symbols = st_translator_symbols(translator);
    if (!recording->describer)
        recording->describer = st_describer_new(translator, symbols);
    symbols->reuses = true;
    count = fit(recording, count);
    if (recording->defers)
        take_counted(symbols, events, count);
    st_describe_events(recording->describer, events, count);
    st_validate(recording->validator, events, count, symbols->threads.count, symbols->locks.count);
    const uint32_t *runs = st_translator_runs(translator);
    for (size_t i = 0; runs && i < count; i++)
        recording->more += runs[i];
    recording->since_ends += count;
    recording->events += count;
    if (write_ends(recording, &error) < 0 || write_batch(recording, events, at, count, &error) < 0)
        give_up(recording, &error);
    else
        st_names_drop(&symbols->variables, st_native_writer_named(recording->writer));
}

/* What an access of the first thread depends on before there are others follows from the creation
 * of those, and is left out by the program. Of all else nobody knows that it does not matter: what
 * is dead for an engine is so by its relation, and a trace is for all of them. */
static uint64_t nothing_is_dead(void *context, uint32_t thread) {
    (void)context;
    (void)thread;
    return 0;
}

struct st_translation st_recording_translation(struct st_recording *recording) {
    return (struct st_translation){.rule = recording->rule,
                                   .values = recording->values,
                                   .runs = !recording->most_events && !recording->defers,
                                   .dead_before = recording->defers ? nothing_is_dead : NULL,
                                   .recorded = recording->defers,
                                   .sites = true,
                                   .outline = true,
                                   .names = true,
                                   .sink = write_events,
                                   .forget = end_life,
                                   .may_forget = may_end_lives,
                                   .forgets_at_end = true,
                                   .context = recording};
}

void st_recording_save(void *context) {
    struct st_recording *recording = context;
    struct st_error error;
    if (recording->file && !recording->failed &&
        st_native_writer.flush(recording->writer, &error) < 0)
        give_up(recording, &error);
}

/* ---- the end ---- */

static void add_calls(void *context, uint32_t block, uint64_t calls) {
    struct st_symbols *symbols = context;
    st_silent_calls_add(&symbols->left_out, block, calls);
}

/* A damaged count must not be taken for a very large one. */
static void take_silent_calls(struct st_translator *translator) {
    struct st_symbols *symbols = st_translator_symbols(translator);
    struct st_silent_calls *calls = &symbols->left_out;
    st_translator_take_counts(translator, add_calls, symbols);
    for (size_t i = 0; i < calls->capacity; i++)
        if (calls->list[i] > INT64_MAX)
            calls->list[i] = 0;
}

static void finish_trace(struct st_recording *recording) {
    struct st_error error;
    struct st_translator *translator = recording->watch->translator;
    if (recording->defers)
        take_silent_calls(translator);
    if (!recording->failed && st_native_writer.finish(recording->writer, false, &error) < 0)
        give_up(recording, &error);
    st_native_writer.close(recording->writer);
    recording->writer = NULL;
}

/* Replaces the file by one in which each event is at its place. If that fails, the file stays as it
 * is: whoever reads it puts them there. */
static uint64_t place_events(struct st_recording *recording) {
    struct st_output output;
    struct stat status;
    struct st_error error;
    if (st_output_open(&output, recording->path, NULL, &error) == 0) {
        if (st_late_place(fileno(recording->file), recording->path, output.file, output.name,
                          &recording->placed, &error) == 0) {
            if (st_output_finish(&output, &error) == 0)
                return stat(recording->path, &status) == 0 ? (uint64_t)status.st_size : 0;
        } else {
            st_output_abandon(&output);
        }
    }
    give_up(recording, &error);
    return 0;
}

uint64_t st_recording_close(struct st_recording *recording) {
    const struct st_watch *watch = recording->watch;
    bool seen = st_watch_attached(watch) && !st_watch_had_no_room(watch);
    if (seen && !recording->file && !recording->failed)
        open_trace(recording); /* nothing happened: a trace without events says so */
    if (!recording->file)
        return 0;
    finish_trace(recording);
    long bytes = ftell(recording->file);
    struct st_error error;
    if (recording->defers && !recording->failed)
        bytes = (long)place_events(recording);
    if (fclose(recording->file) && !recording->failed) {
        recording->failed = true;
        st_fail(&error, recording->path, ST_AT_FILE, 0, "cannot write: %s", strerror(errno));
        if (recording->hooks.gave_up)
            recording->hooks.gave_up(recording->hooks.context, &error);
    }
    return bytes < 0 ? 0 : (uint64_t)bytes;
}
