#define _GNU_SOURCE
#include "hunt/replay.h"

#include "base/memory.h"
#include "hunt/hunt_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Points of a run that hangs, after which it is ended. */
enum { LONG_ENOUGH = 1000 * 1000 };

/* ---- opening ---- */

static int enter_folder(const struct st_saved_schedule *schedule, const char *path,
                        struct st_error *error) {
    if (!schedule->folder || chdir(schedule->folder) == 0)
        return 0;
    return st_fail(error, path, ST_AT_FILE, 0,
                   "is for a program in %s, which cannot be entered (%s); name the program behind "
                   "the schedule: seriatim replay SCHEDULE -- PROGRAM",
                   schedule->folder, strerror(errno));
}

static int check_input(const struct st_saved_schedule *schedule, const char *path,
                       struct st_error *error) {
    if (!schedule->input || access(schedule->input, R_OK) == 0)
        return 0;
    return st_fail(error, path, ST_AT_FILE, 0,
                   "the program read %s, which cannot be read any more: %s", schedule->input,
                   strerror(errno));
}

int st_replay_open(struct st_replay *replay, const char *path, const char *const *words,
                   struct st_error *error) {
    struct st_saved_schedule *schedule = &replay->schedule;
    struct st_hunted *subject = &replay->options.subject;
    if (st_saved_schedule_read(schedule, path, error) < 0 ||
        (!words && enter_folder(schedule, path, error) < 0) ||
        check_input(schedule, path, error) < 0)
        return -1;
    st_saved_schedule_apply_environment(schedule);
    subject->words = words ? words : schedule->words;
    subject->spec = schedule->spec;
    subject->input = schedule->input;
    subject->client = schedule->client;
    subject->relation = schedule->relation;
    subject->bounded = true;
    subject->most_points = schedule->outcome == ST_OUTCOME_HANG ? LONG_ENOUGH : 0;
    subject->real_time = schedule->plan.flags & ST_CONTROL_REAL_TIME;
    replay->options.seed = schedule->seed;
    replay->options.jobs = 1;
    replay->hunt = st_hunt_new(&replay->options, error);
    return replay->hunt ? 0 : -1;
}

void st_replay_close(struct st_replay *replay) {
    if (replay->hunt)
        st_hunt_free(replay->hunt);
    free(replay->diverged_at);
    st_saved_schedule_free(&replay->schedule);
}

/* ---- other builds ---- */

static int do_run(struct st_replay *replay, struct st_controlled_run *run, struct st_error *error) {
    if (st_do_runs(&replay->hunt->subject, &run, 1, 1, NULL, NULL, NULL, error) < 0)
        return -1;
    return st_hunt_check(replay->hunt, run, error);
}

/* The site that has this function and line now; 0: none. */
static uint64_t find_site(const json_t *places, const char *function, const char *loc) {
    size_t index;
    json_t *place;
    json_array_foreach(places, index, place) {
        const char *name = json_string_value(json_object_get(place, "function"));
        const char *at = json_string_value(json_object_get(place, "loc"));
        const char *site = json_string_value(json_object_get(place, "site"));
        if (name && at && site && strcmp(name, function) == 0 && strcmp(at, loc) == 0)
            return strtoull(site, NULL, 16);
    }
    return 0;
}

static int move_deviations(struct st_replay *replay, const json_t *places, struct st_error *error) {
    struct st_saved_schedule *schedule = &replay->schedule;
    for (uint32_t i = 0; i < schedule->plan.deviation_count; i++) {
        struct st_control_deviation *deviation = &schedule->plan.deviations[i];
        const char *function = schedule->functions[i], *loc = schedule->locs[i];
        if (!deviation->site)
            continue;
        deviation->site = function && loc ? find_site(places, function, loc) : 0;
        if (!deviation->site)
            return st_fail(error, replay->options.subject.words[0], ST_AT_FILE, 0,
                           "was built anew since the schedule was made (%s), and has no point in "
                           "%s at %s any more; hunt again, or replay with the program of that time",
                           replay->rebuilt, function ? function : "?", loc ? loc : "?");
    }
    schedule->plan.flags |= ST_CONTROL_BY_SITE;
    return 0;
}

