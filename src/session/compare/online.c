#define _GNU_SOURCE /* wait4 */
#include "session/compare/online.h"

#include "base/memory.h"
#include "session/watched_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What a run says of itself. It fits into a pipe at once. */
struct outcome {
    double seconds, bytes, analysis;
    uint64_t state, events, threads, distinct, dynamic;
    enum st_verdict verdict;
    bool answers, names_blocks, failed;
    struct st_error trouble; /* if it failed */
};

void st_online_init(struct st_online *online, const struct st_engine *const *engines,
                    size_t count) {
    *online = (struct st_online){.engines = engines, .engine_count = count};
}

void st_online_free(struct st_online *online) {
    for (size_t i = 0; i < online->row_count; i++) {
        free(online->rows[i].cells);
        free(online->rows[i].name);
    }
    free(online->rows);
}

const struct st_online_cell *st_online_cell_of(const struct st_online *online,
                                               const struct st_online_row *row,
                                               const char *engine) {
    for (size_t j = 0; j < online->engine_count; j++)
        if (strcmp(online->engines[j]->name, engine) == 0)
            return &row->cells[j];
    return NULL;
}

/* ---- in the process of a run ---- */

static double seconds_of(const struct rusage *usage) {
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e-6;
}

static double bytes_of(const struct rusage *usage) {
    return (double)usage->ru_maxrss * 1024;
}

static void ignore(void *context) {
    (void)context;
}

static uint64_t count_names(const struct st_findings *findings) {
    uint64_t count = 0;
    for (size_t i = 0; i <= findings->violated_capacity; i++) {
        uint32_t name = i ? (uint32_t)i - 1 : ST_NO_NAME;
        count += st_findings_violated(findings, name) && st_findings_depth(findings, name) == 0;
    }
    return count;
}

static void note_check(struct outcome *outcome, struct st_live_check *check) {
    struct st_findings findings = st_engine_run_snapshot(&check->run);
    struct rusage own, program;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &program);
    outcome->seconds = seconds_of(&own) + seconds_of(&program);
    outcome->bytes = bytes_of(&own) + bytes_of(&program);
    outcome->analysis = check->run.seconds;
    outcome->state = check->run.peak_bytes;
    outcome->events = st_validator_facts(check->validator)->events;
    outcome->threads = st_translator_symbols(check->watch.translator)->threads.count;
    outcome->verdict = findings.verdict;
    outcome->answers = !findings.gave_up;
    outcome->names_blocks = findings.names_blocks;
    outcome->dynamic = findings.violation_count;
    outcome->distinct = count_names(&findings);
    st_engine_run_free_snapshot(&findings);
}

static void fail_with(struct outcome *outcome, const char *program, const char *what) {
    outcome->failed = true;
    st_fail(&outcome->trouble, program, ST_AT_FILE, 0, "%s", what);
}

static void check_watched(struct outcome *outcome, struct st_live_check *check,
                          const char *program) {
    st_live_check_follow(check);
    if (!st_watch_attached(&check->watch))
        fail_with(outcome, program,
                  st_is_java(program)
                      ? "loaded no class that is to be watched: " ST_JAVA_UNWATCHED
                      : "was not built with seriatim-cc, so nothing of it could be checked");
    else if (st_watch_had_no_room(&check->watch) || st_watch_gave_up(&check->watch))
        fail_with(outcome, program, "could not be watched to its end");
    else
        note_check(outcome, check);
}

static struct outcome run_watched(const struct st_online_program *program,
                                  const struct st_engine *engine) {
    const struct st_live_check_hooks hooks = {.asked = ignore, .found = ignore};
    const struct st_following following = {.all = false};
    struct outcome outcome = {.failed = false};
    struct st_live_check check;
    st_live_check_init(&check, st_relation_or_usual(program->relation, true), 1, false, &hooks);
    st_live_check_compare(&check, engine);
    const char **changed = NULL;
    if (st_java_prepare(program->java, "compare", program->words, &changed, &outcome.trouble) < 0 ||
        st_live_check_start(&check, "compare", changed ? changed : program->words, program->spec,
                            &following, &outcome.trouble) < 0)
        outcome.failed = true;
    else
        check_watched(&outcome, &check, program->words[0]);
    free(changed);
    return outcome;
}

