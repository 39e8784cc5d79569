/* How often blocks ran and were violated, added up over runs. */
#ifndef SERIATIM_SESSION_BLOCK_COUNTS_H
#define SERIATIM_SESSION_BLOCK_COUNTS_H

#include "finding/finding.h"
#include "trace/validate.h"

struct st_block_counts {
    uint64_t executed, violated;
};

/* Adds the counts of one run. `findings` come from an engine that looks at blocks of every depth.
 * `counts_of` returns where to add the counts of a block name of this run; it is called with
 * ST_NO_NAME, for blocks without a name, only if there are any. */
void st_block_counts_add(const struct st_facts *facts, const struct st_findings *findings,
                         struct st_block_counts *(*counts_of)(void *context, uint32_t block),
                         void *context);

/* The order in which blocks are listed: those that were never violated come first, then the most
 * rarely violated, since a block that is rarely violated is likely to be meant atomic; among equal
 * ones, those that ran more often. Negative, 0 or positive. */
int st_block_counts_compare(const struct st_block_counts *left,
                            const struct st_block_counts *right);

#endif
