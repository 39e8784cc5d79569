/* What a hunt has found: done again, with as little as possible, and as a result. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "hunt/hunt_state.h"
#include "hunt/saved_schedule.h"
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MOST_REPLAYED = 24, /* runs that are done again; the rest is reported as it was seen */
    MOST_TESTS = 60,    /* to leave out deviations of one of them */
    REPEATS = 10,
    MORE_SECONDS = 60 /* than the hunt itself may take, after which one replay must do */
};

/* ---- the worst first ---- */

static const struct st_sighting *sighting_of(const struct st_hunt *hunt,
                                             const struct st_cause *cause) {
    return &hunt->sightings[cause->sighting];
}

static const struct st_hunt *sorting; /* one thread sorts */

static int by_harm(const void *a, const void *b) {
    const struct st_cause *one = a, *other = b;
    int harm = (int)sighting_of(sorting, other)->harm.outcome -
               (int)sighting_of(sorting, one)->harm.outcome;
    if (harm)
        return harm;
    uint64_t run = sighting_of(sorting, one)->run, other_run = sighting_of(sorting, other)->run;
    if (run != other_run)
        return run < other_run ? -1 : 1;
    return (one->key > other->key) - (one->key < other->key);
}

/* ---- schedules ---- */

/* The same seed and run have the same schedule, so that none is overwritten by another one. */
static char *schedule_path(const struct st_hunt *hunt, const struct st_sighting *sighting) {
    const char *slash = strrchr(hunt->subject.words[0], '/');
    const char *name = slash ? slash + 1 : hunt->subject.words[0];
    size_t same = 0;
    char *path = NULL, more[24] = "";
    for (size_t i = 0; i < hunt->replay_count; i++)
        same += hunt->sightings[hunt->replays[i].sighting].run == sighting->run;
    if (same)
        snprintf(more, sizeof more, "-%zu", same + 1);
    if (asprintf(&path, "%s/%s-seed%" PRIu64 "-run%" PRIu64 "%s.schedule", hunt->options->keep,
                 name, hunt->options->seed, sighting->run, more) < 0)
        st_out_of_memory();
    return path;
}

static int make_folder(const char *path, struct st_error *error) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return 0;
    return st_fail(error, path, ST_AT_FILE, 0, "cannot create the folder for schedules: %s",
                   strerror(errno));
}

/* Keeps what the program read beside its schedules. */
static void keep_input(struct st_hunt *hunt) {
    const char *slash = strrchr(hunt->subject.words[0], '/');
    const char *name = slash ? slash + 1 : hunt->subject.words[0];
    char buffer[1 << 16], *path = NULL;
    size_t got;
    if (!hunt->subject.input || hunt->kept_input)
        return;
    if (asprintf(&path, "%s/%s-seed%" PRIu64 ".input", hunt->options->keep, name,
                 hunt->options->seed) < 0)
        st_out_of_memory();
    FILE *from = fopen(hunt->subject.input, "re"), *to = fopen(path, "we");
    while (from && to && (got = fread(buffer, 1, sizeof buffer, from)) > 0)
        fwrite(buffer, 1, got, to);
    if (from)
        fclose(from);
    if (to && fclose(to) == 0)
        hunt->kept_input = realpath(path, NULL);
    free(path);
}

static int write_schedule(struct st_hunt *hunt, const struct st_cause *cause,
                          struct st_replay_kept *kept, struct st_error *error) {
    const struct st_sighting *sighting = sighting_of(hunt, cause);
    const char *const blocks[] = {*cause->block ? cause->block : NULL, NULL};
    if (make_folder(hunt->options->keep, error) < 0)
        return -1;
    keep_input(hunt);
    struct st_saved_schedule_facts facts = {.words = hunt->subject.words,
                                            .input = hunt->kept_input,
                                            .client = hunt->subject.client,
                                            .spec = hunt->subject.spec,
                                            .strategy = st_strategy_name(sighting->strategy),
                                            .relation = hunt->subject.relation,
                                            .seed = hunt->options->seed,
                                            .run = sighting->run,
                                            .outcome = kept->outcome,
                                            .printed = sighting->harm.printed,
                                            .usual = sighting->harm.wanted,
                                            .status = sighting->status,
                                            .keys = &cause->key,
                                            .key_count = cause->kind != ST_FOUND_FAILURE,
                                            .blocks = blocks};
    char *path = schedule_path(hunt, sighting);
    int result = st_saved_schedule_write(path, &facts, &kept->result.plan, kept->result.last.log,
                                         &kept->result.last.described, error);
    if (result == 0)
        kept->schedule = path;
    else
        free(path);
    return result;
}

