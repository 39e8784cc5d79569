/* Rings in the order of units, while a schedule is made step by step: is what was done so far
 * conflict-serializable? */
#ifndef SERIATIM_PREDICT_BLOCKS_EXACT_CYCLES_H
#define SERIATIM_PREDICT_BLOCKS_EXACT_CYCLES_H

#include "predict/blocks/exact/exact_steps.h"

enum { ST_RINGS_LANES = 64 }; /* more cannot be handled */

struct st_rings;
struct st_rings *st_rings_new(const struct st_group *group);
void st_rings_free(struct st_rings *rings);

/* The lane makes this step. True when it closes a ring: some item would have to come before itself.
 * What is known of later steps has no meaning then. */
bool st_rings_step(struct st_rings *rings, uint32_t lane, size_t step);

/* What was done since st_rings_mark gave this number is taken back. */
size_t st_rings_mark(const struct st_rings *rings);
void st_rings_undo(struct st_rings *rings, size_t mark);

/* Equal if the same steps from now on close a ring. */
uint64_t st_rings_hash(const struct st_rings *rings);

#endif
