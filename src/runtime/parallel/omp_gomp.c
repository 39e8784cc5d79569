/* Parallel regions of the GNU OpenMP runtime: what gcc makes of `#pragma omp parallel` and of all
 * that a team does together. omp_tasks.c has tasks, omp_locks.c critical sections and locks.
 *
 * The function that a region consists of is called through one of ours, with an argument of ours,
 * in each member. The argument lies on the stack of the thread that began the region, which does
 * not go on before all members have ended. */
#define _GNU_SOURCE
#include "runtime/parallel/omp_model.h"

#include <stdarg.h>

typedef void code(void *);

#define REAL(result, name, ...) RT_REAL_FROM(rt_real_omp, result, name, __VA_ARGS__)

struct region {
    uintptr_t *reductions; /* what the runtime expects at the start of the argument, if anything */
    code *body;
    void *data;
    struct rt_team *team;
};

static void run_member(void *argument) {
    const struct region *region = argument;
    struct rt_task *member = rt_member_begin(region->team);
    region->body(region->data);
    rt_member_end(member);
}

static struct region begin_region(code *body, void *data, uintptr_t caller) {
    return (struct region){
        .body = body, .data = data, .team = rt_ompt_is_active ? NULL : rt_team_fork(caller)};
}

/* `...`: the arguments behind the first two. */
#define REGION(name, ...)                                                                          \
    struct region region = begin_region(body, data, RT_CALLER);                                    \
    if (!region.team) {                                                                            \
        real_##name()(body, data, __VA_ARGS__);                                                    \
        return;                                                                                    \
    }                                                                                              \
    real_##name()(run_member, &region, __VA_ARGS__);                                               \
    rt_team_join(region.team, RT_CALLER)

REAL(void, GOMP_parallel, code *, void *, unsigned, unsigned)
REAL(unsigned, GOMP_parallel_reductions, code *, void *, unsigned, unsigned)
REAL(void, GOMP_parallel_sections, code *, void *, unsigned, unsigned, unsigned)
REAL(void, GOMP_teams_reg, code *, void *, unsigned, unsigned, unsigned)

RT_EXPORT void GOMP_parallel(code *body, void *data, unsigned threads, unsigned flags);
RT_EXPORT void GOMP_parallel(code *body, void *data, unsigned threads, unsigned flags) {
    REGION(GOMP_parallel, threads, flags);
}

RT_EXPORT unsigned GOMP_parallel_reductions(code *body, void *data, unsigned threads,
                                            unsigned flags);
RT_EXPORT unsigned GOMP_parallel_reductions(code *body, void *data, unsigned threads,
                                            unsigned flags) {
    struct region region = begin_region(body, data, RT_CALLER);
    if (!region.team)
        return real_GOMP_parallel_reductions()(body, data, threads, flags);
    region.reductions = *(uintptr_t **)data;
    unsigned result = real_GOMP_parallel_reductions()(run_member, &region, threads, flags);
    rt_team_join(region.team, RT_CALLER);
    return result;
}

RT_EXPORT void GOMP_parallel_sections(code *body, void *data, unsigned threads, unsigned count,
                                      unsigned flags);
RT_EXPORT void GOMP_parallel_sections(code *body, void *data, unsigned threads, unsigned count,
                                      unsigned flags) {
    REGION(GOMP_parallel_sections, threads, count, flags);
}

RT_EXPORT void GOMP_teams_reg(code *body, void *data, unsigned teams, unsigned threads,
                              unsigned flags);
RT_EXPORT void GOMP_teams_reg(code *body, void *data, unsigned teams, unsigned threads,
                              unsigned flags) {
    REGION(GOMP_teams_reg, teams, threads, flags);
}

#define LOOP(name)                                                                                 \
    REAL(void, name, code *, void *, unsigned, long, long, long, long, unsigned)                   \
    RT_EXPORT void name(code *body, void *data, unsigned threads, long start, long end, long step, \
                        long chunk, unsigned flags);                                               \
    RT_EXPORT void name(code *body, void *data, unsigned threads, long start, long end, long step, \
                        long chunk, unsigned flags) {                                              \
        REGION(name, threads, start, end, step, chunk, flags);                                     \
    }

LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)

/* Its chunks are as the environment says. */
#define RUNTIME_LOOP(name)                                                                         \
    REAL(void, name, code *, void *, unsigned, long, long, long, unsigned)                         \
    RT_EXPORT void name(code *body, void *data, unsigned threads, long start, long end, long step, \
                        unsigned flags);                                                           \
    RT_EXPORT void name(code *body, void *data, unsigned threads, long start, long end, long step, \
                        unsigned flags) {                                                          \
        REGION(name, threads, start, end, step, flags);                                            \
    }

