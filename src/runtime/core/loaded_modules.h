/* The modules of the program: its executable and shared libraries. */
#ifndef SERIATIM_RUNTIME_CORE_LOADED_MODULES_H
#define SERIATIM_RUNTIME_CORE_LOADED_MODULES_H

#include <stdint.h>

/* Emits the modules that were loaded since the last call, and forgets those that were unloaded.
 * Between rt_enter and rt_leave. */
void rt_emit_modules(void);

/* In a process that was forked: none was emitted. */
void rt_modules_reset(void);

/* Where libgcc_s is, which synchronises when a thread is unwound; empty until it is loaded. */
struct rt_range {
    uintptr_t start, length;
};
extern struct rt_range rt_unwinder;

#endif
