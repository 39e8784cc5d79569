/* Threads that wait where we cannot see it: in the kernel, or in code that is not ours. */
#ifndef SERIATIM_RUNTIME_CONTROL_WATCHDOG_H
#define SERIATIM_RUNTIME_CONTROL_WATCHDOG_H

#include "runtime/control/runner.h"

/* Something was decided: whoever has the baton is not stuck. */
void rt_beat(void);

/* One of the parked threads looks after the one with the baton: the last to give it away. With the
 * lock. */
void rt_watchdog_take(struct rt_runner *me, const struct rt_runner *next);
void rt_watchdog_resign(struct rt_runner *me);

/* For how long this parked thread sleeps; NULL: until it is woken. Then it looks. */
const struct timespec *rt_watchdog_nap(const struct rt_runner *me);
void rt_watchdog(struct rt_runner *me);

/* With the lock: is what somebody waits for outside there by now? */
bool rt_look_outside(void);
bool rt_is_somebody_outside(void);

/* A thread runs that does not take turns. */
void rt_note_stranger(void);

#endif
