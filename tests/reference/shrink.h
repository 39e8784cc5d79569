/* Makes a trace that shows a fault as small as possible, so that a human can see the fault. */
#ifndef SERIATIM_REFERENCE_SHRINK_H
#define SERIATIM_REFERENCE_SHRINK_H

#include "reference/sample.h"

/* Does this well-formed, validated sample still show the fault? */
typedef bool shrink_test(const struct sample *sample, void *context);

/* Removes threads, channels, blocks, critical sections and events, and merges variables and locks,
 * as long as the sample stays well formed and shows the fault, until nothing more can be removed.
 */
void shrink(struct sample *sample, shrink_test *shows_fault, void *context);

#endif