/* What was found is worth more than its schedule: without room on disk, say, it is reported all the
 * same. */
static void save_schedule(struct st_hunt *hunt, const struct st_cause *cause,
                          struct st_replay_kept *kept) {
    struct st_error error;
    if (write_schedule(hunt, cause, kept, &error) < 0 && !hunt->unsaved) {
        hunt->unsaved = true;
        hunt->why_unsaved = error;
    }
}

const struct st_error *st_hunt_unsaved(const struct st_hunt *hunt) {
    return hunt->unsaved ? &hunt->why_unsaved : NULL;
}

/* ---- doing it again ---- */

static struct st_target target_of(const struct st_hunt *hunt, const struct st_cause *cause) {
    return (struct st_target){cause->kind, cause->key, sighting_of(hunt, cause)->harm.outcome};
}

/* Another cause may be shown by a schedule that is there. */
static bool share_replay(const struct st_hunt *hunt, struct st_cause *cause) {
    struct st_target target = target_of(hunt, cause);
    for (size_t i = 0; i < hunt->replay_count; i++)
        if (hunt->replays[i].result.good &&
            st_shows(&hunt->replays[i].result.last, &hunt->expected, &target)) {
            cause->replay = i + 1;
            return true;
        }
    return false;
}

static int confirm_cause(struct st_hunt *hunt, struct st_cause *cause, struct st_error *error) {
    const struct st_sighting *sighting = sighting_of(hunt, cause);
    struct st_replaying replaying = {.subject = &hunt->subject,
                                     .expected = &hunt->expected,
                                     .jobs = hunt->options->jobs,
                                     .most_tests = MOST_TESTS,
                                     .repeats = hunt->interrupted ? 1 : REPEATS,
                                     .deadline = hunt->confirm_by};
    struct st_target target = target_of(hunt, cause);
    st_hunt_show(hunt, "minimising");
    st_reserve(&hunt->replays, &hunt->replay_capacity, hunt->replay_count + 1);
    struct st_replay_kept *kept = &hunt->replays[hunt->replay_count];
    *kept = (struct st_replay_kept){.sighting = cause->sighting, .outcome = target.outcome};
    int result = st_replay_smaller(&replaying, &sighting->replay, &target, !hunt->interrupted,
                                   &kept->result, error);
    if (result == 0)
        save_schedule(hunt, cause, kept);
    hunt->replay_count++;
    cause->replay = hunt->replay_count;
    return result;
}

int st_hunt_confirm(struct st_hunt *hunt, struct st_error *error) {
    sorting = hunt;
    hunt->confirm_by = st_hunt_clock() + hunt->options->seconds + MORE_SECONDS;
    if (hunt->cause_count)
        qsort(hunt->causes, hunt->cause_count, sizeof *hunt->causes, by_harm);
    for (size_t i = 0; i < hunt->cause_count; i++)
        if (!share_replay(hunt, &hunt->causes[i]) && hunt->replay_count < MOST_REPLAYED &&
            confirm_cause(hunt, &hunt->causes[i], error) < 0)
            return -1;
    return 0;
}

/* ---- the result ---- */

static const struct st_replay_kept *replay_of(const struct st_hunt *hunt,
                                              const struct st_cause *cause) {
    return cause->replay ? &hunt->replays[cause->replay - 1] : NULL;
}

static void set_text(json_t *object, const char *key, const char *text) {
    json_t *value = text ? json_string(text) : NULL;
    if (text && !value) /* the program printed something that is no UTF-8 */
        value = json_string("?");
    json_object_set_new(object, key, value ? value : json_null());
}

