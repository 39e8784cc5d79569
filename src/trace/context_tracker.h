/* Makes the contexts of a trace whole again (trace/contexts.h): what a trace has is an outline, and
 * the rest follows from its events. An event's stack goes on with that of the begin of the
 * innermost open block, and the locks held are those acquired and not yet released.
 *
 * That costs a few instructions an event and the look-up of a number for each begin, end, acquire
 * and release, so it is done for all events; but a context is put into words only when it is asked
 * for, and that is for the few events that a report speaks of.
 *
 *     st_replay_events(replay, events, count);            for each batch, in order
 *     ... engines take the events ...
 *     loc = st_replay_location(replay, from, to, loc);    in the end, for each that is to be told
 */
#ifndef SERIATIM_TRACE_CONTEXT_TRACKER_H
#define SERIATIM_TRACE_CONTEXT_TRACKER_H

#include "trace/symbols.h"

struct st_replay;

struct st_replay *st_replay_new(void);
void st_replay_free(struct st_replay *replay);

/* Replaces the locations of the events, which must be all events of a trace whose contexts are
 * kept, in order. The new ones mean something to st_replay_location only. */
void st_replay_events(struct st_replay *replay, struct st_event *events, size_t count);

/* The location, in other symbols, for one that st_replay_events gave: the same for the same. `from`
 * are the symbols of the trace; `to` shares its locks, and has locations and contexts of its own.
 */
uint64_t st_replay_location(struct st_replay *replay, const struct st_symbols *from,
                            struct st_symbols *to, uint64_t loc);

#endif
