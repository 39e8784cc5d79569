/* Completes the contexts of a trace (trace/symbols.h). A trace keeps only an outline, and the rest
 * follows from its events: an event's stack continues with that of the begin of the innermost open
 * block, and the locks held are those acquired and not yet released. For locks with channels,
 * docs/trace-format.md says which receives acquire and which sends release them.
 *
 * Following the events costs a few instructions each, and the look-up of a number for each begin,
 * end, acquire and release. A context is described only when somebody asks for it, which happens
 * for the few events that a report mentions.
 *
 *     st_context_tracker_events(tracker, events, count);          for each batch, in order
 *     ... engines take the events ...
 *     loc = st_context_tracker_location(tracker, from, to, loc);  in the end, for those in a report
 */
#ifndef SERIATIM_TRACE_CONTEXT_TRACKER_H
#define SERIATIM_TRACE_CONTEXT_TRACKER_H

#include "trace/symbols.h"

struct st_context_tracker;

/* `channels` are those of the trace: those of the events so far are looked up in them. */
struct st_context_tracker *st_context_tracker_new(const struct st_channels *channels);
void st_context_tracker_free(struct st_context_tracker *tracker);

/* Replaces the locations of the events, which must be all events of a trace whose contexts are
 * kept, in order. The new ones mean something to st_context_tracker_location only. */
void st_context_tracker_events(struct st_context_tracker *tracker, struct st_event *events,
                               size_t count);

/* The location, in other symbols, for one that st_context_tracker_events gave: the same for the
 * same. `from` are the symbols of the trace; `to` shares its locks, and has locations and contexts
 * of its own. */
uint64_t st_context_tracker_location(struct st_context_tracker *tracker,
                                     const struct st_symbols *from, struct st_symbols *to,
                                     uint64_t loc);

#endif
