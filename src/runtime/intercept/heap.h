/* For those who call malloc in the name of the program. */
#ifndef SERIATIM_RUNTIME_INTERCEPT_HEAP_H
#define SERIATIM_RUNTIME_INTERCEPT_HEAP_H

#include <stdint.h>

/* Whom the next allocation of this thread is for, when the call comes from the C or C++ library;
 * 0: for its caller. */
extern _Thread_local uintptr_t rt_allocation_caller __attribute__((tls_model("initial-exec")));

#endif
