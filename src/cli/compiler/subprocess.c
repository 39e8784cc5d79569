#define _GNU_SOURCE /* pipe2 */
#include "cli/compiler/subprocess.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int start(const char *const *words, char *const *environment, int write_end, pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, write_end, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, write_end, STDERR_FILENO);
    int failure = posix_spawnp(pid, words[0], &actions, NULL, (char *const *)words,
                               environment ? environment : environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static long milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads until the other end is closed. False if the time runs out first. */
static bool read_all(int fd, int seconds, char *output, size_t size) {
    long deadline = milliseconds_now() + seconds * 1000L;
    size_t used = 0;
    for (;;) {
        long left = deadline - milliseconds_now();
        struct pollfd waiting = {.fd = fd, .events = POLLIN};
        int ready = left > 0 ? poll(&waiting, 1, (int)left) : 0;
        if (ready == 0)
            return false;
        char rest[4096];
        bool room = used + 1 < size;
        ssize_t got =
            ready < 0 ? -1
                      : read(fd, room ? output + used : rest, room ? size - 1 - used : sizeof rest);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return true;
        if (room) {
            used += (size_t)got;
            output[used] = '\0';
        }
    }
}

static int wait_for(pid_t pid) {
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFSIGNALED(status) ? CHILD_SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

int child_run(const char *const *words, char *const *environment, int seconds, char *output,
              size_t size) {
    int ends[2];
    pid_t pid;
    output[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    int failure = start(words, environment, ends[1], &pid);
    close(ends[1]);
    bool in_time = failure || read_all(ends[0], seconds, output, size);
    close(ends[0]);
    if (failure) {
        errno = failure;
        return -1;
    }
    if (!in_time)
        kill(pid, SIGKILL);
    int status = wait_for(pid);
    return in_time ? status : CHILD_TIMED_OUT;
}

static bool is_set_by(const char *const *settings, const char *entry) {
    size_t name = strcspn(entry, "=") + 1;
    for (; *settings; settings++)
        if (strncmp(*settings, entry, name) == 0)
            return true;
    return false;
}

char **child_environment(const char *const *settings) {
    size_t most = 1, count = 0;
    for (char **entry = environ; *entry; entry++)
        most++;
    for (const char *const *setting = settings; *setting; setting++)
        most++;
    char **result = st_alloc(most, sizeof *result);
    for (char **entry = environ; *entry; entry++)
        if (!is_set_by(settings, *entry))
            result[count++] = *entry;
    for (; *settings; settings++)
        result[count++] = (char *)*settings;
    return result;
}
