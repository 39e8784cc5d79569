/* The engine `witness` for a caller that defers accesses (docs/witness.md says why that is right,
 * and what the caller has to keep to).
 *
 * An access to memory that only its own thread has touched need not be emitted when it happens.
 * When another thread comes to the same memory, the caller emits it as ST_DEFERRED_READ or
 * ST_DEFERRED_WRITE, however long ago it was: later events of its thread, the end of its block and
 * the end of the thread itself may have come before.
 *
 * A position is a number that grows along the events of a thread. An event at position p is
 * followed by the accesses of its thread at positions from p on, below the position of its next
 * event. */
#ifndef SERIATIM_CHECK_WITNESS_WITNESS_H
#define SERIATIM_CHECK_WITNESS_WITNESS_H

#include "check/engine.h"

/* Like the engine's feed, and instead of it from the first event on. at[i] is the position of event
 * i. For an event that is not deferred it is larger than that of the thread's event before. For a
 * deferred one it is the position of the access, at or behind that of the first event of its
 * thread: the first event is never deferred. Nothing but the order of the accesses to its variable
 * puts a deferred access in its place in the trace: those that were fed before it happened before
 * it. */
void st_witness_feed_at(void *state, const struct st_event *events, const uint64_t *at,
                        size_t count, uint64_t first);

/* Accesses of the thread at positions below this, emitted or not, can never matter again, whatever
 * is still to come. They need not be emitted, and no other access need be emitted because of them.
 * Never falls. Takes the time of a few comparisons, or one for each running block that reaches
 * other threads. */
uint64_t st_witness_dead_before(void *state, uint32_t thread);

#endif
