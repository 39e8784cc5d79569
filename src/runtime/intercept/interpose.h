/* For functions of the C library that the runtime stands in for. */
#ifndef SERIATIM_RUNTIME_INTERCEPT_INTERPOSE_H
#define SERIATIM_RUNTIME_INTERCEPT_INTERPOSE_H

#include "runtime/core/thread_state.h"

/* The next definition of a function after ours; NULL if there is none. */
void *rt_real(const char *name);
void *rt_real_version(const char *name, const char *version);

/* REAL(int, pthread_mutex_lock, pthread_mutex_t *) declares `real_pthread_mutex_lock()`, which
 * gives the function, looked up once. */
#define RT_REAL(result, name, ...)                                                                 \
    typedef result (*name##_type)(__VA_ARGS__);                                                    \
    static name##_type real_##name(void) {                                                         \
        static _Atomic(name##_type) found;                                                         \
        name##_type function = atomic_load_explicit(&found, memory_order_relaxed);                 \
        if (__builtin_expect(!function, 0)) {                                                      \
            function = (name##_type)rt_real(#name);                                                \
            atomic_store_explicit(&found, function, memory_order_relaxed);                         \
        }                                                                                          \
        return function;                                                                           \
    }

#endif
