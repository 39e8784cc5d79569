/* A core of the runtime that writes events down, so that tests can compare them.
 *
 * Only what concerns objects with a name is written down, since the C library and the test itself
 * allocate, lock and copy as they like. Each thread has a line of its own: "acquire m, release m".
 * Memory has bytes behind its name: "write buffer+2:5" is five bytes from the third on. */
#ifndef TESTS_RUNTIME_MOCK_CORE_H
#define TESTS_RUNTIME_MOCK_CORE_H

#include <stddef.h>
#include <stdint.h>

/* Forgets all names and all events, and starts to write down. */
void mock_begin(void);
void mock_name(const volatile void *object, size_t size, const char *name);

/* The events of the thread with this serial number since mock_begin; 0 is the first one. */
const char *mock_emitted(unsigned thread);

/* The serial number that the next thread will get. */
unsigned mock_next_thread(void);

/* The serial number of this thread, and of the one that it joined last. */
unsigned mock_self(void);
unsigned mock_joined(void);

/* How often rt_enter was refused since the thread was inside already. */
unsigned mock_refused(void);

/* Where the call of the last event in memory with a name came from. */
uintptr_t mock_caller(void);

/* The thread behaves as if a signal had come while the runtime is at work. */
void mock_enter(void);
void mock_leave(void);

/* Fibers have numbers from 1 on after this; 0 is the thread itself. */
void mock_fibers(void);
/* The program says which fiber comes next. */
void mock_announce(void);

#endif
