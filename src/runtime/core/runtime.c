#define _GNU_SOURCE
#include "runtime/core/runtime.h"
#include "runtime/core/loaded_modules.h"
#include "runtime/core/shadow.h"
#include "runtime/core/spin.h"
#include "runtime/core/system_call.h"
#include "stream/control.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct st_stream_head *rt_head;
bool rt_deferring, rt_deferring_freely, rt_quiet_locks, rt_deferring_looks;
enum st_stream_rule rt_rule;
bool rt_values;
uintptr_t rt_signal_return;

/* mmap, memcpy and the like are interposed and emit events: they are not for use in the core. */
static void *map(size_t bytes, int flags) {
    long memory = rt_system_call(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    return memory < 0 && memory > -4096 ? NULL : (void *)memory;
}

static struct {
    char *start; /* NULL: nothing is set aside */
    size_t bytes;
    _Atomic size_t used;
} reserve;

static void *take_from_reserve(size_t bytes) {
    size_t rounded = (bytes + 4095) & ~(size_t)4095;
    size_t at = reserve.start ? atomic_fetch_add(&reserve.used, rounded) : 0;
    return at + rounded <= reserve.bytes ? reserve.start + at : NULL;
}

void *rt_map_memory(size_t bytes) {
    void *memory = map(bytes, 0);
    return memory ? memory : take_from_reserve(bytes);
}

/* It takes no memory until it is used. */
void rt_reserve_addresses(size_t bytes) {
    if (reserve.start)
        return;
    reserve.bytes = bytes;
    reserve.start = map(bytes, MAP_NORESERVE);
}

void rt_give_up(void) {
    if (rt_head)
        atomic_store(&rt_head->closed, 1);
}

void rt_wear_out(void) {
    if (rt_head)
        atomic_store(&rt_head->worn_out, 1);
    rt_give_up();
}

/* The descriptor that the text names, or -1. Nothing but digits: what else is there is not ours. */
static int descriptor_of(const char *text) {
    int fd = -1;
    for (; text && *text >= '0' && *text <= '9' && fd < INT_MAX / 10 - 1; text++)
        fd = (fd < 0 ? 0 : fd) * 10 + (*text - '0');
    return text && !*text ? fd : -1;
}

/* Does the descriptor hold a stream that we can write? The program may have another file there by
 * now, or a stream of another version: then it stays as it is, open and not written to. */
static bool is_stream(int fd, size_t *bytes) {
    struct st_stream_head head;
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
        status.st_size < (off_t)sizeof head ||
        pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head)
        return false;
    *bytes = (size_t)status.st_size;
    return head.magic == ST_STREAM_MAGIC && head.version == ST_STREAM_VERSION && head.chunk_count &&
           *bytes >= st_stream_bytes(head.chunk_count);
}

/* The memory behind the descriptor, which is closed then, so that no program that this one starts
 * has it. NULL: it is no stream. A process that is forked does not have the memory: it could only
 * do harm there. */
static struct st_stream_head *map_stream(int fd) {
    int error = errno;
    size_t bytes;
    struct st_stream_head *head = MAP_FAILED;
    if (is_stream(fd, &bytes))
        head = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    errno = error;
    if (head == MAP_FAILED)
        return NULL;
    close(fd);
    madvise(head, bytes, MADV_DONTFORK);
    return head;
}

/* The memory of the watcher, or NULL: then nothing is emitted, and the program just runs. */
static struct st_stream_head *attach(const char *text) {
    if (text && *text == ST_STREAM_RENDEZVOUS)
        return map_stream(rt_ask_for_stream(text));
    struct st_stream_head *head = map_stream(descriptor_of(text));
    uint32_t nobody = 0;
    if (!head || atomic_compare_exchange_strong(&head->attached, &nobody, (uint32_t)getpid()))
        return head;
    munmap(head, st_stream_bytes(head->chunk_count));
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

/* The C library adds where handlers return to, whatever is done with the signal: so it is enough to
 * set what is set already, for a signal that nobody misses, and to ask the kernel. */
static uintptr_t find_signal_return(void) {
    struct sigaction same;
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } known = {0};
    enum { RESTORER = 0x04000000 };
    if (sigaction(SIGURG, NULL, &same) < 0 || sigaction(SIGURG, &same, NULL) < 0 ||
        rt_system_call(SYS_rt_sigaction, SIGURG, 0, (long)&known, sizeof known.mask, 0, 0) < 0)
        return 0;
    return known.flags & RESTORER ? (uintptr_t)known.restorer : 0;
}

