/* What an analysis found. Engines fill it, reports are written from it and from nothing else.
 *
 * Names are numbers of the trace's symbols; event numbers are 1-based positions in the trace. */
#ifndef SERIATIM_FINDING_FINDING_H
#define SERIATIM_FINDING_FINDING_H

#include "trace/event.h"

#include <stddef.h>

/* An event that a finding speaks of. */
struct st_place {
    uint64_t number;
    struct st_event event;
};

enum st_edge_kind { ST_EDGE_CONFLICT, ST_EDGE_LOCK, ST_EDGE_FORK, ST_EDGE_JOIN };
const char *st_edge_kind_name(enum st_edge_kind kind); /* "conflict", "lock", "fork", "join" */

/* A dependence between two events of different threads. What it is about (variable, lock, thread)
 * is the target of `to`, but for fork edges, where it is the target of `from`. */
struct st_edge {
    struct st_place from, to;
    enum st_edge_kind kind;
};

/* A violated block. Invariant: begin <= event, and event <= end unless end is 0 (still open). */
struct st_violation {
    uint32_t block; /* name, or ST_NO_NAME */
    uint32_t thread;
    uint32_t depth; /* 0 is outermost */
    uint64_t begin_loc;
    uint64_t begin, end;
    struct st_place event; /* the first event that proves it */
    struct st_edge *path; /* out of the block and back to `event`; NULL where the engine has none */
    size_t path_length;
    /* The last edge of such a path. to.number is 0 where it is not known; from.number is 0 where
     * only the thread of its source is. */
    struct st_edge closing;
};

enum st_verdict { ST_UNDECIDED, ST_SERIALIZABLE, ST_NOT_SERIALIZABLE };

struct st_findings {
    enum st_verdict verdict;
    uint64_t first_bad_event; /* 0: none */
    bool names_blocks;        /* does this engine name violated blocks at all? */
    bool blames_closers; /* a named block without a path closes a cycle; it need not be violated */
    const char *gave_up; /* why there is no verdict, or NULL */
    uint64_t violation_count;        /* violated outermost blocks, also those not kept */
    struct st_violation *violations; /* in the order in which they were found */
    size_t kept, kept_capacity, limit;
    struct st_edge *cycle; /* cross-thread edges of the cycle that closes there, where known */
    size_t cycle_length;
    uint64_t *violated; /* by block name */
    size_t violated_capacity;
    uint64_t unnamed_violated;

    /* Called for each violated block as soon as it is known, or NULL. */
    void (*on_violation)(void *context, const struct st_violation *violation);
    void *context;
};

/* limit: how many violations to keep in full; 0 keeps all. */
void st_findings_init(struct st_findings *findings, size_t limit);
void st_findings_free(struct st_findings *findings);

/* The trace is not serializable from this event on. Only the smallest such event is kept; true when
 * this is the smallest so far. */
bool st_findings_bad_event(struct st_findings *findings, uint64_t event);

/* Takes over violation->path. Returns a handle for st_findings_block_end. */
size_t st_findings_violation(struct st_findings *findings, const struct st_violation *violation);

/* The violated block with this handle has ended. */
void st_findings_block_end(struct st_findings *findings, size_t handle, uint64_t event);
#define ST_NO_VIOLATION SIZE_MAX

/* Puts the violations that are kept in the order of the events that prove them. Handles are no
 * longer valid. */
void st_findings_sort(struct st_findings *findings);

/* Keeps a copy of the edges as the cycle that makes the first bad event bad. */
void st_findings_cycle(struct st_findings *findings, const struct st_edge *edges, size_t count);

#endif
