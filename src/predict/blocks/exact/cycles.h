/* Finds cycles in the order of units while a schedule is built step by step: is the schedule so far
 * conflict-serializable? */
#ifndef SERIATIM_PREDICT_BLOCKS_EXACT_CYCLES_H
#define SERIATIM_PREDICT_BLOCKS_EXACT_CYCLES_H

#include "predict/blocks/exact/exact_groups.h"

#include <xxhash.h>

enum { ST_CYCLE_LANES = 64 }; /* the most that can be handled */

struct st_cycles;
struct st_cycles *st_cycles_new(const struct st_group *group);
void st_cycles_free(struct st_cycles *cycles);

/* The lane makes this step. True if it closes a cycle: some item would have to come before itself.
 * Results for later steps are then meaningless. */
bool st_cycles_step(struct st_cycles *cycles, uint32_t lane, size_t step);

/* st_cycles_undo takes back everything done since st_cycles_mark returned this number. */
size_t st_cycles_mark(const struct st_cycles *cycles);
void st_cycles_undo(struct st_cycles *cycles, size_t mark);

/* Equal for states in which the same later steps close a cycle. */
XXH128_hash_t st_cycles_hash(const struct st_cycles *cycles);

#endif
