/* Locks of OpenMP: critical sections, atomic constructs that are no atomic instruction, and
 * omp_lock_t. gcc and clang call critical sections by different names; locks have the same.
 *
 * A named critical section has a variable of the linker's, by which the watcher knows its name
 * (watch/locks.c). Those without a name have no variable with gcc: ours stand for them. */
#define _GNU_SOURCE
#include "runtime/control/points.h"
#include "runtime/control/waiting.h"
#include "runtime/core/spin.h"
#include "runtime/core/sync_events.h"
#include "runtime/parallel/omp_model.h"

#define REAL(result, name, ...) RT_REAL_FROM(rt_real_omp, result, name, __VA_ARGS__)

RT_EXPORT char __seriatim_omp_critical, __seriatim_omp_atomic;

/* ---- in controlled runs ---- */

/* Who holds what, which no function of OpenMP says. A critical section that is in the table is not
 * entered: whoever wants to waits here, not in the library. For the other locks it is only to say
 * who has them. Only who has the baton looks at it. */
struct holding {
    const volatile void *lock;
    int holder; /* the kernel's id of the thread */
    unsigned depth;
    struct holding *next;
};

enum { BUCKETS = 256, MOST_HELD = 4096 };
static struct holding *buckets[BUCKETS], *free_holdings;

static struct holding **find_holding(const volatile void *lock) {
    struct holding **at = &buckets[(uintptr_t)lock * UINT64_C(0x9e3779b97f4a7c15) >> 56];
    while (*at && (*at)->lock != lock)
        at = &(*at)->next;
    return at;
}

static int holder_of(const volatile void *lock) {
    const struct holding *found = *find_holding(lock);
    return found ? found->holder : 0;
}

static struct holding *new_holding(void) {
    static struct holding all[MOST_HELD];
    static unsigned used;
    struct holding *fresh = free_holdings;
    if (fresh)
        free_holdings = fresh->next;
    else if (used < MOST_HELD)
        fresh = &all[used++];
    return fresh;
}

static void note_taken(const volatile void *lock) {
    struct holding **at = find_holding(lock);
    if (!*at) {
        struct holding *fresh = new_holding();
        if (!fresh)
            return;
        *fresh = (struct holding){.lock = lock};
        *at = fresh;
    }
    int me = (int)rt_system_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
    (*at)->depth = (*at)->holder == me ? (*at)->depth + 1 : 1;
    (*at)->holder = me;
    rt_taken(lock, false);
}

static void note_released(const volatile void *lock) {
    struct holding **at = find_holding(lock), *gone = *at;
    if (!gone || --gone->depth)
        return;
    *at = gone->next;
    gone->next = free_holdings;
    free_holdings = gone;
}

/* ---- events ---- */

/* Before a section or a lock of which there is only a function that waits. */
static void await_section(const volatile void *lock, uintptr_t caller) {
    if (!rt_takes_turns())
        return;
    rt_point(ST_POINT_LOCK, lock, 1, caller);
    for (int holder; (holder = holder_of(lock));)
        rt_block_until(lock, holder, RT_FOREVER);
}

static void acquired(const volatile void *lock, uintptr_t caller) {
    if (rt_takes_turns())
        note_taken(lock);
    RT_EMIT(rt_acquire(lock, caller));
}

static void release(const volatile void *lock, uintptr_t caller) {
    rt_point(ST_POINT_UNLOCK, lock, 1, caller);
    RT_EMIT(rt_release(lock, caller));
}

static void released(const volatile void *lock) {
    if (rt_takes_turns())
        note_released(lock);
    rt_unblock(lock);
}

/* ---- gcc's ---- */

#define SECTION(start, end, lock)                                                                  \
    REAL(void, start, void)                                                                        \
    REAL(void, end, void)                                                                          \
    RT_EXPORT void start(void);                                                                    \
    RT_EXPORT void start(void) {                                                                   \
        await_section(lock, RT_CALLER);                                                            \
        real_##start()();                                                                          \
        acquired(lock, RT_CALLER);                                                                 \
    }                                                                                              \
    RT_EXPORT void end(void);                                                                      \
    RT_EXPORT void end(void) {                                                                     \
        release(lock, RT_CALLER);                                                                  \
        real_##end()();                                                                            \
        released(lock);                                                                            \
    }

