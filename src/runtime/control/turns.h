/* Controlled runs: one thread at a time, and the runtime says which (stream/control.h).
 *
 * What the interposed functions and callbacks of the other folders call. Each asks for its turn
 * before it does its operation (rt_point). One that would wait tries instead, and lets others go on
 * until it is worth another try (rt_block_until). What can make others ready is said afterwards
 * (rt_unblock). While the program runs freely all of these are a test of one variable. */
#ifndef SERIATIM_RUNTIME_CONTROL_TURNS_H
#define SERIATIM_RUNTIME_CONTROL_TURNS_H

#include "runtime/core/runtime.h"
#include "stream/control.h"

#include <time.h>

/* A thread that takes turns. */
struct rt_runner;

/* Does the calling thread take turns? Not if it is one that nobody saw begin, or a handler of a
 * signal has interrupted it at a point. */
bool rt_takes_turns_slow(void);
static inline bool rt_takes_turns(void) {
    return __builtin_expect(rt_controlled, 0) && rt_takes_turns_slow();
}

/* Before an operation: others may go first. errno stays. */
void rt_point_slow(enum st_control_kind kind, const volatile void *object, size_t size,
                   uintptr_t caller);
static inline void rt_point(enum st_control_kind kind, const volatile void *object, size_t size,
                            uintptr_t caller) {
    if (__builtin_expect(rt_controlled, 0))
        rt_point_slow(kind, object, size, caller);
}

/* ---- waiting.c ---- */

#define RT_FOREVER UINT64_MAX

/* How waiting ended. */
enum rt_woken {
    RT_WOKEN,     /* it is worth another try */
    RT_TIMED_OUT, /* the deadline has passed */
    RT_INTERRUPTED
};

/* The operation of the last point cannot be done now: lets others go on until somebody unblocks
 * this object or the deadline has come. For threads that take turns. `owner`: the kernel's id of
 * the thread that has the object; 0: not known. */
enum rt_woken rt_block_until(const volatile void *object, int owner, uint64_t deadline);

/* Whoever waits for this object may try again. */
void rt_unblock_slow(const volatile void *object);
static inline void rt_unblock(const volatile void *object) {
    if (__builtin_expect(rt_controlled, 0))
        rt_unblock_slow(object);
}

/* The lock was taken, for reading or alone: those who are about to take it cannot go on. */
void rt_taken(const volatile void *lock, bool shared);

/* What this thread did has changed something that others may wait for. */
void rt_changed_slow(void);
static inline void rt_changed(void) {
    if (__builtin_expect(rt_controlled, 0))
        rt_changed_slow();
}

/* Waiting until somebody wakes this thread in particular, at a condition or a futex. The first
 * comes before the mutex is released, so that no wake-up is lost. */
void rt_queue(const volatile void *object, uint64_t deadline);
enum rt_woken rt_queue_wait(void);
/* Wakes at most so many of those in the queue of this object; returns how many. */
unsigned rt_queue_wake(const volatile void *object, unsigned most);

/* ---- runners.c ---- */

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

/* ---- crashes.c ---- */

/* The process is about to be ended by this signal, for what is done at this place. */
void rt_crashes_at(int number, uintptr_t place);

/* ---- virtual_time.c ---- */

/* When the clock of the program will show that, in the time of controlled runs. */
uint64_t rt_deadline(clockid_t clock, const struct timespec *until);
uint64_t rt_deadline_after(uint64_t nanoseconds);

/* For threads that take turns: until the deadline. */
enum rt_woken rt_sleep_until(uint64_t deadline, uintptr_t caller);

/* What the clock shows, in nanoseconds; false: what it really shows. Who looks again and again
 * waits for time to pass: each look lets it. */
bool rt_read_clock(clockid_t clock, uint64_t *now, uintptr_t caller);

/* ---- timers.c ---- */

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

/* ---- signals.c ---- */

