/* Threads as the program creates them; for the core. */
#ifndef SERIATIM_RUNTIME_INTERCEPT_THREADS_H
#define SERIATIM_RUNTIME_INTERCEPT_THREADS_H

/* Makes sure that the calling thread calls rt_thread_end, however it ends, process exit aside. For
 * a thread whose creation nobody saw; the others do it anyway. */
void rt_thread_will_end(void);

#endif
