/* Robust mutexes of a thread that ends. */
#ifndef SERIATIM_RUNTIME_INTERCEPT_ROBUST_MUTEXES_H
#define SERIATIM_RUNTIME_INTERCEPT_ROBUST_MUTEXES_H

#include <stdint.h>

/* Emits that the calling thread, which is about to end, gives back those that it holds. */
void rt_release_robust_mutexes(uintptr_t caller);

#endif
