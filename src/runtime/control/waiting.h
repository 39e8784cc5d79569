/* Threads that wait for each other: for a lock, a condition, a semaphore. */
#ifndef SERIATIM_RUNTIME_CONTROL_WAITING_H
#define SERIATIM_RUNTIME_CONTROL_WAITING_H

#include "runtime/control/runner.h"

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

/* ---- for control/ alone: with the lock ---- */

/* It waits for nothing any more. */
void rt_unlink_blocked(struct rt_runner *runner);
void rt_retry_all(void);

#endif
