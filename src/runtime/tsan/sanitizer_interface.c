/* What programs may ask of any sanitizer: <sanitizer/common_interface_defs.h> and
 * <sanitizer/allocator_interface.h>. Reports are not written here, so where they go cannot be set.
 */
#define _GNU_SOURCE
#include "runtime/core/access.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- unaligned accesses ---- */

#define UNALIGNED_ACCESS(bits)                                                                     \
    RT_EXPORT uint##bits##_t __sanitizer_unaligned_load##bits(const void *address);                \
    RT_EXPORT uint##bits##_t __sanitizer_unaligned_load##bits(const void *address) {               \
        rt_access((uintptr_t)address, bits / 8, false, RT_CALLER);                                 \
        uint##bits##_t value;                                                                      \
        __builtin_memcpy(&value, address, sizeof value);                                           \
        return value;                                                                              \
    }                                                                                              \
    RT_EXPORT void __sanitizer_unaligned_store##bits(void *address, uint##bits##_t value);         \
    RT_EXPORT void __sanitizer_unaligned_store##bits(void *address, uint##bits##_t value) {        \
        rt_access((uintptr_t)address, bits / 8, true, RT_CALLER);                                  \
        __builtin_memcpy(address, &value, sizeof value);                                           \
    }

UNALIGNED_ACCESS(16)
UNALIGNED_ACCESS(32)
UNALIGNED_ACCESS(64)

/* ---- names ---- */

RT_EXPORT int __sanitizer_get_module_and_offset_for_pc(void *pc, char *path, size_t size,
                                                       void **offset);
RT_EXPORT int __sanitizer_get_module_and_offset_for_pc(void *pc, char *path, size_t size,
                                                       void **offset) {
    Dl_info info;
    if (!dladdr(pc, &info))
        return 0;
    if (path && size)
        snprintf(path, size, "%s", info.dli_fname);
    if (offset)
        *offset = (void *)((char *)pc - (char *)info.dli_fbase);
    return 1;
}

/* One word of a format: what comes behind the per cent sign. Debug information is not read here: a
 * line is its module, which is what other sanitizers say when there is none. */
static int put_word(char *to, size_t size, char word, const void *address, const Dl_info *info) {
    size_t offset = (size_t)((const char *)address - (const char *)info->dli_fbase);
    const char *module = info->dli_fname ? info->dli_fname : "<unknown module>";
    switch (word) {
    case '%':
        return snprintf(to, size, "%%");
    case 'n':
        return snprintf(to, size, "0");
    case 'p':
        return snprintf(to, size, "%p", address);
    case 'm':
        return snprintf(to, size, "%s", module);
    case 'o':
        return snprintf(to, size, "0x%zx", offset);
    case 'f':
    case 'g':
        return snprintf(to, size, "%s", info->dli_sname ? info->dli_sname : "<null>");
    case 'F':
        return snprintf(to, size, "in %s", info->dli_sname ? info->dli_sname : module);
    case 'L':
    case 'M':
    case 'S':
    case 's':
        return snprintf(to, size, "(%s+0x%zx)", module, offset);
    default:
        return 0;
    }
}

/* Writes a text and an empty one behind it: more than one place is for inlined functions. */
static void describe(const void *address, const char *format, char *to, size_t size) {
    Dl_info info = {0};
    size_t used = 0;
    if (!size)
        return;
    if (!dladdr(address, &info))
        info = (Dl_info){0};
    for (; *format && used < size; format++) {
        int length = 1;
        if (*format == '%' && format[1])
            length = put_word(to + used, size - used, *++format, address, &info);
        else
            to[used] = *format;
        used += length > 0 ? (size_t)length : 0;
    }
    size_t end = used + 2 <= size ? used : size >= 2 ? size - 2 : 0;
    for (; end < size && end <= used + 1; end++)
        to[end] = '\0';
}

RT_EXPORT void __sanitizer_symbolize_pc(void *pc, const char *format, char *to, size_t size);
RT_EXPORT void __sanitizer_symbolize_pc(void *pc, const char *format, char *to, size_t size) {
    describe(pc, format, to, size);
}

