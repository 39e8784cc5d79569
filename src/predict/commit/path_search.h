/* The search behind commit nodes: does some path lead from one communication node of a transaction
 * through other units to a later one? predict/commit/commit_node.c explains why that matters. */
#ifndef SERIATIM_PREDICT_COMMIT_PATH_SEARCH_H
#define SERIATIM_PREDICT_COMMIT_PATH_SEARCH_H

#include "predict/commit/commit_node.h"
#include "predict/commit/forest.h"

/* A communication node, and an access of another unit that it meets. */
struct st_meeting {
    struct st_shape_span node;
    uint32_t access; /* in forest->accesses: the transaction's */
    uint32_t entry;  /* the other unit's */
};

/* How the search reached a unit. */
struct st_arrival {
    uint32_t from;   /* the previous unit; ST_NO_NAME: the transaction itself */
    uint32_t leaves; /* the access of that unit that meets; ST_NO_NAME: the step is by order */
    uint32_t enters; /* the entry of this unit that it meets */
};

/* What one thread needs to search for a transaction. Stamps mark what this search has visited. */
struct st_commit_search {
    const struct st_commit_analysis *analysis;
    struct st_meeting *meetings;
    size_t meeting_count, meeting_capacity;
    uint32_t stamp;
    uint32_t *visited;            /* by unit */
    uint32_t *expanded, *entered; /* by entry */
    uint32_t *latest; /* by unit with `goal`: the start of the last node that it meets */
    uint32_t reached; /* the end of the node where this part of the search started */
    double deadline;  /* in CPU time of this thread; 0: none */
    const struct st_total_time *total; /* of all searches; NULL: without end */
    bool expired;
    bool explains;  /* its path is asked for, and not only whether there is one */
    uint32_t *goal; /* by unit: it meets a later node of the transaction */
    uint32_t *low;  /* by chain: order reaches all of its units from this one on */
    uint32_t *low_stamp;
    uint32_t *queue;
    size_t head, tail;
    struct st_arrival *arrivals;         /* by unit: the first */
    uint32_t *met;                       /* by unit: a path enters it by an access */
    struct st_arrival *meeting_arrivals; /* by unit: the first of those */
    /* The accesses of one unit, by subject: the last one, and for each the previous one. */
    uint32_t subject_stamp;
    uint32_t *indexed, *on_subject; /* by subject: valid if indexed[subject] == subject_stamp */
    uint32_t *same_subject;
    size_t same_capacity;
};

/* A violated transaction: at which nodes, and the last unit on the path. */
struct st_commit_violation {
    struct st_meeting out, back;
    uint32_t last;
};

void st_commit_search_start(struct st_commit_search *search,
                            const struct st_commit_analysis *analysis);
void st_commit_search_end(struct st_commit_search *search);

/* What is known of a transaction without a search. */
enum st_commit_look { ST_COMMIT_ATOMIC, ST_COMMIT_VIOLATED, ST_COMMIT_OPEN };

/* By the analysis in its usual form: neither as published nor pairwise. If it is violated, the same
 * holds as below. */
enum st_commit_look st_commit_look(struct st_commit_search *search, uint32_t transaction,
                                   struct st_commit_violation *violation);

/* Is the transaction violated? If so, search->arrivals has the path to violation->last, which is
 * ST_NO_NAME where the theorem as published needs no path. False with search->expired means
 * undecided. */
bool st_commit_is_violated(struct st_commit_search *search, uint32_t transaction,
                           struct st_commit_violation *violation);

/* An innermost communication node within this one: a commit node. */
struct st_shape_span st_commit_node_in(const struct st_forest *forest, uint32_t unit,
                                       struct st_shape_span node);

/* The step before this one; the first one comes from the transaction itself. */
static inline const struct st_arrival *st_arrival_before(const struct st_commit_search *search,
                                                         const struct st_arrival *arrival) {
    const struct st_arrival *arrivals =
        arrival->leaves == ST_NO_NAME ? search->meeting_arrivals : search->arrivals;
    return &arrivals[arrival->from];
}

/* CPU time of this thread in seconds, as in search->deadline. */
double st_commit_time(void);

#endif
