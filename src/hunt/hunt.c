#define _GNU_SOURCE
#include "hunt/hunt.h"

#include "base/memory.h"
#include "hunt/controlled/dealt_runs.h"
#include "hunt/hunt_state.h"
#include "hunt/systematic.h"
#include "session/java/java_program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_IN_ROUND = 64, SHARE_IN_ROUND = 16 };

double st_hunt_clock(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double st_hunt_seconds(const struct st_hunt *hunt) {
    return st_hunt_clock() - hunt->started;
}

/* ---- messages ---- */

void st_hunt_show(const struct st_hunt *hunt, const char *doing) {
    const struct st_hunt_options *options = hunt->options;
    struct st_hunt_progress progress = {hunt->runs, hunt->points, hunt->cause_count, doing};
    if (options->show)
        options->show(options->context, &progress);
}

void st_hunt_warn(const struct st_hunt *hunt, const char *format, ...) {
    char *sentence = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&sentence, format, arguments) < 0)
        st_out_of_memory();
    va_end(arguments);
    if (hunt->options->warn)
        hunt->options->warn(hunt->options->context, sentence);
    free(sentence);
}

bool st_hunt_is_stopped(void *context) {
    const struct st_hunt *hunt = context;
    return hunt->options->stopped && hunt->options->stopped(hunt->options->context);
}

/* ---- what a run shows ---- */

static struct st_cause *find_cause(struct st_hunt *hunt, enum st_found_kind kind, uint64_t key) {
    for (size_t i = 0; i < hunt->cause_count; i++)
        if (hunt->causes[i].kind == kind && hunt->causes[i].key == key)
            return &hunt->causes[i];
    return NULL;
}

/* The run, which is kept when the first cause needs it. */
struct noting {
    const struct st_controlled_run *run;
    const struct st_harm *harm;
    size_t sighting; /* SIZE_MAX: not kept yet */
};

static size_t keep_sighting(struct st_hunt *hunt, struct noting *noting) {
    if (noting->sighting == SIZE_MAX) {
        st_reserve(&hunt->sightings, &hunt->sighting_capacity, hunt->sighting_count + 1);
        noting->sighting = hunt->sighting_count++;
        st_sighting_take(&hunt->sightings[noting->sighting], noting->run, noting->harm);
    }
    return noting->sighting;
}

static void note_cause(struct st_hunt *hunt, struct noting *noting, enum st_found_kind kind,
                       uint64_t key) {
    struct st_cause *cause = find_cause(hunt, kind, key);
    const struct st_description *described = &noting->run->described;
    if (!cause) {
        json_t *shown = kind == ST_FOUND_VIOLATION ? st_described_violation(described, key) : NULL;
        if (kind == ST_FOUND_VIOLATION && !shown)
            return; /* nobody kept it */
        size_t sighting = keep_sighting(hunt, noting);
        st_reserve(&hunt->causes, &hunt->cause_capacity, hunt->cause_count + 1);
        cause = &hunt->causes[hunt->cause_count++];
        const char *block = json_string_value(json_object_get(shown, "block"));
        *cause = (struct st_cause){.kind = kind,
                                   .key = key,
                                   .sighting = sighting,
                                   .doubtful = st_keys_have(&described->doubtful, key),
                                   .shown = json_incref(shown),
                                   .block = st_strdup(block ? block : "")};
        if (kind != ST_FOUND_FAILURE)
            st_keys_add(&hunt->known, key);
    } else if (noting->harm->outcome > hunt->sightings[cause->sighting].harm.outcome) {
        cause->sighting = keep_sighting(hunt, noting);
    }
    cause->seen_in++;
}

