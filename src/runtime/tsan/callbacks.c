/* The callbacks that gcc and clang put into programs with -fsanitize=thread, except atomics. */
#include "runtime/core/access.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/loaded_modules.h"

#define ACCESS(name, size, write)                                                                  \
    RT_EXPORT void name(void *address);                                                            \
    RT_EXPORT void name(void *address) {                                                           \
        rt_access((uintptr_t)address, size, write, RT_CALLER);                                     \
    }

#define ACCESS_PC(name, size, write)                                                               \
    RT_EXPORT void name(void *address, void *pc);                                                  \
    RT_EXPORT void name(void *address, void *pc) {                                                 \
        rt_access((uintptr_t)address, size, write, (uintptr_t)pc);                                 \
    }

#define ACCESSES(size)                                                                             \
    ACCESS(__tsan_read##size, size, false)                                                         \
    ACCESS(__tsan_write##size, size, true)                                                         \
    ACCESS(__tsan_volatile_read##size, size, false)                                                \
    ACCESS(__tsan_volatile_write##size, size, true)                                                \
    ACCESS_PC(__tsan_read##size##_pc, size, false)                                                 \
    ACCESS_PC(__tsan_write##size##_pc, size, true)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

#define UNALIGNED(size)                                                                            \
    ACCESS(__tsan_unaligned_read##size, size, false)                                               \
    ACCESS(__tsan_unaligned_write##size, size, true)                                               \
    ACCESS(__tsan_unaligned_volatile_read##size, size, false)                                      \
    ACCESS(__tsan_unaligned_volatile_write##size, size, true)                                      \
    ACCESS(__sanitizer_unaligned_read##size, size, false)                                          \
    ACCESS(__sanitizer_unaligned_write##size, size, true)

UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

/* clang, for ++ and the like: a read and a write. */
#define READ_WRITE(name, size)                                                                     \
    RT_EXPORT void name(void *address);                                                            \
    RT_EXPORT void name(void *address) {                                                           \
        rt_access((uintptr_t)address, size, false, RT_CALLER);                                     \
        rt_access((uintptr_t)address, size, true, RT_CALLER);                                      \
    }

READ_WRITE(__tsan_read_write1, 1)
READ_WRITE(__tsan_read_write2, 2)
READ_WRITE(__tsan_read_write4, 4)
READ_WRITE(__tsan_read_write8, 8)
READ_WRITE(__tsan_read_write16, 16)
READ_WRITE(__tsan_unaligned_read_write2, 2)
READ_WRITE(__tsan_unaligned_read_write4, 4)
READ_WRITE(__tsan_unaligned_read_write8, 8)
READ_WRITE(__tsan_unaligned_read_write16, 16)

ACCESS(__tsan_vptr_read, 8, false)

/* Constructors and destructors set the pointer again and again to what it was; only a change is a
 * write. */
RT_EXPORT void __tsan_vptr_update(void **pointer, void *value);
RT_EXPORT void __tsan_vptr_update(void **pointer, void *value) {
    if (__atomic_load_n(pointer, __ATOMIC_RELAXED) != value)
        rt_access((uintptr_t)pointer, sizeof *pointer, true, RT_CALLER);
}

/* gcc, for what may not be aligned: numbers that are copied byte by byte, above all. */
#define RANGE(name, write)                                                                         \
    RT_EXPORT void name(void *address, size_t size);                                               \
    RT_EXPORT void name(void *address, size_t size) {                                              \
        if (size - 1 < 8)                                                                          \
            rt_access((uintptr_t)address, size, write, RT_CALLER);                                 \
        else if (rt_self)                                                                          \
            rt_range_slow((uintptr_t)address, size, write, RT_CALLER);                             \
    }

RANGE(__tsan_read_range, false)
RANGE(__tsan_write_range, true)

#define RANGE_PC(name, write)                                                                      \
    RT_EXPORT void name(void *address, size_t size, void *pc);                                     \
    RT_EXPORT void name(void *address, size_t size, void *pc) {                                    \
        if (rt_self)                                                                               \
            rt_range_slow((uintptr_t)address, size, write, (uintptr_t)pc);                         \
    }

RANGE_PC(__tsan_read_range_pc, false)
RANGE_PC(__tsan_write_range_pc, true)

RT_EXPORT void __tsan_init(void);
RT_EXPORT void __tsan_init(void) {
    /* Executables call this so early that there is no environment yet; our own constructor runs
     * after that and before anything that matters. A module that is loaded later calls it too,
     * which is how we learn about the module. */
    if (rt_enter()) {
        rt_emit_modules();
        rt_leave();
    }
}

/* include/seriatim/annotate.h */
RT_EXPORT void __seriatim_begin(const char *name);
RT_EXPORT void __seriatim_begin(const char *name) {
    if (!rt_enter())
        return;
    rt_block_begin(name, RT_CALLER);
    rt_leave();
}

RT_EXPORT void __seriatim_end(void);
RT_EXPORT void __seriatim_end(void) {
    if (!rt_self || !rt_enter())
        return;
    rt_block_end();
    rt_leave();
}
