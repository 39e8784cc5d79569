#define _GNU_SOURCE
#include "watch/processes/program.h"

#include "base/memory.h"
#include "stream/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static sigset_t our_signals(void) {
    static const int list[] = {SIGCHLD, SIGUSR1, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        sigaddset(&set, list[i]);
    return set;
}

/* ---- starting ---- */

/* Our libraries come first: one of them is named like gcc's libtsan. */
static void set_library_path(const char *runtime_dir) {
    const char *before = getenv("LD_LIBRARY_PATH");
    size_t size = strlen(runtime_dir) + (before ? strlen(before) : 0) + 2;
    char *path = st_alloc(size, 1);
    snprintf(path, size, "%s%s%s", runtime_dir, before && *before ? ":" : "", before ? before : "");
    setenv("LD_LIBRARY_PATH", path, 1);
    free(path);
}

static void set_environment(const char *stream, const char *runtime_dir) {
    setenv(ST_STREAM_VARIABLE, stream, 1);
    if (runtime_dir)
        set_library_path(runtime_dir);
}

/* In the new process. What went wrong goes into the pipe, which closes when all is well. */
static _Noreturn void become(const char *const *argv, const char *stream, const char *runtime_dir,
                             int report, const sigset_t *mask) {
    set_environment(stream, runtime_dir);
    signal(SIGXFSZ, SIG_DFL); /* we ignore it, which a program would inherit */
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(argv[0], (char *const *)argv);
    int failure = errno;
    if (write(report, &failure, sizeof failure) < 0)
        failure = 0;
    _exit(127);
}

static int fail_start(struct st_error *error, const char *name, int failure) {
    return st_fail(error, name, ST_AT_FILE, 0, "cannot run: %s", strerror(failure));
}

int st_program_start(struct st_program *program, const char *const *argv, const char *stream,
                     const char *runtime_dir, struct st_error *error) {
    sigset_t ours = our_signals(), before;
    int report[2], failure = 0;
    if (pipe2(report, O_CLOEXEC) < 0)
        return fail_start(error, argv[0], errno);
    sigprocmask(SIG_BLOCK, &ours, &before);
    /* A program that detaches itself from its starter is still ours to wait for. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    *program = (struct st_program){.process = fork()};
    if (program->process == 0)
        become(argv, stream, runtime_dir, report[1], &before);
    if (program->process < 0)
        failure = errno;
    close(report[1]);
    while (!failure && read(report[0], &failure, sizeof failure) < 0 && errno == EINTR)
        ;
    close(report[0]);
    if (!failure)
        return 0;
    if (program->process > 0)
        waitpid(program->process, NULL, 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return fail_start(error, argv[0], failure);
}

/* ---- waiting ---- */

/* Returns 0 when there are processes that have not ended, and below 0 when there are none. */
static pid_t reap(struct st_program *program) {
    pid_t process;
    int status;
    while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
        if (process != program->process)
            continue;
        program->ended = true;
        program->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    return process;
}

bool st_program_left_others(struct st_program *program) {
    return reap(program) == 0;
}

/* A signal to the whole process group may end the program before we come to see our own. So what
 * comes before we know of the end is the program's. If the program turns out to have ended, it was
 * for us as far as we would wait for processes that the program has left. */
static bool on_signal(struct st_program *program, const siginfo_t *info) {
    if (info->si_signo == SIGUSR1)
        return true;
    bool is_order = info->si_signo == SIGINT || info->si_signo == SIGTERM;
    bool sent = info->si_code <= 0; /* by somebody; a terminal has sent it to the program, too */
    bool known = program->ended;
    if (!known && info->si_signo != SIGCHLD && sent)
        kill(program->process, info->si_signo);
    reap(program);
    program->interrupted |= known && is_order;
    program->hurried |= program->ended && is_order;
    return false;
}

static bool has_pending(const sigset_t *set) {
    sigset_t pending, ours;
    return sigpending(&pending) == 0 && sigandset(&ours, &pending, set) == 0 &&
           !sigisemptyset(&ours);
}

/* Signals that came while we were stopped are there when a nap is over, and come before all other
 * work. */
bool st_program_wait(struct st_program *program, long nanoseconds) {
    sigset_t set = our_signals();
    struct timespec timeout = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    siginfo_t info;
    bool asked = false, napping = nanoseconds > 0;
    while (napping || has_pending(&set)) {
        if (sigtimedwait(&set, &info, &timeout) > 0)
            asked |= on_signal(program, &info);
        timeout = (struct timespec){0};
        napping = false;
    }
    return asked;
}
