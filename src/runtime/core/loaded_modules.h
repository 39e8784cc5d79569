/* The modules of the program: its executable and shared libraries. */
#ifndef SERIATIM_RUNTIME_CORE_LOADED_MODULES_H
#define SERIATIM_RUNTIME_CORE_LOADED_MODULES_H

#include "runtime/core/runtime.h"

#include <stdbool.h>
#include <stdint.h>

/* Emits the modules that were loaded since the last call, and forgets those that were unloaded.
 * Between rt_enter and rt_leave. */
void rt_emit_modules(void);

/* Grows when modules were loaded: addresses of code that are the same may be of another one. */
extern RT_HIDDEN _Atomic uint32_t rt_module_changes;
/* Was one ever unloaded? */
extern RT_HIDDEN _Atomic bool rt_has_unloaded;

/* Waits until the watcher has read all that were emitted. Only then does it know which functions
 * hand out memory (tsan/handing_out.c): `rt_hands_out` says whether there are any, and their sites
 * are the first `rt_handing_count`. Modules that are loaded later have none, so that names do not
 * depend on who is faster. */
void rt_await_modules(void);
extern bool rt_hands_out;
extern uint32_t rt_handing_count;

/* In a process that was forked: none was emitted. */
void rt_modules_reset(void);

/* Where libgcc_s is, which synchronises when a thread is unwound, and the library of OpenMP, whose
 * copies are of what it keeps itself, in an order that nobody sees. Empty until they are loaded. */
struct rt_range {
    uintptr_t start, length;
};
extern struct rt_range rt_unwinder, rt_openmp;

/* Is it the library of OpenMP, by its file's name? */
bool rt_is_openmp(const char *path);

static inline bool rt_is_in(const struct rt_range *range, uintptr_t address) {
    return address - range->start < range->length;
}

#endif