/* What is doubtful has to explain the harm of a run by itself. */
static void note_findings(struct st_hunt *hunt, struct noting *noting) {
    const struct st_description *described = &noting->run->described;
    bool cycle = json_object_get(described->json, "cycle") != NULL;
    bool alone = described->doubtful.count == described->keys.count;
    for (size_t i = 0; i < described->keys.count; i++)
        if (alone || !st_keys_have(&described->doubtful, described->keys.list[i]))
            note_cause(hunt, noting, cycle ? ST_FOUND_CYCLE : ST_FOUND_VIOLATION,
                       described->keys.list[i]);
    if (st_is_failure(&hunt->expected, noting->run, noting->harm))
        note_cause(hunt, noting, ST_FOUND_FAILURE, st_failure_key(noting->run, noting->harm));
    else if (!described->keys.count && noting->harm->outcome == ST_OUTCOME_OUTPUT)
        hunt->other_outputs++;
}

/* Runs of a round come here in the order of their numbers. */
void st_hunt_note(struct st_hunt *hunt, const struct st_controlled_run *run,
                  const struct st_harm *harm) {
    struct noting noting = {run, harm, SIZE_MAX};
    hunt->runs++;
    hunt->points += run->log->points;
    hunt->switches += run->log->switches;
    hunt->events += (uint64_t)json_integer_value(json_object_get(run->described.json, "events"));
    hunt->cut += (uint64_t)json_integer_value(json_object_get(run->described.json, "violated"));
    hunt->loose += run->log->loose != 0;
    hunt->endless += run->stop == ST_STOP_TIME;
    note_findings(hunt, &noting);
}

static void note_run(struct st_hunt *hunt, const struct st_controlled_run *run,
                     struct st_candidate *candidate) {
    struct st_harm harm = st_find_harm(&hunt->expected, run);
    size_t before = hunt->cause_count;
    st_hunt_note(hunt, run, &harm);
    st_harm_free(&harm);
    if (candidate && run->log->hits && hunt->cause_count == before)
        candidate->in_vain++;
}

/* Is it a finding? What is doubtful is one if harm came of it. Other output is none if it also came
 * where nothing was cut. */
static bool counts(const struct st_hunt *hunt, const struct st_cause *cause) {
    enum st_outcome outcome = hunt->sightings[cause->sighting].harm.outcome;
    return !cause->doubtful || outcome > ST_OUTCOME_OUTPUT ||
           (outcome == ST_OUTCOME_OUTPUT && !hunt->other_outputs);
}

bool st_hunt_has_found(const struct st_hunt *hunt) {
    for (size_t i = 0; i < hunt->cause_count; i++)
        if (counts(hunt, &hunt->causes[i]))
            return true;
    return false;
}

static void free_cause(struct st_cause *cause) {
    json_decref(cause->shown);
    free(cause->block);
}

/* At the end of the search. */
static void drop_harmless(struct st_hunt *hunt) {
    size_t kept = 0;
    for (size_t i = 0; i < hunt->cause_count; i++) {
        struct st_cause cause = hunt->causes[i];
        if (counts(hunt, &cause))
            hunt->causes[kept++] = cause;
        else
            free_cause(&cause);
    }
    hunt->cause_count = kept;
}

/* ---- learning ---- */

static int refuse(const struct st_hunt *hunt, struct st_error *error, const char *why) {
    return st_fail(error, hunt->subject.words[0], ST_AT_FILE, 0, "%s", why);
}

/* What the file of the program is, as far as it matters why it could not be watched. */
enum file_kind { OTHER_FILE, SCRIPT, WITH_RUNTIME };

static enum file_kind kind_of_file(const char *path) {
    static const char runtime[] = "libseriatim_rt";
    enum { MOST = 64 << 20 };
    FILE *file = fopen(path, "re");
    char *text = file ? st_alloc(MOST, 1) : NULL;
    size_t length = file ? fread(text, 1, MOST, file) : 0;
    enum file_kind kind = OTHER_FILE;
    if (length > 1 && text[0] == '#' && text[1] == '!')
        kind = SCRIPT;
    else if (length && memmem(text, length, runtime, strlen(runtime)))
        kind = WITH_RUNTIME;
    free(text);
    if (file)
        fclose(file);
    return kind;
}

