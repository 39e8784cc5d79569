#include "session/block_counts.h"

static void add(struct st_block_counts *counts, uint64_t executed, uint64_t violated) {
    counts->executed += executed;
    counts->violated += violated;
}

void st_block_counts_add(const struct st_facts *facts, const struct st_findings *findings,
                         struct st_block_counts *(*counts_of)(void *context, uint32_t block),
                         void *context) {
    for (size_t i = 0; i < facts->executed_count; i++)
        if (facts->executed[i])
            add(counts_of(context, (uint32_t)i), facts->executed[i],
                st_findings_violated(findings, (uint32_t)i));
    if (facts->unnamed_blocks)
        add(counts_of(context, ST_NO_NAME), facts->unnamed_blocks, findings->unnamed_violated);
}

/* a/b against c/d. */
static int compare_shares(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    unsigned __int128 left = (unsigned __int128)a * d, right = (unsigned __int128)c * b;
    return (left > right) - (left < right);
}

int st_block_counts_compare(const struct st_block_counts *left,
                            const struct st_block_counts *right) {
    int order = compare_shares(left->violated, left->executed, right->violated, right->executed);
    if (order)
        return order;
    return (left->executed < right->executed) - (left->executed > right->executed);
}