/* A run of the default schedule shows which build it is, and where its code is. */
static int adapt(struct st_replay *replay, struct st_error *error) {
    struct st_saved_schedule *schedule = &replay->schedule;
    struct st_controlled_run run;
    st_controlled_run_init(&run);
    run.in_full = true;
    run.plan.flags = ST_CONTROL_LEARN | (schedule->plan.flags & ST_CONTROL_REAL_TIME);
    int result = do_run(replay, &run, error);
    if (result == 0) {
        st_site_set_add_all(&schedule->plan.sites, run.log->sites);
        result = move_deviations(replay, json_object_get(run.described.json, "places"), error);
    }
    st_controlled_run_free(&run);
    return result;
}

/* ---- running ---- */

/* What is usual, by two runs of the default schedule. */
static int learn(struct st_replay *replay, struct st_error *error) {
    struct st_controlled_run runs[ST_LEARNING_RUNS];
    int result = 0;
    for (int i = 0; i < ST_LEARNING_RUNS; i++)
        st_controlled_run_init(&runs[i]);
    for (int i = 0; i < ST_LEARNING_RUNS && result == 0; i++) {
        st_site_set_add_all(&runs[i].plan.sites, replay->schedule.plan.sites.table);
        runs[i].plan.flags = replay->schedule.plan.flags & ST_CONTROL_REAL_TIME;
        result = do_run(replay, &runs[i], error);
    }
    if (result == 0)
        st_expected_learn(&replay->hunt->expected, &runs[0], &runs[1]);
    replay->hunt->expected.bound = replay->hunt->subject.most_points;
    for (int i = 0; i < ST_LEARNING_RUNS; i++)
        st_controlled_run_free(&runs[i]);
    return result;
}

/* Is what the program prints compared? Then two more runs show what is usual, and what this one
 * prints is kept and shown at its end. */
static bool compares_output(const struct st_replay *replay) {
    return replay->schedule.outcome <= ST_OUTCOME_OUTPUT;
}

/* Without runs to compare with, the schedule says what is usual. */
static struct st_harm judge(const struct st_replay *replay, const struct st_controlled_run *run) {
    const struct st_saved_schedule *schedule = &replay->schedule;
    if (compares_output(replay))
        return st_find_harm(&replay->hunt->expected, run);
    struct st_expected expected = {.status = schedule->outcome == ST_OUTCOME_STATUS
                                                 ? schedule->status ? 0 : 1
                                                 : schedule->status};
    if (schedule->outcome >= ST_OUTCOME_HANG)
        expected.status = 0;
    expected.client_status = expected.status; /* the status that differed was that of either */
    if (schedule->outcome == ST_OUTCOME_HANG)
        expected.bound = replay->hunt->subject.most_points;
    return st_find_harm(&expected, run);
}

static bool has_keys(const struct st_replay *replay, const struct st_controlled_run *run) {
    for (size_t i = 0; i < replay->schedule.keys.count; i++)
        if (!st_keys_have(&run->described.keys, replay->schedule.keys.list[i]))
            return false;
    return true;
}

static void note_divergence(struct st_replay *replay, const struct st_controlled_run *run) {
    const struct st_saved_schedule *schedule = &replay->schedule;
    bool ended = run->log->end != ST_END_DIVERGED; /* before it came to the rest */
    uint32_t at = ended ? run->log->followed : run->log->diverged_at;
    bool known = at < schedule->plan.deviation_count;
    const char *function = known ? schedule->functions[at] : NULL;
    const char *loc = known ? schedule->locs[at] : NULL;
    replay->diverged = true;
    if (asprintf(&replay->diverged_at, "deviation %" PRIu32 " of %" PRIu32 "%s%s%s%s", at + 1,
                 schedule->plan.deviation_count, function ? ", in " : "", function ? function : "",
                 loc ? " at " : "", loc ? loc : "") < 0)
        st_out_of_memory();
}

/* That the run was found with. */
static enum st_control_strategy strategy_of(const struct st_saved_schedule *schedule) {
    int strategy = ST_STRATEGY_COUNT - 1;
    while (strategy > 0 &&
           strcmp(st_strategy_name((enum st_control_strategy)strategy), schedule->strategy) != 0)
        strategy--;
    return (enum st_control_strategy)strategy;
}

