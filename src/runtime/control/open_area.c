/* The area by which seriatim steers this process (stream/control.h). */
#define _GNU_SOURCE
#include "runtime/control/crashes.h"
#include "runtime/control/deviations.h"
#include "runtime/control/endings.h"
#include "runtime/control/learning.h"
#include "runtime/control/outside/outside.h"
#include "runtime/control/outside/signals.h"
#include "runtime/control/runners.h"
#include "runtime/control/strategy.h"
#include "runtime/core/system_call.h"
#include "runtime/core/shadow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

bool rt_controlled;
uint64_t rt_slow_accesses;

static struct st_control_area *area;

static struct st_control_area *map_area(const char *path) {
    struct stat status;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    void *memory = MAP_FAILED;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= (off_t)sizeof *area)
        memory = mmap(NULL, sizeof *area, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (memory == MAP_FAILED)
        return NULL;
    struct st_control_area *mapped = memory;
    if (mapped->magic == ST_CONTROL_MAGIC && mapped->version == ST_CONTROL_VERSION)
        return mapped;
    munmap(memory, sizeof *area);
    return NULL;
}

/* Is this the process that is controlled? */
static bool claim(void) {
    uint32_t nobody = 0;
    if (atomic_compare_exchange_strong(&area->process, &nobody, (uint32_t)getpid()))
        return true;
    atomic_fetch_add(&area->others, 1);
    munmap(area, sizeof *area);
    area = NULL;
    return false;
}

void rt_control_start(const char *path) {
    int error = errno;
    if (path && *path && rt_head && rt_self)
        area = map_area(path);
    errno = error;
    if (!area || !claim())
        return;
    madvise(area, sizeof *area, MADV_DONTFORK);
    rt_control.plan = &area->plan;
    rt_control.log = &area->log;
    rt_control.client = &area->client;
    rt_control.stop_clock = area->plan.stop_clock;
    rt_control.learning = rt_has_flag(ST_CONTROL_LEARN);
    /* Runs of the default schedule are compared with each other: all take the same sample. */
    rt_control.sample = rt_strategy_is_random() ? rt_control.plan->seed : 0;
    rt_read_plan_sites();
    rt_read_deviations();
    rt_strategy_start();
    rt_first_runner();
    if (!rt_runner_self)
        return;
    rt_catch_crashes();
    rt_learning_start();
    rt_deferring_freely = false;
    rt_slow_accesses = RT_STALE;
    rt_self->alone = false;
    rt_self->since = RT_STALE;
    rt_controlled = true;
    atexit(rt_note_end_of_input); /* also if it never has a second thread */
    errno = error;
}

void rt_control_note_fork(void) {
    if (!area)
        return;
    atomic_fetch_add(&area->others, 1);
    rt_others_run();
}

void rt_control_stop(void) {
    if (rt_controlled)
        rt_show_signals();
    rt_controlled = false;
    rt_slow_accesses = 0;
    rt_runner_self = NULL;
    area = NULL;
}
