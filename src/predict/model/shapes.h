/* Shapes: what units do, apart from when and by whom. Units that do the same have the same shape.
 *
 * A shape is the access tree of PPoPP 2006 written as a list of tokens, without what no analysis
 * can tell from its absence (predict/model/unit_draft.h): accesses to variables that threads do not
 * quarrel about, and repetitions. */
#ifndef SERIATIM_PREDICT_MODEL_SHAPES_H
#define SERIATIM_PREDICT_MODEL_SHAPES_H

#include "predict/model/locksets.h"

enum st_token_kind {
    ST_TOKEN_READ,
    ST_TOKEN_WRITE,
    ST_TOKEN_ACQUIRE,
    ST_TOKEN_RELEASE,
    ST_TOKEN_REACQUIRE, /* re-entrant: it has no effect */
    ST_TOKEN_RERELEASE
};

struct st_token {
    uint32_t kind;
    uint32_t target; /* a variable or a lock */
};

#define ST_NO_TOKEN UINT32_MAX

/* Critical sections need not be nested. */
struct st_shape {
    uint32_t *held; /* the locks that its thread holds when it begins, in the order of acquiring */
    uint32_t *held_ends; /* for each of them: its release, or `count` when it is held to the end */
    uint32_t held_count;
    uint32_t held_set; /* the same as a number of a lockset */
    uint32_t count;
    struct st_token *tokens;
    uint32_t *ends;     /* of an acquire: its release, or `count` when it is held to the end */
    uint32_t *ups;      /* the acquire that was the last one whose lock is held at the token (of an
                         * acquire or release: by others), or ST_NO_TOKEN */
    uint32_t *locksets; /* what is held at the token; acquire and release are in their section */
    uint32_t next, hash;
};

struct st_shapes {
    struct st_shape *items;
    size_t count, capacity;
    uint32_t *heads;
    size_t head_count;
    size_t bytes; /* of what the items point to */
};

void st_shapes_init(struct st_shapes *shapes);
void st_shapes_free(struct st_shapes *shapes);
size_t st_shapes_memory(const struct st_shapes *shapes);

/* The number of the shape, new or known. Copies what it is given. */
uint32_t st_shape_of(struct st_shapes *shapes, struct st_locksets *locksets, const uint32_t *held,
                     uint32_t held_count, const struct st_token *tokens, uint32_t count);

/* The acquire of the critical section on `lock` that token i is in; ST_NO_TOKEN when the lock is
 * held from the beginning. The lock must be in the token's lockset. */
uint32_t st_shape_section(const struct st_shape *shape, uint32_t i, uint32_t lock);

/* A part of a shape: tokens counted from 1. What goes back to before the beginning starts at 0, and
 * what goes on behind the end ends at one more than the number of tokens. */
struct st_span {
    uint32_t start, end;
};

/* The outermost critical section around token i (ST_NO_TOKEN: around the beginning) whose lock is
 * in the set. False when no lock of the set is held there. */
bool st_shape_outermost(const struct st_shape *shape, const struct st_locksets *locksets,
                        uint32_t i, uint32_t set, struct st_span *span);

#endif
