/* What a program asks us not to look at: the inside of a lock of its own, or accesses that it does
 * not care about. Functions are entered and left as usual. */
#ifndef SERIATIM_RUNTIME_TSAN_IGNORING_H
#define SERIATIM_RUNTIME_TSAN_IGNORING_H

#include "runtime/core/thread_state.h"

enum rt_ignored { RT_IGNORE_READS = 1, RT_IGNORE_WRITES = 2, RT_IGNORE_SYNC = 4 };

/* Begins and ends nest, each kind for itself; an end without a begin does nothing. For use between
 * rt_enter and rt_leave. */
void rt_ignore_begin(unsigned kinds);
void rt_ignore_end(unsigned kinds);

#endif