static void set_count(json_t *object, const char *key, uint64_t number) {
    json_object_set_new(object, key, json_integer((json_int_t)number));
}

static void set_replay(json_t *object, const struct st_hunt *hunt, const struct st_cause *cause) {
    const struct st_replay_kept *kept = replay_of(hunt, cause);
    const struct st_run_plan *plan = kept ? &kept->result.plan : &sighting_of(hunt, cause)->replay;
    char replayed[32] = "0/0";
    if (kept)
        snprintf(replayed, sizeof replayed, "%u/%u", kept->result.good, kept->result.tried);
    set_text(object, "schedule", kept ? kept->schedule : NULL);
    set_count(object, "preemptions", st_count_preemptions(plan->deviations, plan->deviation_count));
    set_count(object, "deviations", plan->deviation_count);
    json_object_set_new(object, "minimised", json_boolean(kept && kept->result.minimised));
    set_text(object, "replayed", replayed);
}

static void set_observation(json_t *object, const struct st_hunt *hunt,
                            const struct st_cause *cause) {
    const struct st_sighting *sighting = sighting_of(hunt, cause);
    const struct st_replay_kept *kept = replay_of(hunt, cause);
    const json_t *described =
        kept && kept->result.good ? kept->result.last.described.json : sighting->json;
    json_object_set_new(object, "observed", json_true());
    set_count(object, "run", sighting->run);
    set_count(object, "seed", hunt->options->seed);
    set_text(object, "strategy", st_strategy_name(sighting->strategy));
    set_count(object, "seen_in", cause->seen_in);
    set_replay(object, hunt, cause);
    set_text(object, "outcome", st_outcome_name(sighting->harm.outcome));
    set_text(object, "signal", sighting->harm.signal);
    set_text(object, "message", sighting->harm.message);
    set_text(object, "printed", sighting->harm.printed);
    set_text(object, "expected", sighting->harm.wanted);
    set_count(object, "status", (uint64_t)sighting->status);
    set_count(object, "expected_status",
              (uint64_t)(sighting->harm.by_client ? hunt->expected.client_status
                                                  : hunt->expected.status));
    json_object_set_new(object, "client", json_boolean(sighting->harm.by_client));
    json_t *course = json_object_get(described, "course");
    json_object_set_new(object, "course", course ? json_deep_copy(course) : json_array());
}

static json_t *make_violation(const struct st_hunt *hunt, const struct st_cause *cause) {
    const struct st_replay_kept *kept = replay_of(hunt, cause);
    json_t *entry = kept ? st_described_violation(&kept->result.last.described, cause->key) : NULL;
    json_t *violation = json_deep_copy(entry ? entry : cause->shown);
    json_object_del(violation, "story");
    set_observation(violation, hunt, cause);
    return violation;
}

/* Of the entry with this fingerprint; the size of the list: there is none. */
static size_t find_fingerprint(const json_t *list, const json_t *fingerprint) {
    size_t index;
    json_t *entry;
    json_array_foreach(list, index, entry) {
        if (json_equal(json_object_get(entry, "fingerprint"), fingerprint))
            return index;
    }
    return json_array_size(list);
}

/* What cuts a block cuts those around it: the innermost one is to be looked at. */
static bool is_further_inside(const json_t *violation, const json_t *known) {
    return json_equal(json_object_get(violation, "outcome"), json_object_get(known, "outcome")) &&
           json_integer_value(json_object_get(violation, "depth")) >
               json_integer_value(json_object_get(known, "depth"));
}

/* One of the two stands for both, and is released otherwise. */
static void merge_violation(json_t *list, size_t at, json_t *violation) {
    json_t *known = json_array_get(list, at);
    uint64_t seen = (uint64_t)json_integer_value(json_object_get(known, "seen_in"));
    uint64_t more = (uint64_t)json_integer_value(json_object_get(violation, "seen_in"));
    json_t *kept = is_further_inside(violation, known) ? violation : known;
    set_count(kept, "seen_in", seen > more ? seen : more);
    if (kept == violation)
        json_array_set(list, at, violation);
    json_decref(violation);
}

