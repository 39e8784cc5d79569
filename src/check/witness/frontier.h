/* Which transactions the running blocks reach: the frontier of each of them.
 *
 * frontier(s, u) is the smallest local time of thread u at which a transaction starts that the
 * running block of s reaches in the transaction graph. An edge from (a, time) into the running
 * block of t closes a cycle iff frontier(t, a) <= time. One step keeps all frontiers closed: new
 * edges enter running transactions only, so a block that reaches the source now also reaches the
 * target, and what the target reaches already.
 *
 * It is kept the other way round: for a thread u, which blocks reach its transactions from which
 * start on. Whoever reaches a transaction reaches the later ones of its thread, so these sets grow
 * along the thread, and a set that grows out of another one shares what they have in common. 8,000
 * blocks that are open at once and that all reach those that began later need no cell for each pair
 * of them then. Few blocks ever reach another transaction while they run; only those have a number
 * to be a member with: a column. */
#ifndef SERIATIM_CHECK_WITNESS_FRONTIER_H
#define SERIATIM_CHECK_WITNESS_FRONTIER_H

#include "base/shared_row.h"
#include "check/clock.h"
#include "finding/finding.h"

#define ST_NO_COLUMN UINT32_MAX

/* An edge that lowered some frontier, kept to report the cycle in the end. */
struct st_frontier_edge {
    struct st_edge edge;
    st_time source; /* local time of edge.from */
    st_time sink;   /* local time at which the transaction of edge.to starts */
    struct st_ends ends;
};

/* A set of columns. There rarely are more than 64. */
struct st_column_set {
    uint64_t first;             /* the first 64 of them */
    struct st_shared_row *more; /* the others, numbered from 0 on */
};

/* Columns in `by`, and no others, reach the transaction of a thread that starts at `start`, and all
 * up to the next reach. */
struct st_reach {
    st_time start;
    struct st_column_set by;
};

/* Invariant: starts grow, and the set of a reach has all members of the one before. */
struct st_reached {
    struct st_reach *items;
    uint32_t count, capacity;
    uint32_t place; /* in `threads`, if count > 0 */
};

/* The running block of a thread, as far as it reaches others. */
struct st_column {
    uint32_t *threads; /* that it reaches; only as long as there are few */
    uint32_t count, capacity;
};

struct st_frontiers {
    struct st_rows sets;
    struct st_reached *reached; /* by thread */
    uint32_t *column_of;        /* by thread; ST_NO_COLUMN for most */
    uint32_t thread_room;
    uint32_t *threads; /* that some column reaches */
    size_t thread_count, thread_capacity;
    struct st_column *columns; /* in use and not */
    size_t column_count, column_capacity;
    uint32_t *spare; /* columns that are not in use */
    size_t spare_count, spare_capacity;
    size_t reach_bytes;             /* of all items and lists of threads */
    struct st_frontier_edge *edges; /* in trace order; all that are needed, and some more */
    size_t edge_count, edge_capacity, edges_sift_at;
};

void st_frontiers_init(struct st_frontiers *frontiers);
void st_frontiers_free(struct st_frontiers *frontiers);
void st_frontiers_reserve(struct st_frontiers *frontiers, uint32_t threads);
size_t st_frontiers_memory(const struct st_frontiers *frontiers);

/* Does the running block of t reach the transaction of thread a at that time? */
bool st_frontiers_closes(const struct st_frontiers *frontiers, uint32_t t, uint32_t a,
                         st_time time);

/* The smallest local time at which a transaction of the thread starts that some running block
 * reaches, or ST_NEVER. */
static inline st_time st_frontiers_oldest(const struct st_frontiers *frontiers, uint32_t thread) {
    const struct st_reached *reached = &frontiers->reached[thread];
    return reached->count ? reached->items[0].start : ST_NEVER;
}

/* Does some running block reach a transaction of the thread that starts after the one time and not
 * after the other, and none before? */
bool st_frontiers_between(const struct st_frontiers *frontiers, uint32_t thread, st_time after,
                          st_time until);

/* Takes the edge into the transaction of edge.to.thread, which must not close a cycle.
 * `from_running`: its source is in the running block of its thread. Is anything reached that was
 * not? */
bool st_frontiers_extend(struct st_frontiers *frontiers, const struct st_frontier_edge *edge,
                         bool from_running, const st_time *live_from);

/* The running block of the thread has ended. Few have a column. */
void st_frontiers_end_column(struct st_frontiers *frontiers, uint32_t thread);
static inline void st_frontiers_end(struct st_frontiers *frontiers, uint32_t thread) {
    if (frontiers->column_of[thread] != ST_NO_COLUMN)
        st_frontiers_end_column(frontiers, thread);
}

/* The shortest cycle that the edge closes, which starts in the running block of closing->edge.to's
 * thread (closing->sink is its begin). The edges, ending with the closing one; *count is set.
 * Release with free(). */
struct st_frontier_edge *st_frontiers_cycle(const struct st_frontiers *frontiers,
                                            const struct st_frontier_edge *closing, size_t *count);

#endif
