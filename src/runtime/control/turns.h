/* Controlled runs: one thread at a time, and the runtime says which (stream/control.h).
 *
 * What the interposed functions and callbacks of the other folders call. Each asks for its turn
 * before it does its operation (rt_point). One that would wait tries instead, and lets others go on
 * until it is worth another try (rt_block_until). What can make others ready is said afterwards
 * (rt_unblock). While the program runs freely all of these are a test of one variable. */
#ifndef SERIATIM_RUNTIME_CONTROL_TURNS_H
#define SERIATIM_RUNTIME_CONTROL_TURNS_H

#include "runtime/core/runtime.h"
#include "stream/control.h"

#include <time.h>

/* A thread that takes turns. */
struct rt_runner;

/* Does the calling thread take turns? Not if it is one that nobody saw begin, or a handler of a
 * signal has interrupted it at a point. */
bool rt_takes_turns_slow(void);
static inline bool rt_takes_turns(void) {
    return __builtin_expect(rt_controlled, 0) && rt_takes_turns_slow();
}

/* Before an operation: others may go first. errno stays. */
void rt_point_slow(enum st_control_kind kind, const volatile void *object, size_t size,
                   uintptr_t caller);
static inline void rt_point(enum st_control_kind kind, const volatile void *object, size_t size,
                            uintptr_t caller) {
    if (__builtin_expect(rt_controlled, 0))
        rt_point_slow(kind, object, size, caller);
}

/* ---- waiting.c ---- */

#define RT_FOREVER UINT64_MAX

/* How waiting ended. */
enum rt_woken {
    RT_WOKEN,     /* it is worth another try */
    RT_TIMED_OUT, /* the deadline has passed */
    RT_INTERRUPTED
};

/* The operation of the last point cannot be done now: lets others go on until somebody unblocks
 * this object or the deadline has come. For threads that take turns. `owner`: the kernel's id of
 * the thread that has the object; 0: not known. */
enum rt_woken rt_block_until(const volatile void *object, int owner, uint64_t deadline);

/* Whoever waits for this object may try again. */
void rt_unblock_slow(const volatile void *object);
static inline void rt_unblock(const volatile void *object) {
    if (__builtin_expect(rt_controlled, 0))
        rt_unblock_slow(object);
}

/* The lock was taken, for reading or alone: those who are about to take it cannot go on. */
void rt_taken(const volatile void *lock, bool shared);

/* What this thread did has changed something that others may wait for. */
void rt_changed_slow(void);
static inline void rt_changed(void) {
    if (__builtin_expect(rt_controlled, 0))
        rt_changed_slow();
}

/* Waiting until somebody wakes this thread in particular, at a condition or a futex. The first
 * comes before the mutex is released, so that no wake-up is lost. */
void rt_queue(const volatile void *object, uint64_t deadline);
enum rt_woken rt_queue_wait(void);
/* Wakes at most so many of those in the queue of this object; returns how many. */
unsigned rt_queue_wake(const volatile void *object, unsigned most);

/* ---- runners.c ---- */

/* A thread is about to be created; NULL: it will not take turns. It begins with rt_runner_begin,
 * unless its creation fails. */
struct rt_runner *rt_runner_new(void);
void rt_runner_failed(struct rt_runner *runner);
void rt_runner_begin(struct rt_runner *runner);
void rt_runner_end(void);

/* Waits until it has ended. */
enum rt_woken rt_runner_join(const struct rt_runner *runner, uint64_t deadline, uintptr_t caller);

/* The process is about to end: the others may go on before. */
void rt_point_of_exit(uintptr_t caller);

/* ---- virtual_time.c ---- */

/* When the clock of the program will show that, in the time of controlled runs. */
uint64_t rt_deadline(clockid_t clock, const struct timespec *until);
uint64_t rt_deadline_after(uint64_t nanoseconds);

/* For threads that take turns: until the deadline. */
enum rt_woken rt_sleep_until(uint64_t deadline, uintptr_t caller);

/* What the clock shows, in nanoseconds; false: what it really shows. Who looks again and again
 * waits for time to pass: each look lets it. */
bool rt_read_clock(clockid_t clock, uint64_t *now, uintptr_t caller);

/* ---- signals.c ---- */

/* A thread (a pthread_t), or 0: any of the process, was sent a signal, or a request to cancel. */
void rt_signal_sent(uintptr_t thread, int number);
void rt_cancel_sent(uintptr_t thread);

/* ---- outside.c ---- */

/* Around a call that may wait in the kernel for something outside of the program: others go on
 * meanwhile. The first returns false for a thread that does not take turns; then nothing is to be
 * done. */
bool rt_go_outside(uintptr_t caller);
void rt_come_inside(void);

/* Before a call that waits until one of these descriptors is ready: lets others go on until that is
 * so or the deadline has come. A single descriptor that never waits is left alone. */
struct pollfd;
enum rt_woken rt_wait_for(struct pollfd *descriptors, size_t count, uint64_t deadline,
                          uintptr_t caller);
void rt_wait_for_one_slow(int descriptor, short events, uintptr_t caller);
static inline void rt_wait_for_one(int descriptor, short events, uintptr_t caller) {
    if (__builtin_expect(rt_controlled, 0))
        rt_wait_for_one_slow(descriptor, events, caller);
}

/* Something was written: another thread may have waited for it. */
void rt_written_slow(void);
static inline void rt_written(void) {
    if (__builtin_expect(rt_controlled, 0))
        rt_written_slow();
}

#endif
