/* What an interposed function needs: CONTRIBUTING.md says how to add one. */
#ifndef SERIATIM_RUNTIME_INTERCEPT_INTERPOSE_H
#define SERIATIM_RUNTIME_INTERCEPT_INTERPOSE_H

#include "runtime/core/thread_state.h"

#include <pthread.h>

/* The next definition of a function after ours; NULL if there is none. */
void *rt_real(const char *name);
void *rt_real_version(const char *name, const char *version);

/* RT_REAL(int, pthread_mutex_lock, pthread_mutex_t *) defines `real_pthread_mutex_lock()`, which
 * returns the function, looked up once. */
#define RT_REAL(result, name, ...) RT_REAL_FROM(rt_real, result, name, __VA_ARGS__)

/* The same with another way to look it up. */
#define RT_REAL_FROM(find, result, name, ...)                                                      \
    typedef result (*name##_type)(__VA_ARGS__);                                                    \
    static name##_type real_##name(void) {                                                         \
        static _Atomic(name##_type) found;                                                         \
        name##_type function = atomic_load_explicit(&found, memory_order_relaxed);                 \
        if (__builtin_expect(!function, 0)) {                                                      \
            function = (name##_type)find(#name);                                                   \
            atomic_store_explicit(&found, function, memory_order_relaxed);                         \
        }                                                                                          \
        return function;                                                                           \
    }

/* The return address to which the next allocation of this thread is attributed, when the C or C++
 * library makes the call; 0: that of the call itself (heap.c). */
extern _Thread_local uintptr_t rt_allocation_caller __attribute__((tls_model("initial-exec")));

/* Until it is called again with NULL, what this thread allocates comes from this memory, at a
 * multiple of 16: for functions of the C library that allocate in threads which would not do so
 * natively. There, the first allocation reserves 64 MB of addresses. */
void rt_lend_memory(char *memory, size_t bytes);

/* Runs statements that emit events, unless this thread is not watched or the runtime is at work in
 * it already. */
#define RT_EMIT(...)                                                                               \
    do {                                                                                           \
        if (rt_enter()) {                                                                          \
            __VA_ARGS__;                                                                           \
            rt_leave();                                                                            \
        }                                                                                          \
    } while (0)

/* threads.c: the program has called the thread so. */
void rt_name_thread(pthread_t id, const char *name);

#endif
