/* What a model does without if memory is short.
 *
 * A unit that is guarded (guarded.h) is atomic. It need not be kept to be judged, only for the sake
 * of those that it meets. A transaction that is not guarded is *open*. If there are none, no unit
 * is needed at all. If there are some, a sparse model has them, and all units that use a variable
 * (or, by locks, a lock) of one of them. So it has everything that an open transaction meets: the
 * nodes of its tree, and with whom it shares them, are all there. What is missing is a part of the
 * ways from one of these units to another. So a path that is found is one, a transaction with one
 * commit node is atomic, and only if it has several, and no path is found, it is not decided.
 *
 * Which variables these are is known at the end of a pass. If there were more of them than at its
 * beginning, it is repeated, and until then no unit is kept.
 *
 * Blocks that are judged in parts, or ordered partway through (predict/tiers/tiers.c), always count
 * as open. */
#ifndef SERIATIM_PREDICT_MODEL_SPARE_SPARE_H
#define SERIATIM_PREDICT_MODEL_SPARE_SPARE_H

#include "predict/model/spare/guarded.h"

/* Starts as all zero. */
struct st_spare {
    struct st_guarding guarding;
    struct st_bits variables, locks; /* those of open transactions */
    bool grew;                       /* in this pass */
};

void st_spare_free(struct st_spare *spare);

/* A unit that has ended. */
struct st_ended_unit {
    const uint32_t *held; /* locks, when it began */
    size_t held_count;
    const struct st_seen_token *tokens;
    size_t count;
    bool transaction;
    bool open; /* whatever its locks say */
    uint32_t block;
};

struct st_spare_verdict {
    bool keep_unit;
    bool keep_instance; /* it is a transaction that has to be judged */
};

/* Takes all of them, and counts guarded ones in model->guarded. */
struct st_spare_verdict st_spare_take(struct st_spare *spare, struct st_model *model,
                                      const struct st_ended_unit *unit);

#endif
