/* What the files of the blocks analysis share: blocks.c (the analysis), blocks_1v.c (Theorem 3),
 * blocks_2v.c (Theorem 4), blocks_exact.c (Theorem 5).
 *
 * The paper is TSE 2006, section 6. Its *blocks* are pairs of accesses of one transaction, and not
 * the blocks of a trace: those are called transactions or units here. */
#ifndef SERIATIM_PREDICT_BLOCKS_BLOCKS_H
#define SERIATIM_PREDICT_BLOCKS_BLOCKS_H

#include "predict/model/model.h"
#include "predict/predictor.h"

#include <pthread.h>
#include <stdatomic.h>

struct st_blocks_options {
    bool one_variable; /* one variable at a time (Theorem 3) */
    bool exact;        /* all transactions at once (Theorem 5); without either, Theorem 4 */
};

#define ST_NO_UNIT UINT32_MAX
#define ST_NO_VARIABLE UINT32_MAX

/* Accesses of a transaction with accesses of another unit in between, as no serial schedule has
 * them. */
struct st_block_finding {
    uint32_t variables[2]; /* the second is ST_NO_VARIABLE when it is about one */
    uint32_t tokens[2];    /* of the transaction: before and after the others */
    uint32_t other;        /* the unit in between */
    uint32_t others[2];    /* its tokens; the second is ST_NO_TOKEN when it is about one variable */
};

/* Units in order of thread and time, no two of them in the same periods. */
struct st_unit_list {
    uint32_t *units;
    size_t count, capacity;
};

/* The unserializable patterns of 6.1, as bits. */
enum st_block_pattern {
    ST_PATTERN_WRW = 1,
    ST_PATTERN_RWR = 2,
    ST_PATTERN_WWR = 4,
    ST_PATTERN_RWW = 8, /* the write in between is a final one */
    ST_PATTERN_ALL = 15
};

struct st_blocks_run {
    const struct st_model *model;
    const struct st_predict_options *options;
    struct st_locksets locksets; /* those of the model, by the same numbers, and more */
    uint32_t *units;             /* all, in order of shape, thread and time */
    size_t *first_unit;          /* by shape: in `units`; there is one more than shapes */
    enum st_block_verdict *verdicts;
    struct st_block_finding *findings; /* by unit: of those that are POTENTIAL */
    pthread_mutex_t lock;              /* for findings of several threads of ours */
    uint64_t storage;                  /* distinct blocks */
};

void st_blocks_start(struct st_blocks_run *run, const struct st_model *model,
                     const struct st_predict_options *options);
void st_blocks_stop(struct st_blocks_run *run);

/* ---- blocks_units.c ---- */

void st_blocks_index_units(struct st_blocks_run *run);

/* Appends the units of the shape; to be called before st_unit_list_sort. */
void st_unit_list_add_shape(const struct st_blocks_run *run, uint32_t shape,
                            struct st_unit_list *list);
void st_unit_list_sort(const struct st_blocks_run *run, struct st_unit_list *list);

/* Some unit of the list that can run at the same time as this one, or ST_NO_UNIT. */
uint32_t st_unit_list_meet(const struct st_blocks_run *run, const struct st_unit_list *list,
                           uint32_t unit);

/* ---- blocks_locks.c ---- */

/* The locks that are held all the time from token i to token j, which is not before it: not just
 * at both of them, but in the same critical section. */
uint32_t st_blocks_held_between(struct st_blocks_run *run, const struct st_shape *shape, uint32_t i,
                                uint32_t j);

/* The locks that are held at any time from token i to token j: the paper's held(i), held(j) and
 * heldmid(i, j) together. */
uint32_t st_blocks_touched(struct st_blocks_run *run, const struct st_shape *shape, uint32_t i,
                           uint32_t j);

/* ---- accesses of a shape ---- */

/* Is it an access? */
static inline bool st_is_access(const struct st_token *token) {
    return token->kind == ST_TOKEN_READ || token->kind == ST_TOKEN_WRITE;
}

/* For each token: is it an initial read (no write to the variable comes before it in the shape), is
 * it a final write (none comes after it)? */
struct st_roles {
    bool *initial, *final;
    uint32_t *last; /* by variable: scratch, all zero */
    size_t capacity;
};
void st_roles_init(const struct st_blocks_run *run, struct st_roles *roles);
void st_roles_free(struct st_roles *roles);
void st_roles_find(struct st_roles *roles, const struct st_shape *shape);

/* ---- the theorems ---- */

/* A 1v-block: what matters of two accesses of a shape to one variable. */
struct st_1v_block {
    uint32_t variable;
    uint32_t ops[2];     /* ST_TOKEN_READ, ST_TOKEN_WRITE, or ST_NO_TOKEN for the dummy event */
    uint32_t initial[2]; /* 0 or 1 */
    uint32_t final[2];
    uint32_t held[2];
    uint32_t between; /* locks that are held from the one to the other */
};

/* A shape that has the block, and the first two tokens that make it so. */
struct st_1v_entry {
    uint32_t block, shape, tokens[2];
};

struct st_1v_blocks {
    struct st_1v_block *blocks;
    size_t count, capacity;
    struct st_1v_entry *entries; /* in order of their blocks */
    size_t entry_count, entry_capacity;
    size_t *first_entry; /* by block; there is one more than blocks */
    uint32_t *by_variable;
    size_t *first_block; /* by variable: in by_variable; there is one more than variables */
};

void st_1v_make(struct st_blocks_run *run, struct st_1v_blocks *all);
void st_1v_free(struct st_1v_blocks *all);

/* Theorem 3, one variable at a time, with these patterns. */
void st_1v_check(struct st_blocks_run *run, const struct st_1v_blocks *all, unsigned patterns);

/* What Theorem 3 misses where locks are held outside of transactions: blocks_loose.c. */
void st_loose_check(struct st_blocks_run *run);

/* An access that takes part in 2v-blocks: an initial read or a final write. */
struct st_2v_access {
    uint32_t variable, op, held;
    uint32_t between; /* locks that are held from here to the next access */
    uint32_t touched; /* locks that are held at any time from here to the next access */
};

/* The accesses of a shape that take part in 2v-blocks, and their tokens. */
struct st_2v_accesses {
    struct st_2v_access *items;
    uint32_t *tokens;
    size_t count, capacity, token_capacity;
};
void st_2v_accesses(struct st_blocks_run *run, struct st_roles *roles, uint32_t shape,
                    struct st_2v_accesses *accesses);
void st_2v_accesses_free(struct st_2v_accesses *accesses);

/* The second condition of Theorem 4, for all pairs of transactions. */
void st_2v_check(struct st_blocks_run *run);

/* Theorem 5 but for its first condition. What it cannot decide in time becomes
 * ST_BLOCK_TIMEOUT. */
struct st_blocks_exact;
struct st_blocks_exact *st_blocks_explore(struct st_blocks_run *run,
                                          struct st_prediction *prediction);
void st_blocks_exact_free(struct st_blocks_exact *exact);

/* Fills in what is known of a unit that was found to be cut. */
void st_blocks_exact_explain(const struct st_blocks_exact *exact, uint32_t unit,
                             struct st_predicted_block *block);

#endif
