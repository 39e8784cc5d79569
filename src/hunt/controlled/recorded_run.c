#include "hunt/controlled/recorded_run.h"

#include "base/memory.h"
#include "hunt/foreseen/foresee.h"
#include "session/recording.h"
#include "session/watched_program.h"

#include <stdlib.h>

/* Events of a run that are analysed, and what tas may need for them: its memory grows with both. */
enum { MOST_EVENTS = 200 * 1000, MOST_FOR_TAS = 16 * 1000 * 1000, MOST_LISTED = 2000 };

/* Seconds for a block, and for everything together. They are there for runs that are hard to
 * analyse; programs that are small take milliseconds. */
static const double for_block = 0.2, for_all = 3;

/* ---- recording ---- */

static char *choose_path(void *trace) {
    return st_strdup(trace);
}

static int record(const struct st_hunted *subject, struct st_recording *recording,
                  struct st_watch *watch, struct st_spec **spec, struct st_error *error) {
    const struct st_following following = {.all = false};
    struct st_watch_hooks hooks = {0};
    recording->most_events = MOST_EVENTS;
    struct st_translation translation = st_recording_translation(recording);
    translation.allocators = subject->allocators;
    translation.source_root = subject->source_root;
    if (st_watched_program_start(watch, subject->command, st_hunted_command(subject), subject->spec,
                                 spec, &translation, &following, error) < 0)
        return -1;
    st_watch_follow(watch, &hooks);
    st_recording_close(recording);
    return 0;
}

/* ---- analysing ---- */

static bool has_room_for_tas(const struct st_recording *recording) {
    uint64_t threads = st_translator_symbols(recording->watch->translator)->threads.count;
    return recording->events * (threads + 1) <= MOST_FOR_TAS;
}

/* All analyses with their defaults. */
static size_t choose_analyses(struct st_analysis *analyses, const struct st_recording *recording) {
    size_t count = 0;
    for (size_t i = 0; st_predictors[i]; i++)
        if (st_predictors[i] != &st_tas || has_room_for_tas(recording))
            analyses[count++] = (struct st_analysis){st_predictors[i], NULL};
    return count;
}

/* Are events of the run missing? */
static bool is_cut(const struct st_recording *recording) {
    const struct st_watch *watch = recording->watch;
    char reason[256];
    return recording->cut || st_watch_gave_up(watch) || st_watch_is_damaged(watch) ||
           st_watch_missing(watch, reason, sizeof reason) > 0;
}

static int foresee(const struct st_recording *recording, const char *trace,
                   enum st_relation relation, struct st_foresight *foresight,
                   struct st_error *error) {
    struct st_analysis *analyses = st_alloc(st_predictor_count(), sizeof *analyses);
    struct st_total_time total = {.end = st_clock_seconds() + for_all};
    struct st_predict_plan plan = {.options = {.jobs = 1,
                                               .timeout = for_block,
                                               .total = &total,
                                               .limit = MOST_LISTED,
                                               .relation = relation},
                                   .analyses = analyses,
                                   .analysis_count = choose_analyses(analyses, recording)};
    struct st_trace_source source = {
        .command = "hunt", .path = trace, .again = true, .no_starts = true};
    struct st_trace_input input;
    int result = st_trace_input_open(&input, &source, error);
    if (result == 0) {
        result = st_foresee(&input, &plan, is_cut(recording), foresight, error);
        st_trace_input_close(&input);
    }
    free(analyses);
    return result;
}

json_t *st_record_and_foresee(const struct st_hunted *subject, const char *trace,
                              struct st_error *error) {
    struct st_recording_hooks hooks = {.choose_path = choose_path, .context = (void *)trace};
    struct st_watch watch = {0};
    struct st_recording recording;
    struct st_spec *spec = NULL;
    struct st_foresight foresight = {0};
    st_recording_init(&recording, &watch, ST_STREAM_SUFFICIENT, &hooks);
    if (record(subject, &recording, &watch, &spec, error) < 0)
        return NULL;
    json_t *result = json_object();
    json_object_set_new(result, "status", json_integer(watch.program.status));
    if (recording.path && !recording.failed &&
        foresee(&recording, trace, subject->relation, &foresight, error) == 0) {
        json_object_set(result, "predictions", foresight.list);
        json_object_set_new(result, "undecided", json_boolean(foresight.undecided));
    }
    json_decref(foresight.list);
    json_decref(foresight.blocks);
    st_recording_free(&recording);
    st_spec_free(spec);
    return result;
}
