/* The first runs of a hunt: can the program be controlled, what does it do when nothing disturbs
 * it, and does it do that twice? */
#define _GNU_SOURCE
#include "base/memory.h"
#include "hunt/controlled/dealt_runs.h"
#include "hunt/hunt_state.h"
#include "session/java/java_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int refuse_unwatched(const struct st_hunt *hunt, int status, struct st_error *error) {
    if (hunt->with_agent && status != 0)
        return st_fail(error, hunt->subject.words[0], ST_AT_FILE, 0,
                       "ended with status %d and had loaded no class that is to be watched: see "
                       "whether it starts without seriatim; if so, " ST_JAVA_UNWATCHED,
                       status);
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

static int refuse_endless(const struct st_hunt *hunt, struct st_error *error) {
    return st_fail(error, hunt->subject.words[0], ST_AT_FILE, 0,
                   "did not end within %g seconds under control; give it something that ends, "
                   "or set --run-time and --points to say how long a run may be",
                   hunt->subject.seconds);
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
    if (trouble && hunt->with_agent && run->stop == ST_STOP_TIME) /* while the JVM started */
        return refuse_endless(hunt, error);
    if (trouble)
        return refuse_unwatched(hunt, run->status, error);
    if (!run->controlled && hunt->with_agent)
        return refuse(hunt, error,
                      "could not be controlled: the agent for Java programs is one of an older "
                      "seriatim; install seriatim and its agent of the same version");
    if (!run->controlled)
        return refuse(hunt, error,
                      "could not be controlled: it was built with a runtime library of an older "
                      "seriatim; build it again with seriatim-cc or seriatim-c++");
    if (run->stop == ST_STOP_TIME && !hunt->subject.client && !hunt->subject.bounded)
        return refuse_endless(hunt, error);
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

int st_hunt_learn(struct st_hunt *hunt, struct st_error *error) {
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
            st_hunt_note_run(hunt, &runs[i]);
            st_knowledge_add(&hunt->knowledge, runs[i].log);
        }
    }
    for (int i = 0; i < ST_LEARNING_RUNS; i++)
        st_controlled_run_free(&runs[i]);
    return result;
}