/* Different sites can be the same finding to a reader, who sees lines. */
static json_t *make_violations(const struct st_hunt *hunt) {
    json_t *list = json_array();
    for (size_t i = 0; i < hunt->cause_count; i++) {
        const struct st_cause *cause = &hunt->causes[i];
        if (cause->kind != ST_FOUND_VIOLATION)
            continue;
        json_t *violation = make_violation(hunt, cause);
        size_t known = find_fingerprint(list, json_object_get(violation, "fingerprint"));
        if (known < json_array_size(list)) {
            merge_violation(list, known, violation);
        } else if (!hunt->options->limit || json_array_size(list) < hunt->options->limit) {
            json_array_append_new(list, violation);
        } else {
            json_decref(violation);
        }
    }
    return list;
}

static json_t *find_row(json_t *rows, const json_t *name) {
    size_t index;
    json_t *row;
    json_array_foreach(rows, index, row) {
        if (json_equal(json_object_get(row, "name"), name))
            return row;
    }
    return NULL;
}

static json_t *make_rows(const struct st_hunt *hunt, json_t *violations) {
    json_t *rows = json_deep_copy(json_object_get(hunt->base, "blocks")), *row, *violation;
    size_t index;
    if (!rows)
        rows = json_array();
    json_array_foreach(rows, index, row) set_count(row, "violated", 0);
    json_array_foreach(violations, index, violation) {
        json_t *name = json_object_get(violation, "block");
        row = find_row(rows, name);
        if (!row) {
            row = json_object();
            json_object_set(row, "name", name);
            set_count(row, "executed", 1);
            set_count(row, "violated", 0);
            json_array_append_new(rows, row);
        }
        set_count(row, "violated",
                  (uint64_t)json_integer_value(json_object_get(row, "violated")) + 1);
        json_object_set(row, "depth", json_object_get(violation, "depth"));
    }
    return rows;
}

/* ---- failures ---- */

/* From names only, so that it is the same in other builds. */
static char *failure_fingerprint(const json_t *failure, const json_t *stuck) {
    static const char *const keys[] = {"kind", "signal", "function", "message"};
    uint64_t hash = 4;
    char *text = NULL;
    size_t index;
    json_t *thread;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = json_string_value(json_object_get(failure, keys[i]));
        for (; value && *value; value++)
            hash = st_control_mix(hash, (unsigned char)*value);
    }
    json_array_foreach(stuck, index, thread) {
        const char *value = json_string_value(json_object_get(thread, "function"));
        for (; value && *value; value++)
            hash = st_control_mix(hash, (unsigned char)*value);
    }
    if (asprintf(&text, "%016" PRIx64 "%016" PRIx64, hash, st_control_mix(hash, 1)) < 0)
        st_out_of_memory();
    return text;
}

static json_t *make_failure(const struct st_hunt *hunt, const struct st_cause *cause) {
    const struct st_replay_kept *kept = replay_of(hunt, cause);
    const json_t *described = kept && kept->result.good ? kept->result.last.described.json
                                                        : sighting_of(hunt, cause)->json;
    const json_t *last = json_object_get(described, "last");
    json_t *stuck = json_object_get(described, "stuck"), *failure = json_object();
    set_text(failure, "kind", st_outcome_name(sighting_of(hunt, cause)->harm.outcome));
    set_text(failure, "thread", json_string_value(json_object_get(last, "thread")));
    set_text(failure, "function", json_string_value(json_object_get(last, "function")));
    set_text(failure, "where", json_string_value(json_object_get(last, "loc")));
    json_object_set_new(failure, "exact",
                        json_boolean(json_is_true(json_object_get(last, "exact"))));
    set_observation(failure, hunt, cause);
    char *fingerprint = failure_fingerprint(failure, stuck);
    set_text(failure, "fingerprint", fingerprint);
    free(fingerprint);
    json_object_set_new(failure, "threads", stuck ? json_deep_copy(stuck) : json_array());
    return failure;
}

