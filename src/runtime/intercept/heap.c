/* The heap: memory that was freed is another variable when it is allocated again.
 *
 * Freeing is emitted before it is done, while nobody else can have the memory. A resized allocation
 * counts as a new one with a copy of what was in the old one, also when it stays in its place,
 * since that is all that a program may rely on.
 *
 * malloc is called from everywhere, also while the real one is being looked up: memory that is
 * allocated then comes from a small arena and is never given back. */
#define _GNU_SOURCE
#include "runtime/core/access.h"
#include "runtime/core/memory_events.h"
#include "runtime/core/system_call.h"
#include "runtime/intercept/interpose.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/syscall.h>

_Thread_local uintptr_t rt_allocation_caller;

/* ---- the real ones ---- */

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    size_t (*malloc_usable_size)(void *);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
} real;

static _Atomic bool known;
static _Thread_local bool looking __attribute__((tls_model("initial-exec")));

/* false: we are being called by the search. Two threads may search at once; they find the same. */
static __attribute__((noinline)) bool look_for_real(void) {
    if (looking)
        return false;
    looking = true;
    int error = errno;
    real.malloc = (void *(*)(size_t))rt_real("malloc");
    real.calloc = (void *(*)(size_t, size_t))rt_real("calloc");
    real.realloc = (void *(*)(void *, size_t))rt_real("realloc");
    real.free = (void (*)(void *))rt_real("free");
    real.malloc_usable_size = (size_t(*)(void *))rt_real("malloc_usable_size");
    real.posix_memalign = (int (*)(void **, size_t, size_t))rt_real("posix_memalign");
    real.aligned_alloc = (void *(*)(size_t, size_t))rt_real("aligned_alloc");
    real.memalign = (void *(*)(size_t, size_t))rt_real("memalign");
    real.valloc = (void *(*)(size_t))rt_real("valloc");
    real.pvalloc = (void *(*)(size_t))rt_real("pvalloc");
    errno = error;
    looking = false;
    atomic_store_explicit(&known, true, memory_order_release);
    return true;
}

static _Thread_local struct {
    char *start; /* NULL: nothing is lent */
    size_t bytes, used;
} lent __attribute__((tls_model("initial-exec")));

static bool is_known(void) {
    if (__builtin_expect(lent.start != NULL, 0))
        return false;
    return __builtin_expect(atomic_load_explicit(&known, memory_order_acquire), 1) ||
           look_for_real();
}

/* ---- in place of the real ones ---- */

enum { ARENA_BYTES = 64 * 1024, ALIGNMENT = 16 };

static _Alignas(ALIGNMENT) char arena[ARENA_BYTES];
static _Atomic size_t arena_used;

void rt_lend_memory(char *memory, size_t bytes) {
    lent.start = memory;
    lent.bytes = bytes;
    lent.used = 0;
}

/* Zeroed. In front of each allocation is its size. */
static void *take_from_lent(size_t size) {
    size_t left = lent.bytes - lent.used, bytes = (size + 2 * ALIGNMENT - 1) & -(size_t)ALIGNMENT;
    if (size >= left || bytes > left) {
        errno = ENOMEM;
        return NULL;
    }
    char *memory = lent.start + lent.used;
    lent.used += bytes;
    for (size_t i = 0; i < bytes; i++)
        ((volatile char *)memory)[i] = 0;
    *(size_t *)(void *)memory = size;
    return memory + ALIGNMENT;
}

