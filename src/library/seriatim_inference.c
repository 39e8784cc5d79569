/* Public inference: the counts of checkers, added up by the caller's ids. */
#include "base/memory.h"
#include "library/seriatim_checker.h"
#include "session/block_counts.h"

#include <stdlib.h>

/* Invariant: counts[i] belongs to the id with number i; a number was given to each of them. */
struct seriatim_inference {
    struct st_map64 ids;
    struct st_block_counts *counts;
    size_t counts_capacity;
    struct st_block_counts unnamed;
    uint64_t runs;
    seriatim_block_counts *ranked; /* what is handed out; NULL after another run was added */
};

seriatim_inference *seriatim_inference_new(void) {
    seriatim_inference *inference = st_alloc(1, sizeof *inference);
    st_map64_init(&inference->ids);
    return inference;
}

void seriatim_inference_free(seriatim_inference *inference) {
    if (!inference)
        return;
    st_map64_free(&inference->ids);
    free(inference->counts);
    free(inference->ranked);
    free(inference);
}

/* ---- Adding a run ---------------------------------------------------------------------------- */

struct addition {
    seriatim_inference *inference;
    const struct st_intake *intake;
};

static struct st_block_counts *counts_of(void *context, uint32_t block) {
    struct addition *addition = context;
    seriatim_inference *inference = addition->inference;
    if (block == ST_NO_NAME)
        return &inference->unnamed;
    uint64_t id = st_intake_id(addition->intake, ST_ID_BLOCK, block);
    uint32_t number = st_map64_number(&inference->ids, id);
    st_reserve(&inference->counts, &inference->counts_capacity, (size_t)number + 1);
    return &inference->counts[number];
}

int seriatim_inference_add(seriatim_inference *inference, const seriatim_checker *checker) {
    const struct st_findings *findings = &checker->findings;
    if (!checker->intake.finished || findings->gave_up || !findings->names_blocks ||
        findings->outermost_only || findings->blames_closers)
        return -1;
    struct addition addition = {inference, &checker->intake};
    st_block_counts_add(st_validator_facts(checker->intake.validator), findings, counts_of,
                        &addition);
    inference->runs++;
    free(inference->ranked);
    inference->ranked = NULL;
    return 0;
}

/* ---- The result ------------------------------------------------------------------------------ */

static struct st_block_counts inner_counts(const seriatim_block_counts *block) {
    return (struct st_block_counts){.executed = block->executed, .violated = block->violated};
}

static int compare_blocks(const void *left, const void *right) {
    const seriatim_block_counts *a = left, *b = right;
    struct st_block_counts first = inner_counts(a), second = inner_counts(b);
    int order = st_block_counts_compare(&first, &second);
    return order ? order : (a->block > b->block) - (a->block < b->block);
}

static void rank(seriatim_inference *inference) {
    size_t count = inference->ids.count;
    inference->ranked = st_alloc(count + 1, sizeof *inference->ranked);
    for (size_t i = 0; i < count; i++)
        inference->ranked[i] = (seriatim_block_counts){.block = inference->ids.ids[i],
                                                       .executed = inference->counts[i].executed,
                                                       .violated = inference->counts[i].violated};
    qsort(inference->ranked, count, sizeof *inference->ranked, compare_blocks);
}

const seriatim_block_counts *seriatim_inference_blocks(seriatim_inference *inference,
                                                       size_t *count) {
    if (!inference->ranked)
        rank(inference);
    *count = inference->ids.count;
    return inference->ranked;
}

void seriatim_inference_unnamed(const seriatim_inference *inference,
                                seriatim_block_counts *counts) {
    *counts = (seriatim_block_counts){.block = SERIATIM_UNNAMED,
                                      .executed = inference->unnamed.executed,
                                      .violated = inference->unnamed.violated};
}

uint64_t seriatim_inference_runs(const seriatim_inference *inference) {
    return inference->runs;
}
