/* Telling late what cells and tables of threads have kept. */
#ifndef SERIATIM_RUNTIME_CORE_FLUSH_DEFERRED_H
#define SERIATIM_RUNTIME_CORE_FLUSH_DEFERRED_H

#include "runtime/core/shadow.h"

/* Tells what is alive and was not told: the write, the reads of all threads. A number that comes
 * after them was drawn, or was not needed (rt_is_ordered). */
void rt_settle_write(struct rt_thread *t, uintptr_t granule, const struct rt_view *view);
void rt_settle_reads(struct rt_thread *t, uintptr_t granule, const struct rt_view *view);

/* Tells a read that the thread has in its table, but for these bytes, before it is overwritten. */
void rt_settle_shared_read(struct rt_thread *t, size_t place, uint32_t but);
/* All of them. */
void rt_settle_table(struct rt_thread *t);

/* The thread has read the granule, which several threads do, in its present epoch. */
void rt_keep_in_table(struct rt_thread *t, uintptr_t granule, uint64_t write, uint32_t bytes,
                      uintptr_t caller, bool told);

#endif
