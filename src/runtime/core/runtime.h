/* The library that a program under test is linked with, from inside.
 *
 * It gets the callbacks of -fsanitize=thread (callbacks.c, atomics.c), stands in for the functions
 * of the C library that synchronise or touch memory (threads.c, locks.c, heap.c, strings.c,
 * process.c), and tells the watcher (stream.h). It analyses nothing.
 *
 * Rules for everything in this folder: no malloc, no stdio, nothing that takes a lock that the
 * program could hold; it may run before main, in signal handlers, and after exit has begun. It
 * never kills the program. Every entry point first asks rt_enter() and then does the real thing
 * alone if the answer is no. errno is as the real function left it. */
#ifndef SERIATIM_RUNTIME_CORE_RUNTIME_H
#define SERIATIM_RUNTIME_CORE_RUNTIME_H

#include "stream/stream.h"

#include <stdbool.h>
#include <stddef.h>

/* What the outside sees. Everything else is hidden. */
#define RT_EXPORT __attribute__((visibility("default")))

/* Where the callback or the call returns to. */
#define RT_CALLER ((uintptr_t)__builtin_return_address(0))

/* ---- this thread ---- */

/* Is this thread being watched, and not inside the runtime already (a signal handler that came in
 * between)? If so, rt_leave must follow. */
bool rt_enter(void);
void rt_leave(void);

/* Starts everything, the first time that it is called. `stream` is what ST_STREAM_VARIABLE says, or
 * NULL. */
void rt_initialize(const char *stream);

/* ---- what it tells; between rt_enter and rt_leave only ---- */

/* Any size; 0 is fine. */
void rt_read_range(uintptr_t address, size_t size, uintptr_t caller);
void rt_write_range(uintptr_t address, size_t size, uintptr_t caller);

void rt_acquire(const volatile void *lock, uintptr_t caller); /* after it was acquired */
void rt_release(const volatile void *lock, uintptr_t caller); /* before it is released */
void rt_send(const volatile void *object, unsigned channel, uintptr_t caller);    /* before */
void rt_receive(const volatile void *object, unsigned channel, uintptr_t caller); /* after */
void rt_split(void);

/* Atomic loads of this byte receive from channel 0 of it from now on: it is the guard of a static
 * object, and what was last told was the send of its initialiser. */
void rt_mark_guard(const volatile void *guard);

void rt_function_enter(uintptr_t function, uintptr_t called_from, uintptr_t frame);
void rt_function_leave(void);
void rt_block_begin(const char *name, uintptr_t caller);
void rt_block_end(void);

/* Leaves all functions and blocks but so many, the outermost. */
void rt_unwind(size_t depth);
/* Leaves all functions whose frame is below that stack pointer. */
void rt_unwind_to_stack(uintptr_t stack);

void rt_allocate(const void *memory, size_t size, uintptr_t caller);
void rt_free(const void *memory, size_t size);

/* ---- threads ---- */

/* A thread that is about to be created: reserves its serial number and tells the fork. */
uint32_t rt_thread_fork(uintptr_t caller); /* not 0 */

/* The new thread begins: nothing of it is told before. `fork` is what rt_thread_fork gave, or
 * RT_NO_THREAD for a thread that nobody saw being created. Not between rt_enter and rt_leave. */
void rt_thread_start(uint32_t fork);
#define RT_NO_THREAD UINT32_MAX

/* The thread ends; nothing of it is told any more. Not between rt_enter and rt_leave. */
void rt_thread_end(void);

/* The thread with this serial number was joined. */
void rt_thread_join(uint32_t serial, uintptr_t caller);

/* The serial number of this thread. */
uint32_t rt_thread_serial(void);

/* In a child process after fork(): nothing is told from here on. */
void rt_stop_in_child(void);

/* ---- modules ---- */

/* Looks for modules that were loaded since the last call and tells them. For start and dlopen. */
void rt_tell_modules(void);

/* ---- the real functions behind those that we stand in for ---- */

/* The next definition of a function after ours; NULL if there is none. */
void *rt_real(const char *name);
void *rt_real_version(const char *name, const char *version);

/* REAL(int, pthread_mutex_lock, pthread_mutex_t *) declares `real_pthread_mutex_lock()`, which
 * gives the function, looked up once. */
#define RT_REAL(result, name, ...)                                                                 \
    typedef result (*name##_type)(__VA_ARGS__);                                                    \
    static name##_type real_##name(void) {                                                         \
        static _Atomic(name##_type) found;                                                         \
        name##_type function = atomic_load_explicit(&found, memory_order_relaxed);                 \
        if (__builtin_expect(!function, 0)) {                                                      \
            function = (name##_type)rt_real(#name);                                                \
            atomic_store_explicit(&found, function, memory_order_relaxed);                         \
        }                                                                                          \
        return function;                                                                           \
    }

#endif
