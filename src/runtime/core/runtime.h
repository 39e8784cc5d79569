/* The library that a program under test is linked with, from inside.
 *
 * Six rooms: tsan/ has the entry points that compilers call with -fsanitize=thread, intercept/
 * stands in for functions of the C library that synchronise or touch memory, parallel/ for those
 * of OpenMP and oneTBB, deferred/ keeps accesses until they matter, control/ says which thread runs
 * in hunts, and core/ turns all into records for the watcher (stream/stream.h). Nothing is analysed
 * here.
 *
 * An access takes this way: tsan/callbacks.c → core/access.h, where most accesses end →
 * core/access.c → deferred/access_deferred.c or access_eager.c → stream_writer.h.
 *
 * Rules for everything in these folders: no malloc, no stdio, nothing that takes a lock that the
 * program could hold; it may run before main, in signal handlers, and after exit has begun. It
 * never kills the program. Every entry point first asks rt_enter(), and only calls the real
 * function if the answer is no. errno is as the real function left it. */
#ifndef SERIATIM_RUNTIME_CORE_RUNTIME_H
#define SERIATIM_RUNTIME_CORE_RUNTIME_H

#include "stream/stream.h"

#include <stdbool.h>
#include <stddef.h>

/* What the outside sees. Everything else is hidden. */
#define RT_EXPORT __attribute__((visibility("default")))

/* For variables that every access looks at: otherwise their declarations say that they may be those
 * of another library, and their addresses are loaded first. */
#define RT_HIDDEN __attribute__((visibility("hidden")))

/* Where the callback or the call returns to. */
#define RT_CALLER ((uintptr_t)__builtin_return_address(0))

/* The stream, or NULL: nobody is listening. */
extern RT_HIDDEN struct st_stream_head *rt_head;

/* Are accesses kept in shadow memory until another thread touches the same bytes? Otherwise they
 * are emitted eagerly. The watcher decides. */
extern RT_HIDDEN bool rt_deferring;

/* The same, and threads do not take turns: an access need not ask for its turn first. */
extern RT_HIDDEN bool rt_deferring_freely;

/* Need locks no events (deferred/lock_notes.c)? */
extern RT_HIDDEN bool rt_quiet_locks;

/* Are looks deferred, too (tsan/looks.h)? */
extern RT_HIDDEN bool rt_deferring_looks;

/* By which rule eager accesses are left out. The watcher decides. */
extern enum st_stream_rule rt_rule;
extern bool rt_values; /* of accesses are emitted with them */

/* The address that handlers of signals return to; 0: unknown. */
extern RT_HIDDEN uintptr_t rt_signal_return;

/* Does somebody say which thread runs (control/points.h)? Then all threads take turns. */
extern RT_HIDDEN bool rt_controlled;

/* Starts the runtime, the first time that it is called, with the values of ST_STREAM_VARIABLE and
 * ST_CONTROL_VARIABLE, or NULL. */
void rt_initialize(const char *stream, const char *control);

/* control/: at the start of a process, before it has a second thread; in the one that has forked,
 * and in the one that was forked, which runs freely. */
void rt_control_start(const char *path);
void rt_control_note_fork(void);
void rt_control_stop(void);

/* In a process that was forked: rt_stop_in_child comes first, before anything else of the runtime,
 * and nothing is emitted from then on. rt_follow_child asks for a stream for this process, if there
 * is somebody to ask, and starts it as if the process had begun here. To be called before the
 * process has a second thread: until then there is nothing to see. */
void rt_stop_in_child(void);
void rt_follow_child(void);

/* Asks for a stream for this process, at the place that `text` (the value of ST_STREAM_VARIABLE)
 * names; and, in a process that was forked since, at the same place again. Returns the descriptor
 * of the stream, or -1: there is nobody to ask, or the answer is no. */
int rt_ask_for_stream(const char *text);
int rt_ask_again(void);

/* The process has forked another one. */
void rt_note_fork(void);

/* From now on the process may not be allowed to make system calls that it would not make by itself:
 * those that it forks are not watched. */
void rt_shut_in(void);
bool rt_is_shut_in(void);

/* The process is about to end with this status. */
void rt_note_exit(int status);

/* Closes the stream: no thread emits anything from now on. */
void rt_give_up(void);
/* The same, because a thread has no epochs left (thread_slot.h). */
void rt_wear_out(void);

void *rt_map_memory(size_t bytes); /* zeroed, or NULL */

/* Sets addresses aside for rt_map_memory, for when the program may use no more of them. */
void rt_reserve_addresses(size_t bytes);

#endif
