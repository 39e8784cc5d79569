/* What the files of the blocks analysis share. The paper is TSE 2006, section 6.
 *
 * The paper's *blocks* are pairs of accesses of one transaction, to one variable or to two. We call
 * them pairs: here, a block is what a trace has from a begin to its end, and a transaction or unit
 * is what the model makes of it. */
#ifndef SERIATIM_PREDICT_BLOCKS_BLOCKS_H
#define SERIATIM_PREDICT_BLOCKS_BLOCKS_H

#include "base/intern.h"
#include "predict/model/model.h"
#include "predict/predictor.h"

#include <pthread.h>
#include <stdatomic.h>

struct st_blocks_options {
    bool one_variable; /* one variable at a time (Theorem 3) */
    bool exact;        /* all transactions at once (Theorem 5); with neither, Theorem 4 */
    bool improvements; /* a table of what each improvement gains */
};

#define ST_NO_UNIT UINT32_MAX
#define ST_BLOCKS_NO_VARIABLE UINT32_MAX

/* Accesses of a transaction with accesses of another unit in between, in an order that no serial
 * schedule has. */
struct st_pair_finding {
    uint32_t variables[2]; /* the second is ST_BLOCKS_NO_VARIABLE if only one is involved */
    uint32_t tokens[2];    /* of the transaction: before and after the other unit's */
    uint32_t other;        /* the unit in between */
    uint32_t others[2];    /* its tokens; the second is ST_NO_TOKEN if only one variable is
                            * involved */
};

struct st_blocks_run {
    const struct st_model *model;
    const struct st_predict_options *options;
    struct st_locksets locksets; /* those of the model, with the same numbers, and more */
    uint32_t *units;             /* all, ordered by shape, thread and time */
    size_t *first_unit;          /* by shape: index into `units`; has one more element than there
                                  * are shapes */
    enum st_block_verdict *verdicts;
    struct st_pair_finding *findings; /* by unit, for those that are POTENTIAL */
    pthread_mutex_t lock;             /* protects findings, which several of our threads add */
    uint64_t storage;                 /* distinct pairs */
    bool *cut_variables; /* by variable: is something reported by Theorem 3? NULL: nobody asks */
};

void st_blocks_start(struct st_blocks_run *run, const struct st_model *model,
                     const struct st_predict_options *options);
void st_blocks_stop(struct st_blocks_run *run);

/* Not everything was looked at: transactions of which nothing was found are not decided. */
void st_blocks_give_up(struct st_blocks_run *run);

/* ---- units that can run at the same time (unit_lists.c) ---- */

void st_blocks_index_units(struct st_blocks_run *run);

/* Units ordered by thread and time, no two of them in the same periods. */
struct st_unit_list {
    uint32_t *units;
    size_t count, capacity;
};

/* Appends the units of the shape. Call before st_unit_list_sort. */
void st_unit_list_add_shape(const struct st_blocks_run *run, uint32_t shape,
                            struct st_unit_list *list);
void st_unit_list_sort(const struct st_blocks_run *run, struct st_unit_list *list);

/* A unit of the list that can run at the same time as this one, or ST_NO_UNIT. */
uint32_t st_unit_list_meet(const struct st_blocks_run *run, const struct st_unit_list *list,
                           uint32_t unit);

/* ---- accesses of a shape (accesses.c) ---- */

static inline bool st_is_access(const struct st_token *token) {
    return token->kind == ST_TOKEN_READ || token->kind == ST_TOKEN_WRITE;
}

/* The locks held continuously from token i to token j, which is not before i: not just at both of
 * them, but in the same critical section. */
uint32_t st_blocks_held_between(struct st_blocks_run *run, const struct st_shape *shape, uint32_t i,
                                uint32_t j);

/* The locks held at any time from token i to token j: the union of the paper's held(i), held(j) and
 * heldmid(i, j). */
uint32_t st_blocks_touched(struct st_blocks_run *run, const struct st_shape *shape, uint32_t i,
                           uint32_t j);

