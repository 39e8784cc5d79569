/* Accesses to memory of others on which a thread depends already, so that nothing need be emitted.
 *
 * What threads hand on to each other is of this kind: buffers, nodes, the tables of a compressor. A
 * thread that takes one reads its address, say, and so depends on all that was done to it before;
 * so each access to it takes the place of what was there. Why nothing is missed: docs/witness.md,
 * deferred accesses. */
#ifndef SERIATIM_RUNTIME_DEFERRED_KNOWN_MEMORY_H
#define SERIATIM_RUNTIME_DEFERRED_KNOWN_MEMORY_H

#include "runtime/core/shadow.h"

/* An access to a granule that others have touched, on which this thread depends already, or for
 * which its own words have no room. What comes after it depends by it on what was accessed before,
 * and so it takes that place; accesses to other bytes are spilled. False: there is more to know of
 * the granule, or no room. */
bool rt_take_over(struct rt_thread *t, uintptr_t granule, const struct rt_view *view,
                  uint32_t bytes, bool write, uintptr_t caller);

/* A read of what another thread has read, which need not be emitted: several threads have read it
 * from now on. False: this thread may depend on more than it knows. */
bool rt_share(struct rt_thread *t, uintptr_t granule, const struct rt_view *view, uint32_t bytes,
              uintptr_t caller);

/* Keeps a read of what another thread wrote. Others may read it at the same moment, and none of
 * these reads may be lost. False if one came in between. */
bool rt_keep_read_beside_others(uintptr_t granule, uint64_t before, uint64_t then, uint64_t detail);

/* Two threads use the same memory. The watcher shall know that even if the first had done so in
 * what no longer matters. */
void rt_note_meeting(const struct rt_thread *t, const struct rt_view *view, uint32_t bytes,
                     bool write);

#endif
