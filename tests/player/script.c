/* See player.h. Compiled without instrumentation: only system calls, and nothing that a tool
 * replaces while the threads run. */
#include "player.h"

#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_OPERATIONS = 4096 };

static struct operation operations[MOST_OPERATIONS];
static int count, threads;
static int position[MOST_THREADS]; /* 1 + the operation that the thread is at; 0: none yet */
static int turn;                   /* so many operations are over */
static _Alignas(16) char global[REGION_BYTES];
static char *regions[REGIONS] = {global};

static const char *const words[] = {"",    "enter", "leave", "r",      "w",     "set",  "copy",
                                    "add", "load",  "lock",  "unlock", "renew", "start"};

static void fail(const char *line) {
    fprintf(stderr, "player: cannot read: %s", line);
    exit(3);
}

static void read_line(const char *line) {
    struct operation *operation = &operations[count];
    char word[16];
    if (sscanf(line, "%d %15s %d %d %d", &operation->thread, word, &operation->a, &operation->b,
               &operation->c) < 2 ||
        count + 1 == MOST_OPERATIONS || operation->thread < 0 || operation->thread >= MOST_THREADS)
        fail(line);
    for (int kind = ENTER; kind <= START; kind++)
        if (strcmp(word, words[kind]) == 0)
            operation->kind = (enum kind)kind;
    if (!operation->kind)
        fail(line);
    if (operation->thread >= threads)
        threads = operation->thread + 1;
    count++;
}

void script_read(const char *path) {
    char line[128];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        read_line(line);
    if (!file)
        fail(path);
    fclose(file);
}

int script_threads(void) {
    return threads;
}

static void wait_for(int number) {
    int now;
    while ((now = __atomic_load_n(&turn, __ATOMIC_ACQUIRE)) < number)
        syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
}

struct operation script_next(int thread) {
    int last = position[thread], next = last;
    if (last) {
        __atomic_store_n(&turn, last, __ATOMIC_RELEASE);
        syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1 << 30, NULL, NULL, 0);
    }
    while (next < count && operations[next].thread != thread)
        next++;
    position[thread] = next + 1;
    if (next == count)
        return (struct operation){.thread = thread, .kind = OVER};
    wait_for(next);
    return operations[next];
}

char *script_region(int region) {
    return regions[region];
}

void script_set_region(int region, char *memory) {
    regions[region] = memory;
}
