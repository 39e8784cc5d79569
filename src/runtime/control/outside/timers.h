/* Timers of the program, in virtual time. */
#ifndef SERIATIM_RUNTIME_CONTROL_OUTSIDE_TIMERS_H
#define SERIATIM_RUNTIME_CONTROL_OUTSIDE_TIMERS_H

#include "runtime/control/runner.h"

/* Timers of the program in virtual time: `id` is what `kind` calls it. They send a signal, or make
 * a descriptor ready. Times are nanoseconds; 0: it is stopped. */
enum rt_timer_kind { RT_TIMER_ALARM, RT_TIMER_POSIX, RT_TIMER_DESCRIPTOR };
struct rt_timer_setting {
    uint64_t left, interval;
};
/* false: there is no such timer, or time is real. `before` may be NULL. */
bool rt_timer_new(enum rt_timer_kind kind, uintptr_t id, int signal, uintptr_t value);
bool rt_timer_set(enum rt_timer_kind kind, uintptr_t id, const struct rt_timer_setting *setting,
                  struct rt_timer_setting *before);
bool rt_timer_get(enum rt_timer_kind kind, uintptr_t id, struct rt_timer_setting *now);
bool rt_timer_delete(enum rt_timer_kind kind, uintptr_t id);

/* Does virtual time pass? */
bool rt_time_is_virtual(void);

/* ---- for control/ alone: with the lock ---- */

/* The deadline of the timer that is next; RT_FOREVER: none. */
uint64_t rt_next_timer(void);
/* That timer fires. */
void rt_fire_next_timer(void);
/* One with this signal fires, if there is any. */
bool rt_fire_timer_with(int number);
/* The signal of any of them; 0: there is none that has one. */
int rt_any_timer_signal(void);

#endif