static int refuse_unwatched(const struct st_hunt *hunt, struct st_error *error) {
    if (hunt->with_agent)
        return refuse(hunt, error, "loaded no class that is to be watched: " ST_JAVA_UNWATCHED);
    switch (kind_of_file(hunt->subject.words[0])) {
    case SCRIPT:
        return refuse(hunt, error,
                      "is a script, and started no program that can be watched: name the program "
                      "itself, built with seriatim-cc or seriatim-c++");
    case WITH_RUNTIME:
        return refuse(hunt, error,
                      "could not be watched: it was built with another version of seriatim, or "
                      "its runtime library was not found; build it again with seriatim-cc or "
                      "seriatim-c++");
    case OTHER_FILE:
        break;
    }
    return refuse(hunt, error,
                  "could not be watched: build it with seriatim-cc or seriatim-c++ (or link it "
                  "dynamically with gcc -fsanitize=thread)");
}

int st_hunt_check(const struct st_hunt *hunt, const struct st_controlled_run *run,
                  struct st_error *error) {
    const char *trouble = run->described.trouble;
    if (trouble && strcmp(trouble, "no room") == 0)
        return refuse(
            hunt, error,
            "could not be watched: it may not reserve 64 TiB of addresses (which takes no "
            "memory); lift the limit with 'ulimit -v unlimited'");
    if (trouble && strcmp(trouble, "damaged") == 0)
        return refuse(
            hunt, error,
            "has overwritten memory that it shares with seriatim, perhaps through a stray "
            "pointer: look for that first, for example with -fsanitize=address");
    if (trouble)
        return refuse_unwatched(hunt, error);
    if (!run->controlled && hunt->with_agent)
        return refuse(hunt, error,
                      "could not be controlled: the agent for Java programs is one of an older "
                      "seriatim; install seriatim and its agent of the same version");
    if (!run->controlled)
        return refuse(hunt, error,
                      "could not be controlled: it was built with a runtime library of an older "
                      "seriatim; build it again with seriatim-cc or seriatim-c++");
    if (run->stop == ST_STOP_TIME && !hunt->subject.client && !hunt->subject.bounded)
        return st_fail(error, hunt->subject.words[0], ST_AT_FILE, 0,
                       "did not end within %g seconds under control; give it something that ends, "
                       "or set --run-time and --points to say how long a run may be",
                       hunt->subject.seconds);
    if (hunt->subject.client && !run->client.process)
        return st_fail(error, hunt->subject.words[0], ST_AT_FILE, 0,
                       "did not listen for connections, so the client was not started");
    return 0;
}

/* What the two runs printed, if all of it was compared. */
static void warn_of_varying(const struct st_hunt *hunt, const struct st_controlled_run *one,
                            const struct st_controlled_run *other) {
    const struct st_expected *expected = &hunt->expected;
    bool whole = st_run_ended(one) && st_run_ended(other) && !one->log->loose && !other->log->loose;
    if (whole && (expected->output.varies || expected->errors.varies))
        st_hunt_warn(hunt,
                     "%s did not print the same in two runs of the same schedule: it depends on "
                     "more than its threads (time, random numbers, process ids), and what differs "
                     "is not compared in later runs",
                     hunt->subject.words[0]);
}

static void warn_of_input(const struct st_hunt *hunt, const struct st_controlled_run *run) {
    if (hunt->no_input && run->log->wanted_input)
        st_hunt_warn(hunt,
                     "%s read from standard input, which is empty, since %s: give it its input "
                     "with < FILE",
                     hunt->subject.words[0], hunt->no_input);
}

static void warn_of_terminal(const struct st_hunt *hunt, const struct st_controlled_run *run) {
    if (run->log->wanted_terminal)
        st_hunt_warn(hunt,
                     "%s tried to open its terminal (/dev/tty), and programs that are hunted have "
                     "none: let it take its input from arguments, files or standard input",
                     hunt->subject.words[0]);
}

