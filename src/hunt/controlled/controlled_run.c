#define _GNU_SOURCE
#include "hunt/controlled/controlled_run.h"

#include "base/memory.h"
#include "hunt/controlled/dealt_runs.h"
#include "hunt/controlled/recorded_run.h"
#include "session/watched_program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_PRINTED = 16 << 20, /* bytes of output that are compared */
    LOOK_NANOSECONDS = 2 * 1000 * 1000,
    LOOK_AT_CLIENT = 300 * 1000, /* likewise, when the program and its client take turns */
};

/* Seconds that a program gets to end when it is asked to. */
static const double grace = 3;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void st_controlled_run_init(struct st_controlled_run *run) {
    *run = (struct st_controlled_run){0};
    st_plan_init(&run->plan);
}

void st_controlled_run_free(struct st_controlled_run *run) {
    st_plan_free(&run->plan);
    st_area_free(&run->area);
    st_description_free(&run->described);
    free(run->output.text);
    free(run->errors.text);
    free(run->client_printed.text);
}

bool st_run_ended(const struct st_controlled_run *run) {
    return run->stop == ST_STOP_NONE;
}

/* ---- files of a run ---- */

/* "FOLDER/SLOT.KIND", where the slot is unique among the runs at the same time. The name of the
 * area goes to the environment of the program, and has the same length in each run. */
char *st_run_file(const struct st_hunted *subject, const struct st_controlled_run *run,
                  const char *kind) {
    char *path = NULL;
    if (asprintf(&path, "%s/%016" PRIxPTR ".%s", subject->folder, (uintptr_t)run, kind) < 0)
        st_out_of_memory();
    return path;
}

static struct st_printed take_printed(const struct st_hunted *subject,
                                      const struct st_controlled_run *run, const char *kind) {
    struct st_printed printed = {0};
    char *path = st_run_file(subject, run, kind);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd >= 0 && fstat(fd, &status) == 0) {
        size_t size = status.st_size < MOST_PRINTED ? (size_t)status.st_size : MOST_PRINTED;
        printed.text = st_alloc(size + 1, 1);
        printed.cut_off = status.st_size > MOST_PRINTED;
        ssize_t got;
        while (printed.length < size &&
               (got = read(fd, printed.text + printed.length, size - printed.length)) > 0)
            printed.length += (size_t)got;
    }
    if (fd >= 0)
        close(fd);
    unlink(path);
    free(path);
    return printed;
}

/* ---- in the process of the watcher ---- */

static void redirect(const char *path, int flags, int target) {
    int fd = open(path, flags | O_CLOEXEC, 0600);
    if (fd < 0 || dup2(fd, target) < 0)
        _exit(2);
    close(fd);
}

static void redirect_all(const struct st_hunted *subject, const struct st_controlled_run *run) {
    char *output = st_run_file(subject, run, "out"), *errors = st_run_file(subject, run, "err");
    if (!run->interactive)
        redirect(subject->input ? subject->input : "/dev/null", O_RDONLY, STDIN_FILENO);
    if (!run->attended) {
        redirect(output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, STDOUT_FILENO);
        redirect(errors, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, STDERR_FILENO);
    }
    free(output);
    free(errors);
}

static void ignore_question(void *context) {
    (void)context;
}

static int describe_trouble(const struct st_error *error, const char *description) {
    json_t *trouble = json_object();
    json_object_set_new(trouble, "cannot_start", json_string(error->cause));
    json_object_set_new(trouble, "file", json_string(error->file));
    int result = json_dump_file(trouble, description, 0);
    json_decref(trouble);
    return result;
}

static int record_run(const struct st_hunted *subject, const struct st_controlled_run *run,
                      const char *description) {
    struct st_error error;
    char *trace = st_run_file(subject, run, "stt");
    json_t *described = st_record_and_foresee(subject, trace, &error);
    int result = described ? json_dump_file(described, description, JSON_COMPACT)
                           : describe_trouble(&error, description);
    json_decref(described);
    unlink(trace);
    free(trace);
    return result;
}

static int watch_run(const struct st_hunted *subject, struct st_controlled_run *run,
                     const struct st_keys *known, const char *description) {
    const struct st_following following = {.all = false};
    struct st_live_check_hooks hooks = {.asked = ignore_question, .found = ignore_question};
    struct st_live_check check;
    struct st_error error;
    st_live_check_init(&check, subject->relation, subject->keep, false, &hooks);
    check.allocators = subject->allocators;
    check.source_root = subject->source_root;
    if (st_live_check_start(&check, subject->command, st_hunted_command(subject), subject->spec,
                            &following, &error) < 0)
        return describe_trouble(&error, description);
    st_live_check_follow(&check);
    run->log = st_area_log(&run->area);
    int result = st_describe_run(&check, run->log, subject->words[0], subject->spec != NULL,
                                 run->in_full, run->keys_only, known, description);
    return result;
}

/* Addresses that are the same in each run make reports the same. Where that is not allowed, it is
 * only a pity. */
static void keep_addresses(void) {
    int before = personality(0xffffffff);
    if (before >= 0)
        personality((unsigned long)before | ADDR_NO_RANDOMIZE);
}

/* Threads of OpenMP wait for each other, and for work, without spinning before: only those who wait
 * in the kernel, or seem to, take turns. */
