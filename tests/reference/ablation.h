/* What an analysis should find when it does without some of what it knows (`blocks --without`):
 * the same question about more interleavings.
 *
 *   - without happen-before, forks, joins and barriers do nothing, except that they split blocks:
 *     all threads are there from the beginning, and nobody waits for anything but locks;
 *   - without escape, marks of fresh memory mean nothing: everybody knows all memory. */
#ifndef SERIATIM_REFERENCE_ABLATION_H
#define SERIATIM_REFERENCE_ABLATION_H

#include "reference/atomicity.h"

/* `bare` becomes the sample that is left, and `units` its units. `without` has bits of enum
 * st_improvement. */
void ablation_find(struct units *units, struct sample *bare, const struct sample *sample,
                   unsigned without);

#endif
