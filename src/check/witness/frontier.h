/* Which transactions the running blocks reach: the frontier of each of them.
 *
 * frontier(s, u) is the smallest local time of thread u at which a transaction starts that the
 * running block of s reaches in the transaction graph. An edge from (a, time) into the running
 * block of t closes a cycle iff frontier(t, a) <= time. One step keeps all frontiers closed: new
 * edges enter running transactions only, so a block that reaches the source now also reaches the
 * target, and what the target reaches already.
 *
 * Few blocks ever reach another transaction while they run; only those have a column here. */
#ifndef SERIATIM_CHECK_WITNESS_FRONTIER_H
#define SERIATIM_CHECK_WITNESS_FRONTIER_H

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

/* The running block of a thread, as far as it reaches others. */
struct st_column {
    uint32_t thread;
    uint32_t *reached; /* threads u with a cell below ST_NEVER */
    size_t count, capacity;
};

struct st_frontiers {
    st_time *cells; /* cells[u * column_room + column] is frontier(thread, u) */
    uint32_t thread_room, column_room;
    uint32_t *reached_by;      /* by thread: how many columns reach it */
    uint32_t *column_of;       /* by thread; ST_NO_COLUMN for most */
    struct st_column *columns; /* in use and not, up to column_count */
    uint32_t column_count;
    uint32_t *spare; /* columns below column_count that are not in use */
    size_t spare_count, spare_capacity;
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
st_time st_frontiers_oldest(const struct st_frontiers *frontiers, uint32_t thread);

/* Does some running block reach a transaction of the thread that starts after the one time and not
 * after the other, and none before? */
bool st_frontiers_between(const struct st_frontiers *frontiers, uint32_t thread, st_time after,
                          st_time until);

/* Takes the edge into the transaction of edge.to.thread, which must not close a cycle.
 * `from_running`: its source is in the running block of its thread. Is anything reached that was
 * not? */
bool st_frontiers_extend(struct st_frontiers *frontiers, const struct st_frontier_edge *edge,
                         bool from_running, const st_time *live_from);

/* The running block of the thread has ended. */
void st_frontiers_end(struct st_frontiers *frontiers, uint32_t thread);

/* The shortest cycle that the edge closes, which starts in the running block of closing->edge.to's
 * thread (closing->sink is its begin). The edges, ending with the closing one; *count is set.
 * Release with free(). */
struct st_frontier_edge *st_frontiers_cycle(const struct st_frontiers *frontiers,
                                            const struct st_frontier_edge *closing, size_t *count);

#endif
