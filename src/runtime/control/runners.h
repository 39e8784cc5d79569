/* The threads that take turns: their beginning, their end, and who can go on. */
#ifndef SERIATIM_RUNTIME_CONTROL_RUNNERS_H
#define SERIATIM_RUNTIME_CONTROL_RUNNERS_H

#include "runtime/control/runner.h"

/* A thread is about to be created; NULL: it will not take turns. It begins with rt_runner_begin,
 * unless its creation fails. */
struct rt_runner *rt_runner_new(void);
/* Its pthread_t, before anybody else can know that. */
void rt_runner_is(struct rt_runner *runner, uintptr_t thread);
void rt_runner_failed(struct rt_runner *runner);
void rt_runner_begin(struct rt_runner *runner);
void rt_runner_end(void);

/* Waits until it has ended. */
/* Without waiting: has it? Then joining it takes no more than a moment. */
bool rt_runner_has_ended(const struct rt_runner *runner);
enum rt_woken rt_runner_join(const struct rt_runner *runner, uint64_t deadline, uintptr_t caller);

/* Is it a thread that takes turns, and has not ended? By the kernel's id. */
bool rt_is_running(int tid);

/* The process is about to end: the others may go on before. */
void rt_point_of_exit(uintptr_t caller);

/* ---- for control/ alone: with the lock ---- */

void rt_first_runner(void);
void rt_make_ready(struct rt_runner *runner);
void rt_make_unready(struct rt_runner *runner, enum st_control_thread_state state);
void rt_add_deadline(struct rt_runner *runner, uint64_t deadline);
void rt_drop_deadline(struct rt_runner *runner);

/* Writes down how it stands. */
void rt_log_runner(const struct rt_runner *runner);
struct rt_runner *rt_runner_with_tid(int tid);

#endif