/* What is left of the head in a process that was forked while its thread was in the runtime. */
static uint32_t chunk_count;

static void begin(struct st_stream_head *head) {
    if (!head)
        return;
    chunk_count = head->chunk_count;
    if (!rt_shadow_start()) {
        atomic_store(&head->no_room, 1);
        return;
    }
    rt_deferring = rt_deferring_freely = head->deferred;
    rt_quiet_locks = rt_deferring && head->quiet_locks;
    rt_deferring_looks = rt_deferring && !head->recorded;
    rt_rule = rt_deferring ? ST_STREAM_REDUCED : (enum st_stream_rule)head->rule;
    rt_values = rt_rule == ST_STREAM_EVERY && head->values;
    rt_slow_accesses = rt_rule == ST_STREAM_EVERY ? RT_STALE : 0;
    rt_signal_return = find_signal_return();
    rt_head = head;
    rt_hands_out = false;
    rt_thread_start(0);
    if (rt_enter()) {
        rt_emit_modules();
        rt_leave();
    }
    if (head->names_modules)
        rt_await_modules();
}

static void note_status(int status, void *unused) {
    (void)unused;
    rt_note_exit(status);
}

void rt_initialize(const char *stream, const char *control) {
    static _Atomic bool begun;
    if (atomic_exchange(&begun, true) || is_another_in_use())
        return;
    begin(attach(stream));
    if (!rt_head)
        return;
    on_exit(note_status, NULL);
    rt_control_start(control);
}

/* ---- processes that are forked ---- */

uint32_t rt_generation = 1;
static bool forked;  /* and not watched since */
static bool shut_in; /* system calls may be forbidden, on pain of death */

/* A signal handler has forked, and the thread was in the runtime. When the handler returns it goes
 * on there, and must find what it needs: memory of its own instead of the stream's and the
 * shadow's, which it does not have. Nobody reads what it writes. */
static void go_on_alone(void) {
    rt_system_call(SYS_mmap, (long)rt_head, (long)st_stream_bytes(chunk_count),
                   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                   -1, 0);
    rt_head->chunk_count = chunk_count;
    atomic_store(&rt_head->closed, 1);
    rt_shadow_restore();
}

void rt_stop_in_child(void) {
    int error = errno;
    rt_generation++;
    rt_control_stop();
    if (rt_head) {
        forked = true;
        if (rt_self && rt_self->inside) {
            go_on_alone();
        } else {
            rt_thread_stop();
            rt_head = NULL;
        }
    }
    errno = error;
}

void rt_note_fork(void) {
    rt_control_note_fork();
    if (shut_in && rt_head)
        atomic_fetch_add(&rt_head->shut_in, 1);
}

bool rt_is_shut_in(void) {
    return shut_in;
}

void rt_shut_in(void) {
    shut_in = true;
}

static __attribute__((noinline)) void start_again(void) {
    int error = errno;
    forked = false;
    rt_head = NULL;
    rt_threads_reset();
    rt_slots_reset();
    rt_modules_reset();
    begin(map_stream(rt_ask_again()));
    if (!rt_head)
        rt_thread_stop();
    errno = error;
}

void rt_follow_child(void) {
    if (__builtin_expect(forked, 0) && !shut_in && !(rt_self && rt_self->inside))
        start_again();
}

/* ---- the end ---- */

void rt_note_exit(int status) {
    if (rt_head)
        atomic_store(&rt_head->status, ((uint32_t)status & 0xff) + 1);
}

__attribute__((constructor(101))) static void on_load(void) {
    rt_initialize(secure_getenv(ST_STREAM_VARIABLE), secure_getenv(ST_CONTROL_VARIABLE));
}

__attribute__((destructor)) static void on_exit_of_program(void) {
    if (rt_head)
        atomic_store(&rt_head->ended, 1);
}