static void *take_from_arena(size_t size) {
    if (lent.start)
        return take_from_lent(size);
    size_t bytes = (size + 2 * ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    size_t at = size < ARENA_BYTES ? atomic_fetch_add(&arena_used, bytes) : ARENA_BYTES;
    if (at + bytes > ARENA_BYTES) {
        errno = ENOMEM;
        return NULL;
    }
    *(size_t *)(void *)(arena + at) = size;
    return arena + at + ALIGNMENT;
}

static bool is_in_arena(const void *memory) {
    return (uintptr_t)memory - (uintptr_t)arena < ARENA_BYTES ||
           (lent.start && (uintptr_t)memory - (uintptr_t)lent.start < lent.bytes);
}

static size_t size_in_arena(const void *memory) {
    return *(const size_t *)(const void *)((const char *)memory - ALIGNMENT);
}

/* ---- malloc and its family ---- */

static void *allocated(void *memory, size_t size, uintptr_t caller) {
    if (memory)
        RT_EMIT(rt_allocate(memory, size, rt_allocation_caller ? rt_allocation_caller : caller));
    return memory;
}

RT_EXPORT void *malloc(size_t size) {
    if (!is_known())
        return take_from_arena(size);
    return allocated(real.malloc(size), size, RT_CALLER);
}

RT_EXPORT void *calloc(size_t count, size_t size) {
    if (!is_known()) {
        if (size && count > SIZE_MAX / size)
            return errno = ENOMEM, NULL;
        return take_from_arena(count * size);
    }
    return allocated(real.calloc(count, size), count * size, RT_CALLER);
}

static void about_to_free(void *memory) {
    RT_EMIT(rt_free(memory, real.malloc_usable_size(memory)));
}

RT_EXPORT void free(void *memory) {
    if (!memory || is_in_arena(memory) || !is_known())
        return;
    about_to_free(memory);
    real.free(memory);
}

/* ---- realloc ---- */

typedef void access_range(uintptr_t address, size_t size, uintptr_t caller);

enum { PAGE = 4096, PAGES_AT_A_TIME = 1024, LARGE = 256 * 1024 };

/* Up to `end`, which is in one of these pages or behind them; the first one begins at `base`. */
static void access_present(access_range *access, const unsigned char *present, uintptr_t base,
                           uintptr_t start, uintptr_t end, uintptr_t caller) {
    for (uintptr_t from = start, to; from < end; from = to) {
        bool there = present[(from - base) / PAGE] & 1;
        to = from;
        do
            to = (to & -(uintptr_t)PAGE) + PAGE;
        while (to < end && (present[(to - base) / PAGE] & 1) == there);
        to = to < end ? to : end;
        if (there)
            access(from, to - from, caller);
    }
}

/* A large allocation may have pages that were never touched, which the C library moves without
 * looking at them. Touching all would make memory of them, and four times as much for the shadow.
 */
static void access_touched(access_range *access, const void *memory, size_t size,
                           uintptr_t caller) {
    uintptr_t at = (uintptr_t)memory, end = at + size;
    if (size < LARGE || rt_is_shut_in()) {
        access(at, size, caller);
        return;
    }
    for (uintptr_t next; at < end; at = next) {
        unsigned char present[PAGES_AT_A_TIME];
        uintptr_t base = at & -(uintptr_t)PAGE;
        next = end - base > sizeof present * PAGE ? base + sizeof present * PAGE : end;
        if (rt_system_call(SYS_mincore, (long)base, (long)(next - base), (long)present, 0, 0, 0))
            access(at, next - at, caller);
        else
            access_present(access, present, base, at, next, caller);
    }
}

/* Reading the old allocation, freeing it and writing the new one keeps every order that the program
 * can rely on: whoever wrote the old one comes before, whoever reads the new one comes after. */
static void *resize(void *memory, size_t size, uintptr_t caller) {
    size_t old = real.malloc_usable_size(memory), copied = old < size ? old : size;
    bool entered = rt_enter();
    if (entered) {
        access_touched(rt_read_range, memory, copied, caller);
        rt_free(memory, old);
        rt_leave();
    }
    void *now = real.realloc(memory, size);
    bool failed = !now && size; /* then the old allocation is as it was */
    void *kept = failed ? memory : now;
    if (entered && kept && rt_enter()) {
        rt_allocate(kept, failed ? old : size, caller);
        access_touched(rt_write_range, kept, copied, caller);
        rt_leave();
    }
    return now;
}

static void *reallocate(void *memory, size_t size, uintptr_t caller) {
    if (!is_known() || is_in_arena(memory)) {
        void *now = is_known() ? allocated(real.malloc(size), size, caller) : take_from_arena(size);
        size_t old = memory ? size_in_arena(memory) : 0;
        for (size_t i = 0; now && i < old && i < size; i++)
            ((volatile char *)now)[i] = ((char *)memory)[i];
        return now;
    }
    if (!memory)
        return allocated(real.realloc(NULL, size), size, caller);
    return resize(memory, size, caller);
}

RT_EXPORT void *realloc(void *memory, size_t size) {
    return reallocate(memory, size, RT_CALLER);
}

RT_EXPORT void *reallocarray(void *memory, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return reallocate(memory, count * size, RT_CALLER);
}

/* ---- with an alignment ---- */

RT_EXPORT int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (!is_known() || !real.posix_memalign)
        return ENOMEM;
    int result = real.posix_memalign(memory, alignment, size);
    if (result == 0)
        allocated(*memory, size, RT_CALLER);
    return result;
}

#define ALIGNED(name)                                                                              \
    RT_EXPORT void *name(size_t alignment, size_t size) {                                          \
        if (!is_known() || !real.name)                                                             \
            return errno = ENOMEM, NULL;                                                           \
        return allocated(real.name(alignment, size), size, RT_CALLER);                             \
    }

ALIGNED(aligned_alloc)
ALIGNED(memalign)

#define PAGES(name)                                                                                \
    RT_EXPORT void *name(size_t size) {                                                            \
        if (!is_known() || !real.name)                                                             \
            return errno = ENOMEM, NULL;                                                           \
        return allocated(real.name(size), size, RT_CALLER);                                        \
    }

PAGES(valloc)
PAGES(pvalloc)

/* ---- operator new ---- */

/* The real ones call malloc. Ours only note for whom, since a report names
 * the line that asked for the memory and not one of the C++ library. Names are mangled as for a
 * size_t of 64 bits. */
/* Also when it throws. */
static void allocation_done(const uintptr_t *before) {
    rt_allocation_caller = *before;
}

#define NEW(name, parameters, arguments, ...)                                                      \
    RT_REAL(void *, name, __VA_ARGS__)                                                             \
    RT_EXPORT void *name parameters;                                                               \
    RT_EXPORT void *name parameters {                                                              \
        __attribute__((cleanup(allocation_done))) const uintptr_t before = rt_allocation_caller;   \
        if (!before)                                                                               \
            rt_allocation_caller = RT_CALLER;                                                      \
        return real_##name() arguments;                                                            \
    }

NEW(_Znwm, (size_t size), (size), size_t)
NEW(_Znam, (size_t size), (size), size_t)
NEW(_ZnwmRKSt9nothrow_t, (size_t size, void *tag), (size, tag), size_t, void *)
NEW(_ZnamRKSt9nothrow_t, (size_t size, void *tag), (size, tag), size_t, void *)
NEW(_ZnwmSt11align_val_t, (size_t size, size_t to), (size, to), size_t, size_t)
NEW(_ZnamSt11align_val_t, (size_t size, size_t to), (size, to), size_t, size_t)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t size, size_t to, void *tag), (size, to, tag),
    size_t, size_t, void *)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t size, size_t to, void *tag), (size, to, tag),
    size_t, size_t, void *)
