/* Cycles in the order of units, while a schedule is made step by step: is what was done so far
 * conflict-serializable? */
#ifndef SERIATIM_PREDICT_BLOCKS_EXACT_CYCLES_H
#define SERIATIM_PREDICT_BLOCKS_EXACT_CYCLES_H

#include "predict/blocks/exact/exact_groups.h"

#include <xxhash.h>

enum { ST_CYCLE_LANES = 64 }; /* more cannot be handled */

struct st_cycles;
struct st_cycles *st_cycles_new(const struct st_group *group);
void st_cycles_free(struct st_cycles *cycles);

/* The lane makes this step. True when it closes a cycle: some item would have to come before
 * itself. What is known of later steps has no meaning then. */
bool st_cycles_step(struct st_cycles *cycles, uint32_t lane, size_t step);

/* What was done since st_cycles_mark gave this number is taken back. */
size_t st_cycles_mark(const struct st_cycles *cycles);
void st_cycles_undo(struct st_cycles *cycles, size_t mark);

/* Equal if the same steps from now on close a cycle. */
XXH128_hash_t st_cycles_hash(const struct st_cycles *cycles);

#endif
