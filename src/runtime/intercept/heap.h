/* For interposed functions that allocate on behalf of the program. */
#ifndef SERIATIM_RUNTIME_INTERCEPT_HEAP_H
#define SERIATIM_RUNTIME_INTERCEPT_HEAP_H

#include <stdint.h>

/* The return address to which the next allocation of this thread is attributed, when the C or C++
 * library makes the call; 0: that of the call itself. */
extern _Thread_local uintptr_t rt_allocation_caller __attribute__((tls_model("initial-exec")));

#endif
