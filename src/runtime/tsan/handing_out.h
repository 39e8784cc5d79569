/* Functions of the program that hand out memory: what they return.
 *
 * Compilers tell us that a function ends, and not what it returns. By then the value is in a
 * register that calls keep or on the stack, and the watcher has found out where from the machine
 * code (struct st_stream_handing). So __tsan_func_entry and __tsan_func_exit are a few instructions
 * that look whether there are such functions at all, and then keep the registers. */
#ifndef SERIATIM_RUNTIME_TSAN_HANDING_OUT_H
#define SERIATIM_RUNTIME_TSAN_HANDING_OUT_H

/* What the two do, apart from that (callbacks.c). */
void rt_func_entry(void *pc);
void rt_func_exit(void);

#endif
