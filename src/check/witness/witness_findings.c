/* Turns what the edges of an event prove into findings. */
#include "check/witness/witness_state.h"

#include "base/memory.h"

#include <stdlib.h>

/* The number of a variable may have been given to another one between the two events. */
static bool is_same_variable(const struct witness *w, const struct st_place *from,
                             const struct st_place *to) {
    return from->event.target == to->event.target &&
           (from->number > w->forgotten_at || !st_bits_has(&w->forgotten, to->event.target));
}

/* Is there a dependence from the one event to the other, which is later? */
static bool depends(const struct witness *w, const struct st_place *from, const struct st_place *to,
                    enum st_edge_kind *kind) {
    const struct st_event *a = &from->event, *b = &to->event;
    if (a->thread == b->thread)
        return false;
    if (a->op <= ST_WRITE && b->op <= ST_WRITE && (a->op == ST_WRITE || b->op == ST_WRITE) &&
        is_same_variable(w, from, to))
        *kind = ST_EDGE_CONFLICT;
    else if (a->op == ST_RELEASE && b->op == ST_ACQUIRE && a->target == b->target)
        *kind = ST_EDGE_LOCK;
    else if (a->op == ST_FORK && a->target == b->thread)
        *kind = ST_EDGE_FORK;
    else if (b->op == ST_JOIN && b->target == a->thread)
        *kind = ST_EDGE_JOIN;
    else if (a->op == ST_SEND && b->op == ST_RECEIVE && a->target == b->target)
        *kind = ST_EDGE_SYNC;
    else
        return false;
    return true;
}

/* Leaves out edges where a direct dependence between events of the path makes them needless.
 * Returns its length. */
static size_t shorten(const struct witness *w, struct st_edge *path, size_t length) {
    size_t kept = 0;
    for (size_t i = 0; i < length; i++) {
        struct st_edge edge = path[i];
        size_t last = i;
        for (size_t j = length - 1; j > last; j--) {
            if (depends(w, &edge.from, &path[j].to, &edge.kind)) {
                edge.to = path[j].to;
                last = j;
            }
        }
        path[kept++] = edge;
        i = last;
    }
    return kept;
}

static struct st_edge *path_of(const struct witness *w, const struct proof *proof, size_t *length) {
    size_t i = *length = proof->length + (size_t)1;
    struct st_edge *path = st_alloc(*length, sizeof *path);
    path[--i] = proof->edge;
    for (const struct st_hop *hop = proof->path; hop; hop = st_hop_before(hop, w->event->thread))
        path[--i] = hop->edge;
    *length = shorten(w, path, *length);
    return path;
}

/* The proof with the shortest path among those that reach the block with this index. */
static const struct proof *best_proof(const struct witness *w, uint32_t index) {
    const struct proof *best = NULL;
    for (size_t i = 0; i < w->proof_count; i++)
        if (w->proofs[i].depth > index && (!best || w->proofs[i].length < best->length))
            best = &w->proofs[i];
    return best;
}

/* What a thread starts with is around all that it does, and counts for nothing there. */
static uint32_t depth_of(const struct st_open_blocks *blocks, uint32_t index) {
    return index && blocks->items[0].start ? index - 1 : index;
}

static void report_block(struct witness *w, uint32_t t, uint32_t index, const struct proof *proof) {
    struct st_open_block *block = &w->blocks[t].items[index];
    struct st_violation violation = {.block = block->name,
                                     .thread = t,
                                     .depth = depth_of(&w->blocks[t], index),
                                     .begin_loc = block->loc,
                                     .begin = block->begin,
                                     .again = block->call_violated,
                                     .event = this_place(w),
                                     .closing = proof->edge};
    if (st_findings_keeps(w->findings, block->name, violation.event.event.loc))
        violation.path = path_of(w, proof, &violation.path_length);
    violation.waited =
        violation.path_length && w->threads[t].outside > violation.path[0].from.number;
    block->violation = st_findings_violation(w->findings, &violation);
    block->call_violated = true;
}

/* Nobody said that what a thread starts with is one step. So it is reported only if no function in
 * it was cut by the same event, which says more, and if the function that the thread starts with
 * comes back to the data itself: one that calls others, which are blocks, for one step each, is
 * there to put steps in a row. Such a cut makes no cycle of transactions, and is found here alone.
 */
static bool report_start(struct witness *w, uint32_t t, const struct proof *proof) {
    struct st_open_blocks *blocks = &w->blocks[t];
    uint32_t index = blocks->violated;
    if (best_proof(w, index + 1)) {
        blocks->violated++; /* and what is in it is reported */
        return true;
    }
    if (blocks->depth > index + 1)
        return false;
    st_findings_bad_event(w->findings, w->number);
    report_block(w, t, blocks->violated++, proof);
    return true;
}

static void report_blocks(struct witness *w, uint32_t t) {
    const struct proof *proof;
    const struct st_open_blocks *blocks = &w->blocks[t];
    while ((proof = best_proof(w, blocks->violated))) {
        if (blocks->items[blocks->violated].start) {
            if (!report_start(w, t, proof))
                break;
        } else {
            report_block(w, t, w->blocks[t].violated++, proof);
        }
    }
    w->proof_count = 0;
    refresh(w, t); /* these blocks need not be remembered any more */
}

static void keep_cycle(struct witness *w, const struct st_frontier_edge *cycle, size_t length) {
    struct st_edge *edges = st_alloc(length, sizeof *edges);
    struct st_ends *ends = st_alloc(length, sizeof *ends);
    for (size_t i = 0; i < length; i++) {
        edges[i] = cycle[i].edge;
        ends[i] = cycle[i].ends;
    }
    st_findings_cycle(w->findings, edges, ends, length);
    free(edges);
    free(ends);
}

/* The shortest of the cycles that the event closes. */
static void report_cycle(struct witness *w) {
    struct st_frontier_edge *shortest = NULL;
    size_t length = SIZE_MAX;
    for (size_t i = 0; i < w->closing_count; i++) {
        size_t count;
        struct st_frontier_edge *cycle = st_frontiers_cycle(&w->frontiers, &w->closing[i], &count);
        bool shorter = count < length;
        free(shorter ? shortest : cycle);
        shortest = shorter ? cycle : shortest;
        length = shorter ? count : length;
    }
    keep_cycle(w, shortest, length);
    free(shortest);
}

/* The trace is not serializable from the current event on. */
static void report_bad_event(struct witness *w) {
    st_findings_bad_event(w->findings, w->number);
    if (w->proof_count == 0)
        report_cycle(w);
    w->serializable = false;
    w->closing_count = 0;
    st_frontiers_free(&w->frontiers);
}

void st_witness_report(struct witness *w, uint32_t t) {
    if (w->closing_count)
        report_bad_event(w);
    if (w->proof_count)
        report_blocks(w, t);
}
