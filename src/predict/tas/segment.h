/* The segment of a block (the paper's trace atomicity segment, TAS) and the static check.
 *
 * Let u0 and u1 be the first and the last shared access of the block. In each thread, the upper
 * frontier is the last event that must happen before u0, and the lower frontier is the first event
 * that cannot be executed before u1. The segment is what lies strictly between them. No path that
 * violates the block leaves it. Our segment is slightly smaller than the paper's, which keeps all
 * of several consecutive reads that each have their couple in the segment: nothing executed after
 * the first of them comes before u1. */
#ifndef SERIATIM_PREDICT_TAS_SEGMENT_H
#define SERIATIM_PREDICT_TAS_SEGMENT_H

#include "predict/tas/graph.h"

/* One for each worker, reused from block to block. */
struct tas_segment {
    const struct tas_block *block;
    uint32_t *accesses; /* shared accesses of the block, as events in order */
    size_t access_count, access_capacity;
    uint32_t *upper,
        *lower; /* by thread: positions; in the block's own thread, of u0 - 1 and u1 + 1 */

    /* By variable, valid where `stamps` has the stamp: what other threads do to it in the
     * segment. */
    uint8_t *others;
    uint32_t *stamps, stamp;
    uint32_t *guards; /* locks that the block's thread holds across all listed accesses */
    size_t guard_count, guard_capacity;
};

enum { TAS_OTHERS_READ = 1, TAS_OTHERS_WRITE = 2 };

void tas_segment_init(struct tas_segment *segment, const struct st_tas_graph *graph);
void tas_segment_free(struct tas_segment *segment);

/* Finds accesses and frontiers. False if the block has fewer than two shared accesses; it is atomic
 * then, and the frontiers are not set. */
bool tas_segment_find(struct tas_segment *segment, const struct st_tas_graph *graph,
                      const struct tas_block *block);

/* The number of events in the segment. */
uint64_t tas_segment_size(const struct tas_segment *segment, const struct st_tas_graph *graph);

/* Keeps only the accesses of the block that conflict with an access of another thread in the
 * segment, and shrinks the segment accordingly, until nothing changes. Accesses under a lock that
 * the block's thread holds the whole time do not count, since they are not executed in between.
 * (The paper's check ignores locks.) True if fewer than two accesses are left: the block is
 * atomic. */
bool tas_segment_static_check(struct tas_segment *segment, const struct st_tas_graph *graph);

/* The first position of the thread that cannot be executed before the event, which is of another
 * thread. */
uint32_t tas_lower_frontier(const struct st_tas_graph *graph, uint32_t thread, uint32_t event);

#endif