RT_EXPORT void __sanitizer_symbolize_global(void *data, const char *format, char *to, size_t size);
RT_EXPORT void __sanitizer_symbolize_global(void *data, const char *format, char *to, size_t size) {
    describe(data, format, to, size);
}

RT_EXPORT void __sanitizer_print_stack_trace(void);
RT_EXPORT void __sanitizer_print_stack_trace(void) {
    enum { MOST_FRAMES = 64 };
    void *frames[MOST_FRAMES];
    char text[512];
    int count = backtrace(frames, MOST_FRAMES);
    for (int i = 1; i < count; i++) { /* without this one */
        describe(frames[i], "%p %F %L", text, sizeof text);
        dprintf(STDERR_FILENO, "    #%d %s\n", i - 1, text);
    }
}

RT_EXPORT void __sanitizer_report_error_summary(const char *summary);
RT_EXPORT __attribute__((weak)) void __sanitizer_report_error_summary(const char *summary) {
    dprintf(STDERR_FILENO, "SUMMARY: %s\n", summary);
}

/* 1 for the first one who asks. */
RT_EXPORT int __sanitizer_acquire_crash_state(void);
RT_EXPORT int __sanitizer_acquire_crash_state(void) {
    static _Atomic bool taken;
    return !atomic_exchange(&taken, true);
}

/* ---- the heap, which is that of the C library ---- */

static struct mallinfo2 heap(void) {
    struct mallinfo2 (*ask)(void) = (struct mallinfo2(*)(void))dlsym(RTLD_DEFAULT, "mallinfo2");
    return ask ? ask() : (struct mallinfo2){0}; /* older than 2.33 */
}

RT_EXPORT size_t __sanitizer_get_current_allocated_bytes(void);
RT_EXPORT size_t __sanitizer_get_current_allocated_bytes(void) {
    struct mallinfo2 now = heap();
    return now.uordblks + now.hblkhd;
}

RT_EXPORT size_t __sanitizer_get_heap_size(void);
RT_EXPORT size_t __sanitizer_get_heap_size(void) {
    struct mallinfo2 now = heap();
    return now.arena + now.hblkhd;
}

RT_EXPORT size_t __sanitizer_get_free_bytes(void);
RT_EXPORT size_t __sanitizer_get_free_bytes(void) {
    return heap().fordblks;
}

RT_EXPORT size_t __sanitizer_get_unmapped_bytes(void);
RT_EXPORT size_t __sanitizer_get_unmapped_bytes(void) {
    return 0;
}

RT_EXPORT size_t __sanitizer_get_estimated_allocated_size(size_t size);
RT_EXPORT size_t __sanitizer_get_estimated_allocated_size(size_t size) {
    return size;
}

RT_EXPORT size_t __sanitizer_get_allocated_size(const volatile void *memory);
RT_EXPORT size_t __sanitizer_get_allocated_size(const volatile void *memory) {
    return malloc_usable_size((void *)memory);
}

/* The C library cannot say. What is in a module, or not aligned as allocations are, is none. */
RT_EXPORT int __sanitizer_get_ownership(const volatile void *memory);
RT_EXPORT int __sanitizer_get_ownership(const volatile void *memory) {
    Dl_info info;
    return memory && (uintptr_t)memory % 16 == 0 && !dladdr((const void *)memory, &info);
}

/* 0: it was not done. */
RT_EXPORT int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *,
                                                                          size_t),
                                                        void (*on_free)(const volatile void *));
RT_EXPORT int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *,
                                                                          size_t),
                                                        void (*on_free)(const volatile void *)) {
    (void)on_malloc, (void)on_free;
    return 0;
}

/* ---- without a meaning here ---- */

#define NO_EFFECT(name)                                                                            \
    RT_EXPORT void *name(void);                                                                    \
    RT_EXPORT void *name(void) {                                                                   \
        return NULL;                                                                               \
    }

NO_EFFECT(__sanitizer_set_report_path)
NO_EFFECT(__sanitizer_set_report_fd)
NO_EFFECT(__sanitizer_get_report_path)
NO_EFFECT(__sanitizer_sandbox_on_notify)
NO_EFFECT(__sanitizer_set_death_callback)
