#define _GNU_SOURCE
#include "hunt/controlled/client.h"

#include "hunt/controlled/listening.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In seconds. A program that does nothing for so long waits where the runtime does not see it; one
 * that does something for so long does not come to rest; a client that runs for so long does not
 * wait for the program. */
static const double stuck = 0.5, restless = 3, busy = 10;

/* Looks in a row that must find all processes of a client asleep. */
enum { QUIET = 2 };

/* ---- is it asleep? ---- */

/* 'R', 'S', ...; 0: gone. */
static char state_of(const char *path) {
    char text[512];
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *end = strrchr(text, ')');
    return end && end[1] ? end[2] : 0;
}

static bool is_asleep(pid_t process);

static bool are_children_asleep(const char *path) {
    FILE *file = fopen(path, "re");
    long child;
    bool asleep = true;
    while (file && asleep && fscanf(file, "%ld", &child) == 1)
        asleep = is_asleep((pid_t)child);
    if (file)
        fclose(file);
    return asleep;
}

/* All its threads, and all below it. */
static bool is_asleep(pid_t process) {
    char folder[64], path[384];
    snprintf(folder, sizeof folder, "/proc/%ld/task", (long)process);
    DIR *tasks = opendir(folder);
    bool asleep = true;
    struct dirent *entry;
    while (tasks && asleep && (entry = readdir(tasks))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s/stat", folder, entry->d_name);
        char state = state_of(path);
        asleep = state == 'S' || state == 'I' || state == 'Z' || state == 'X' || !state;
        snprintf(path, sizeof path, "%s/%s/children", folder, entry->d_name);
        asleep = asleep && are_children_asleep(path);
    }
    if (tasks)
        closedir(tasks);
    return asleep;
}

/* ---- turns ---- */

static void signal_group(const struct st_client *client, int number) {
    if (client->process > 0)
        kill(-client->process, number);
}

static void begin_turn(struct st_client *client, double now) {
    client->running = true;
    client->quiet = 0;
    client->since = now;
    signal_group(client, SIGCONT);
}

static void end_turn(struct st_client *client, struct st_control_area *area, double now) {
    client->running = false;
    client->since = client->moved = now;
    client->points = area->log.points;
    signal_group(client, SIGSTOP);
    atomic_store(&area->client, ST_CLIENT_HELD);
}

void st_client_expect(struct st_control_area *area) {
    atomic_store(&area->client, ST_CLIENT_HELD);
}

static void redirect(const char *path, int flags, int target) {
    int fd = open(path, flags | O_CLOEXEC, 0600);
    if (fd < 0 || dup2(fd, target) < 0)
        _exit(127);
    close(fd);
}

static void start(struct st_client *client, const char *command, const char *output) {
    fflush(NULL);
    client->process = fork();
    if (client->process > 0)
        setpgid(client->process, client->process); /* whoever of the two comes first */
    if (client->process != 0)
        return;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    redirect("/dev/null", O_RDONLY, STDIN_FILENO);
    if (output) {
        redirect(output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, STDOUT_FILENO);
        dup2(STDOUT_FILENO, STDERR_FILENO);
    }
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static void note_end(struct st_client *client, int status) {
    client->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    client->process = -1;
}

/* A program has seen that the client is gone if it came to rest, looked around, and rests again
 * without having done anything. */
static void note_rest(struct st_client *client, struct st_control_area *area) {
    uint64_t points = area->log.points + 1;
    client->done = client->rested == points;
    client->rested = points;
    if (client->done)
        atomic_store(&area->client, ST_CLIENT_NONE);
}

/* Should the client have its turn, whether the program asks for that or not? */
static bool takes_turn(struct st_client *client, const struct st_control_area *area, double now) {
    if (atomic_load(&area->client) == ST_CLIENT_ASKED)
        return true;
    if (client->points != area->log.points || client->moved <= 0) {
        client->points = area->log.points;
        client->moved = now;
    }
    client->since = client->since > 0 ? client->since : now;
    return now > client->moved + stuck || now > client->since + restless;
}

/* Its turn goes on until its processes were asleep some times in a row. */
static void look_at_turn(struct st_client *client, struct st_control_area *area, double now) {
    client->quiet = client->process <= 0 || is_asleep(client->process) ? client->quiet + 1 : 0;
    if (client->quiet >= QUIET || now > client->since + busy)
        end_turn(client, area, now);
}

/* Returns false if it has not ended. */
static bool look_at_end(struct st_client *client, double now) {
    int status;
    if (client->process > 0 && waitpid(client->process, &status, WNOHANG) > 0) {
        note_end(client, status);
        client->ended = now;
    }
    return client->process < 0;
}

void st_client_look(struct st_client *client, struct st_control_area *area, pid_t program,
                    const char *command, const char *output, double now) {
    bool ended = look_at_end(client, now);
    if (ended && now > client->ended + restless) {
        client->done = true;
        atomic_store(&area->client, ST_CLIENT_NONE);
    } else if (client->running) {
        look_at_turn(client, area, now);
    } else if (takes_turn(client, area, now)) {
        if (client->process == 0 && program > 0 && st_is_listening(program))
            start(client, command, output);
        begin_turn(client, now);
        if (ended)
            note_rest(client, area);
    }
}

void st_client_end(struct st_client *client) {
    static const struct timespec nap = {.tv_nsec = 2 * 1000 * 1000};
    enum { PATIENCE = 1000 };
    int status;
    pid_t group = client->process;
    signal_group(client, SIGTERM);
    signal_group(client, SIGCONT);
    for (int i = 0; client->process > 0; i++) {
        if (waitpid(client->process, &status, WNOHANG) > 0)
            note_end(client, status);
        else if (i == PATIENCE)
            signal_group(client, SIGKILL);
        else
            nanosleep(&nap, NULL);
    }
    if (group > 0)
        kill(-group, SIGKILL); /* those below it that do not care for SIGTERM */
}