static void keep_teams_from_spinning(void) {
    static const char *const variables[][2] = {
        {"OMP_WAIT_POLICY", "passive"}, {"GOMP_SPINCOUNT", "0"}, {"KMP_BLOCKTIME", "0"}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        setenv(variables[i][0], variables[i][1], 1);
}

static _Noreturn void become_watcher(const struct st_hunted *subject, struct st_controlled_run *run,
                                     const struct st_keys *known, const char *description,
                                     pid_t parent) {
    static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        signal(ours[i], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it had died before */
        _exit(2);
    /* Without a terminal nobody waits for what a user types, and Ctrl-C goes to the hunt only, so
     * that it cannot be taken for something that the program died of. */
    if (!run->attended)
        setsid();
    if (subject->crew) /* MPI has files open, which are not for the program */
        close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    redirect_all(subject, run);
    setenv(ST_CONTROL_VARIABLE, run->area.path, 1);
    keep_addresses();
    keep_teams_from_spinning();
    int result = run->recorded ? record_run(subject, run, description)
                               : watch_run(subject, run, known, description);
    _exit(result < 0 ? 2 : 0);
}

/* ---- in ours ---- */

static int start(const struct st_hunted *subject, struct st_controlled_run *run,
                 const struct st_keys *known, struct st_error *error) {
    char *path = st_run_file(subject, run, "area"),
         *description = st_run_file(subject, run, "json");
    int result = st_area_create(&run->area, path, error);
    if (result == 0) {
        st_plan_write(&run->plan, &run->area.map->plan);
        run->area.map->plan.most_points = subject->most_points;
        if (subject->client)
            st_client_expect(run->area.map);
        run->started = now();
        fflush(NULL);
        pid_t parent = getpid();
        run->watcher = fork();
        if (run->watcher == 0)
            become_watcher(subject, run, known, description, parent);
        if (run->watcher < 0)
            result =
                st_fail(error, subject->command, ST_AT_FILE, 0, "cannot fork: %s", strerror(errno));
    }
    free(path);
    free(description);
    return result;
}

static pid_t program_of(const struct st_controlled_run *run) {
    return (pid_t)atomic_load(&run->area.map->process);
}

/* A watcher passes on what it gets; a program that came to the area is known, and can be killed. */
static void end_run(struct st_controlled_run *run, enum st_run_stop why) {
    pid_t program = program_of(run);
    double time = now();
    if (run->stop == ST_STOP_NONE) {
        run->stop = why;
        run->told_to_end = time;
        bool gently = why != ST_STOP_TIME || program <= 0;
        kill(gently && program <= 0 ? run->watcher : program, gently ? SIGTERM : SIGKILL);
    } else if (time > run->told_to_end + grace) {
        kill(program > 0 ? program : run->watcher, SIGKILL);
        run->told_to_end = time;
    }
}

static void look_after_client(const struct st_hunted *subject, struct st_controlled_run *run) {
    char *output = run->attended ? NULL : st_run_file(subject, run, "client");
    st_client_look(&run->client, run->area.map, program_of(run), subject->client, output, now());
    free(output);
    if (run->client.done)
        end_run(run, ST_STOP_CLIENT);
}

static int finish(const struct st_hunted *subject, struct st_controlled_run *run,
                  struct st_error *error) {
    char *description = st_run_file(subject, run, "json");
    run->seconds = now() - run->started;
    run->done = true;
    st_client_end(&run->client);
    run->controlled = program_of(run) != 0;
    run->log = st_area_log(&run->area);
    run->output = take_printed(subject, run, "out");
    run->errors = take_printed(subject, run, "err");
    run->client_printed = take_printed(subject, run, "client");
    int result = st_description_read(&run->described, description, error);
    if (result == 0)
        run->status = (int)json_integer_value(json_object_get(run->described.json, "status"));
    unlink(description);
    free(description);
    return result;
}

static void look_after(const struct st_hunted *subject, struct st_controlled_run *run,
                       bool stopped) {
    if (stopped)
        end_run(run, ST_STOP_REQUEST);
    else if (run->stop != ST_STOP_NONE || now() > run->started + subject->seconds)
        end_run(run, ST_STOP_TIME);
    else if (subject->client)
        look_after_client(subject, run);
}

int st_do_runs(const struct st_hunted *subject, struct st_controlled_run *const *runs, size_t count,
               size_t jobs, const struct st_keys *known, bool (*stopped)(void *context),
               void *context, struct st_error *error) {
    if (st_are_dealt(subject))
        return st_deal_runs(subject, runs, count, jobs, known, stopped, context, error);
    return st_do_runs_here(subject, runs, count, jobs, known, stopped, context, error);
}

int st_do_runs_here(const struct st_hunted *subject, struct st_controlled_run *const *runs,
                    size_t count, size_t jobs, const struct st_keys *known,
                    bool (*stopped)(void *context), void *context, struct st_error *error) {
    struct timespec nap = {.tv_nsec = subject->client ? LOOK_AT_CLIENT : LOOK_NANOSECONDS};
    size_t begun = 0, ended = 0;
    int result = 0;
    while (ended < begun || (begun < count && result == 0)) {
        bool stop = stopped && stopped(context);
        for (; begun < count && begun - ended < jobs && result == 0 && !stop; begun++)
            if (start(subject, runs[begun], known, error) < 0)
                return -1;
        if (stop && begun == ended)
            break;
        bool any = false;
        for (size_t i = 0; i < begun; i++) {
            struct st_error failure;
            if (runs[i]->done)
                continue;
            if (waitpid(runs[i]->watcher, NULL, WNOHANG) != 0) {
                if (finish(subject, runs[i], &failure) < 0 && result == 0) {
                    *error = failure;
                    result = -1;
                }
                ended++;
                any = true;
            } else {
                look_after(subject, runs[i], stop || result < 0);
            }
        }
        if (!any)
            nanosleep(&nap, NULL);
    }
    return result;
}
