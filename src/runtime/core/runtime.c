#define _GNU_SOURCE
#include "runtime/core/runtime.h"
#include "runtime/core/loaded_modules.h"
#include "runtime/core/shadow.h"
#include "runtime/core/system_call.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct st_stream_head *rt_head;
bool rt_deferring;

/* mmap, memcpy and the like are interposed and emit events: they are not for use in the core. */
void *rt_map_memory(size_t bytes) {
    long memory = rt_system_call(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory < 0 && memory > -4096 ? NULL : (void *)memory;
}

void rt_give_up(void) {
    if (rt_head)
        atomic_store(&rt_head->closed, 1);
}

/* The memory of the watcher, or NULL: then nothing is emitted, and the program just runs. */
static struct st_stream_head *attach(const char *text) {
    struct stat status;
    int fd = text && *text ? atoi(text) : -1;
    if (fd < 0 || fstat(fd, &status) < 0 || status.st_size < (off_t)sizeof(struct st_stream_head))
        return NULL;
    struct st_stream_head *head =
        mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (head == MAP_FAILED)
        return NULL;
    uint32_t nobody = 0;
    bool ours = head->magic == ST_STREAM_MAGIC && head->version == ST_STREAM_VERSION &&
                (uint64_t)status.st_size >= st_stream_bytes(head->chunk_count) &&
                atomic_compare_exchange_strong(&head->attached, &nobody, (uint32_t)getpid());
    close(fd); /* so that no program that this one starts has it */
    if (ours)
        return head;
    munmap(head, (size_t)status.st_size);
    return NULL;
}

/* A program that has this runtime inside itself may load it as a shared library too, since one of
 * its own libraries asks for it. All calls go to the one inside then, and the other keeps still. */
RT_EXPORT extern const char __seriatim_runtime;
const char __seriatim_runtime = 0;
static const char ours __attribute__((alias("__seriatim_runtime")));

static bool is_another_in_use(void) {
    const char *used = dlsym(RTLD_DEFAULT, "__seriatim_runtime");
    return used && used != &ours;
}

void rt_initialize(const char *stream) {
    static _Atomic bool begun;
    if (atomic_exchange(&begun, true) || is_another_in_use())
        return;
    struct st_stream_head *head = attach(stream);
    if (!head)
        return;
    if (!rt_shadow_start()) {
        atomic_store(&head->no_room, 1);
        return;
    }
    rt_deferring = head->deferred;
    rt_head = head;
    rt_thread_start(0);
    if (rt_enter()) {
        rt_emit_modules();
        rt_leave();
    }
}

__attribute__((constructor(101))) static void on_load(void) {
    rt_initialize(getenv(ST_STREAM_VARIABLE));
}

__attribute__((destructor)) static void on_exit_of_program(void) {
    if (rt_head)
        atomic_store(&rt_head->ended, 1);
}
