/* st_parallel (predict/parallel.h) across the ranks of a crew. All ranks have read the same trace
 * and know the same, so a piece is its index. When all are done, all ranks get all results, and go
 * on in step. A rank that is not in step, because it is slower or has less memory, gets nothing to
 * do, and nothing waits for it. */
#ifndef SERIATIM_PREDICT_DEALT_PIECES_H
#define SERIATIM_PREDICT_DEALT_PIECES_H

#include "cluster/packing.h"

struct st_total_time;

struct st_dealt_pieces {
    size_t count;    /* of pieces */
    size_t batch;    /* so many are dealt at a time */
    uint64_t digest; /* what the pieces are about: equal on ranks that are in step */
    const struct st_total_time *total; /* no piece is dealt when this time is up */
    /* Does a piece, as worker 0, and packs what came of it. */
    void (*work)(void *context, size_t index, struct st_packed *to);
    /* Takes what came of it elsewhere, or here. */
    void (*take)(void *context, size_t index, struct st_unpacking *from);
    /* It was not done, since the time was up. */
    void (*skip)(void *context, size_t index);
    /* Packs once more what was taken, for the others. */
    void (*repeat)(void *context, size_t index, struct st_packed *to);
    void *context;
};

/* Who deals them out. The analyses are in a library that knows nothing of other processes. */
struct st_piece_dealer {
    void (*deal)(void *context, const struct st_dealt_pieces *pieces);
    void *context;
};

#endif