static json_t *make_failures(const struct st_hunt *hunt) {
    json_t *list = json_array();
    for (size_t i = 0; i < hunt->cause_count; i++) {
        if (hunt->causes[i].kind != ST_FOUND_FAILURE)
            continue;
        json_t *failure = make_failure(hunt, &hunt->causes[i]);
        json_t *known =
            json_array_get(list, find_fingerprint(list, json_object_get(failure, "fingerprint")));
        if (known) {
            set_count(known, "seen_in",
                      (uint64_t)json_integer_value(json_object_get(known, "seen_in")) +
                          hunt->causes[i].seen_in);
            json_decref(failure);
        } else {
            json_array_append_new(list, failure);
        }
    }
    return list;
}

/* ---- together ---- */

/* A run that no serial order explains, although no block was cut in any. */
static void set_cycle(json_t *result, const struct st_hunt *hunt) {
    static const char *const parts[] = {"cycle", "cycle_fingerprint", "first_bad_event"};
    for (size_t i = 0; i < hunt->cause_count; i++) {
        const struct st_cause *cause = &hunt->causes[i];
        if (cause->kind != ST_FOUND_CYCLE)
            continue;
        const json_t *report = json_object_get(sighting_of(hunt, cause)->json, "report");
        for (size_t j = 0; j < sizeof parts / sizeof *parts; j++)
            json_object_set(result, parts[j], json_object_get(report, parts[j]));
        json_t *observation = json_object();
        set_observation(observation, hunt, cause);
        json_object_set_new(result, "cycle_observation", observation);
        return;
    }
}

static void set_verdict(json_t *result, const struct st_hunt *hunt, json_t *violations) {
    uint64_t outermost = 0;
    size_t index;
    json_t *violation;
    bool bad = false;
    for (size_t i = 0; i < hunt->cause_count; i++)
        bad |= hunt->causes[i].kind != ST_FOUND_FAILURE;
    json_array_foreach(violations, index, violation) outermost +=
        !json_integer_value(json_object_get(violation, "depth"));
    json_object_set_new(result, "serializable", json_boolean(!bad));
    json_t *first = json_object_get(json_array_get(violations, 0), "event");
    json_object_set_new(result, "first_bad_event", first ? json_copy(first) : json_null());
    set_count(result, "violation_count", outermost);
    set_count(result, "violated_blocks", json_array_size(violations));
}

static char *make_result(const struct st_hunt *hunt, const char *schema) {
    static const char *const of_runs[] = {"summary", "story",     "cycle",   "cycle_fingerprint",
                                          "gave_up", "processes", "programs"};
    json_t *result = json_deep_copy(hunt->base), *violations = make_violations(hunt);
    for (size_t i = 0; i < sizeof of_runs / sizeof *of_runs; i++)
        json_object_del(result, of_runs[i]);
    json_object_set_new(result, "schema", json_string(schema));
    set_count(json_object_get(result, "trace"), "events", hunt->events);
    json_object_set_new(result, "time_seconds", json_real(st_hunt_seconds(hunt)));
    set_verdict(result, hunt, violations);
    json_object_set_new(result, "blocks", make_rows(hunt, violations));
    if (!json_array_size(violations))
        set_cycle(result, hunt);
    json_object_set_new(result, "violations", violations);
    set_count(result, "runs", hunt->runs);
    set_count(result, "points", hunt->points);
    set_count(result, "switches", hunt->switches);
    set_count(result, "seed", hunt->options->seed);
    set_count(result, "loose", hunt->loose);
    set_count(result, "other_outputs", hunt->other_outputs);
    json_object_set_new(result, "exhausted", json_boolean(hunt->exhausted));
    set_count(result, "bound", hunt->bound);
    json_object_set_new(result, "interrupted", json_boolean(hunt->interrupted));
    json_object_set_new(result, "failures", make_failures(hunt));
    json_object_set_new(result, "predictions", st_hunt_tried(hunt));
    char *text = json_dumps(result, 0);
    json_decref(result);
    return text;
}

char *st_hunt_result(const struct st_hunt *hunt) {
    return make_result(hunt, ST_HUNT_SCHEMA);
}

char *st_replay_result(const struct st_hunt *hunt) {
    return make_result(hunt, ST_RUN_SCHEMA);
}
