#include "cli/trace_messages.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double first_after = 1.0, then_every = 0.25;

struct progress {
    double next; /* when to show the line again */
    int width;   /* of the line that stands on the terminal; 0 when there is none */
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

struct progress *progress_new(void) {
    if (!isatty(STDERR_FILENO))
        return NULL;
    struct progress *progress = st_alloc(1, sizeof *progress);
    progress->next = now() + first_after;
    return progress;
}

bool progress_is_due(struct progress *progress) {
    return progress && now() >= progress->next;
}

void progress_show(struct progress *progress, const char *name, uint64_t done, uint64_t total,
                   uint64_t events) {
    char line[80];
    int width;
    progress->next = now() + then_every;
    if (total)
        width = snprintf(line, sizeof line, "%3.0f %% of %.60s",
                         100.0 * (double)(done < total ? done : total) / (double)total, name);
    else
        width = snprintf(line, sizeof line, "%.1f million events of %.50s", (double)events * 1e-6,
                         name);
    fprintf(stderr, "\r%-*s", progress->width, line);
    fflush(stderr);
    if (width > progress->width)
        progress->width = width;
}

void progress_clear(struct progress *progress) {
    if (!progress || !progress->width)
        return;
    fprintf(stderr, "\r%*s\r", progress->width, "");
    fflush(stderr);
    progress->width = 0;
}