SECTION(GOMP_critical_start, GOMP_critical_end, &__seriatim_omp_critical)
SECTION(GOMP_atomic_start, GOMP_atomic_end, &__seriatim_omp_atomic)

REAL(void, GOMP_critical_name_start, void **)
REAL(void, GOMP_critical_name_end, void **)

RT_EXPORT void GOMP_critical_name_start(void **name);
RT_EXPORT void GOMP_critical_name_start(void **name) {
    await_section(name, RT_CALLER);
    real_GOMP_critical_name_start()(name);
    acquired(name, RT_CALLER);
}

RT_EXPORT void GOMP_critical_name_end(void **name);
RT_EXPORT void GOMP_critical_name_end(void **name) {
    release(name, RT_CALLER);
    real_GOMP_critical_name_end()(name);
    released(name);
}

/* ---- clang's: a place in the source, the number of the thread, the variable ---- */

REAL(void, __kmpc_critical, void *, int, void *)
REAL(void, __kmpc_critical_with_hint, void *, int, void *, uint32_t)
REAL(void, __kmpc_end_critical, void *, int, void *)

RT_EXPORT void __kmpc_critical(void *place, int thread, void *name);
RT_EXPORT void __kmpc_critical(void *place, int thread, void *name) {
    await_section(name, RT_CALLER);
    real___kmpc_critical()(place, thread, name);
    acquired(name, RT_CALLER);
}

RT_EXPORT void __kmpc_critical_with_hint(void *place, int thread, void *name, uint32_t hint);
RT_EXPORT void __kmpc_critical_with_hint(void *place, int thread, void *name, uint32_t hint) {
    await_section(name, RT_CALLER);
    real___kmpc_critical_with_hint()(place, thread, name, hint);
    acquired(name, RT_CALLER);
}

RT_EXPORT void __kmpc_end_critical(void *place, int thread, void *name);
RT_EXPORT void __kmpc_end_critical(void *place, int thread, void *name) {
    release(name, RT_CALLER);
    real___kmpc_end_critical()(place, thread, name);
    released(name);
}

/* ---- locks of both ---- */

#define TRY_LOCK(name)                                                                             \
    REAL(int, name, void *)                                                                        \
    RT_EXPORT int name(void *lock);                                                                \
    RT_EXPORT int name(void *lock) {                                                               \
        rt_point(ST_POINT_TRY_LOCK, lock, 1, RT_CALLER);                                           \
        int result = real_##name()(lock);                                                          \
        if (result)                                                                                \
            acquired(lock, RT_CALLER);                                                             \
        return result;                                                                             \
    }

/* In controlled runs a lock is tried until it is there. */
#define LOCK(name, try_name)                                                                       \
    REAL(void, name, void *)                                                                       \
    RT_EXPORT void name(void *lock);                                                               \
    RT_EXPORT void name(void *lock) {                                                              \
        if (rt_takes_turns()) {                                                                    \
            rt_point(ST_POINT_LOCK, lock, 1, RT_CALLER);                                           \
            while (!real_##try_name()(lock))                                                       \
                rt_block_until(lock, holder_of(lock), RT_FOREVER);                                 \
        } else {                                                                                   \
            real_##name()(lock);                                                                   \
        }                                                                                          \
        acquired(lock, RT_CALLER);                                                                 \
    }

#define UNLOCK(name)                                                                               \
    REAL(void, name, void *)                                                                       \
    RT_EXPORT void name(void *lock);                                                               \
    RT_EXPORT void name(void *lock) {                                                              \
        release(lock, RT_CALLER);                                                                  \
        real_##name()(lock);                                                                       \
        released(lock);                                                                            \
    }

TRY_LOCK(omp_test_lock)
TRY_LOCK(omp_test_nest_lock)
LOCK(omp_set_lock, omp_test_lock)
LOCK(omp_set_nest_lock, omp_test_nest_lock)
UNLOCK(omp_unset_lock)
UNLOCK(omp_unset_nest_lock)