static void warn_of_learning(const struct st_hunt *hunt, const struct st_controlled_run *one,
                             const struct st_controlled_run *other) {
    const char *name = hunt->subject.words[0];
    if (one->log->thread_count <= 1)
        st_hunt_warn(hunt,
                     "%s ran with a single thread, so there is nothing to schedule; give it "
                     "arguments or input with which it uses threads",
                     name);
    if (one->status != other->status)
        st_hunt_warn(hunt,
                     "%s ended with status %d and then with status %d in the same schedule: "
                     "it depends on more than its threads, and findings may not be "
                     "repeatable",
                     name, one->status, other->status);
    else if (one->log->points != other->log->points)
        st_hunt_warn(hunt,
                     "%s did not do the same in two runs of the same schedule: it depends on "
                     "more than its threads (time, random numbers, other processes), and "
                     "findings may not be repeatable",
                     name);
    else
        warn_of_varying(hunt, one, other);
    warn_of_input(hunt, one);
    warn_of_terminal(hunt, one);
    uint32_t others = atomic_load(&one->area.map->others);
    if (others)
        st_hunt_warn(hunt,
                     "%s started %u other process%s: only the first is controlled and "
                     "checked",
                     name, others, others == 1 ? "" : "es");
}

static void note_outer(struct st_hunt *hunt, const json_t *list) {
    size_t index;
    json_t *site;
    json_array_foreach(list, index, site)
        st_site_set_add(&hunt->knowledge.outer, strtoull(json_string_value(site), NULL, 16));
}

/* A run that is so much longer than usual will not end by itself. */
static void set_bound(struct st_hunt *hunt, uint64_t usual) {
    enum { LEAST = 300 * 1000, TIMES = 30 };
    if (hunt->subject.most_points || hunt->subject.client || hunt->subject.bounded)
        return;
    hunt->expected.bound = TIMES * usual > LEAST ? TIMES * usual : LEAST;
    hunt->subject.most_points = hunt->expected.bound;
}

/* The same in seconds, for a run that waits for ever where nobody sees it. */
static void set_time_limit(struct st_hunt *hunt, double usual) {
    static const double least = 5, times = 30;
    if (hunt->subject.client || hunt->subject.bounded)
        return;
    double limit = times * usual > least ? times * usual : least;
    if (limit < hunt->subject.seconds)
        hunt->subject.seconds = limit;
}

static void warn_of_endless(const struct st_hunt *hunt) {
    if (hunt->endless && !hunt->subject.bounded)
        st_hunt_warn(hunt,
                     "%" PRIu64 " of %" PRIu64 " run%s did not end within %.3g seconds, and %s "
                     "ended; set --run-time to allow more time, or less",
                     hunt->endless, hunt->runs, hunt->runs == 1 ? "" : "s", hunt->subject.seconds,
                     hunt->endless == 1 ? "was" : "were");
}