RUNTIME_LOOP(GOMP_parallel_loop_runtime)
RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/* ---- regions as gcc before 4.9 began them ---- */

/* The first function lets the others begin, the caller does its share itself, and the second
 * function waits for them. */
static void run_other(void *argument) {
    struct rt_team *team = argument;
    struct rt_task *member = rt_member_begin(team);
    void **room = rt_team_room(team);
    ((code *)room[0])(room[1]);
    rt_member_end(member);
}

static struct rt_team *begin_old_region(code *body, void *data, uintptr_t caller) {
    struct rt_team *team = rt_ompt_is_active ? NULL : rt_team_fork(caller);
    if (team) {
        rt_team_room(team)[0] = (void *)body;
        rt_team_room(team)[1] = data;
    }
    return team;
}

#define OLD_REGION(name, ...)                                                                      \
    struct rt_team *team = begin_old_region(body, data, RT_CALLER);                                \
    if (!team) {                                                                                   \
        real_##name()(body, data, __VA_ARGS__);                                                    \
        return;                                                                                    \
    }                                                                                              \
    real_##name()(run_other, team, __VA_ARGS__);                                                   \
    rt_member_begin(team)

REAL(void, GOMP_parallel_start, code *, void *, unsigned)
REAL(void, GOMP_parallel_sections_start, code *, void *, unsigned, unsigned)
REAL(void, GOMP_parallel_loop_runtime_start, code *, void *, unsigned, long, long, long)
REAL(void, GOMP_parallel_end, void)

RT_EXPORT void GOMP_parallel_start(code *body, void *data, unsigned threads);
RT_EXPORT void GOMP_parallel_start(code *body, void *data, unsigned threads) {
    OLD_REGION(GOMP_parallel_start, threads);
}

RT_EXPORT void GOMP_parallel_sections_start(code *body, void *data, unsigned threads,
                                            unsigned count);
RT_EXPORT void GOMP_parallel_sections_start(code *body, void *data, unsigned threads,
                                            unsigned count) {
    OLD_REGION(GOMP_parallel_sections_start, threads, count);
}

RT_EXPORT void GOMP_parallel_loop_runtime_start(code *body, void *data, unsigned threads,
                                                long start, long end, long step);
RT_EXPORT void GOMP_parallel_loop_runtime_start(code *body, void *data, unsigned threads,
                                                long start, long end, long step) {
    OLD_REGION(GOMP_parallel_loop_runtime_start, threads, start, end, step);
}

#define OLD_LOOP(name)                                                                             \
    REAL(void, name, code *, void *, unsigned, long, long, long, long)                             \
    RT_EXPORT void name(code *body, void *data, unsigned threads, long start, long end, long step, \
                        long chunk);                                                               \
    RT_EXPORT void name(code *body, void *data, unsigned threads, long start, long end, long step, \
                        long chunk) {                                                              \
        OLD_REGION(name, threads, start, end, step, chunk);                                        \
    }

OLD_LOOP(GOMP_parallel_loop_static_start)
OLD_LOOP(GOMP_parallel_loop_dynamic_start)
OLD_LOOP(GOMP_parallel_loop_guided_start)

RT_EXPORT void GOMP_parallel_end(void);
RT_EXPORT void GOMP_parallel_end(void) {
    struct rt_task *member = rt_ompt_is_active ? NULL : rt_task_current();
    struct rt_team *team = member ? rt_task_team(member) : NULL;
    rt_member_end(member);
    real_GOMP_parallel_end()();
    if (team)
        rt_team_join(team, RT_CALLER);
}

/* ---- what a team waits for ---- */

static bool begin_barrier(uintptr_t caller) {
    if (rt_ompt_is_active)
        return false;
    rt_team_barrier_begin(caller);
    return true;
}

#define BARRIER(name)                                                                              \
    REAL(void, name, void)                                                                         \
    RT_EXPORT void name(void);                                                                     \
    RT_EXPORT void name(void) {                                                                    \
        bool seen = begin_barrier(RT_CALLER);                                                      \
        real_##name()();                                                                           \
        if (seen)                                                                                  \
            rt_team_barrier_end(RT_CALLER);                                                        \
    }

BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)

