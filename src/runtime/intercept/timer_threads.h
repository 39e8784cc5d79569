/* Timers that start a thread each time they fire (SIGEV_THREAD), in controlled runs. */
#ifndef SERIATIM_RUNTIME_INTERCEPT_TIMER_THREADS_H
#define SERIATIM_RUNTIME_INTERCEPT_TIMER_THREADS_H

#include <signal.h>
#include <stdbool.h>
#include <time.h>

/* Makes one. What measures its time is the descriptor of a timer, which is set for it. false: that
 * cannot be done. */
bool rt_start_timer_threads(clockid_t clock, const struct sigevent *event, timer_t timer);

/* That descriptor; -1: it is no such timer. */
int rt_descriptor_of_timer(timer_t timer);

/* The timer is deleted; false: it is no such timer. */
bool rt_end_timer_threads(timer_t timer);

#endif