static int learn(struct st_hunt *hunt, struct st_error *error) {
    struct st_controlled_run runs[ST_LEARNING_RUNS], *pointers[ST_LEARNING_RUNS];
    int result = 0;
    st_hunt_show(hunt, "learning");
    for (uint64_t i = 0; i < ST_LEARNING_RUNS; i++) {
        struct st_candidate *none;
        st_controlled_run_init(&runs[i]);
        runs[i].number = i + 1;
        runs[i].in_full = i == 0;
        st_portfolio_plan(&runs[i].plan, &hunt->knowledge, ST_STRATEGY_DEFAULT, hunt->options->seed,
                          i + 1, hunt->subject.real_time ? ST_CONTROL_REAL_TIME : 0, &none);
        pointers[i] = &runs[i];
    }
    /* The second one knows nothing of the first, so that the two can be compared. */
    for (int i = 0; i < ST_LEARNING_RUNS && result == 0 && !hunt->interrupted; i++) {
        result =
            st_do_runs(&hunt->subject, &pointers[i], 1, 1, NULL, st_hunt_is_stopped, hunt, error);
        hunt->interrupted = st_hunt_is_stopped(hunt);
        if (result == 0 && i == 0 && !hunt->interrupted)
            result = st_hunt_check(hunt, &runs[0], error);
    }
    if (result == 0 && !hunt->interrupted) {
        hunt->base = json_deep_copy(runs[0].described.report);
        hunt->places = json_incref(json_object_get(runs[0].described.json, "places"));
        st_expected_learn(&hunt->expected, &runs[0], &runs[1]);
        warn_of_learning(hunt, &runs[0], &runs[1]);
        set_bound(hunt, runs[0].log->points);
        set_time_limit(hunt, runs[0].seconds > runs[1].seconds ? runs[0].seconds : runs[1].seconds);
        note_outer(hunt, json_object_get(runs[0].described.json, "outer"));
        for (int i = 0; i < ST_LEARNING_RUNS; i++) {
            note_run(hunt, &runs[i], NULL);
            st_knowledge_add(&hunt->knowledge, runs[i].log);
        }
    }
    for (int i = 0; i < ST_LEARNING_RUNS; i++)
        st_controlled_run_free(&runs[i]);
    return result;
}

/* ---- rounds ---- */

/* The first runs teach most, so that the rounds are small at first. Later ones are as large as many
 * machines together like them to be. */
static size_t round_size(uint64_t runs) {
    uint64_t share = runs / SHARE_IN_ROUND;
    if (runs < 64)
        return runs < 16 ? 4 : 8;
    return share < 16 ? 16 : share < MOST_IN_ROUND ? (size_t)share : MOST_IN_ROUND;
}

static bool is_enough(const struct st_hunt *hunt) {
    const struct st_hunt_options *options = hunt->options;
    return hunt->runs >= options->runs || st_hunt_clock() - hunt->started >= options->seconds ||
           (options->until_first && st_hunt_has_found(hunt)) || hunt->interrupted;
}

struct round {
    struct st_controlled_run runs[MOST_IN_ROUND], *pointers[MOST_IN_ROUND];
    struct st_candidate *candidates[MOST_IN_ROUND];
    struct st_suspect *suspects[MOST_IN_ROUND];
    size_t count;
};

/* The next run of the round. */
static bool plan_run(struct st_hunt *hunt, struct st_systematic *systematic, struct round *round) {
    struct st_controlled_run *run = &round->runs[round->count];
    struct st_candidate **candidate = &round->candidates[round->count];
    struct st_suspect **suspect = &round->suspects[round->count];
    uint32_t flags = hunt->subject.real_time ? ST_CONTROL_REAL_TIME : 0;
    size_t choice = systematic ? (size_t)ST_STRATEGY_DEFAULT : hunt->options->choice;
    *candidate = NULL;
    *suspect = st_hunt_try_prediction(hunt, run);
    if (*suspect)
        return true;
    if (choice == ST_STRATEGY_STEPS)
        return false;
    st_portfolio_plan(&run->plan, &hunt->knowledge, choice, hunt->options->seed, run->number, flags,
                      candidate);
    return !systematic || st_systematic_next(systematic, &run->plan);
}

static void plan_round(struct st_hunt *hunt, struct st_systematic *systematic,
                       struct round *round) {
    size_t size = round_size(hunt->runs);
    if (hunt->options->runs - hunt->runs < size)
        size = (size_t)(hunt->options->runs - hunt->runs);
    round->count = 0;
    while (round->count < size) {
        struct st_controlled_run *run = &round->runs[round->count];
        st_controlled_run_init(run);
        run->number = hunt->runs + round->count + 1;
        if (!plan_run(hunt, systematic, round)) {
            st_controlled_run_free(run);
            return;
        }
        round->pointers[round->count++] = run;
    }
}

