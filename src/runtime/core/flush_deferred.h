/* Emitting the accesses that shadow memory and the threads' tables have kept. */
#ifndef SERIATIM_RUNTIME_CORE_FLUSH_DEFERRED_H
#define SERIATIM_RUNTIME_CORE_FLUSH_DEFERRED_H

#include "runtime/core/shadow.h"

/* Emit what can still matter and is not emitted yet: the write, and what was spilled (below);
 * the reads of all threads. The
 * caller has taken a sequence number that comes after them, or needs none (rt_is_ordered). */
void rt_flush_write(struct rt_thread *t, uintptr_t granule, const struct rt_view *view);
void rt_flush_reads(struct rt_thread *t, uintptr_t granule, const struct rt_view *view);

/* A function that a thread had boarded and not emitted: in which it was in some epoch. */
struct rt_called {
    uintptr_t function, called_from;
    uint64_t begun; /* its first epoch, if it is open; 0: it has been left */
};
enum { RT_MOST_CALLED = 24 };

/* Those of a slot's thread in that epoch, outermost first, as far as they are still known: those
 * that are open, unless `t` is that thread, and those that have been left. Returns how many. */
size_t rt_boarded_at(const struct rt_thread *t, uint32_t slot, uint64_t epoch,
                     struct rt_called *called);

/* ---- deferred/spilled.c ---- */

enum { RT_PARTS = 6 };

/* Bytes for all that threads spill, at most. */
enum { RT_MOST_SPILLED = 1 << 30 };

/* What was spilled of a granule: shadow words, and lower halves of return addresses. */
struct rt_spilled_copy {
    uint64_t words[RT_PARTS]; /* with RT_SPILLED_WRITE or without flags; 0: none */
    uint32_t callers[RT_PARTS];
};

/* In a process that was forked: nothing is spilled. */
void rt_spilled_reset(void);

/* The place beside the shadow for what is spilled of a granule, for this thread alone until it
 * closes it. What is there counts once the granule is PRIVATE or ONLY_READ, which has to be said
 * before. NULL: there is no memory, or another thread is at it, or the granule is no longer as in
 * this view. */
struct rt_spilled *rt_open_spilled(uintptr_t granule, const struct rt_view *view);
void rt_close_spilled(struct rt_spilled *place);

/* Keeps there what a word says of these bytes, and is not emitted. False: there is no room for some
 * of it. */
bool rt_spill(const struct rt_thread *t, struct rt_spilled *place, uint64_t word, uint64_t detail,
              uint32_t bytes, bool write);

/* The same, all in one, for a word for reads of what has been written and several threads may read
 * at this moment: the granule is ONLY_READ then. False: it has to be emitted. */
bool rt_spill_shared(const struct rt_thread *t, uintptr_t granule, const struct rt_view *view,
                     uint64_t word, uint64_t detail);

/* The write that the granule's word has, and what was spilled of it, was emitted: says so there. */
void rt_note_flushed(const struct rt_thread *t, uintptr_t granule);

/* Takes what was spilled of a granule out of there. False: there was nothing. */
bool rt_take_spilled(uintptr_t granule, const struct rt_view *view, struct rt_spilled_copy *copy);

/* These bytes of a granule that is PRIVATE were written by the thread that it belongs to: what was
 * spilled of them does not count any more. False if there are reads of other bytes. */
bool rt_drop_spilled(uintptr_t granule, uint32_t bytes);

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
