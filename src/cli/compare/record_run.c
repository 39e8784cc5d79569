#include "cli/compare/record_run.h"

#include "base/memory.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct word_list {
    const char **items;
    size_t count, capacity;
};

static void add(struct word_list *list, const char *word) {
    st_reserve(&list->items, &list->capacity, list->count + 1);
    list->items[list->count++] = word;
}

static void add_all(struct word_list *list, const char *option, const struct st_texts *texts) {
    for (size_t i = 0; i < texts->count; i++) {
        add(list, option);
        add(list, texts->items[i]);
    }
}

static void add_java(struct word_list *list, const struct st_java_options *java) {
    add_all(list, "--include", &java->include);
    add_all(list, "--exclude", &java->exclude);
    add_all(list, "--jdk", &java->jdk);
    if (java->blocks) {
        add(list, "--blocks");
        add(list, st_java_blocks[java->blocks]);
    }
    if (java->arrays) {
        add(list, "--arrays");
        add(list, st_java_arrays[java->arrays]);
    }
}

/* "seriatim record --quiet --no-follow -o PATH -- PROGRAM ..." */
static char **make_words(const struct st_java_options *java, const char *const *words,
                         const char *path) {
    static const char *const first[] = {"seriatim", "record", "--quiet", "--no-follow", "-o"};
    struct word_list list = {0};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        add(&list, first[i]);
    add(&list, path);
    add_java(&list, java);
    add(&list, "--");
    for (size_t i = 0; words[i]; i++)
        add(&list, words[i]);
    add(&list, NULL);
    return (char **)list.items;
}

static int spawn(char **words, pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    int failure = posix_spawn(process, "/proc/self/exe", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

int record_run(const char *command, const struct st_java_options *java, const char *const *words,
               const char *path, struct st_error *error) {
    char **made = make_words(java, words, path);
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
