/* What a model does without if memory is short: in each of these steps more.
 *
 * 1. A unit that is guarded (guarded.h) is atomic. It need not be kept to be judged, only for the
 *    sake of those that it meets. A transaction that is not guarded is *open*. If there are none,
 *    no unit is needed at all.
 * 2. Instead of units, their pieces (pieces.h) are there, and open transactions are judged in
 *    portions: as many as there is room for, then the next. Nothing is lost by that.
 * 3. If the pieces take too much, only those are there that use a variable (or, by locks, a lock)
 *    of an open transaction. So it has everything that an open transaction meets: the nodes of its
 *    tree, and with whom it shares them. What is missing is a part of the ways from one of these
 *    to another. So a path that is found is one, a transaction with one commit node is atomic, and
 *    only if it has several, and no path is found, it is not decided.
 *
 * Which variables these are is known at the end of a pass. If there were more of them than at its
 * beginning, it is repeated.
 *
 * Blocks that are judged in parts, or ordered partway through (predict/tiers/tiers.c), always count
 * as open. They are there from the pass that makes pieces until the last portion, since the parts
 * of a block must be judged together. */
#ifndef SERIATIM_PREDICT_MODEL_SPARE_SPARE_H
#define SERIATIM_PREDICT_MODEL_SPARE_SPARE_H

#include "predict/model/spare/guarded.h"
#include "predict/model/spare/pieces.h"

enum st_spare_stage {
    ST_SPARE_NOTHING, /* all units are kept */
    ST_SPARE_UNITS,   /* none is; the rest of the pass finds out what is open */
    ST_SPARE_PIECES,  /* they are made, from the beginning of a pass */
    ST_SPARE_PORTIONS /* they are there, and transactions come, in another pass */
};

/* Starts as all zero. */
struct st_spare {
    enum st_spare_stage stage;
    bool narrow; /* only pieces that open transactions meet */
    struct st_guarding guarding;
    struct st_bits variables, locks; /* those of open transactions */
    bool any_open;                   /* in this pass */
    bool grew;                       /* in this pass */
};

void st_spare_free(struct st_spare *spare);

/* A unit that has ended. */
struct st_ended_unit {
    struct st_locked_tokens tokens;
    bool transaction;
    bool open; /* whatever its locks say */
    uint32_t block;
};

struct st_spare_verdict {
    bool keep_pieces;
    bool keep_unit;
    bool keep_instance; /* it is a transaction that has to be judged */
};

/* Takes all of them, and counts guarded ones in model->guarded. */
struct st_spare_verdict st_spare_take(struct st_spare *spare, struct st_model *model,
                                      const struct st_ended_unit *unit);

/* Is a piece with this token kept? */
bool st_spare_wants(struct st_spare *spare, const struct st_model *model,
                    const struct st_token *token);

#endif
