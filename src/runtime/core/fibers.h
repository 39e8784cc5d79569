/* Fibers: coroutines and the like, which have a stack of their own and run in one thread after
 * another.
 *
 * As events a fiber is a thread: with a name of its own, its own open functions and blocks, and its
 * own place in the stream. Whoever creates it forks it, whoever destroys it joins it. A switch is a
 * wait on purpose, so it splits inferred blocks; unless the program asks for the opposite, what was
 * done before it happens before what the fiber does next. A lock belongs to the fiber that took it:
 * it is still held when that fiber goes on in another thread, and not by the fibers in between. */
#ifndef SERIATIM_RUNTIME_CORE_FIBERS_H
#define SERIATIM_RUNTIME_CORE_FIBERS_H

#include "runtime/core/thread_state.h"

/* For use between rt_enter and rt_leave. A new fiber, forked by the one that is running; NULL if
 * nothing is watched any more. */
struct rt_thread *rt_fiber_create(uintptr_t caller);

/* The thread goes on with the fiber; `synchronised`: after what it did so far. rt_leave is then for
 * the fiber. */
void rt_fiber_switch(struct rt_thread *fiber, bool synchronised, uintptr_t caller);

/* The fiber is over, and joined by the one that is running, which is another one. */
void rt_fiber_destroy(struct rt_thread *fiber, uintptr_t caller);

/* What this thread is when it runs no fiber. */
struct rt_thread *rt_fiber_own(void);

/* A program that says which fiber comes next does so right before it switches stacks. So whoever
 * sees stacks being switched asks whether that was said already. */
void rt_fiber_announce(void);
bool rt_fiber_was_announced(void); /* and forgets it */

/* ---- thread_state.c ---- */

struct rt_thread *rt_fiber_begin(uint32_t serial);
void rt_fiber_become(struct rt_thread *fiber);
void rt_fiber_end(struct rt_thread *fiber);

#endif
