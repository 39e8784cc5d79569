/* How a controlled run ends, when it does not end by itself. */
#define _GNU_SOURCE
#include "runtime/control/endings.h"
#include "runtime/control/outside/outside.h"
#include "runtime/control/runners.h"
#include "runtime/control/waiting.h"
#include "runtime/core/system_call.h"

#include <stdio.h>
#include <sys/syscall.h>

void rt_note_end_of_input(void) {
    if (rt_controlled && feof_unlocked(stdin))
        rt_note_input();
}

void rt_log_all(void) {
    for (const struct rt_runner *runner = rt_control.live; runner; runner = runner->next_live)
        rt_log_runner(runner);
    rt_control.log->events = rt_control.events;
    rt_note_end_of_input();
}

_Noreturn void rt_end_run(enum st_control_end end) {
    rt_log_all();
    rt_control.log->end = end;
    if (rt_head) {
        rt_note_exit(ST_CONTROL_STATUS);
        atomic_store(&rt_head->ended, 1);
    }
    for (;;)
        rt_system_call(SYS_exit_group, ST_CONTROL_STATUS, 0, 0, 0, 0, 0);
}

/* So many events were spent in vain by all who can go on, with nobody who sleeps or is outside, and
 * no other process that they may look for. */
enum { VAIN = 2 * 1000 * 1000 };

void rt_check_length(void) {
    const struct st_control_plan *plan = rt_control.plan;
    if (plan->most_points && rt_control.log->points > plan->most_points)
        rt_end_run(ST_END_TOO_LONG);
    if (rt_control.vain > VAIN && !rt_control.timed_count && !rt_is_somebody_outside() &&
        !rt_control.foreign && !rt_has_client())
        rt_end_run(ST_END_LIVELOCK);
}

/* Somebody may have released unseen what others wait for: so they try once more before this is a
 * deadlock. A thread that has ended may still hold a robust mutex until the kernel has done with
 * it. */
void rt_nobody_can(void) {
    static uint64_t tried = UINT64_MAX;
    if (tried != rt_control.events) {
        tried = rt_control.events;
        rt_retry_all();
        if (rt_control.ready_count)
            return;
    }
    rt_end_run(ST_END_DEADLOCK);
}
