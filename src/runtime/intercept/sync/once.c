/* What is done once: pthread_once, call_once, and static objects of C++ functions. The end of the
 * initialiser happens before every return.
 *
 * Inferred blocks are split there. Who happens to come first initialises, on behalf of all: others
 * who use what is there now, before the block is over, have not cut it. Nor was a thread cut that
 * looked before all was done, came here, and goes on with what another one has done meanwhile: it
 * would have waited for that. */
#define _GNU_SOURCE
#include "runtime/control/points.h"
#include "runtime/control/waiting.h"
#include "runtime/core/sync_events.h"
#include "runtime/intercept/interpose.h"

#include <pthread.h>
#include <threads.h>

RT_REAL(int, pthread_once, pthread_once_t *, void (*)(void))
RT_REAL(void, call_once, once_flag *, void (*)(void))

/* The initialiser has no argument, so what we need to know when it runs is here: the innermost call
 * of this thread. It lies on the stack of that call. */
struct call {
    const volatile void *control;
    void (*routine)(void);
    uintptr_t caller;
    struct call *outer;
};

static _Thread_local struct call *innermost __attribute__((tls_model("initial-exec")));

/* The sequence number with which an initialiser ended, by its control. Where two share a place, the
 * older one counts as done long ago. */
static struct done {
    _Atomic(const volatile void *) control;
    _Atomic uint64_t sequence;
} all_done[1024];

static struct done *find_done(const volatile void *control) {
    uint64_t mixed = (uint64_t)(uintptr_t)control * UINT64_C(0x9e3779b97f4a7c15);
    return &all_done[mixed >> 54];
}

/* The newest number that this thread knows. Where the interposed functions are tested alone, there
 * is no thread. */
static uint64_t present(void) {
    return rt_self ? rt_self->sequence : 0;
}

/* Has this thread learned of nothing since then? To be asked before it receives. */
static bool was_done_meanwhile(const volatile void *control) {
    const struct done *done = find_done(control);
    return atomic_load(&done->control) == control && atomic_load(&done->sequence) > present();
}

static void send(const volatile void *control, uintptr_t caller) {
    rt_send(control, 0, caller);
    struct done *done = find_done(control);
    atomic_store(&done->sequence, present());
    atomic_store(&done->control, control);
}

static void finish(const struct call *call) {
    RT_EMIT(send(call->control, call->caller); rt_split_by(call->caller));
}

/* An initialiser that is left by an exception or cancelled lets another thread try again, which
 * comes after it too. */
static void run(void) {
    __attribute__((cleanup(finish))) const struct call call = *innermost;
    call.routine();
}

static void come_back(const struct call *call) {
    innermost = call->outer;
    rt_unblock(call->control);
}

static void split_and_receive(const volatile void *object, uintptr_t caller) {
    if (was_done_meanwhile(object))
        rt_split_by(caller);
    rt_receive(object, 0, caller);
}

static void receive(const volatile void *object, uintptr_t caller) {
    RT_EMIT(split_and_receive(object, caller));
}

/* In controlled runs: while another thread is at it, as glibc notes in the control. */
static void wait_for_turn(const volatile void *control, uintptr_t caller) {
    enum { AT_WORK = 1, STATES = 3 };
    if (!rt_takes_turns())
        return;
    rt_point(ST_POINT_ONCE, control, 1, caller);
    while ((*(const volatile int *)control & STATES) == AT_WORK)
        rt_block_until(control, 0, RT_FOREVER);
}

RT_EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void)) {
    __attribute__((cleanup(come_back))) struct call call = {control, routine, RT_CALLER, innermost};
    innermost = &call;
    wait_for_turn(control, RT_CALLER);
    int result = real_pthread_once()(control, run);
    if (result == 0)
        receive(control, RT_CALLER);
    return result;
}

RT_EXPORT void call_once(once_flag *flag, void (*routine)(void)) {
    __attribute__((cleanup(come_back))) struct call call = {flag, routine, RT_CALLER, innermost};
    if (!real_call_once())
        return;
    innermost = &call;
    wait_for_turn(flag, RT_CALLER);
    real_call_once()(flag, run);
    receive(flag, RT_CALLER);
}

/* ---- static objects of C++ functions ---- */

RT_REAL(int, __cxa_guard_acquire, uint64_t *)
RT_REAL(void, __cxa_guard_release, uint64_t *)
RT_REAL(void, __cxa_guard_abort, uint64_t *)

RT_EXPORT int __cxa_guard_acquire(uint64_t *guard);
RT_EXPORT void __cxa_guard_release(uint64_t *guard);
RT_EXPORT void __cxa_guard_abort(uint64_t *guard);

/* In controlled runs: while another thread is at it, as libstdc++ notes in the guard. */
static void wait_for_guard(const uint64_t *guard, uintptr_t caller) {
    enum { DONE = 1, AT_WORK = 0x100 };
    if (!rt_takes_turns())
        return;
    rt_point(ST_POINT_ONCE, guard, 1, caller);
    while ((*(const volatile int *)(const void *)guard & (DONE | AT_WORK)) == AT_WORK)
        rt_block_until(guard, 0, RT_FOREVER);
}

/* 1: the caller has to initialise; then it comes after those who tried and gave up. */
RT_EXPORT int __cxa_guard_acquire(uint64_t *guard) {
    wait_for_guard(guard, RT_CALLER);
    int result = real___cxa_guard_acquire()(guard);
    receive(guard, RT_CALLER);
    return result;
}

/* Once the object is there, compiled code no longer calls us but looks at the first byte of the
 * guard itself, with an atomic load. libstdc++ sets that byte unseen. It is no data: a thread that
 * finds it unset, and then waits for the thread that initialises, was not violated by that. */
RT_EXPORT void __cxa_guard_release(uint64_t *guard) {
    RT_EMIT(send(guard, RT_CALLER); rt_mark_guard(guard); rt_split_by(RT_CALLER));
    real___cxa_guard_release()(guard);
    rt_unblock(guard);
}

RT_EXPORT void __cxa_guard_abort(uint64_t *guard) {
    RT_EMIT(rt_send(guard, 0, RT_CALLER));
    real___cxa_guard_abort()(guard);
    rt_unblock(guard);
}
