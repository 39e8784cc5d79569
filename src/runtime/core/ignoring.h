/* What a program asks us not to look at: the inside of a lock of its own, or accesses that it does
 * not care about. Functions are entered and left as usual.
 *
 * The fast ways of an access do not ask. While something is ignored, the owner of the thread is
 * RT_STALE, so that no access is found to be a repetition or can be deferred. */
#ifndef SERIATIM_RUNTIME_CORE_IGNORING_H
#define SERIATIM_RUNTIME_CORE_IGNORING_H

#include "runtime/core/thread_state.h"

enum rt_ignored { RT_IGNORE_READS = 1, RT_IGNORE_WRITES = 2, RT_IGNORE_SYNC = 4 };

/* Begins and ends nest, each kind for itself; an end without a begin does nothing. For use between
 * rt_enter and rt_leave. */
void rt_ignore_begin(unsigned kinds);
void rt_ignore_end(unsigned kinds);

static inline bool rt_is_ignored(const struct rt_thread *t, bool read, bool write) {
    return t->ignoring && (!read || t->ignored_reads) && (!write || t->ignored_writes);
}

#endif
