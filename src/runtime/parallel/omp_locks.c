/* Locks of OpenMP: critical sections, atomic constructs that are no atomic instruction, and
 * omp_lock_t. gcc and clang call critical sections by different names; locks have the same.
 *
 * A named critical section has a variable of the linker's, by which the watcher knows its name
 * (watch/locks.c). Those without a name have no variable with gcc: ours stand for them. */
#define _GNU_SOURCE
#include "runtime/core/sync_events.h"
#include "runtime/parallel/omp_model.h"

#define REAL(result, name, ...) RT_REAL_FROM(rt_real_omp, result, name, __VA_ARGS__)

RT_EXPORT char __seriatim_omp_critical, __seriatim_omp_atomic;

static void acquired(const volatile void *lock, uintptr_t caller) {
    RT_EMIT(rt_acquire(lock, caller));
}

static void release(const volatile void *lock, uintptr_t caller) {
    RT_EMIT(rt_release(lock, caller));
}

/* ---- gcc's ---- */

#define SECTION(start, end, lock)                                                                  \
    REAL(void, start, void)                                                                        \
    REAL(void, end, void)                                                                          \
    RT_EXPORT void start(void);                                                                    \
    RT_EXPORT void start(void) {                                                                   \
        real_##start()();                                                                          \
        acquired(lock, RT_CALLER);                                                                 \
    }                                                                                              \
    RT_EXPORT void end(void);                                                                      \
    RT_EXPORT void end(void) {                                                                     \
        release(lock, RT_CALLER);                                                                  \
        real_##end()();                                                                            \
    }

SECTION(GOMP_critical_start, GOMP_critical_end, &__seriatim_omp_critical)
SECTION(GOMP_atomic_start, GOMP_atomic_end, &__seriatim_omp_atomic)

REAL(void, GOMP_critical_name_start, void **)
REAL(void, GOMP_critical_name_end, void **)

RT_EXPORT void GOMP_critical_name_start(void **name);
RT_EXPORT void GOMP_critical_name_start(void **name) {
    real_GOMP_critical_name_start()(name);
    acquired(name, RT_CALLER);
}

RT_EXPORT void GOMP_critical_name_end(void **name);
RT_EXPORT void GOMP_critical_name_end(void **name) {
    release(name, RT_CALLER);
    real_GOMP_critical_name_end()(name);
}

/* ---- clang's: a place in the source, the number of the thread, the variable ---- */

REAL(void, __kmpc_critical, void *, int, void *)
REAL(void, __kmpc_critical_with_hint, void *, int, void *, uint32_t)
REAL(void, __kmpc_end_critical, void *, int, void *)

RT_EXPORT void __kmpc_critical(void *place, int thread, void *name);
RT_EXPORT void __kmpc_critical(void *place, int thread, void *name) {
    real___kmpc_critical()(place, thread, name);
    acquired(name, RT_CALLER);
}

RT_EXPORT void __kmpc_critical_with_hint(void *place, int thread, void *name, uint32_t hint);
RT_EXPORT void __kmpc_critical_with_hint(void *place, int thread, void *name, uint32_t hint) {
    real___kmpc_critical_with_hint()(place, thread, name, hint);
    acquired(name, RT_CALLER);
}

RT_EXPORT void __kmpc_end_critical(void *place, int thread, void *name);
RT_EXPORT void __kmpc_end_critical(void *place, int thread, void *name) {
    release(name, RT_CALLER);
    real___kmpc_end_critical()(place, thread, name);
}

/* ---- locks of both ---- */

#define LOCK(name)                                                                                 \
    REAL(void, name, void *)                                                                       \
    RT_EXPORT void name(void *lock);                                                               \
    RT_EXPORT void name(void *lock) {                                                              \
        real_##name()(lock);                                                                       \
        acquired(lock, RT_CALLER);                                                                 \
    }

#define UNLOCK(name)                                                                               \
    REAL(void, name, void *)                                                                       \
    RT_EXPORT void name(void *lock);                                                               \
    RT_EXPORT void name(void *lock) {                                                              \
        release(lock, RT_CALLER);                                                                  \
        real_##name()(lock);                                                                       \
    }

#define TRY_LOCK(name)                                                                             \
    REAL(int, name, void *)                                                                        \
    RT_EXPORT int name(void *lock);                                                                \
    RT_EXPORT int name(void *lock) {                                                               \
        int result = real_##name()(lock);                                                          \
        if (result)                                                                                \
            acquired(lock, RT_CALLER);                                                             \
        return result;                                                                             \
    }

LOCK(omp_set_lock)
LOCK(omp_set_nest_lock)
UNLOCK(omp_unset_lock)
UNLOCK(omp_unset_nest_lock)
TRY_LOCK(omp_test_lock)
TRY_LOCK(omp_test_nest_lock)
