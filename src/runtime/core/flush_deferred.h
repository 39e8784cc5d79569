/* Emitting the accesses that shadow memory and the threads' tables have kept. */
#ifndef SERIATIM_RUNTIME_CORE_FLUSH_DEFERRED_H
#define SERIATIM_RUNTIME_CORE_FLUSH_DEFERRED_H

#include "runtime/core/shadow.h"

/* Emit what can still matter and is not emitted yet: the write, and what was spilled (below);
 * the reads of all threads. The
 * caller has taken a sequence number that comes after them, or needs none (rt_is_ordered). */
void rt_flush_write(struct rt_thread *t, uintptr_t granule, const struct rt_view *view);
void rt_flush_reads(struct rt_thread *t, uintptr_t granule, const struct rt_view *view);

/* ---- deferred/spilled.c ---- */

/* Puts what the thread's word for writes, or for reads, says into its table: the granule has to be
 * MIXED and PRIVATE then. False: there is no room, and it has to be emitted. */
bool rt_spill(struct rt_thread *t, uintptr_t granule, const struct rt_view *view, bool write);

/* The write that the granule's word has, and what was spilled of it, was emitted: says so there. */
void rt_note_flushed(const struct rt_thread *t, uintptr_t granule);

/* Takes what was spilled of a granule out of the table where it is, whichever that is. */
bool rt_take_spilled(uintptr_t granule, const struct rt_view *view, struct rt_spilled *copy);

/* This thread has written these bytes of a granule that is PRIVATE: what it spilled of them does
 * not count any more. False if there are reads of others. */
bool rt_drop_spilled(struct rt_thread *t, uintptr_t granule, uint32_t bytes);

/* Emits all that this thread has spilled. */
void rt_flush_spilled(struct rt_thread *t);

/* ---- memory that several threads read ---- */

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