static void set_usual_status(struct st_replay *replay, const struct st_controlled_run *run) {
    bool differed = replay->schedule.outcome == ST_OUTCOME_STATUS;
    replay->hunt->expected.status = differed ? 0 : run->status;
    replay->hunt->expected.client_status = differed ? 0 : run->client.status;
}

static void note_run(struct st_replay *replay, struct st_controlled_run *run) {
    struct st_harm harm = judge(replay, run);
    replay->hunt->base = json_deep_copy(run->described.report);
    if (!compares_output(replay))
        set_usual_status(replay, run);
    run->number = replay->schedule.run;
    st_hunt_note(replay->hunt, run, &harm);
    for (size_t i = 0; i < replay->hunt->sighting_count; i++)
        replay->hunt->sightings[i].strategy = strategy_of(&replay->schedule);
    replay->outcome = harm.outcome;
    replay->status = run->status;
    /* In another build addresses differ, so that findings cannot be compared. */
    replay->same =
        harm.outcome == replay->schedule.outcome && (replay->rebuilt || has_keys(replay, run));
    st_harm_free(&harm);
}

/* Finds the deviations in the program as it is now. */
static int prepare(struct st_replay *replay, struct st_error *error) {
    const char *program = replay->options.subject.words[0];
    switch (st_saved_schedule_compare(&replay->schedule, program, &replay->rebuilt)) {
    case ST_PROGRAM_OTHER:
        return st_fail(error, program, ST_AT_FILE, 0,
                       "is another program than %s, which the schedule is for",
                       replay->schedule.words[0]);
    case ST_PROGRAM_REBUILT:
        return adapt(replay, error);
    case ST_PROGRAM_SAME:
        break;
    }
    return 0;
}

static void plan_again(const struct st_replay *replay, struct st_controlled_run *run) {
    st_controlled_run_init(run);
    st_plan_free(&run->plan);
    st_plan_copy(&run->plan, &replay->schedule.plan);
    run->in_full = true;
}

/* What was kept to be compared. */
static void show_printed(struct st_replay *replay, const struct st_controlled_run *run) {
    const struct {
        const struct st_printed *printed;
        FILE *file;
    } streams[] = {{&run->output, stdout}, {&run->errors, stderr}, {&run->client_printed, stdout}};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        if (streams[i].printed->length)
            fwrite(streams[i].printed->text, 1, streams[i].printed->length, streams[i].file);
        fflush(streams[i].file);
        replay->cut_off |= streams[i].printed->cut_off;
    }
}

int st_replay_run(struct st_replay *replay, struct st_error *error) {
    struct st_controlled_run run;
    bool compares = compares_output(replay);
    int result = prepare(replay, error);
    plan_again(replay, &run);
    run.attended = !compares;
    if (result == 0 && compares)
        result = learn(replay, error);
    if (result == 0)
        result = do_run(replay, &run, error);
    if (result == 0) {
        show_printed(replay, &run);
        if (run.log->end == ST_END_DIVERGED ||
            run.log->followed < replay->schedule.plan.deviation_count)
            note_divergence(replay, &run);
        note_run(replay, &run);
    }
    st_controlled_run_free(&run);
    return result;
}

/* ---- less of it ---- */

static int write_again(struct st_replay *replay, const struct st_replayed *replayed,
                       const char *path, struct st_error *error) {
    const struct st_saved_schedule *schedule = &replay->schedule;
    struct st_saved_schedule_facts facts = {.words = replay->options.subject.words,
                                            .input = schedule->input,
                                            .client = schedule->client,
                                            .spec = schedule->spec,
                                            .strategy = schedule->strategy,
                                            .relation = schedule->relation,
                                            .seed = schedule->seed,
                                            .run = schedule->run,
                                            .outcome = schedule->outcome,
                                            .status = schedule->status,
                                            .printed = schedule->printed,
                                            .usual = schedule->usual,
                                            .keys = schedule->keys.list,
                                            .key_count = schedule->keys.count};
    return st_saved_schedule_write(path, &facts, &replayed->plan, replayed->last.log,
                                   &replayed->last.described, error);
}

/* What the schedule is kept for, given a run of it. */
static struct st_target target_of(const struct st_replay *replay) {
    const struct st_saved_schedule *schedule = &replay->schedule;
    bool cut = schedule->keys.count != 0;
    return (struct st_target){.kind = cut ? ST_FOUND_VIOLATION : ST_FOUND_FAILURE,
                              .key = cut ? schedule->keys.list[0] : 0,
                              .outcome = schedule->outcome};
}