/* The child of a fork: the program itself, or who watches it. Does not return. */
static void be_run(const struct st_online_program *program, const struct st_engine *engine,
                   int fd) {
    setpgid(0, 0);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    if (!engine) {
        execvp(program->native[0], (char *const *)program->native);
        struct outcome outcome = {.failed = false};
        fail_with(&outcome, program->native[0], strerror(errno));
        _exit(write(fd, &outcome, sizeof outcome) < 0 ? 2 : 1);
    }
    struct outcome outcome = run_watched(program, engine);
    _exit(write(fd, &outcome, sizeof outcome) == sizeof outcome ? 0 : 2);
}

/* ---- outside of it ---- */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Waits for its end, or ends it when its time is over, with all that it has started. */
static bool wait_for(pid_t process, double end, struct rusage *usage) {
    bool in_time = true;
    pid_t got;
    while ((got = wait4(process, NULL, end > 0 && in_time ? WNOHANG : 0, usage)) != process) {
        if (got < 0 && errno != EINTR)
            break;
        if (got == 0)
            usleep(5000);
        if (got == 0 && now() > end) {
            in_time = false;
            kill(-process, SIGKILL);
            kill(process, SIGKILL);
        }
    }
    return in_time;
}

/* What only the first process knows of itself by then. */
static void take_outcome(int fd, const struct rusage *usage, bool native, struct outcome *outcome) {
    ssize_t got = read(fd, outcome, sizeof *outcome);
    if (got == sizeof *outcome)
        return;
    *outcome = (struct outcome){.seconds = seconds_of(usage), .bytes = bytes_of(usage)};
    if (!native)
        fail_with(outcome, "compare", "the process that watched the program ended early");
}

static void add_outcome(struct st_online_cell *cell, const struct outcome *outcome,
                        double elapsed) {
    cell->runs++;
    cell->seconds += outcome->seconds;
    cell->elapsed += elapsed;
    cell->bytes += outcome->bytes;
    cell->analysis += outcome->analysis;
    cell->state += (double)outcome->state;
    cell->events += (double)outcome->events;
    cell->threads += (double)outcome->threads;
    cell->distinct += (double)outcome->distinct;
    cell->dynamic += (double)outcome->dynamic;
    cell->bad += outcome->verdict == ST_NOT_SERIALIZABLE;
    cell->answers = outcome->answers;
    cell->names_blocks = outcome->names_blocks;
}

static int run_once(struct st_online_cell *cell, const struct st_online_program *program,
                    struct st_error *error) {
    struct outcome outcome;
    struct rusage usage = {.ru_maxrss = 0};
    int ends[2];
    if (cell->timed_out)
        return 0;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return st_fail(error, "compare", ST_AT_FILE, 0, "no pipe: %s", strerror(errno));
    double start = now();
    pid_t process = fork();
    if (process == 0)
        be_run(program, cell->engine, ends[1]);
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return st_fail(error, "compare", ST_AT_FILE, 0, "no process: %s", strerror(errno));
    }
    cell->timed_out =
        !wait_for(process, program->timeout > 0 ? start + program->timeout : 0, &usage);
    double elapsed = now() - start;
    if (!cell->timed_out)
        take_outcome(ends[0], &usage, !cell->engine, &outcome);
    close(ends[0]);
    if (cell->timed_out)
        return 0;
    if (outcome.failed) {
        *error = outcome.trouble;
        return -1;
    }
    add_outcome(cell, &outcome, elapsed);
    return 0;
}

static void divide(struct st_online_cell *cell) {
    double *const sums[] = {&cell->seconds,  &cell->elapsed,  &cell->bytes,
                            &cell->analysis, &cell->state,    &cell->events,
                            &cell->threads,  &cell->distinct, &cell->dynamic};
    for (size_t i = 0; cell->runs && i < sizeof sums / sizeof *sums; i++)
        *sums[i] /= (double)cell->runs;
}

int st_online_add(struct st_online *online, const struct st_online_program *program,
                  struct st_error *error) {
    st_reserve(&online->rows, &online->row_capacity, online->row_count + 1);
    struct st_online_row *row = &online->rows[online->row_count++];
    *row = (struct st_online_row){.name = st_strdup(program->name)};
    row->cells = st_alloc(online->engine_count, sizeof *row->cells);
    for (size_t j = 0; j < online->engine_count; j++)
        row->cells[j].engine = online->engines[j];
    for (uint64_t run = 0; run < program->runs; run++) {
        if (run_once(&row->native, program, error) < 0)
            return -1;
        for (size_t j = 0; j < online->engine_count; j++)
            if (run_once(&row->cells[j], program, error) < 0)
                return -1;
    }
    divide(&row->native);
    for (size_t j = 0; j < online->engine_count; j++)
        divide(&row->cells[j]);
    return 0;
}
