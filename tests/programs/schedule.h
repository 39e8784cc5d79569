/* What the programs in this folder share: a schedule that no tool can see.
 *
 * step(n) returns when its turn has come: calls return in the order of their numbers, 1, 2, 3, ...,
 * whichever threads make them. What a thread did before step(n) is done when another one returns
 * from step(n + 1). So this thread is interrupted in mid-block:
 *
 *     step(1);                             step(2);
 *     step(4);                             ... come in between ...
 *                                          step(3);
 *
 * schedule.c is compiled without instrumentation and synchronises by system calls, so for seriatim
 * and for ThreadSanitizer the order is an accident: forcing it adds no edge of happens-before.
 *
 * A number that never comes is a mistake in the program, which then waits for ever and says so. In
 * the twin of a program (-DFIXED) it is often the point: whoever wants to come in between waits for
 * a lock. There each step waits a moment only and then goes on: the same pressure, and no deadlock;
 * nothing in the twin may depend on how long a moment is. A program whose twin can keep to the
 * schedule says so: #define SCHEDULE_HOLDS before the #include.
 */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

void schedule_step(int number);
void schedule_step_or_go_on(int number);

/* The same as the step behind that number; in the serial schedule (serial.c), the thread begins
 * when the one that made that step has ended. For programs of three threads, of which one must be
 * last. */
void schedule_step_after(int number);

/* The id of this thread for the kernel, and a wait until the thread with that id has ended. */
int schedule_thread(void);
void schedule_wait_for_end(int thread);

/* Ends the program with a message unless a call did what it should: check(pthread_x() == 0). */
void schedule_check(int holds, const char *file, int line);

#ifdef __cplusplus
}
#endif

#if defined(FIXED) && !defined(SCHEDULE_HOLDS)
#define step(number) schedule_step_or_go_on(number)
#else
#define step(number) schedule_step(number)
#endif

#define check(condition) schedule_check(!!(condition), __FILE__, __LINE__)

/* A function that has to be one in the binary, with its name, at every level of optimisation. */
#define BLOCK __attribute__((noinline))

/* A start routine: THREAD(teller) { ...; return NULL; } */
#define THREAD(name) static void *name(void *argument __attribute__((unused)))

/* Runs two start routines side by side, and waits for both. A macro, since a function would be a
 * block. */
#define together(first, second)                                                                    \
    do {                                                                                           \
        pthread_t first_thread, second_thread;                                                     \
        check(pthread_create(&first_thread, NULL, first, NULL) == 0);                              \
        check(pthread_create(&second_thread, NULL, second, NULL) == 0);                            \
        check(pthread_join(first_thread, NULL) == 0);                                              \
        check(pthread_join(second_thread, NULL) == 0);                                             \
    } while (0)

#endif
