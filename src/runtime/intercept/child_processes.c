/* Processes that the program starts and waits for. In controlled runs when a wait comes back is a
 * decision. There are no events for any of this. */
#define _GNU_SOURCE
#include "runtime/control/outside/outside.h"
#include "runtime/control/outside/signals.h"
#include "runtime/control/points.h"
#include "runtime/core/system_call.h"
#include "runtime/intercept/interpose.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- waiting ---- */

RT_REAL(pid_t, wait4, pid_t, int *, int, struct rusage *)
RT_REAL(int, waitid, idtype_t, id_t, siginfo_t *, int)

struct awaited_child {
    struct rt_awaited awaited; /* the first member */
    idtype_t type;
    id_t id;
    int flags;
};

/* Also when there is no such child. */
static bool has_changed(const struct rt_awaited *awaited) {
    const struct awaited_child *child = (const struct awaited_child *)awaited;
    siginfo_t info = {0};
    long result = rt_system_call(SYS_waitid, child->type, (long)child->id, (long)&info,
                                 child->flags | WNOHANG | WNOWAIT, 0, 0);
    return result < 0 || info.si_pid;
}

enum news { NEWS, NO_NEWS, A_SIGNAL };

/* Who asks without waiting may get no news. */
static enum news await_child(idtype_t type, id_t id, int flags, uintptr_t caller) {
    struct awaited_child child = {
        .awaited = {.is_there = has_changed}, .type = type, .id = id, .flags = flags & ~WNOHANG};
    if (flags & WNOHANG)
        return rt_look_at(&child.awaited, caller) ? NEWS : NO_NEWS;
    if (rt_await(&child.awaited, RT_FOREVER, caller) != RT_INTERRUPTED)
        return NEWS;
    errno = EINTR;
    return A_SIGNAL;
}

static pid_t wait_in_turn(pid_t process, int *status, int flags, struct rusage *usage,
                          uintptr_t caller) {
    idtype_t type = process > 0 ? P_PID : process == -1 ? P_ALL : P_PGID;
    id_t id = process == -1 ? 0 : (id_t)(process > 0 ? process : -process);
    for (;;) {
        enum news news = await_child(type, id, flags | WEXITED, caller);
        if (news != NEWS)
            return news == NO_NEWS ? 0 : -1;
        pid_t result = real_wait4()(process, status, flags | WNOHANG, usage);
        if (result || flags & WNOHANG)
            return result;
    }
}

static pid_t wait_for(pid_t process, int *status, int flags, struct rusage *usage,
                      uintptr_t caller) {
    return rt_takes_turns() ? wait_in_turn(process, status, flags, usage, caller)
                            : real_wait4()(process, status, flags, usage);
}

RT_EXPORT pid_t wait(int *status) {
    return wait_for(-1, status, 0, NULL, RT_CALLER);
}
RT_EXPORT pid_t waitpid(pid_t process, int *status, int flags) {
    return wait_for(process, status, flags, NULL, RT_CALLER);
}
RT_EXPORT pid_t wait3(int *status, int flags, struct rusage *usage) {
    return wait_for(-1, status, flags, usage, RT_CALLER);
}
RT_EXPORT pid_t wait4(pid_t process, int *status, int flags, struct rusage *usage) {
    return wait_for(process, status, flags, usage, RT_CALLER);
}

RT_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int flags) {
    if (!rt_takes_turns())
        return real_waitid()(type, id, info, flags);
    for (;;) {
        siginfo_t found = {0};
        enum news news = await_child(type, id, flags, RT_CALLER);
        if (news == A_SIGNAL)
            return -1;
        int result = news == NEWS ? real_waitid()(type, id, &found, flags | WNOHANG) : 0;
        if (result == 0 && !found.si_pid && !(flags & WNOHANG))
            continue;
        if (result == 0 && info)
            *info = found;
        return result;
    }
}

/* ---- starting ---- */

RT_REAL(int, posix_spawn, pid_t *, const char *, const posix_spawn_file_actions_t *,
        const posix_spawnattr_t *, char *const *, char *const *)
RT_REAL(int, posix_spawnp, pid_t *, const char *, const posix_spawn_file_actions_t *,
        const posix_spawnattr_t *, char *const *, char *const *)
RT_REAL(FILE *, popen, const char *, const char *)
RT_REAL(int, pclose, FILE *)
RT_REAL(int, system, const char *)

/* A program that is started has the mask of signals of who starts it. */
static void before_start(void) {
    if (!rt_controlled)
        return;
    rt_others_run();
    rt_show_signals();
}
static void after_start(void) {
    if (rt_controlled)
        rt_hide_signals();
}

RT_EXPORT int posix_spawn(pid_t *restrict child, const char *restrict path,
                          const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *restrict attributes, char *const *words,
                          char *const *environment) {
    before_start();
    int result = real_posix_spawn()(child, path, actions, attributes, words, environment);
    after_start();
    return result;
}

RT_EXPORT int posix_spawnp(pid_t *restrict child, const char *restrict name,
                           const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *restrict attributes, char *const *words,
                           char *const *environment) {
    before_start();
    int result = real_posix_spawnp()(child, name, actions, attributes, words, environment);
    after_start();
    return result;
}

RT_EXPORT FILE *popen(const char *command, const char *mode) {
    before_start();
    FILE *result = real_popen()(command, mode);
    after_start();
    return result;
}

static void come_inside(const bool *outside) {
    if (*outside)
        rt_come_inside();
}

RT_EXPORT int pclose(FILE *file) {
    __attribute__((cleanup(come_inside), unused)) bool outside = rt_go_outside(RT_CALLER);
    return real_pclose()(file);
}

static int run_command(const char *command, uintptr_t caller) {
    __attribute__((cleanup(come_inside), unused)) bool outside = rt_go_outside(caller);
    return real_system()(command);
}

RT_EXPORT int system(const char *command) {
    before_start();
    int result = run_command(command, RT_CALLER);
    after_start();
    return result;
}

/* ---- becoming another program ---- */

RT_REAL(int, execve, const char *, char *const *, char *const *)
RT_REAL(int, execvpe, const char *, char *const *, char *const *)

static int not_become(int result) {
    after_start();
    return result;
}

RT_EXPORT int execve(const char *path, char *const *words, char *const *variables) {
    before_start();
    return not_become(real_execve()(path, words, variables));
}
RT_EXPORT int execv(const char *path, char *const *words) {
    before_start();
    return not_become(real_execve()(path, words, environ));
}
RT_EXPORT int execvpe(const char *name, char *const *words, char *const *variables) {
    before_start();
    return not_become(real_execvpe()(name, words, variables));
}
RT_EXPORT int execvp(const char *name, char *const *words) {
    before_start();
    return not_become(real_execvpe()(name, words, environ));
}
