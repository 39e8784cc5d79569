/* What comes from outside of the program, and threads that wait for it in the kernel. */
#ifndef SERIATIM_RUNTIME_CONTROL_OUTSIDE_OUTSIDE_H
#define SERIATIM_RUNTIME_CONTROL_OUTSIDE_OUTSIDE_H

#include "runtime/control/runner.h"

#include <time.h>

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

/* ---- for control/ alone: with the lock ---- */

/* Nobody can go on, and `rt_control.last` was the last: is what somebody waits for outside there by
 * now? Then it can. */
bool rt_look_outside(void);
bool rt_is_somebody_outside(void);
/* Before a decision: what the plan says comes here, or what a strategy notices. Lets go of the lock
 * while it waits for that. */
void rt_take_arrivals(struct rt_runner *me);
/* Waits until it is there, without the lock. false: for too long. */
bool rt_wait_really(bool (*is_there)(const void *what), const void *what);
/* It waits for no descriptor any more. */
void rt_unlink_outside(struct rt_runner *runner);
/* Without the lock: sleeps until a descriptor is ready, or for that long. */
void rt_sleep_outside(const struct timespec *nap);

/* The program reads from standard input. */
void rt_note_input(void);

/* Is there a client that takes turns with the program? */
static inline bool rt_has_client(void) {
    return atomic_load(rt_control.client) != ST_CLIENT_NONE;
}
/* Nobody can go on, or all spin: it is the client's turn, unless it has it already. */
void rt_ask_client(void);

#endif
