/* The search for candidates in the log of a run. For candidates.c and thread_chains.c. */
#ifndef SERIATIM_HUNT_CANDIDATE_SEARCH_H
#define SERIATIM_HUNT_CANDIDATE_SEARCH_H

#include "base/map64.h"
#include "hunt/candidates.h"
#include "hunt/lock_history.h"

enum {
    ST_MOST_OF_OBJECT = 32, /* accesses of an object that are looked at */
    ST_MOST_IN_CHAINS = 64  /* threads */
};

/* Points of a log. */
struct st_object_accesses {
    uint32_t points[ST_MOST_OF_OBJECT];
    uint32_t count;
};

struct st_candidate_search {
    struct st_candidates *candidates;
    const struct st_control_log *log;
    struct st_map64 numbers; /* of objects, by 8 bytes */
    struct st_object_accesses *objects;
    size_t object_capacity, object_count;
    struct st_lock_history *locks;
    struct st_map64 blocks; /* numbers of sites of blocks */
    uint32_t *calls;        /* of them: how many were looked at */
    size_t call_capacity;
    uint64_t meetings[ST_MOST_IN_CHAINS]; /* bits of the threads that a thread conflicts with */
    uint32_t chains;                      /* so many were found in this log */
};

const struct st_object_accesses *st_accesses_of(const struct st_candidate_search *search,
                                                const struct st_control_point *point);
bool st_points_conflict(const struct st_control_point *a, const struct st_control_point *b);

/* ---- thread_chains.c ---- */

/* Once all accesses of objects are known. */
void st_note_meetings(struct st_candidate_search *search);

/* Adds stalls for chains that leave a block, pass through several threads and come back. `list` has
 * the points of the block in which it meets others. */
void st_add_chains(struct st_candidate_search *search, const uint32_t *list, uint32_t count);

#endif
