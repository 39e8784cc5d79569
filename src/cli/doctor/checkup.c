#define _GNU_SOURCE /* memfd_create, sched_getaffinity */
#include "cli/doctor/checkup.h"

#include "base/memory.h"
#include "cli/doctor/scratch.h"
#include "cluster/crew.h"
#include "session/runtime_files.h"

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

/* The runtime library reserves 64 TiB of addresses (not of memory); the program needs some, too. */
#define RESERVED (UINT64_C(64) << 40)
#define LEAST_ADDRESSES (RESERVED + (UINT64_C(1) << 40))
#define LEAST_ROOM (UINT64_C(1) << 30) /* bytes for temporary files */

struct checkup_item *checkup_add(struct checkup *checkup, enum checkup_state state,
                                 const char *name) {
    st_reserve(&checkup->items, &checkup->capacity, checkup->count + 1);
    struct checkup_item *item = &checkup->items[checkup->count++];
    item->state = state;
    snprintf(item->name, sizeof item->name, "%s", name);
    return item;
}

void checkup_detail(struct checkup_item *item, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(item->detail, sizeof item->detail, format, arguments);
    va_end(arguments);
}

void checkup_advise(struct checkup_item *item, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(item->advice, sizeof item->advice, format, arguments);
    va_end(arguments);
}

bool checkup_is_good(const struct checkup *checkup) {
    for (size_t i = 0; i < checkup->count; i++)
        if (checkup->items[i].state == CHECKUP_PROBLEM)
            return false;
    return true;
}

void checkup_free(struct checkup *checkup) {
    free(checkup->items);
    memset(checkup, 0, sizeof *checkup);
}

static void examine_machine(struct checkup *checkup) {
    struct utsname name;
    uname(&name);
    bool good = strcmp(name.machine, "x86_64") == 0;
    struct checkup_item *item =
        checkup_add(checkup, good ? CHECKUP_OK : CHECKUP_PROBLEM, "machine");
    checkup_detail(item, "%s, %s %s", name.machine, name.sysname, name.release);
    if (!good)
        checkup_advise(item, "programs can be watched on x86_64 only; traces can be checked "
                             "everywhere");
}

/* The program emits its records through a file in memory. */
static void examine_memory_file(struct checkup *checkup) {
    int fd = memfd_create("seriatim-doctor", MFD_CLOEXEC);
    struct checkup_item *item =
        checkup_add(checkup, fd < 0 ? CHECKUP_PROBLEM : CHECKUP_OK, "memory file");
    if (fd >= 0) {
        checkup_detail(item, "memfd_create works");
        close(fd);
        return;
    }
    checkup_detail(item, "memfd_create fails: %s", strerror(errno));
    checkup_advise(item, "use Linux 3.17 or later, and a container whose seccomp profile allows "
                         "memfd_create");
}

static bool overcommit_is_forbidden(void) {
    FILE *file = fopen("/proc/sys/vm/overcommit_memory", "r");
    int mode = file ? fgetc(file) : EOF;
    if (file)
        fclose(file);
    return mode == '2';
}

static void examine_addresses(struct checkup *checkup) {
    void *memory = mmap(NULL, RESERVED, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) {
        munmap(memory, RESERVED);
        checkup_detail(checkup_add(checkup, CHECKUP_OK, "addresses"),
                       "64 TiB can be reserved (of addresses, not of memory)");
        return;
    }
    struct checkup_item *item = checkup_add(checkup, CHECKUP_PROBLEM, "addresses");
    checkup_detail(item, "64 TiB of addresses cannot be reserved: %s", strerror(errno));
    if (overcommit_is_forbidden())
        checkup_advise(item, "as root: sysctl vm.overcommit_memory=0");
    else
        checkup_advise(item, "check whether this shell or container limits the memory");
}

static void examine_limit(struct checkup *checkup) {
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(RLIMIT_AS, &limit);
    if (limit.rlim_cur == RLIM_INFINITY) {
        checkup_detail(checkup_add(checkup, CHECKUP_OK, "address limit"), "none");
        return;
    }
    bool good = limit.rlim_cur >= LEAST_ADDRESSES;
    struct checkup_item *item =
        checkup_add(checkup, good ? CHECKUP_OK : CHECKUP_PROBLEM, "address limit");
    checkup_detail(item, "%.1f GiB (RLIMIT_AS)", (double)limit.rlim_cur / (1 << 30));
    if (!good)
        checkup_advise(item, "ulimit -v unlimited");
}

static void examine_room(struct checkup *checkup) {
    const char *place = scratch_place();
    struct statvfs room;
    if (statvfs(place, &room) < 0) {
        struct checkup_item *item = checkup_add(checkup, CHECKUP_PROBLEM, "temporary files");
        checkup_detail(item, "cannot look at %s: %s", place, strerror(errno));
        checkup_advise(item, "set TMPDIR to a folder that exists");
        return;
    }
    uint64_t bytes = (uint64_t)room.f_bavail * room.f_frsize;
    bool good = bytes >= LEAST_ROOM;
    struct checkup_item *item =
        checkup_add(checkup, good ? CHECKUP_OK : CHECKUP_NOTE, "temporary files");
    checkup_detail(item, "%.1f GiB free in %s", (double)bytes / (1 << 30), place);
    if (!good)
        checkup_advise(item, "make room there, or set TMPDIR to a larger place");
}

static void examine_cores(struct checkup *checkup) {
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                            : (int)sysconf(_SC_NPROCESSORS_ONLN);
    struct checkup_item *item =
        checkup_add(checkup, count > 1 ? CHECKUP_OK : CHECKUP_NOTE, "cores");
    checkup_detail(item, "%d", count);
    if (count <= 1)
        checkup_advise(item, "with one core, threads interleave less often; use longer runs");
}

/* One program on several machines: nobody needs it on one. */
static void examine_ranks(struct checkup *checkup) {
    struct st_error error;
    char *folder = st_runtime_folder("doctor", &error);
    char *why = folder ? st_crew_why_not(folder) : st_strdup("there is no runtime library");
    struct checkup_item *item =
        checkup_add(checkup, why ? CHECKUP_NOTE : CHECKUP_OK, "several machines");
    if (why)
        checkup_detail(item, "mpirun seriatim does not work: %s", why);
    else
        checkup_detail(item, "mpirun seriatim works: MPI can be loaded");
    free(why);
    free(folder);
}

void checkup_run(struct checkup *checkup) {
    memset(checkup, 0, sizeof *checkup);
    checkup_toolchain(checkup);
    examine_machine(checkup);
    examine_memory_file(checkup);
    examine_addresses(checkup);
    examine_limit(checkup);
    examine_room(checkup);
    examine_cores(checkup);
    examine_ranks(checkup);
}
