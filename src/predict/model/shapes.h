/* Shapes: what units do, apart from when and in which thread. Units that do the same have the same
 * shape.
 *
 * A shape is the access tree of PPoPP 2006, written as a list of tokens. It leaves out what makes
 * no difference to any analysis (predict/model/unit_tokens.h): accesses to variables that are not
 * contended, and repetitions. */
#ifndef SERIATIM_PREDICT_MODEL_SHAPES_H
#define SERIATIM_PREDICT_MODEL_SHAPES_H

#include "base/number_table.h"
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
    uint32_t *held;      /* the locks that its thread holds when it begins, in the order of their
                          * acquires */
    uint32_t *held_ends; /* for each of them: its release, or `count` if it is held to the end */
    uint32_t held_count;
    uint32_t held_set; /* the same as a lockset number */
    uint32_t count;
    struct st_token *tokens;
    uint32_t *ends;     /* for an acquire: its release, or `count` if it is held to the end */
    uint32_t *ups;      /* the last acquire whose lock is held at the token (for an acquire or
                         * release: other than its own), or ST_NO_TOKEN */
    uint32_t *locksets; /* what is held at the token; an acquire or release is inside its own
                         * section */
};

struct st_shapes {
    struct st_shape *items;
    size_t count, capacity;
    struct st_number_table numbers;
    /* The lists of all shapes, in pieces; `used` words of the last piece. */
    uint32_t **pieces;
    size_t piece_count, piece_capacity, used, room;
    struct st_shapes_mark {
        size_t count, piece_count, used, room;
    } sealed; /* so much stays when the rest is dropped */
};

void st_shapes_init(struct st_shapes *shapes);
void st_shapes_free(struct st_shapes *shapes);

/* The number of the shape, which is added if it is new. Copies its arguments. */
uint32_t st_shape_of(struct st_shapes *shapes, struct st_locksets *locksets, const uint32_t *held,
                     uint32_t held_count, const struct st_token *tokens, uint32_t count);

/* Those that are there stay for good. They are not found again: what is like them gets a new
 * number. */
void st_shapes_seal(struct st_shapes *shapes);

/* Drops the shapes that came later. */
void st_shapes_drop(struct st_shapes *shapes);

/* There are no more to come. */
void st_shapes_finish(struct st_shapes *shapes);

/* The acquire of the critical section on `lock` that contains token i, or ST_NO_TOKEN if the lock
 * is held from the beginning. The lock must be in the token's lockset. */
uint32_t st_shape_section(const struct st_shape *shape, uint32_t i, uint32_t lock);

/* A part of a shape. Tokens count from 1. A part that reaches back before the beginning starts at
 * 0, and one that continues past the end ends at the number of tokens plus one. */
struct st_shape_span {
    uint32_t start, end;
};

/* The outermost critical section around token i (ST_NO_TOKEN: around the beginning) whose lock is
 * in the set. False if no lock of the set is held there. */
bool st_shape_outermost(const struct st_shape *shape, const struct st_locksets *locksets,
                        uint32_t i, uint32_t set, struct st_shape_span *span);

#endif
