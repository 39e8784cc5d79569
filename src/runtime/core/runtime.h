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

/* The stream, or NULL: nobody is listening. */
extern struct st_stream_head *rt_head;

/* Are accesses kept until another thread touches the same memory? */
extern bool rt_late;

/* Starts everything, the first time that it is called. `stream` is what ST_STREAM_VARIABLE says, or
 * NULL. */
void rt_initialize(const char *stream);

/* Gives up: nothing is told any more by anybody. */
void rt_give_up(void);

void *rt_map_memory(size_t bytes); /* zeroed, or NULL */

#endif
