/* Stacks that programs make contexts on (contexts.c). */
#ifndef SERIATIM_RUNTIME_INTERCEPT_CONTEXTS_H
#define SERIATIM_RUNTIME_INTERCEPT_CONTEXTS_H

#include <stddef.h>

/* This memory is something else from now on, such as the stack of a thread. */
void rt_forget_contexts(const void *memory, size_t size);

#endif
