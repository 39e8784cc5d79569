/* Barriers: whatever threads did before they arrived happens before whatever they do after it.
 *
 * Each thread sends before it arrives and receives after it departs, so all sends of a phase come
 * before its receives. But a fast thread can arrive for the next phase before a slow one has
 * emitted its departure from this one, which must not seem to come after it. So the phases take
 * turns on two channels: nobody can be two phases ahead, for it would have to pass a barrier
 * without the slow one.
 *
 * Which phase an arrival is for follows from how many came before it, and how many make a phase. We
 * count them here. With more threads than a phase takes, two that arrive at once can be counted in
 * another order than they arrived in: then an edge may be missing, and none is wrong. */
#define _GNU_SOURCE
#include "runtime/control/points.h"
#include "runtime/control/waiting.h"
#include "runtime/core/sync_events.h"
#include "runtime/intercept/interpose.h"

#include <pthread.h>

RT_REAL(int, pthread_barrier_init, pthread_barrier_t *, const pthread_barrierattr_t *, unsigned)
RT_REAL(int, pthread_barrier_destroy, pthread_barrier_t *)
RT_REAL(int, pthread_barrier_wait, pthread_barrier_t *)

/* By address, with linear probing. An entry is never empty again; that of a barrier that was
 * destroyed has no threads, and is free to become that of another. */
struct entry {
    _Atomic(pthread_barrier_t *) barrier;
    _Atomic unsigned threads; /* of a phase */
    _Atomic unsigned arrivals;
};

enum { ENTRIES = 4096 };
static struct entry entries[ENTRIES];

static struct entry *entry_at(pthread_barrier_t *barrier, unsigned step) {
    return &entries[((uintptr_t)barrier / 16 + step) % ENTRIES];
}

static struct entry *find(pthread_barrier_t *barrier) {
    for (unsigned step = 0; step < ENTRIES; step++) {
        struct entry *entry = entry_at(barrier, step);
        pthread_barrier_t *there = atomic_load(&entry->barrier);
        if (!there)
            break;
        if (there == barrier && atomic_load(&entry->threads))
            return entry;
    }
    return NULL;
}

/* A free entry is taken by setting its threads, so no two barriers get the same one. */
static void enter(pthread_barrier_t *barrier, unsigned threads) {
    struct entry *known = find(barrier);
    for (unsigned step = 0; !known && step < ENTRIES; step++) {
        struct entry *entry = entry_at(barrier, step);
        unsigned none = 0;
        if (atomic_compare_exchange_strong(&entry->threads, &none, threads))
            known = entry;
    }
    if (!known)
        return;
    atomic_store(&known->threads, threads);
    atomic_store(&known->arrivals, 0);
    atomic_store(&known->barrier, barrier);
}

RT_EXPORT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr,
                                   unsigned threads) {
    int result = real_pthread_barrier_init()(barrier, attr, threads);
    if (result == 0)
        enter(barrier, threads);
    return result;
}

RT_EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier) {
    struct entry *entry = find(barrier);
    int result = real_pthread_barrier_destroy()(barrier);
    if (result == 0 && entry)
        atomic_store(&entry->threads, 0);
    return result;
}

/* 0 or 1; always 0 for a barrier that was made unseen, or when there are too many. */
static unsigned phase_of_arrival(pthread_barrier_t *barrier) {
    struct entry *entry = find(barrier);
    if (!entry)
        return 0;
    return atomic_fetch_add(&entry->arrivals, 1) / atomic_load(&entry->threads) & 1;
}

/* In controlled runs the real barrier is not used. So many arrived before. */
static int wait_in_turn(pthread_barrier_t *barrier, struct entry *entry, unsigned before) {
    unsigned threads = atomic_load(&entry->threads);
    bool last = (before + 1) % threads == 0;
    if (last)
        rt_unblock(barrier);
    while (atomic_load(&entry->arrivals) / threads == before / threads)
        rt_block_until(barrier, 0, RT_FOREVER);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

RT_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier) {
    rt_point(ST_POINT_BARRIER, barrier, 1, RT_CALLER);
    struct entry *turn = rt_takes_turns() ? find(barrier) : NULL;
    unsigned phase = 0, before = turn ? atomic_load(&turn->arrivals) : 0;
    uint64_t position = 0;
    bool entered = rt_enter();
    if (entered) {
        phase = phase_of_arrival(barrier);
        rt_send(barrier, phase, RT_CALLER);
        position = rt_split_before_wait();
        rt_leave();
    } else if (turn) {
        atomic_fetch_add(&turn->arrivals, 1);
    }
    int result = turn ? wait_in_turn(barrier, turn, before) : real_pthread_barrier_wait()(barrier);
    if (entered)
        RT_EMIT(rt_split_after_wait(position); rt_receive(barrier, phase, RT_CALLER));
    return result;
}
