/* Starting and ending: the runtime, and each thread in it. */
#define _GNU_SOURCE
#include "runtime/core/shadow.h"
#include "runtime/core/spin.h"
#include "runtime/intercept/threads.h"

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
    t->number = t->pending = t->told_number = 0;
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

/* Those that were told and are loaded. What is beyond the table is told again and again. */
struct known_module {
    uintptr_t start, length;
    uint64_t name; /* a hash */
    bool loaded;
};

static struct known_module known_modules[4096];
static size_t known_count;
static struct rt_spin modules_lock;

static struct known_module *find_known(uintptr_t start_address, uint64_t name) {
    for (size_t i = 0; i < known_count; i++)
        if (known_modules[i].start == start_address && known_modules[i].name == name)
            return &known_modules[i];
    return NULL;
}

static uint64_t hash_of(const char *name) {
    uint64_t hash = 14695981039346656037u;
    for (const char *at = name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    return hash;
}

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

/* One walk over the modules. */
struct walk {
    bool first; /* the next one is the program itself */
    bool tells; /* of those that are new; otherwise it notes which ones are loaded */
};

/* The program itself has no name here. */
static const char *name_of(const struct dl_phdr_info *info, bool program, char path[4096]) {
    const char *name = info->dlpi_name ? info->dlpi_name : "";
    if (*name || !program)
        return name;
    ssize_t length = readlink("/proc/self/exe", path, 4095);
    path[length > 0 ? length : 0] = '\0';
    return path;
}

static int visit_module(struct dl_phdr_info *info, size_t size, void *of) {
    (void)size;
    struct walk *walk = of;
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
    const char *name = name_of(info, walk->first, path);
    walk->first = false;
    if (end <= first)
        return 0;
    if (is_unwinder(name))
        rt_unwinder = (struct rt_range){first, end - first};
    struct known_module *known = find_known(first, hash_of(name));
    if (known) {
        known->loaded = true;
    } else if (walk->tells) {
        if (known_count < sizeof known_modules / sizeof *known_modules)
            known_modules[known_count++] =
                (struct known_module){first, end - first, hash_of(name), true};
        rt_tell_module(name, first, end - first, info->dlpi_addr);
    }
    return 0;
}

/* The memory of those that are gone may be that of others soon. */
static void forget_unloaded(void) {
    for (size_t i = 0; i < known_count; i++)
        known_modules[i].loaded = false;
    dl_iterate_phdr(visit_module, &(struct walk){.first = true});
    size_t kept = 0;
    for (size_t i = 0; i < known_count; i++)
        if (known_modules[i].loaded)
            known_modules[kept++] = known_modules[i];
        else
            rt_free((const void *)known_modules[i].start, known_modules[i].length);
    known_count = kept;
}

/* How many modules were ever loaded and unloaded. */
struct loads {
    unsigned long long loaded, unloaded;
};

static int count_loads(struct dl_phdr_info *info, size_t size, void *loads) {
    (void)size;
    *(struct loads *)loads = (struct loads){info->dlpi_adds, info->dlpi_subs};
    return 1;
}

void rt_tell_modules(void) {
    static struct loads before;
    struct loads now = {0};
    rt_spin_lock(&modules_lock);
    dl_iterate_phdr(count_loads, &now);
    if (now.unloaded != before.unloaded)
        forget_unloaded();
    if (now.loaded != before.loaded)
        dl_iterate_phdr(visit_module, &(struct walk){.first = true, .tells = true});
    before = now;
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
    if (!head)
        return;
    if (!rt_cells_start()) {
        atomic_store(&head->no_room, 1);
        return;
    }
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