/* Once the region is cancelled, members leave their barriers for its end. */
#define CANCELLABLE_BARRIER(name)                                                                  \
    REAL(bool, name, void)                                                                         \
    RT_EXPORT bool name(void);                                                                     \
    RT_EXPORT bool name(void) {                                                                    \
        bool seen = begin_barrier(RT_CALLER);                                                      \
        bool cancelled = real_##name()();                                                          \
        if (seen)                                                                                  \
            rt_team_barrier_end(RT_CALLER);                                                        \
        return cancelled;                                                                          \
    }

CANCELLABLE_BARRIER(GOMP_barrier_cancel)
CANCELLABLE_BARRIER(GOMP_loop_end_cancel)
CANCELLABLE_BARRIER(GOMP_sections_end_cancel)

/* `single copyprivate`: one member gets NULL here and calls the second function after its work; the
 * others wait for that in the first. Together it is one barrier. */
REAL(void *, GOMP_single_copy_start, void)
REAL(void, GOMP_single_copy_end, void *)

RT_EXPORT void *GOMP_single_copy_start(void);
RT_EXPORT void *GOMP_single_copy_start(void) {
    bool seen = begin_barrier(RT_CALLER);
    void *data = real_GOMP_single_copy_start()();
    if (seen && data)
        rt_team_barrier_end(RT_CALLER);
    else if (seen && rt_task_current())
        rt_work_resume();
    return data;
}

RT_EXPORT void GOMP_single_copy_end(void *data);
RT_EXPORT void GOMP_single_copy_end(void *data) {
    bool seen = begin_barrier(RT_CALLER);
    real_GOMP_single_copy_end()(data);
    if (seen)
        rt_team_barrier_end(RT_CALLER);
}

/* The runtime lets the next iteration in when this one asks for more work, after its end. */
REAL(void, GOMP_ordered_start, void)
REAL(void, GOMP_ordered_end, void)
REAL(void, GOMP_doacross_post, long *)
REAL(void, GOMP_doacross_wait, long, ...)
REAL(void, GOMP_doacross_ull_post, unsigned long long *)
REAL(void, GOMP_doacross_ull_wait, unsigned long long, ...)

RT_EXPORT void GOMP_ordered_start(void);
RT_EXPORT void GOMP_ordered_start(void) {
    real_GOMP_ordered_start()();
    rt_team_receive(ST_CHANNEL_ORDERED, RT_CALLER);
}

RT_EXPORT void GOMP_ordered_end(void);
RT_EXPORT void GOMP_ordered_end(void) {
    rt_team_send(ST_CHANNEL_ORDERED, RT_CALLER);
    real_GOMP_ordered_end()();
}

RT_EXPORT void GOMP_doacross_post(long *counts);
RT_EXPORT void GOMP_doacross_post(long *counts) {
    rt_team_send(ST_CHANNEL_DOACROSS, RT_CALLER);
    real_GOMP_doacross_post()(counts);
}

RT_EXPORT void GOMP_doacross_ull_post(unsigned long long *counts);
RT_EXPORT void GOMP_doacross_ull_post(unsigned long long *counts) {
    rt_team_send(ST_CHANNEL_DOACROSS, RT_CALLER);
    real_GOMP_doacross_ull_post()(counts);
}

/* There is a number for each loop of the nest. How deep that is only the runtime knows, so as many
 * are handed on as anybody nests loops: gcc's own tests have 61. */
#define EIGHT(at)                                                                                  \
    rest[at], rest[at + 1], rest[at + 2], rest[at + 3], rest[at + 4], rest[at + 5], rest[at + 6],  \
        rest[at + 7]
#define DOACROSS_WAIT(name, type)                                                                  \
    RT_EXPORT void name(type first, ...);                                                          \
    RT_EXPORT void name(type first, ...) {                                                         \
        enum { REST = 64 };                                                                        \
        type rest[REST];                                                                           \
        va_list arguments;                                                                         \
        va_start(arguments, first);                                                                \
        for (int i = 0; i < REST; i++)                                                             \
            rest[i] = va_arg(arguments, type);                                                     \
        va_end(arguments);                                                                         \
        real_##name()(first, EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40),       \
                      EIGHT(48), EIGHT(56));                                                       \
        rt_team_receive(ST_CHANNEL_DOACROSS, RT_CALLER);                                           \
    }

DOACROSS_WAIT(GOMP_doacross_wait, long)
DOACROSS_WAIT(GOMP_doacross_ull_wait, unsigned long long)
