/* The time of controlled runs: it passes when nobody can go on. */
#ifndef SERIATIM_RUNTIME_CONTROL_OUTSIDE_VIRTUAL_TIME_H
#define SERIATIM_RUNTIME_CONTROL_OUTSIDE_VIRTUAL_TIME_H

#include "runtime/control/runner.h"

#include <time.h>

/* When the clock of the program will show that, in the time of controlled runs. */
uint64_t rt_deadline(clockid_t clock, const struct timespec *until);
uint64_t rt_deadline_after(uint64_t nanoseconds);

/* For threads that take turns: until the deadline. */
enum rt_woken rt_sleep_until(uint64_t deadline, uintptr_t caller);

/* What the clock shows, in nanoseconds; false: what it really shows. Who looks again and again
 * waits for time to pass: each look lets it. */
bool rt_read_clock(clockid_t clock, uint64_t *now, uintptr_t caller);

/* ---- for control/ alone: with the lock ---- */

/* While nobody had the baton, real time has passed. */
void rt_time_passed(uint64_t nanoseconds);
/* The waiting of one whose deadline is next ends. false: nobody has one, or it is for real time to
 * pass. */
bool rt_pass_time(void);
/* Can anybody go on later without the others: does it wait for time, or for what is outside? */
bool rt_is_anything_to_come(void);
/* Before a decision: perhaps somebody's waiting ends early. */
void rt_pass_time_early(struct rt_runner *me, uint32_t ordinal);
uint64_t rt_now(clockid_t clock);
uint64_t rt_real_nanoseconds(void);

#endif
