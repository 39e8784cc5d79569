/* Synchronisation, as the watcher gets it; between rt_enter and rt_leave only. */
#ifndef SERIATIM_RUNTIME_CORE_SYNC_EVENTS_H
#define SERIATIM_RUNTIME_CORE_SYNC_EVENTS_H

#include <stdint.h>

void rt_acquire(const volatile void *lock, uintptr_t caller); /* after it was acquired */
void rt_release(const volatile void *lock, uintptr_t caller); /* before it is released */
void rt_send(const volatile void *object, unsigned channel, uintptr_t caller);    /* before */
void rt_receive(const volatile void *object, unsigned channel, uintptr_t caller); /* after */
void rt_split(void);

/* Atomic loads of this byte receive from channel 0 of it from now on: it is the guard of a static
 * object, and what was last told was the send of its initialiser. */
void rt_mark_guard(const volatile void *guard);

/* A thread that is about to be created: reserves its serial number and tells the fork. */
uint32_t rt_thread_fork(uintptr_t caller); /* not 0 */

/* The thread with this serial number was joined. */
void rt_thread_join(uint32_t serial, uintptr_t caller);

#endif
