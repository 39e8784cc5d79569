/* The two relations that runs are checked by (docs/engines.md has the definitions).
 *
 * `locks` is happens-before as the papers have it. `data` is the same without the order from a
 * release of a lock to a later acquire of it. So an engine need not know about them: with `data`
 * it gets the events on locks as events without effect. Only what feeds an engine does so. The
 * search for data races, contexts and predictions need the order of locks in either case. */
#ifndef SERIATIM_TRACE_RELATION_H
#define SERIATIM_TRACE_RELATION_H

#include "trace/symbols.h"

enum st_relation {
    ST_USUAL_RELATION, /* not given: the one that is usual for such a trace */
    ST_LOCKS,
    ST_DATA,
};

/* "locks" or "data". */
const char *st_relation_name(enum st_relation relation);

/* The relation with that name, or ST_USUAL_RELATION. */
enum st_relation st_relation_find(const char *name);

/* What the user asked for, or else what is usual: `data` for what a program did, `locks` for other
 * traces. */
enum st_relation st_relation_or_usual(enum st_relation given, bool of_program);

/* Prepares validated events for an engine: with `data`, those on locks become ST_LOCKING. */
void st_relation_apply(enum st_relation relation, const struct st_channels *channels,
                       struct st_event *events, size_t count);

#endif