/* For each token: is it an initial read (the shape has no earlier write to the variable), or a
 * final write (the shape has no later one)? */
struct st_roles {
    bool *initial, *final;
    uint32_t *last; /* by variable: scratch, all zero */
    size_t capacity;
};
void st_roles_init(const struct st_blocks_run *run, struct st_roles *roles);
void st_roles_free(struct st_roles *roles);
void st_roles_find(struct st_roles *roles, const struct st_shape *shape);

/* ---- Theorem 3 (one_variable.c) ---- */

/* What matters about two accesses of a shape to one variable. It is a key, so it has only 32-bit
 * words. */
struct st_1v_pair {
    uint32_t variable;
    uint32_t ops[2];     /* ST_TOKEN_READ, ST_TOKEN_WRITE, or ST_NO_TOKEN for the dummy event */
    uint32_t initial[2]; /* 0 or 1 */
    uint32_t final[2];
    uint32_t held[2];
    uint32_t between; /* locks held from the first to the second */
};

/* A shape that has the pair, and its first two tokens that form it. */
struct st_1v_entry {
    uint32_t pair, shape, tokens[2];
};

struct st_1v_pairs {
    struct st_intern pairs;      /* struct st_1v_pair */
    struct st_1v_entry *entries; /* ordered by pair */
    size_t entry_count, entry_capacity;
    size_t *first_entry; /* by pair; has one more element than there are pairs */
    uint32_t *by_variable;
    size_t *first_pair; /* by variable: index into by_variable; has one more element than there are
                         * variables */
};

void st_1v_make(struct st_blocks_run *run, struct st_1v_pairs *all);
void st_1v_free(struct st_1v_pairs *all);

static inline const struct st_1v_pair *st_1v_pair_at(const struct st_1v_pairs *all,
                                                     uint32_t number) {
    return st_intern_key(&all->pairs, number);
}

/* The unserializable patterns of 6.1, as bits. */
enum st_pair_pattern {
    ST_PATTERN_WRW = 1,
    ST_PATTERN_RWR = 2,
    ST_PATTERN_WWR = 4,
    ST_PATTERN_RWW = 8, /* the write in between is a final write */
    ST_PATTERN_ALL = 15
};

/* Checks one variable at a time, for these patterns. */
void st_1v_check(struct st_blocks_run *run, const struct st_1v_pairs *all, unsigned patterns);

/* Finds what Theorem 3 misses where locks are held outside transactions (loose_locks.c). */
void st_loose_check(struct st_blocks_run *run);

/* ---- Theorem 4 (two_variables.c) ---- */

/* An access that takes part in pairs: an initial read or a final write. It is part of keys, so it
 * has only 32-bit words. */
struct st_2v_access {
    uint32_t variable, op, held;
    uint32_t between; /* locks held continuously from here to the next access */
    uint32_t touched; /* locks held at any time from here to the next access */
};

/* Those accesses of a shape, and their tokens. */
struct st_2v_accesses {
    struct st_2v_access *items;
    uint32_t *tokens;
    size_t count, capacity, token_capacity;
};
void st_2v_list_accesses(struct st_blocks_run *run, struct st_roles *roles, uint32_t shape,
                         struct st_2v_accesses *accesses);
void st_2v_accesses_free(struct st_2v_accesses *accesses);

/* Checks the second condition of Theorem 4 for all pairs of transactions. */
void st_2v_check(struct st_blocks_run *run);

/* ---- Theorem 5 (exact/exact.c) ---- */

/* Checks all but the first condition. What it cannot decide in time becomes ST_BLOCK_TIMEOUT. */
struct st_blocks_exact;
struct st_blocks_exact *st_blocks_explore(struct st_blocks_run *run,
                                          struct st_prediction *prediction);
void st_blocks_exact_free(struct st_blocks_exact *exact);

/* Fills in what is known about a unit found to be violated. */
void st_blocks_exact_explain(const struct st_blocks_exact *exact, uint32_t unit,
                             struct st_predicted_block *block);

#endif
