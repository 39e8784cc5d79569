/* operator new: the real ones call malloc. We are here only to know for whom, since a report names
 * the line that asked for the memory and not one of the C++ library. Names are mangled as for a
 * size_t of 64 bits. */
#include "runtime/intercept/heap.h"

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
