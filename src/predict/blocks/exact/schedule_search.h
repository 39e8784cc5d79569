/* All schedules of a group, as far as they differ. */
#ifndef SERIATIM_PREDICT_BLOCKS_EXACT_SCHEDULE_SEARCH_H
#define SERIATIM_PREDICT_BLOCKS_EXACT_SCHEDULE_SEARCH_H

#include "predict/blocks/exact/exact_steps.h"

/* A step in a schedule. */
struct st_move {
    uint32_t lane;
    size_t step;
};

static inline const struct st_step *st_move_step(const struct st_group *group,
                                                 struct st_move move) {
    return &group->lanes[move.lane].steps[move.step];
}

/* A schedule, or a part of one, that is not as asked for. `moves` is what was done so far, of which
 * the last ones, from `first` on, are the part. True: go on and look for more. */
typedef bool st_on_cut(void *context, const struct st_move *moves, size_t count, size_t first);

struct st_search_limits {
    double deadline;   /* in seconds of the monotonic clock; 0: none */
    size_t most_bytes; /* for states that have been visited */
};

enum st_search_end { ST_SEARCH_DONE, ST_SEARCH_STOPPED, ST_SEARCH_GAVE_UP };

/* What is asked of a schedule. */
enum st_search_kind {
    /* Is it conflict-serializable? Which is more than asked for, but takes far fewer states, since
     * it matters little who read from whom. Steps are made until there is a ring. */
    ST_SEARCH_RINGS,
    /* Is it view-serializable? Taken apart whenever no transaction is open and no lock is held from
     * unit to unit: what was done so far is forgotten then but for where each thread is. That is
     * enough if all parts can be serialized. A part that cannot may still be part of a schedule
     * that can, where another write hides what went wrong. */
    ST_SEARCH_PARTS,
    ST_SEARCH_WHOLE /* the same, but not taken apart */
};

enum st_search_end st_search(const struct st_group *group, enum st_search_kind kind,
                             const struct st_search_limits *limits, st_on_cut *on_cut,
                             void *context);

/* Has each item one step at most that can matter to others? Then all else that it does can be moved
 * to that step in every schedule, which makes it a serial one, and there is nothing to search. */
bool st_group_is_simple(const struct st_group *group);

double st_search_clock(void);

#endif