/* A thread (a pthread_t), or 0: any of the process, was sent a signal, or a request to cancel. */
void rt_signal_sent(uintptr_t thread, int number);
void rt_cancel_sent(uintptr_t thread);

/* In controlled runs a signal with a handler is blocked, whatever the program says, and handled at
 * a point. The mask that the program sees, as bits; and what to do when it sets another one. The
 * new one is in force when a thread that takes turns returns from it. */
uint64_t rt_signal_mask(void);
void rt_set_signal_mask(uint64_t mask);

/* The signal has a handler now, or none. */
void rt_handler_set(int number, bool handler);

/* A jump out of what may be a handler, to a frame with this stack pointer. */
void rt_handler_left(uintptr_t stack);

/* Around the start of another program, which would inherit what is blocked. */
void rt_show_signals(void);
void rt_hide_signals(void);

/* Another mask, and the one before instead of it. true: a handler has run. */
bool rt_swap_signal_mask(uint64_t *mask);

/* Until a handler of this thread has run, with another mask unless that is NULL. */
void rt_wait_for_handler(const uint64_t *mask, uintptr_t caller);

/* Until one of these signals is pending; its number is taken by a call that does not wait. */
enum rt_woken rt_wait_for_signals(uint64_t set, uint64_t deadline, uintptr_t caller);
void rt_signal_taken(int number);

/* ---- outside.c ---- */

/* A file is about to be opened: it matters if that is the terminal, as there is none. */
void rt_opens_slow(const char *path);
static inline void rt_opens(const char *path) {
    if (__builtin_expect(rt_controlled, 0))
        rt_opens_slow(path);
}

/* Around a call that may wait in the kernel for something outside of the program: others go on
 * meanwhile. The first returns false for a thread that does not take turns; then nothing is to be
 * done. */
bool rt_go_outside(uintptr_t caller);
void rt_come_inside(void);

/* From now on other processes may send something to this one: when it is noticed is a decision. */
void rt_others_run(void);
void rt_others_may_connect(void);
void rt_other_has_connected(void);

/* Something that comes from outside. It is looked at by any thread. */
struct pollfd;
struct rt_awaited {
    bool (*is_there)(const struct rt_awaited *awaited);
    struct pollfd *descriptors; /* of which one must be ready; NULL: none */
    size_t count;
    bool may_be_ours; /* threads of the program send it, too: then it is noticed at once, unless
                         other processes run */
    bool at_once;     /* it is no decision to go on if it is there already */
};

/* Lets others go on until it is there, or the deadline has come. */
enum rt_woken rt_await(const struct rt_awaited *awaited, uint64_t deadline, uintptr_t caller);

/* A look that does not wait, which programs repeat until something is there: is it? While other
 * processes run, the answer is a decision. true also for threads that do not take turns. */
bool rt_look_at(const struct rt_awaited *awaited, uintptr_t caller);
/* The same at descriptors. */
bool rt_look_at_descriptors(struct pollfd *descriptors, size_t count, uintptr_t caller);
/* Do other processes run, which may use what is shared with them? */
bool rt_do_others_run(void);

/* Before a call that waits until one of these descriptors is ready: lets others go on until that is
 * so or the deadline has come. A single descriptor that never waits is left alone. */
enum rt_woken rt_wait_for(struct pollfd *descriptors, size_t count, uint64_t deadline,
                          uintptr_t caller);
/* false: the call is not to be made, since a handler has run, or nothing is there for a descriptor
 * that does not wait; errno says which. */
bool rt_wait_for_one_slow(int descriptor, short events, uintptr_t caller);
static inline bool rt_wait_for_one(int descriptor, short events, uintptr_t caller) {
    return !__builtin_expect(rt_controlled, 0) || rt_wait_for_one_slow(descriptor, events, caller);
}

/* Something will be written, and was: another thread may wait for it. */
void rt_will_write_slow(void);
void rt_written_slow(void);
static inline void rt_written(void) {
    if (__builtin_expect(rt_controlled, 0))
        rt_written_slow();
}

#endif