int st_replay_minimise(struct st_replay *replay, const char *path, uint32_t *before,
                       uint32_t *after, struct st_error *error) {
    enum { MOST_TESTS = 1000, REPEATS = 3 };
    struct st_replayed replayed;
    struct st_controlled_run first;
    struct st_replaying replaying = {.subject = &replay->hunt->subject,
                                     .expected = &replay->hunt->expected,
                                     .jobs = replay->options.jobs,
                                     .most_tests = MOST_TESTS,
                                     .repeats = REPEATS};
    struct st_target target = target_of(replay);
    *before = *after = replay->schedule.plan.deviation_count;
    if (prepare(replay, error) < 0 || learn(replay, error) < 0)
        return -1;
    plan_again(replay, &first);
    int result = do_run(replay, &first, error);
    if (result == 0 && target.kind == ST_FOUND_FAILURE) {
        struct st_harm harm = st_find_harm(&replay->hunt->expected, &first);
        target.key = st_failure_key(&first, &harm);
        st_harm_free(&harm);
    }
    st_controlled_run_free(&first);
    if (result < 0)
        return -1;
    result = st_replay_smaller(&replaying, &replay->schedule.plan, &target, true, &replayed, error);
    if (result == 0 && !replayed.good)
        result = st_fail(error, path, ST_AT_FILE, 0,
                         "does not lead to what it is kept for any more; hunt again");
    *after = replayed.plan.deviation_count;
    if (result == 0 && *after < *before)
        result = write_again(replay, &replayed, path, error);
    st_replayed_free(&replayed);
    return result;
}

/* ---- under a debugger ---- */

/* The words that start gdb, ending with NULL. The program has its own input. */
static const char **debugger_words(const struct st_hunted *subject, const char *run) {
    const char *const ours[] = {
        "gdb", "-q", "-ex",   "set breakpoint pending on", "-ex", "break __seriatim_on_cut",
        "-ex", run,  "--args"};
    enum { OURS = sizeof ours / sizeof *ours };
    size_t count = 0;
    while (subject->words[count])
        count++;
    const char **words = st_alloc(OURS + count + 1, sizeof *words);
    memcpy(words, ours, sizeof ours);
    memcpy(words + OURS, subject->words, count * sizeof *words);
    return words;
}

static int run_debugger(struct st_replay *replay, const struct st_run_plan *plan,
                        struct st_error *error) {
    static const double for_ever = 1e9;
    struct st_hunted *subject = &replay->hunt->subject, program = *subject;
    struct st_controlled_run run, *pointer = &run;
    char *order = NULL;
    if (asprintf(&order, "run < '%s'", subject->input ? subject->input : "/dev/null") < 0)
        st_out_of_memory();
    const char **words = debugger_words(&program, order);
    st_controlled_run_init(&run);
    st_plan_free(&run.plan);
    st_plan_copy(&run.plan, plan);
    run.attended = run.interactive = true;
    subject->words = words;
    subject->seconds = for_ever;
    int result = st_do_runs(subject, &pointer, 1, 1, NULL, NULL, NULL, error);
    *subject = program;
    st_controlled_run_free(&run);
    free((void *)words);
    free(order);
    return result;
}

int st_replay_debug(struct st_replay *replay, struct st_error *error) {
    struct st_controlled_run run;
    if (replay->hunt->with_agent)
        return st_fail(error, "replay", ST_AT_FILE, 0,
                       "gdb cannot stop a Java program in its own code: replay it without --gdb");
    if (prepare(replay, error) < 0)
        return -1;
    plan_again(replay, &run);
    int result = do_run(replay, &run, error);
    if (result == 0) {
        const json_t *cut = json_object_get(run.described.json, "cut");
        const char *thread = json_string_value(json_object_get(cut, "thread"));
        run.plan.stop_thread = thread ? strtoull(thread, NULL, 16) : 0;
        run.plan.stop_clock = (uint64_t)json_integer_value(json_object_get(cut, "clock"));
        result = run_debugger(replay, &run.plan, error);
    }
    st_controlled_run_free(&run);
    return result;
}