/* With the first finding, what came later in its round does not count. */
static void note_round(struct st_hunt *hunt, struct st_systematic *systematic,
                       struct round *round) {
    size_t noted = 0;
    while (noted < round->count && !(hunt->options->until_first && st_hunt_has_found(hunt))) {
        const struct st_controlled_run *run = &round->runs[noted];
        if (!run->done || run->stop == ST_STOP_REQUEST)
            break;
        note_run(hunt, run, round->candidates[noted]);
        if (round->suspects[noted])
            round->suspects[noted]->tries++;
        if (systematic)
            st_systematic_add(systematic, &run->plan, run->log);
        noted++;
    }
    for (size_t i = 0; i < noted; i++) /* not before: candidates would move */
        st_knowledge_add(&hunt->knowledge, round->runs[i].log);
    for (size_t i = 0; i < round->count; i++)
        st_controlled_run_free(&round->runs[i]);
}

static int do_rounds(struct st_hunt *hunt, struct st_systematic *systematic,
                     struct st_error *error) {
    struct round round;
    while (!is_enough(hunt)) {
        plan_round(hunt, systematic, &round);
        if (!round.count) {
            if (systematic && st_systematic_deepen(systematic))
                continue;
            hunt->exhausted = systematic && st_systematic_is_complete(systematic);
            return 0;
        }
        st_hunt_show(hunt,
                     systematic ? "systematic" : st_strategy_name(round.runs[0].plan.strategy));
        int result = st_do_runs(&hunt->subject, round.pointers, round.count, hunt->options->jobs,
                                &hunt->known, st_hunt_is_stopped, hunt, error);
        hunt->interrupted = st_hunt_is_stopped(hunt);
        note_round(hunt, systematic, &round);
        st_hunt_compare(hunt, false);
        if (result < 0 && !hunt->interrupted)
            return -1;
    }
    return 0;
}

static int search(struct st_hunt *hunt, struct st_error *error) {
    bool chosen = hunt->options->choice == ST_CHOICE_SYSTEMATIC;
    struct st_systematic *systematic = chosen ? st_systematic_new() : NULL;
    int result = do_rounds(hunt, systematic, error);
    if (systematic)
        hunt->bound = st_systematic_bound(systematic);
    st_systematic_free(systematic);
    drop_harmless(hunt);
    hunt->causes_compared = 0;
    st_hunt_compare(hunt, true);
    warn_of_endless(hunt);
    return result;
}

/* ---- standard input ---- */

/* Is there something to read, or nothing for ever? Somebody may hold a pipe open and write nothing.
 */
static bool has_input(struct st_hunt *hunt) {
    enum { PATIENCE_MILLISECONDS = 1000 };
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (isatty(STDIN_FILENO))
        hunt->no_input = "runs under control have no terminal";
    else if (poll(&input, 1, PATIENCE_MILLISECONDS) != 1)
        hunt->no_input = "nothing came from there for a second";
    return !hunt->no_input;
}

/* Each run gets the same, so that it must be kept. */
static void copy_input(struct st_hunt *hunt) {
    char buffer[1 << 16];
    ssize_t got;
    if (!hunt->options->takes_input || !has_input(hunt))
        return;
    if (asprintf(&hunt->input, "%s/input", hunt->scratch) < 0)
        st_out_of_memory();
    FILE *copy = fopen(hunt->input, "we");
    uint64_t length = 0;
    while (copy && (got = read(STDIN_FILENO, buffer, sizeof buffer)) > 0)
        length += fwrite(buffer, 1, (size_t)got, copy);
    if (copy)
        fclose(copy);
    if (length)
        hunt->subject.input = hunt->input;
}

/* ---- all of it ---- */

/* Under /dev/shm where there is one: the files of a run are short-lived, and much of them is empty.
 */
static char *make_scratch(struct st_error *error) {
    const char *const places[] = {"/dev/shm", getenv("TMPDIR"), "/tmp"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path = NULL;
        if (!places[i] || !*places[i])
            continue;
        if (asprintf(&path, "%s/seriatim-hunt.XXXXXX", places[i]) < 0)
            st_out_of_memory();
        if (mkdtemp(path))
            return path;
        free(path);
    }
    st_fail(error, "hunt", ST_AT_FILE, 0, "cannot create a folder for scratch files: %s",
            strerror(errno));
    return NULL;
}

