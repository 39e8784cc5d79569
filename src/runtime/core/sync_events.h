/* Synchronisation as events. For use between rt_enter and rt_leave only. */
#ifndef SERIATIM_RUNTIME_CORE_SYNC_EVENTS_H
#define SERIATIM_RUNTIME_CORE_SYNC_EVENTS_H

#include "stream/stream.h"

#include <stdbool.h>
#include <stdint.h>

/* A mutex, or one side of a reader-writer lock, of the program's: events only where its watcher has
 * use for them. */
void rt_lock(const volatile void *lock, enum st_stream_lock what, uintptr_t caller);   /* after */
void rt_unlock(const volatile void *lock, enum st_stream_lock what, uintptr_t caller); /* before */

void rt_acquire(const volatile void *lock, uintptr_t caller); /* after it was acquired */
void rt_release(const volatile void *lock, uintptr_t caller); /* before it is released */
/* The same for one side of a reader-writer lock, and for a semaphore: a wait, a post. */
void rt_acquire_as(const volatile void *lock, enum st_stream_lock what, uintptr_t caller);
void rt_release_as(const volatile void *lock, enum st_stream_lock what, uintptr_t caller);
void rt_semaphore(const volatile void *semaphore, unsigned value, bool opened, uintptr_t caller);
void rt_send(const volatile void *object, unsigned channel, uintptr_t caller);    /* before */
void rt_receive(const volatile void *object, unsigned channel, uintptr_t caller); /* after */

/* The thread waits for others here, or starts them: inferred blocks are split. */
void rt_split(void);

/* Likewise, unless it is the library that calls: then it is no concern of the program. */
void rt_split_by(uintptr_t caller);

/* The same around a wait, in two halves: a handler of a signal may run in between, and what it does
 * must not be in one part with what comes before the wait, nor with what comes after it. The second
 * half takes what the first one returned. */
uint64_t rt_split_before_wait(void);
void rt_split_after_wait(uint64_t position);

/* From the one to the other, the thread does work that belongs to no function that is open now:
 * see enum st_stream_split. */
void rt_pause(void);
void rt_resume(void);

/* System calls on a futex: before it waits; before it wakes others; after others have woken it. */
void rt_futex_wait(const volatile void *word, uintptr_t caller);
void rt_futex_wake(const volatile void *word, uintptr_t caller);
void rt_futex_woken(const volatile void *word, uintptr_t caller);

/* From now on, atomic loads of this byte receive from its channel 0: it is the guard of a static
 * object, and the event before was the send of its initialiser. */
void rt_mark_guard(const volatile void *guard);

/* A thread is about to be created: reserves its serial number and emits the fork. */
uint32_t rt_thread_fork(uintptr_t caller); /* not 0 */

/* The program calls the thread with this serial number so. */
void rt_thread_named(uint32_t serial, const char *name);

/* The thread with this serial number was joined. */
void rt_thread_join(uint32_t serial, uintptr_t caller);

#endif
