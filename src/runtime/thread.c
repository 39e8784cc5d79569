/* Starting and ending: the runtime, and each thread in it. */
#define _GNU_SOURCE
#include "runtime/cells.h"
#include "runtime/spin.h"
#include "runtime/threads.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A thread that has ended, or is one of a forked child, is not taken for one that nobody saw. */
static _Thread_local bool finished __attribute__((tls_model("initial-exec")));

bool rt_enter(void) {
    struct rt_thread *t = rt_self;
    if (__builtin_expect(!t, 0)) {
        if (!rt_head || finished)
            return false;
        rt_thread_start(RT_NO_THREAD); /* made by code that is not ours to see */
        t = rt_self;
        if (!t)
            return false;
        rt_thread_will_end();
    }
    if (t->inside) {
        atomic_fetch_add_explicit(&rt_head->dropped, 1, memory_order_relaxed);
        return false;
    }
    t->inside = true;
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

void rt_leave(void) {
    atomic_signal_fence(memory_order_seq_cst);
    rt_self->inside = false;
}

uint32_t rt_thread_serial(void) {
    return rt_self ? rt_self->serial : RT_NO_THREAD;
}

/* ---- threads ---- */

static struct rt_thread *free_threads;
static struct rt_spin threads_lock;

static struct rt_thread *new_thread(void) {
    rt_spin_lock(&threads_lock);
    struct rt_thread *t = free_threads;
    if (t)
        free_threads = t->next;
    rt_spin_unlock(&threads_lock);
    return t ? t : rt_map_memory(sizeof *t);
}

static void start(uint32_t serial) {
    if (!rt_head || rt_self || finished || atomic_load(&rt_head->closed))
        return;
    struct rt_thread *t = new_thread();
    if (!t) {
        rt_give_up();
        return;
    }
    t->serial = serial;
    t->number = 0;
    t->sequence = t->used = 0;
    t->chunk = NULL;
    t->depth = t->told = 0;
    t->inside = true;
    rt_take_slot(t);
    rt_self = t;
    if (t->slot < RT_SLOTS)
        rt_put(t, st_stream_what(ST_STREAM_SLOT, 0, t->slot), t->base);
    /* The thread whose slot this was has told its end, with a number, by now. */
    rt_observe(t, atomic_load(&rt_head->number) - 1);
    rt_publish(t);
    t->inside = false;
}

void rt_thread_start(uint32_t fork) {
    start(fork == RT_NO_THREAD ? rt_new_serial() : fork);
}

void rt_thread_end(void) {
    struct rt_thread *t = rt_self;
    if (!t || t->inside) {
        finished = true;
        return;
    }
    t->inside = true;
    rt_unwind(0);
    rt_settle_table(t);
    rt_draw(t);
    rt_put(t, st_stream_what(ST_STREAM_THREAD_END, 0, 0), 0);
    rt_publish(t);
    atomic_store_explicit(&t->chunk->full, 1, memory_order_release);
    finished = true;
    rt_self = NULL;
    rt_give_slot(t);
    rt_spin_lock(&threads_lock);
    t->next = free_threads;
    free_threads = t;
    rt_spin_unlock(&threads_lock);
}

void rt_stop_in_child(void) {
    finished = true;
    rt_self = NULL;
    rt_head = NULL;
}

/* ---- modules ---- */

struct known_module {
    uintptr_t start;
    uint64_t name; /* a hash */
};

static struct known_module known_modules[4096];
static size_t known_count;
static struct rt_spin modules_lock;

static bool is_known(uintptr_t start_address, const char *name) {
    uint64_t hash = 14695981039346656037u;
    for (const char *at = name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    for (size_t i = 0; i < known_count; i++)
        if (known_modules[i].start == start_address && known_modules[i].name == hash)
            return true;
    if (known_count < sizeof known_modules / sizeof *known_modules)
        known_modules[known_count++] = (struct known_module){start_address, hash};
    return false;
}

/* How many modules were ever loaded, by the last time that we looked, and now. */
struct loads {
    unsigned long long before, now;
};

/* Our own strstr would be told. */
static bool is_unwinder(const char *path) {
    static const char wanted[] = "/libgcc_s.so.";
    for (; *path; path++) {
        size_t i = 0;
        while (wanted[i] && path[i] == wanted[i])
            i++;
        if (!wanted[i])
            return true;
    }
    return false;
}

static int tell_module(struct dl_phdr_info *info, size_t size, void *of) {
    (void)size;
    struct loads *loads = of;
    loads->now = info->dlpi_adds;
    if (loads->now == loads->before)
        return 1;
    uintptr_t first = UINTPTR_MAX, end = 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD)
            continue;
        uintptr_t at = info->dlpi_addr + header->p_vaddr;
        first = at < first ? at : first;
        end = at + header->p_memsz > end ? at + header->p_memsz : end;
    }
    char path[4096];
    const char *name = info->dlpi_name ? info->dlpi_name : "";
    if (!*name && !known_count) { /* the program itself comes first and has no name here */
        ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
        name = path;
    }
    if (is_unwinder(name))
        rt_unwinder = (struct rt_range){first, end - first};
    if (end > first && !is_known(first, name))
        rt_tell_module(name, first, end - first, info->dlpi_addr);
    return 0;
}

void rt_tell_modules(void) {
    rt_spin_lock(&modules_lock);
    static struct loads loads;
    dl_iterate_phdr(tell_module, &loads);
    loads.before = loads.now;
    rt_spin_unlock(&modules_lock);
}

/* ---- the runtime ---- */

/* The memory of the watcher, or NULL: then nothing is told, and the program runs as it is. */
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
    if (!head || !rt_cells_start())
        return;
    rt_late = head->late;
    rt_head = head;
    start(0);
    if (rt_enter()) {
        rt_tell_modules();
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

void *rt_real(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

void *rt_real_version(const char *name, const char *version) {
    return dlvsym(RTLD_NEXT, name, version);
}
