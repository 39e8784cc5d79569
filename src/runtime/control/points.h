/* Controlled runs: one thread at a time, and the runtime says which (stream/control.h).
 *
 * What the interposed functions and callbacks of the other folders call. Each asks for its turn
 * before it does its operation (rt_point). One that would wait tries instead, and lets others go on
 * until it is worth another try (rt_block_until). What can make others ready is said afterwards
 * (rt_unblock). While the program runs freely all of these are a test of one variable. */
#ifndef SERIATIM_RUNTIME_CONTROL_POINTS_H
#define SERIATIM_RUNTIME_CONTROL_POINTS_H

#include "runtime/control/runner.h"

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

/* ---- for control/ alone ---- */

/* Another event of this thread. */
void rt_count_event(struct rt_runner *me, const struct rt_place *place);

#endif
