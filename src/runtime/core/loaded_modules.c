#define _GNU_SOURCE
#include "runtime/core/loaded_modules.h"
#include "runtime/core/memory_events.h"
#include "runtime/core/spin.h"
#include "runtime/core/stream_writer.h"

#include <link.h>
#include <unistd.h>

struct rt_range rt_unwinder, rt_openmp;

/* Those that are loaded and were emitted. What is beyond the table is emitted again and again. */
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

/* strstr and strncmp are interposed, and would emit events. */
static bool starts_with(const char *name, const char *start) {
    while (*start && *name == *start)
        name++, start++;
    return !*start;
}

static const char *file_name(const char *path) {
    const char *name = path;
    for (; *path; path++)
        name = *path == '/' ? path + 1 : name;
    return name;
}

bool rt_is_openmp(const char *path) {
    static const char *const names[] = {"libgomp.so", "libomp.so", "libomp5.so", "libiomp5.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (starts_with(file_name(path), names[i]))
            return true;
    return false;
}

static uint32_t emitted;

static void emit_module(const char *path, uintptr_t start, uintptr_t length, uintptr_t bias) {
    struct rt_thread *t = rt_self;
    rt_emit(t, st_stream_what(ST_STREAM_MODULE, 0, start), bias);
    rt_emit(t, st_stream_what(ST_STREAM_LENGTH, 0, 0), length);
    rt_emit_text(t, 0, path);
    rt_publish(t);
    emitted++;
}

/* One walk over the modules. */
struct walk {
    bool first; /* the next one is the program itself */
    bool emits; /* those that are new; otherwise it notes which ones are loaded */
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
    if (starts_with(file_name(name), "libgcc_s.so."))
        rt_unwinder = (struct rt_range){first, end - first};
    if (rt_is_openmp(name))
        rt_openmp = (struct rt_range){first, end - first};
    struct known_module *known = find_known(first, hash_of(name));
    if (known) {
        known->loaded = true;
    } else if (walk->emits) {
        if (known_count < sizeof known_modules / sizeof *known_modules)
            known_modules[known_count++] =
                (struct known_module){first, end - first, hash_of(name), true};
        emit_module(name, first, end - first, info->dlpi_addr);
    }
    return 0;
}

/* The memory of modules that are gone may soon be used by others. */
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

static struct loads before;

void rt_modules_reset(void) {
    before = (struct loads){0};
    known_count = emitted = 0;
}

_Atomic uint32_t rt_module_changes;
_Atomic bool rt_has_unloaded;

void rt_emit_modules(void) {
    struct loads now = {0};
    rt_spin_lock(&modules_lock);
    dl_iterate_phdr(count_loads, &now);
    if (now.unloaded != before.unloaded) {
        atomic_store(&rt_has_unloaded, true);
        forget_unloaded();
    }
    if (now.loaded != before.loaded)
        atomic_fetch_add_explicit(&rt_module_changes, 1, memory_order_relaxed);
    if (now.loaded != before.loaded)
        dl_iterate_phdr(visit_module, &(struct walk){.first = true, .emits = true});
    before = now;
    rt_spin_unlock(&modules_lock);
}

bool rt_hands_out;
uint32_t rt_handing_count;

void rt_await_modules(void) {
    struct st_stream_head *head = rt_head;
    uint32_t read;
    while ((read = atomic_load(&head->modules_read)) < emitted && !atomic_load(&head->closed) &&
           !rt_watcher_is_gone())
        rt_sleep_on(&head->modules_read, read);
    uint32_t count = atomic_load(&head->handing_count);
    rt_handing_count = count < ST_STREAM_HANDING_SITES ? count : ST_STREAM_HANDING_SITES;
    rt_hands_out = rt_handing_count > 0;
}
