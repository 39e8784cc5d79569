/* Emitting the accesses that shadow memory and the threads' tables have kept. */
#ifndef SERIATIM_RUNTIME_CORE_FLUSH_DEFERRED_H
#define SERIATIM_RUNTIME_CORE_FLUSH_DEFERRED_H

#include "runtime/core/shadow.h"

/* Emit what can still matter and is not emitted yet: the write, the reads of all threads. The
 * caller has taken a sequence number that comes after them, or needs none (rt_is_ordered). */
void rt_flush_write(struct rt_thread *t, uintptr_t granule, const struct rt_view *view);
void rt_flush_reads(struct rt_thread *t, uintptr_t granule, const struct rt_view *view);

/* Emits a read from the thread's own table, except for the bytes `but`, before the entry is
 * overwritten. */
void rt_flush_shared_read(struct rt_thread *t, size_t index, uint32_t but);
/* All of them. */
void rt_flush_shared_reads(struct rt_thread *t);

/* The thread has read a granule that several threads read, in its present epoch: puts that into its
 * table. */
void rt_keep_shared_read(struct rt_thread *t, uintptr_t granule, uint64_t write, uint32_t bytes,
                         uintptr_t caller, bool emitted);

#endif
