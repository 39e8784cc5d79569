/* The search behind commit nodes: does some way lead from one communication node of a transaction
 * through other units to a later one? predict/commit/commit_node.c says what that is good for. */
#ifndef SERIATIM_PREDICT_COMMIT_PATH_SEARCH_H
#define SERIATIM_PREDICT_COMMIT_PATH_SEARCH_H

#include "predict/commit/forest.h"

/* A communication node, and an access elsewhere that it meets. */
struct st_meeting {
    struct st_span node;
    uint32_t access; /* in forest->accesses: of the transaction */
    uint32_t entry;  /* of the others */
};

/* How the search came to a unit. */
struct st_arrival {
    uint32_t from;   /* the unit before; ST_NO_NAME: the transaction itself */
    uint32_t leaves; /* the access of that unit that meets; ST_NO_NAME: order brought us */
    uint32_t enters; /* the entry of this unit that it meets */
};

/* What one thread needs to work on a transaction. Stamps say what was visited in this search. */
struct st_commit_search {
    const struct st_commit_analysis *analysis;
    struct st_meeting *meetings;
    size_t meeting_count, meeting_capacity;
    uint32_t stamp;
    uint32_t *visited;            /* by unit */
    uint32_t *expanded, *entered; /* by entry */
    uint32_t *latest; /* by unit with `goal`: the start of the last node that it meets */
    uint32_t reached; /* the end of the node that this part of the search starts from */
    double deadline;  /* of processor time of this thread; 0: none */
    bool expired;
    uint32_t *goal; /* by unit: it meets a later node of the transaction */
    uint32_t *low;  /* by chain: from this one of its units on, all are reached by order */
    uint32_t *low_stamp;
    uint32_t *queue;
    size_t head, tail;
    struct st_arrival *arrivals; /* by unit */
    /* The accesses of one unit, by subject: the last one, and for each the one before it. */
    uint32_t subject_stamp;
    uint32_t *indexed, *on_subject; /* by subject: valid if indexed[subject] == subject_stamp */
    uint32_t *same_subject;
    size_t same_capacity;
    uint32_t *stack; /* of locks */
    size_t stack_capacity;
};

struct st_commit_analysis {
    const struct st_model *model;
    const struct st_predict_options *options;
    bool pairwise; /* see the options */
    struct st_forest *forest;
    uint32_t chain_count;
    uint32_t **of_chain; /* the units of each chain (predict/model/periods.h), by their ends */
    uint32_t *of_chain_count;
    enum st_block_verdict *verdicts;
    struct st_commit_search *searches; /* one for each worker */
};

/* A transaction that is cut: at which nodes, and the last unit on the way. */
struct st_cut {
    struct st_meeting out, back;
    uint32_t last;
};

void st_commit_search_start(struct st_commit_search *search,
                            const struct st_commit_analysis *analysis);
void st_commit_search_end(struct st_commit_search *search);

/* Puts all meetings of a unit into search->meetings, by node. */
void st_find_meetings(struct st_commit_search *search, uint32_t unit);

/* Is the transaction cut? If so, search->arrivals has the way to cut->last, which is ST_NO_NAME
 * when nobody asked for a way. False with search->expired: nobody knows. */
bool st_is_cut(struct st_commit_search *search, uint32_t transaction, struct st_cut *cut);

/* Processor time of this thread, in seconds, as in search->deadline. */
double st_commit_time(void);

#endif
