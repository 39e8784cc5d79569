/* Fresh memory in small traces (st_event.fresh): which marks a recording could have, and which
 * interleavings a program could take.
 *
 * Who allocates memory knows its address, from its last release before the first marked access on.
 * Everything that a thread writes may contain what it knows, and a thread knows what it reads; a
 * child knows what its parent knows at the fork, and the parent what the child knows at the join.
 * Nobody accesses memory whose address it does not know. So of all interleavings only those count
 * in which every access to memory that was fresh is made by a thread that knows it then. */
#ifndef SERIATIM_REFERENCE_FRESH_MEMORY_H
#define SERIATIM_REFERENCE_FRESH_MEMORY_H

#include "reference/generate.h"
#include "reference/sample.h"

/* Makes one thread fork all others that nobody forks, and marks the accesses that a thread makes to
 * a variable before it releases anything, if nobody can have known of it before. False if there are
 * none. */
bool fresh_mark(struct sample *sample, struct chance *chance);

/* Makes a sample of another kind: a thread makes an address known under a lock, and only then a
 * block begins, still under the lock, in which it accesses the memory. That comes about by chance
 * too seldom. */
void fresh_plant(struct sample *sample, struct chance *chance);

/* Could a recording have these marks? */
bool fresh_is_right(const struct sample *sample);

bool fresh_is_marked(const struct sample *sample);

/* Can event `i` come after those of the path (indices of events)? */
bool fresh_may_come(const struct sample *sample, const uint8_t *path, size_t length, size_t i);

#endif
