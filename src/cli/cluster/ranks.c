#define _GNU_SOURCE
#include "cli/cluster/ranks.h"

#include "base/memory.h"
#include "cli/messages.h"
#include "cluster/shared_files.h"
#include "session/runtime_files.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct st_crew *crew;
static char *job;          /* the command line, but for what does not change the result */
static const char *folder; /* of the journal */

/* Does the word take the next one with it, and do both make no difference to what is done? */
static bool is_left_out(const char *word, bool *next) {
    static const char *const names[] = {"--resume", "--output", "--format", "-o"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(word, names[i], length) != 0)
            continue;
        *next = !word[length];
        return !word[length] || word[length] == '=' || names[i][1] != '-';
    }
    return false;
}

static char *describe_job(const char *command, int argc, char **argv) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        st_out_of_memory();
    fputs(command, file);
    for (int i = 0; i < argc; i++) {
        bool next = false;
        if (!is_left_out(argv[i], &next))
            fprintf(file, " %s", argv[i]);
        i += next;
    }
    fclose(file);
    return text;
}

/* Only rank 0 has something to say. */
static void be_quiet(void) {
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    hold_messages();
    if (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0)
        close(nowhere);
}

static void say_loss(const char *sentence) {
    show_status_line(NULL);
    warn("%s", sentence);
}

int ranks_join(const char *command, int argc, char **argv, struct st_error *error) {
    job = describe_job(command, argc, argv);
    if (!st_crew_is_there())
        return 0;
    char *library = st_runtime_folder(command, error);
    if (!library)
        return -1;
    crew = st_crew_join(library, error);
    free(library);
    if (!crew)
        return -1;
    st_crew_on_loss(crew, say_loss);
    if (st_crew_is_worker(crew))
        be_quiet();
    return 0;
}

struct st_crew *ranks_crew(void) {
    return crew;
}

/* Of an earlier job. */
static void forget_status(void) {
    char *path = NULL;
    if (asprintf(&path, "%s/status", folder) >= 0)
        unlink(path);
    free(path);
}

int ranks_resume(const char *path, const char *input, struct st_error *error) {
    if (!path || st_crew_is_worker(crew))
        return 0;
    if (!crew)
        crew = st_crew_alone();
    folder = path;
    char *full = NULL;
    if (asprintf(&full, "%s (%016" PRIx64 ")", job, input ? st_file_sample(input) : 0) < 0)
        st_out_of_memory();
    int result = st_crew_resume(crew, path, full, error);
    free(full);
    forget_status();
    return result;
}

static atomic_bool stopped; /* lock-free, so that a handler may set it */

static void on_stop(int number) {
    (void)number;
    atomic_store(&stopped, true);
}

bool ranks_is_stopped(void *context) {
    (void)context;
    return atomic_load(&stopped);
}

const atomic_bool *ranks_catch_stops(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
    struct sigaction action = {.sa_handler = on_stop}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaction(signals[i], NULL, &before);
        if (before.sa_handler != SIG_IGN && (crew || signals[i] != SIGUSR1))
            sigaction(signals[i], &action, NULL);
    }
    return &stopped;
}

/* With --enable-recovery mpirun loses the status of rank 0. */
static void keep_status(enum status status) {
    char *path = NULL;
    if (!folder || asprintf(&path, "%s/status", folder) < 0)
        return;
    FILE *file = fopen(path, "we");
    if (file) {
        fprintf(file, "%d\n", (int)status);
        fclose(file);
    }
    free(path);
}

enum status ranks_leave(enum status status) {
    if (st_crew_is_worker(crew))
        st_crew_give_up(crew, status == STATUS_TROUBLE ? last_complaint() : NULL);
    keep_status(status);
    st_crew_leave(crew, status);
    crew = NULL;
    free(job);
    job = NULL;
    return status;
}
