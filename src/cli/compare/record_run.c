#include "cli/compare/record_run.h"

#include "base/memory.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* "seriatim record --quiet --no-follow -o PATH -- PROGRAM ..." */
static char **make_words(const char *const *words, const char *path) {
    static const char *const first[] = {"seriatim", "record", "--quiet", "--no-follow", "-o"};
    size_t count = 0, at = sizeof first / sizeof *first;
    while (words[count])
        count++;
    char **made = st_alloc(at + count + 3, sizeof *made);
    memcpy(made, first, sizeof first);
    made[at++] = (char *)path;
    made[at++] = "--";
    memcpy(made + at, words, count * sizeof *made);
    return made;
}

static int spawn(char **words, pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    int failure = posix_spawn(process, "/proc/self/exe", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

int record_run(const char *command, const char *const *words, const char *path,
               struct st_error *error) {
    char **made = make_words(words, path);
    pid_t process;
    int status = 0, failure = spawn(made, &process);
    free(made);
    if (failure)
        return st_fail(error, command, ST_AT_FILE, 0, "cannot record %s: %s", words[0],
                       strerror(failure));
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (access(path, R_OK) < 0)
        return st_fail(error, command, ST_AT_FILE, 0, "%s left no trace to compare", words[0]);
    return 0;
}
