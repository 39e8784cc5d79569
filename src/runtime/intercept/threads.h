/* Threads as the program makes them (threads.c); for the core. */
#ifndef SERIATIM_RUNTIME_INTERCEPT_THREADS_H
#define SERIATIM_RUNTIME_INTERCEPT_THREADS_H

/* The end of the calling thread will be told (rt_thread_end), however it ends, process exit aside.
 * For a thread that nobody saw being made; the others have it already. */
void rt_thread_will_end(void);

#endif
