/* What OpenMP promises about order, as events: for the GNU runtime (omp_gomp*.c) and for LLVM's
 * (omp_ompt.c), which both say what happens in these words.
 *
 * A parallel region is a team. Its members begin after the fork and end before the join, and they
 * pass barriers together. Threads of a pool are not new threads of the program: all order is made
 * of channels, and each member's share is work of its own (ST_SPLIT_PAUSE). A task begins after its
 * creation and after the tasks that it depends on; taskwait, the end of a taskgroup and the next
 * barrier of its team come after its end.
 *
 * Functions come in pairs, before and after what the runtime does. All of them may be called where
 * no thread is watched; then they do nothing. */
#ifndef SERIATIM_RUNTIME_PARALLEL_OMP_MODEL_H
#define SERIATIM_RUNTIME_PARALLEL_OMP_MODEL_H

#include "runtime/intercept/interpose.h"

struct rt_team;
struct rt_task;

/* LLVM's runtime reports regions and tasks itself: the names of the GNU runtime, which it has too,
 * stand aside. */
extern bool rt_ompt_is_active;

/* The next definition of a function of an OpenMP runtime, wherever it was loaded from. */
void *rt_real_omp(const char *name);

/* Sees to it that OpenMP runtimes that are loaded by now take turns in controlled runs
 * (omp_stubs.c). */
void rt_control_omp(void);

/* ---- regions ---- */

/* Before the region begins: NULL if this thread is not watched. */
struct rt_team *rt_team_fork(uintptr_t caller);
/* Room for two words, for as long as it lasts. */
void **rt_team_room(struct rt_team *team);
/* After its end. */
void rt_team_join(struct rt_team *team, uintptr_t caller);

/* In each member. */
struct rt_task *rt_member_begin(struct rt_team *team);
void rt_member_end(struct rt_task *member);
/* The same where the last thing that it did was to arrive at a barrier: by now the region may have
 * ended, and another may be in its place. */
void rt_member_leave(struct rt_task *member);

/* ---- inside a region; nothing happens elsewhere ---- */

/* The task that this thread is at: an explicit one, or a member. NULL outside all regions. */
struct rt_task *rt_task_current(void);
struct rt_team *rt_task_team(const struct rt_task *task);

void rt_team_barrier_begin(uintptr_t caller);
void rt_team_barrier_end(uintptr_t caller);
/* The same for one that the thread has passed long ago. */
void rt_team_barrier_leave(void);

/* `channel`: ST_CHANNEL_ORDERED, ST_CHANNEL_DOACROSS or ST_CHANNEL_REDUCTION. */
void rt_team_send(unsigned channel, uintptr_t caller);    /* before others are let go */
void rt_team_receive(unsigned channel, uintptr_t caller); /* after the wait for others */

/* A reduction whose end nobody said is over (omp_llvm.c). */
void rt_reduction_end(void);

/* ---- tasks ---- */

/* Before it is created. NULL outside all regions, where its creator runs it at once. */
struct rt_task *rt_task_new(uintptr_t caller);
/* Its data were copied by code of the program since then, and it begins after that. */
void rt_task_copied(const struct rt_task *task);
/* One that is to do a part of another's work, and is as if it were created where that was. */
struct rt_task *rt_task_copy(const struct rt_task *task);
/* It never was, or its copies do its work and all of them have ended. */
void rt_task_drop(struct rt_task *task);
/* It is kept until its region ends, since its copies may run until then. */
void rt_task_keep(struct rt_task *task);

enum rt_dependence { RT_DEPENDS_OUT, RT_DEPENDS_IN };
void rt_task_depend(struct rt_task *task, const void *variable, enum rt_dependence kind);
/* This thread waited for what the task depends on. */
void rt_task_await_dependences(const struct rt_task *task, uintptr_t caller);

/* Its body. `task` may be NULL. */
void rt_task_begin(struct rt_task *task);
void rt_task_end(struct rt_task *task);

/* Is it on the stack of a thread? Members are. */
bool rt_task_is_running(const struct rt_task *task);

/* An untied task is to go on elsewhere; then it begins again. */
void rt_task_suspend(struct rt_task *task);

/* Around whatever may run other tasks in this thread: their creation, waits. */
void rt_work_pause(void);
void rt_work_resume(void);

/* In controlled runs, before the runtime would spin until tasks have ended: all children of the
 * current task, or those in its group. `run_task` runs one that this thread may run, if any. */
enum rt_awaited_tasks { RT_CHILDREN, RT_GROUP };
void rt_await_tasks(enum rt_awaited_tasks which, void (*run_task)(void));

void rt_taskwait_end(uintptr_t caller);
void rt_taskgroup_begin(void);
void rt_taskgroup_end(uintptr_t caller);

/* An event of a detached task: it may end here. */
void rt_task_fulfill(uintptr_t caller);

#endif