static void remove_files(const char *folder) {
    DIR *list = opendir(folder);
    struct dirent *entry;
    while (list && (entry = readdir(list)))
        unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        closedir(list);
    rmdir(folder);
}

/* A process that removes the folder when nobody uses it any more: also if we are killed. It ends
 * when all copies of `alive` are closed, which the watchers have, too. */
static void start_cleaner(struct st_hunt *hunt) {
    int ends[2];
    char byte;
    hunt->alive = -1;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return;
    hunt->alive = ends[1];
    fflush(NULL);
    hunt->cleaner = fork();
    if (hunt->cleaner != 0) {
        close(ends[0]);
        return;
    }
    setsid();
    signal(SIGTERM, SIG_IGN);
    close_range(0, (unsigned)ends[0] - 1, 0);
    close_range((unsigned)ends[0] + 1, ~0U, 0);
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
        ;
    remove_files(hunt->scratch);
    _exit(0);
}

struct st_hunt *st_hunt_new(const struct st_hunt_options *options, struct st_error *error) {
    struct st_hunt *hunt = st_alloc(1, sizeof *hunt);
    hunt->options = options;
    hunt->subject = options->subject;
    hunt->started = st_hunt_clock();
    st_knowledge_init(&hunt->knowledge);
    hunt->scratch = make_scratch(error);
    hunt->subject.folder = hunt->scratch;
    int prepared = st_java_prepare(options->subject.java, options->subject.command,
                                   options->subject.words, &hunt->with_agent, error);
    hunt->subject.started = hunt->with_agent;
    if (hunt->scratch && prepared == 0) {
        start_cleaner(hunt);
        return hunt;
    }
    st_hunt_free(hunt);
    return NULL;
}

struct st_hunt *st_hunt(const struct st_hunt_options *options, struct st_error *error) {
    struct st_hunt *hunt = st_hunt_new(options, error);
    if (!hunt)
        return NULL;
    copy_input(hunt);
    if (learn(hunt, error) == 0 && hunt->base && st_hunt_foresee(hunt, error) == 0 &&
        search(hunt, error) == 0 && st_hunt_confirm(hunt, error) == 0)
        return hunt;
    if (!hunt->base && hunt->interrupted)
        st_fail(error, "hunt", ST_AT_FILE, 0, "interrupted before the program had run once");
    st_hunt_free(hunt);
    return NULL;
}

void st_hunt_serve(const struct st_hunt_options *options, struct st_error *error) {
    struct st_hunt *hunt = st_hunt_new(options, error);
    if (hunt)
        st_serve_runs(&hunt->subject);
}

void st_hunt_free(struct st_hunt *hunt) {
    for (size_t i = 0; i < hunt->cause_count; i++)
        free_cause(&hunt->causes[i]);
    for (size_t i = 0; i < hunt->sighting_count; i++)
        st_sighting_free(&hunt->sightings[i]);
    for (size_t i = 0; i < hunt->replay_count; i++) {
        st_replayed_free(&hunt->replays[i].result);
        free(hunt->replays[i].schedule);
    }
    free(hunt->causes);
    free(hunt->sightings);
    free(hunt->replays);
    st_knowledge_free(&hunt->knowledge);
    st_suspects_free(&hunt->suspects);
    json_decref(hunt->places);
    st_expected_free(&hunt->expected);
    st_keys_free(&hunt->known);
    json_decref(hunt->base);
    if (hunt->scratch)
        remove_files(hunt->scratch);
    if (hunt->cleaner > 0) {
        close(hunt->alive);
        waitpid(hunt->cleaner, NULL, 0);
    }
    free(hunt->scratch);
    free((void *)hunt->with_agent);
    free(hunt->input);
    free(hunt->kept_input);
    free(hunt);
}
