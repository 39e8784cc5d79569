#define _GNU_SOURCE /* memfd_create, sched_getaffinity */
#include "cli/doctor/checkup.h"

#include "base/memory.h"
#include "cli/doctor/scratch.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The runtime library reserves 16 TiB of addresses (not of memory); the program needs some, too. */
#define RESERVED (UINT64_C(16) << 40)
#define LEAST_ADDRESSES (RESERVED + (UINT64_C(1) << 40))
#define LEAST_ROOM (UINT64_C(1) << 30) /* bytes for temporary files */

struct symptom *health_add(struct health *health, enum health_state state, const char *name) {
    st_reserve(&health->symptoms, &health->capacity, health->count + 1);
    struct symptom *symptom = &health->symptoms[health->count++];
    symptom->state = state;
    snprintf(symptom->name, sizeof symptom->name, "%s", name);
    return symptom;
}

void health_detail(struct symptom *symptom, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(symptom->detail, sizeof symptom->detail, format, arguments);
    va_end(arguments);
}

void health_advise(struct symptom *symptom, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(symptom->advice, sizeof symptom->advice, format, arguments);
    va_end(arguments);
}

bool health_is_good(const struct health *health) {
    for (size_t i = 0; i < health->count; i++)
        if (health->symptoms[i].state == HEALTH_PROBLEM)
            return false;
    return true;
}

void health_free(struct health *health) {
    free(health->symptoms);
    memset(health, 0, sizeof *health);
}

static void examine_machine(struct health *health) {
    struct utsname name;
    uname(&name);
    bool good = strcmp(name.machine, "x86_64") == 0;
    struct symptom *symptom = health_add(health, good ? HEALTH_OK : HEALTH_PROBLEM, "machine");
    health_detail(symptom, "%s, %s %s", name.machine, name.sysname, name.release);
    if (!good)
        health_advise(symptom, "programs can be watched on x86_64 only; traces can be checked "
                               "everywhere");
}

/* The program emits its records through a file in memory. */
static void examine_memory_file(struct health *health) {
    int fd = memfd_create("seriatim-doctor", MFD_CLOEXEC);
    struct symptom *symptom =
        health_add(health, fd < 0 ? HEALTH_PROBLEM : HEALTH_OK, "memory file");
    if (fd >= 0) {
        health_detail(symptom, "memfd_create works");
        close(fd);
        return;
    }
    health_detail(symptom, "memfd_create fails: %s", strerror(errno));
    health_advise(symptom, "use Linux 3.17 or later, and a container whose seccomp profile allows "
                           "memfd_create");
}

static bool overcommit_is_forbidden(void) {
    FILE *file = fopen("/proc/sys/vm/overcommit_memory", "r");
    int mode = file ? fgetc(file) : EOF;
    if (file)
        fclose(file);
    return mode == '2';
}

static void examine_addresses(struct health *health) {
    void *memory = mmap(NULL, RESERVED, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) {
        munmap(memory, RESERVED);
        health_detail(health_add(health, HEALTH_OK, "addresses"),
                      "16 TiB can be reserved (of addresses, not of memory)");
        return;
    }
    struct symptom *symptom = health_add(health, HEALTH_PROBLEM, "addresses");
    health_detail(symptom, "16 TiB of addresses cannot be reserved: %s", strerror(errno));
    if (overcommit_is_forbidden())
        health_advise(symptom, "as root: sysctl vm.overcommit_memory=0");
    else
        health_advise(symptom, "check whether this shell or container limits the memory");
}

static void examine_limit(struct health *health) {
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(RLIMIT_AS, &limit);
    if (limit.rlim_cur == RLIM_INFINITY) {
        health_detail(health_add(health, HEALTH_OK, "address limit"), "none");
        return;
    }
    bool good = limit.rlim_cur >= LEAST_ADDRESSES;
    struct symptom *symptom =
        health_add(health, good ? HEALTH_OK : HEALTH_PROBLEM, "address limit");
    health_detail(symptom, "%.1f GiB (RLIMIT_AS)", (double)limit.rlim_cur / (1 << 30));
    if (!good)
        health_advise(symptom, "ulimit -v unlimited");
}

static void examine_room(struct health *health) {
    const char *place = scratch_place();
    struct statvfs room;
    if (statvfs(place, &room) < 0) {
        struct symptom *symptom = health_add(health, HEALTH_PROBLEM, "temporary files");
        health_detail(symptom, "cannot look at %s: %s", place, strerror(errno));
        health_advise(symptom, "set TMPDIR to a folder that exists");
        return;
    }
    uint64_t bytes = (uint64_t)room.f_bavail * room.f_frsize;
    bool good = bytes >= LEAST_ROOM;
    struct symptom *symptom = health_add(health, good ? HEALTH_OK : HEALTH_NOTE, "temporary files");
    health_detail(symptom, "%.1f GiB free in %s", (double)bytes / (1 << 30), place);
    if (!good)
        health_advise(symptom, "make room there, or set TMPDIR to a larger place");
}

static void examine_cores(struct health *health) {
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                            : (int)sysconf(_SC_NPROCESSORS_ONLN);
    struct symptom *symptom = health_add(health, count > 1 ? HEALTH_OK : HEALTH_NOTE, "cores");
    health_detail(symptom, "%d", count);
    if (count <= 1)
        health_advise(symptom, "with one core, threads interleave less often; use longer runs");
}

void health_examine(struct health *health) {
    memset(health, 0, sizeof *health);
    health_examine_building(health);
    examine_machine(health);
    examine_memory_file(health);
    examine_addresses(health);
    examine_limit(health);
    examine_room(health);
    examine_cores(health);
}
