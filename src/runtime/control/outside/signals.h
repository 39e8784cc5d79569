/* Signals: handled at points, and when is a decision. */
#ifndef SERIATIM_RUNTIME_CONTROL_OUTSIDE_SIGNALS_H
#define SERIATIM_RUNTIME_CONTROL_OUTSIDE_SIGNALS_H

#include "runtime/control/runner.h"

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

/* ---- for control/ alone: with the lock ---- */

/* Nobody can go on: is there a signal that somebody should handle? */
bool rt_look_for_signals(void);
/* Before a decision, as rt_take_arrivals. */
void rt_take_signals(struct rt_runner *me);
/* A signal came to the process: who will handle it can go on. */
void rt_signal_came(struct rt_runner *me, int number);
/* Of the first thread. */
void rt_first_mask(struct rt_runner *me);
/* What is really blocked: while it is parked everything is. */
void rt_block_all_signals(void);
void rt_restore_signals(const struct rt_runner *me);
/* Without the lock, and not busy: handles what is due. */
void rt_handle_due_slow(struct rt_runner *me);
static inline void rt_handle_due(struct rt_runner *me) {
    if (__builtin_expect(me->due != 0, 0))
        rt_handle_due_slow(me);
}

#endif
