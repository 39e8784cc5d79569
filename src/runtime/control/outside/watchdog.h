/* Threads that wait where we cannot see it: in the kernel, or in code that is not ours. */
#ifndef SERIATIM_RUNTIME_CONTROL_OUTSIDE_WATCHDOG_H
#define SERIATIM_RUNTIME_CONTROL_OUTSIDE_WATCHDOG_H

#include "runtime/control/runner.h"

/* Something was decided: whoever has the baton is not stuck. */
void rt_beat(void);

/* One of the parked threads looks after the one with the baton: the last to give it away. With the
 * lock. */
void rt_watchdog_take(struct rt_runner *me, const struct rt_runner *next);
void rt_watchdog_resign(struct rt_runner *me);
/* It is about to park for the first time: if nobody is on watch, it is. Without the lock. */
void rt_watchdog_offer(struct rt_runner *me);
/* Nobody has the baton, and who had it has gone outside. Without the lock. */
void rt_watchdog_wanted(void);

/* Is it its watch? Then it sleeps for a while, and looks after the others. */
bool rt_is_on_watch(const struct rt_runner *me);
void rt_watchdog(struct rt_runner *me);

#endif
