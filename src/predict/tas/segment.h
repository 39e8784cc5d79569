/* The segment of a block (the paper's trace atomicity segment, TAS) and the static check.
 *
 * With u0 and u1 the first and the last shared access of the block, the upper frontier has in each
 * thread the last event that must happen before u0, the lower one the first that cannot be executed
 * before u1. What lies strictly in between is the segment; no path that violates the block leaves
 * it. Ours is a little smaller than the paper's, which keeps all of several reads in a row that
 * each have their couple in the segment: behind the first of them nothing is executed that comes
 * before u1. */
#ifndef SERIATIM_PREDICT_TAS_SEGMENT_H
#define SERIATIM_PREDICT_TAS_SEGMENT_H

#include "predict/tas/graph.h"

/* For one worker; reused from block to block. */
struct tas_segment {
    const struct tas_block *block;
    uint32_t *accesses; /* shared accesses of the block, as events in their order */
    size_t access_count, access_capacity;
    uint32_t *upper,
        *lower; /* by thread: positions; of the block's own thread, of u0 - 1, u1 + 1 */

    /* By variable, valid where `stamps` has the stamp: what other threads do to it within the
     * segment. */
    uint8_t *others;
    uint32_t *stamps, stamp;
    uint32_t *guards; /* locks that the block's thread holds over all listed accesses */
    size_t guard_count, guard_capacity;
};

enum { TAS_OTHERS_READ = 1, TAS_OTHERS_WRITE = 2 };

void tas_segment_init(struct tas_segment *segment, const struct st_tas_graph *graph);
void tas_segment_free(struct tas_segment *segment);

/* Finds accesses and frontiers. False when the block has fewer than two shared accesses, which is
 * why it is atomic; the frontiers are not set then. */
bool tas_segment_find(struct tas_segment *segment, const struct st_tas_graph *graph,
                      const struct tas_block *block);

/* How many events it has. */
uint64_t tas_segment_size(const struct tas_segment *segment, const struct st_tas_graph *graph);

/* Keeps only the accesses of the block that conflict with an access of another thread in the
 * segment, and makes the segment smaller accordingly, until nothing changes. An access under a lock
 * that the block's thread holds all the time does not count: it is not executed in between. (The
 * paper's check knows no locks.) True when fewer than two are left: the block is atomic. */
bool tas_segment_static_check(struct tas_segment *segment, const struct st_tas_graph *graph);

/* The first position of the thread that cannot be executed before the event of another thread. */
uint32_t tas_lower_frontier(const struct st_tas_graph *graph, uint32_t thread, uint32_t event);

#endif
