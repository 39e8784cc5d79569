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

#include "predict/tas/graph/graph.h"

/* One for each worker, reused from block to block. */
struct tas_segment {
    const struct tas_block *block;
    uint32_t *accesses; /* shared accesses of the block, as events in order */
    size_t access_count, access_capacity;
    uint32_t *upper,
        *lower;         /* by strand: positions; in the block's own strand, of u0 - 1 and u1 + 1 */
    uint32_t *frontier; /* by strand: the lower frontier; `lower` may be less if paths shrink it */
    /* By strand: these three are known where it has the stamp. Most blocks are settled by a look at
     * few strands. */
    uint32_t *known, known_stamp;

    /* By variable, valid where `stamps` has the stamp: what other threads do to it in the
     * segment. */
    uint8_t *others;
    uint32_t *stamps, stamp;
    uint32_t *guards; /* locks that the block's thread holds across all listed accesses */
    size_t guard_count, guard_capacity;
    struct tas_paths *paths; /* for shrinking by paths; NULL: not yet needed */
};

enum { TAS_OTHERS_READ = 1, TAS_OTHERS_WRITE = 2 };

void tas_segment_init(struct tas_segment *segment, const struct st_tas_graph *graph);
void tas_segment_free(struct tas_segment *segment);

/* Finds accesses and frontiers. False if the block has fewer than two shared accesses; it is atomic
 * then, and the frontiers are not set. */
bool tas_segment_find(struct tas_segment *segment, const struct st_tas_graph *graph,
                      const struct tas_block *block);

/* Makes the frontiers known for all strands. */
void tas_segment_complete(struct tas_segment *segment, const struct st_tas_graph *graph);

/* The number of events in the segment; none where nothing lies between the frontiers. */
uint64_t tas_segment_size(struct tas_segment *segment, const struct st_tas_graph *graph);

/* The static check: true if the segment alone proves the block atomic, since fewer than two of its
 * accesses conflict with others in the segment. Unless told not to, it also shrinks the segment
 * step by step (the paper has one sentence about that), by one of two rules. In each round, the
 * rule drops accesses of the block at which no path can leave or return. The frontiers are then
 * those of the first and the last access that is left, so there may be less to conflict with in the
 * next round. It ends when a round drops nothing.
 *
 *  - conflicts: keeps accesses that conflict with an access of another thread in the segment;
 *  - paths: first as with conflicts. Then each access of another thread in the segment learns the
 *    first access of the block from which a path may lead to it, and the last one to which a path
 *    may lead from it, through conflicts and the order of threads. If the first does not come
 *    before the last, the access is on no path. What lies outside of the first and the last access
 *    of a thread that may be on one is left out of the segment, and so is an access of the block
 *    that conflicts with none that may lead to a later one, or be reached from an earlier one.
 *
 * Both leave out accesses of others under a lock that the block's thread holds the whole time,
 * since they are not executed in between. (The paper's check, which is what happens without
 * shrinking, ignores locks, and leaves the segment as it is.) */
bool tas_segment_static_check(struct tas_segment *segment, const struct st_tas_graph *graph,
                              enum st_tas_shrinking shrinking);

/* The first position of the strand that cannot be executed before the event, which is of another
 * strand. */
uint32_t tas_lower_frontier(const struct st_tas_graph *graph, uint32_t strand, uint32_t event);

#endif
