#include "cli/cluster/dealt_predictions.h"

#include "base/memory.h"
#include "cluster/crew.h"
#include "predict/total_time.h"

#include <stdlib.h>

struct dealt_batches {
    const struct st_dealt_pieces *pieces;
    uint64_t phase;
    bool *taken; /* by batch */
};

static size_t end_of(const struct st_dealt_pieces *pieces, size_t batch) {
    size_t end = (batch + 1) * pieces->batch;
    return end < pieces->count ? end : pieces->count;
}

static size_t count_batches(const struct st_dealt_pieces *pieces) {
    return (pieces->count + pieces->batch - 1) / pieces->batch;
}

static void do_batch(const struct st_dealt_pieces *pieces, size_t batch, struct st_packed *answer) {
    for (size_t i = batch * pieces->batch; i < end_of(pieces, batch); i++)
        pieces->work(pieces->context, i, answer);
}

static void take_batch(const struct st_dealt_pieces *pieces, size_t batch,
                       struct st_unpacking *from) {
    for (size_t i = batch * pieces->batch; i < end_of(pieces, batch); i++)
        pieces->take(pieces->context, i, from);
}

/* ---- rank 0 ---- */

static void ask(void *context, size_t batch, struct st_packed *question) {
    const struct dealt_batches *dealt = context;
    st_pack_number(question, dealt->phase);
    st_pack_number(question, dealt->pieces->digest);
    st_pack_number(question, batch);
}

static void take(void *context, size_t batch, const char *answer, size_t length) {
    struct dealt_batches *dealt = context;
    struct st_unpacking from = st_unpack(answer, length);
    take_batch(dealt->pieces, batch, &from);
    dealt->taken[batch] = true;
}

static int do_here(void *context, const size_t *indices, size_t count, struct st_packed *answers,
                   struct st_error *error) {
    const struct dealt_batches *dealt = context;
    (void)error;
    for (size_t i = 0; i < count; i++)
        do_batch(dealt->pieces, indices[i], &answers[i]);
    return 0;
}

static bool is_stopped(void *context) {
    const struct dealt_batches *dealt = context;
    return st_total_time_is_up(dealt->pieces->total);
}

/* What all others must know to go on. */
static void spread_answers(struct st_crew *crew, const struct dealt_batches *dealt) {
    const struct st_dealt_pieces *pieces = dealt->pieces;
    struct st_packed all = {0};
    for (size_t i = 0; i < pieces->count; i++)
        pieces->repeat(pieces->context, i, &all);
    st_crew_end_phase(crew, dealt->phase, all.bytes, all.length);
    st_packed_free(&all);
}

static void deal(struct st_crew *crew, struct dealt_batches *dealt) {
    const struct st_dealt_pieces *pieces = dealt->pieces;
    struct st_error error;
    struct st_dealing dealing = {.wanted = count_batches(pieces),
                                 .phase = dealt->phase,
                                 .digest = pieces->digest,
                                 .batch = 1,
                                 .ask = ask,
                                 .take = take,
                                 .do_here = do_here,
                                 .stopped = is_stopped,
                                 .context = dealt};
    dealt->taken = st_alloc(dealing.wanted + 1, sizeof *dealt->taken);
    size_t batches = dealing.wanted;
    st_crew_deal(crew, &dealing, &error); /* what is not done is skipped, whatever the reason */
    for (size_t batch = 0; batch < batches; batch++)
        for (size_t i = batch * pieces->batch; !dealt->taken[batch] && i < end_of(pieces, batch);
             i++)
            pieces->skip(pieces->context, i);
    free(dealt->taken);
    spread_answers(crew, dealt);
}

/* ---- the others ---- */

static void work(void *context, const char *question, size_t length, struct st_packed *answer) {
    const struct dealt_batches *dealt = context;
    struct st_unpacking from = st_unpack(question, length);
    st_unpack_number(&from);
    st_unpack_number(&from);
    size_t batch = st_unpack_below(&from, count_batches(dealt->pieces));
    do_batch(dealt->pieces, batch, answer);
}

static void serve(struct st_crew *crew, struct dealt_batches *dealt) {
    const struct st_dealt_pieces *pieces = dealt->pieces;
    struct st_serving serving = {
        .phase = dealt->phase, .digest = pieces->digest, .work = work, .context = dealt};
    struct st_packed result = {0};
    st_crew_serve(crew, &serving, &result);
    struct st_unpacking from = st_unpack(result.bytes, result.length);
    for (size_t i = 0; i < pieces->count; i++)
        pieces->take(pieces->context, i, &from);
    st_packed_free(&result);
}

void deal_predictions(void *context, const struct st_dealt_pieces *pieces) {
    struct st_crew *crew = context;
    struct dealt_batches dealt = {.pieces = pieces, .phase = st_crew_next_phase(crew)};
    if (st_crew_is_worker(crew))
        serve(crew, &dealt);
    else
        deal(crew, &dealt);
}
