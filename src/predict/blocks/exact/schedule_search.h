/* Explores all schedules of a group, as far as they differ. */
#ifndef SERIATIM_PREDICT_BLOCKS_EXACT_SCHEDULE_SEARCH_H
#define SERIATIM_PREDICT_BLOCKS_EXACT_SCHEDULE_SEARCH_H

#include "predict/blocks/exact/exact_groups.h"

/* Called for a schedule, or a part of one, that fails the question asked. `moves` are all moves so
 * far; those from `first` on are the part. Return true to continue and look for more. */
typedef bool st_on_violation(void *context, const struct st_move *moves, size_t count,
                             size_t first);

struct st_search_limits {
    double deadline;                   /* in seconds of the monotonic clock; 0: none */
    const struct st_total_time *total; /* NULL: none */
    size_t most_bytes;                 /* for visited states */
};

enum st_search_end { ST_SEARCH_DONE, ST_SEARCH_STOPPED, ST_SEARCH_GAVE_UP };

/* The question asked about a schedule. */
enum st_search_kind {
    /* Is it conflict-serializable? That is more than necessary, but takes far fewer states, since
     * it matters little who read from whom. Steps are made until there is a cycle. */
    ST_SEARCH_CYCLES,
    /* Is it view-serializable? The schedule is split whenever no transaction is open and no lock is
     * held from unit to unit. What was done so far is then forgotten, except where each thread is.
     * That is enough if all parts can be serialized. A part that cannot may still belong to a
     * schedule that can, if another write hides what went wrong. */
    ST_SEARCH_PARTS,
    ST_SEARCH_WHOLE /* the same, but without splitting */
};

enum st_search_end st_search(const struct st_group *group, enum st_search_kind kind,
                             const struct st_search_limits *limits, st_on_violation *on_violation,
                             void *context);

/* Does each item have at most one step that can matter to others? Then everything else that it does
 * can be moved to that step in every schedule. The result is a serial schedule, and there is
 * nothing to search. */
bool st_group_is_simple(const struct st_group *group);

double st_search_clock(void);

#endif
