/* The search behind commit nodes where units are there in pieces
 * (predict/model/spare/piece_table.h).
 *
 * The question is that of path_search.h: does a path lead from one node of a transaction through
 * other threads to a later one? Of a way so far, only the first position counts that it has come to
 * in each group of units: from there, the order of the thread leads to all pieces that end later.
 * And from one group to another lead few crossings that are worth anything
 * (predict/model/spare/crossings.h). So a search takes as many steps as there are groups, however
 * many pieces there are, and finds a path whenever there is one. */
#ifndef SERIATIM_PREDICT_COMMIT_PIECE_SEARCH_H
#define SERIATIM_PREDICT_COMMIT_PIECE_SEARCH_H

#include "predict/commit/path_search.h"
#include "predict/model/spare/crossings.h"

/* A node of the transaction, and a piece that it meets there. */
struct st_encounter {
    struct st_shape_span node;
    uint32_t token; /* the transaction's */
    uint32_t piece;
};

/* How a path entered a group by an access. */
struct st_piece_step {
    uint32_t before; /* the step before this one; ST_NO_NAME: it comes from the transaction */
    uint32_t leaves; /* the piece by which it left the group where it was, or the token at which it
                      * left the transaction */
    uint32_t enters; /* a piece */
};

/* What one thread needs to search. */
struct st_piece_search {
    const struct st_model *model;
    const uint32_t *ranks;      /* of locks, or NULL (lock_ranks.h) */
    struct st_piece_group self; /* the transaction's */
    uint32_t *near;             /* groups that can run at the same time as that */
    size_t near_count;
    struct st_piece_reach *reach; /* by group */
    uint32_t stamp;
    uint32_t *last_write; /* by variable: the token of the last write so far, plus 1 */
    /* Of the access that is looked at: its nodes, and at each the pieces of each near group from
     * which a path leads furthest, and to which one leads from furthest. */
    struct st_shape_span *nodes;
    size_t node_count, node_capacity;
    struct st_tally *tallies;
    size_t tally_capacity;
    uint32_t least_end, last_start; /* of all nodes so far */
    struct st_encounter *outs, *backs;
    size_t out_count, out_capacity, back_count, back_capacity;
    uint32_t *best; /* by place in `backs`: of its group, the one up to there that ends last */
    size_t best_capacity;
    struct st_piece_step *steps;
    size_t step_count, step_capacity;
    uint32_t *queue;
    size_t queued;
};

/* A path: its last step, and how it comes back. */
struct st_piece_path {
    struct st_encounter out, back;
    uint32_t last;
};

/* `ranks` are st_lock_ranks of the model, which has pieces. */
void st_piece_search_start(struct st_piece_search *search, const struct st_model *model,
                           const uint32_t *ranks);
void st_piece_search_end(struct st_piece_search *search);

/* What is known of the transaction. ST_COMMIT_OPEN: there is no path, as far as all pieces are
 * there, and there is more than one commit node. If it is violated, search->steps and `path` have
 * a path. `all`: look at all that it meets first, so that the nodes are those in search->outs and
 * search->backs. */
enum st_commit_look st_piece_look(struct st_piece_search *search, uint32_t transaction, bool all,
                                  struct st_piece_path *path);

/* An innermost node within this one, after such a look at all: a commit node. */
struct st_shape_span st_innermost_node(const struct st_piece_search *search,
                                       struct st_shape_span node);

#endif
