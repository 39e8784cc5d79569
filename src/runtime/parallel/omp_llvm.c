/* What LLVM's OpenMP runtime does not say through its tools interface (omp_ompt.c): the functions
 * that clang calls for `ordered` and for reductions. Their first arguments are a place in the
 * source and the number of the thread.
 *
 * A reduction ends in one of three ways. The runtime says 1: the caller combines its values with
 * the result while it holds a lock. Or 2: it does so with atomic instructions. Or the threads
 * combine their values in pairs, while they wait for each other, by a function that the caller
 * gave; one of them gets 1 in the end, and the others 0. */
#define _GNU_SOURCE
#include "runtime/core/sync_events.h"
#include "runtime/parallel/omp_model.h"

#define REAL(result, name, ...) RT_REAL_FROM(rt_real_omp, result, name, __VA_ARGS__)

REAL(void, __kmpc_ordered, void *, int)
REAL(void, __kmpc_end_ordered, void *, int)
REAL(void, __kmpc_doacross_post, void *, int, const int64_t *)
REAL(void, __kmpc_doacross_wait, void *, int, const int64_t *)

RT_EXPORT void __kmpc_ordered(void *place, int thread);
RT_EXPORT void __kmpc_ordered(void *place, int thread) {
    real___kmpc_ordered()(place, thread);
    rt_team_receive(ST_CHANNEL_ORDERED, RT_CALLER);
}

RT_EXPORT void __kmpc_end_ordered(void *place, int thread);
RT_EXPORT void __kmpc_end_ordered(void *place, int thread) {
    rt_team_send(ST_CHANNEL_ORDERED, RT_CALLER);
    real___kmpc_end_ordered()(place, thread);
}

RT_EXPORT void __kmpc_doacross_post(void *place, int thread, const int64_t *counts);
RT_EXPORT void __kmpc_doacross_post(void *place, int thread, const int64_t *counts) {
    rt_team_send(ST_CHANNEL_DOACROSS, RT_CALLER);
    real___kmpc_doacross_post()(place, thread, counts);
}

RT_EXPORT void __kmpc_doacross_wait(void *place, int thread, const int64_t *counts);
RT_EXPORT void __kmpc_doacross_wait(void *place, int thread, const int64_t *counts) {
    real___kmpc_doacross_wait()(place, thread, counts);
    rt_team_receive(ST_CHANNEL_DOACROSS, RT_CALLER);
}

/* ---- reductions ---- */

typedef void combiner(void *, void *);

static _Thread_local struct {
    combiner *combiner;
    uintptr_t caller;
    const void *lock; /* held; NULL: none */
    bool combining;   /* what the thread does is no step of its blocks */
} reduction __attribute__((tls_model("initial-exec")));

/* The values of the other thread are as it left them before it came here, or after it has combined
 * others with them. */
static void combine(void *mine, void *other) {
    uintptr_t caller = reduction.caller;
    rt_team_receive(ST_CHANNEL_REDUCTION, caller);
    reduction.combiner(mine, other);
    rt_team_send(ST_CHANNEL_REDUCTION, caller);
}

static void begin_reduction(combiner *given, uintptr_t caller) {
    reduction.combiner = given;
    reduction.caller = caller;
    rt_team_send(ST_CHANNEL_REDUCTION, caller);
}

/* With several results, others may come in between one and the next: that is how reductions work,
 * and not for the program to prevent. clang calls a function after that, unless the way is 2 and
 * nobody waits: then a barrier follows sooner or later. */
static int reduced(int way, const void *lock, uintptr_t caller) {
    rt_reduction_end();
    if (way == 1 || way == 2) {
        rt_work_pause();
        reduction.combining = true;
    }
    if (way == 1) {
        rt_team_receive(ST_CHANNEL_REDUCTION, caller);
        RT_EMIT(rt_acquire(lock, caller));
        reduction.lock = lock;
    }
    return way;
}

void rt_reduction_end(void) {
    if (reduction.combining)
        rt_work_resume();
    reduction.combining = false;
}

static void end_reduction(uintptr_t caller) {
    if (reduction.lock)
        RT_EMIT(rt_release(reduction.lock, caller));
    reduction.lock = NULL;
    rt_reduction_end();
}

#define REDUCE(name, end)                                                                          \
    REAL(int, name, void *, int, int, size_t, void *, combiner *, void *)                          \
    REAL(void, end, void *, int, void *)                                                           \
    RT_EXPORT int name(void *place, int thread, int count, size_t size, void *data,                \
                       combiner *given, void *lock);                                               \
    RT_EXPORT int name(void *place, int thread, int count, size_t size, void *data,                \
                       combiner *given, void *lock) {                                              \
        begin_reduction(given, RT_CALLER);                                                         \
        int way = real_##name()(place, thread, count, size, data, combine, lock);                  \
        return reduced(way, lock, RT_CALLER);                                                      \
    }                                                                                              \
    RT_EXPORT void end(void *place, int thread, void *lock);                                       \
    RT_EXPORT void end(void *place, int thread, void *lock) {                                      \
        end_reduction(RT_CALLER);                                                                  \
        real_##end()(place, thread, lock);                                                         \
    }

REDUCE(__kmpc_reduce, __kmpc_end_reduce)
REDUCE(__kmpc_reduce_nowait, __kmpc_end_reduce_nowait)
