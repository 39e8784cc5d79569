/* Makes a trace that shows a fault as small as it can be, so that a human can see the fault. */
#ifndef SERIATIM_REFERENCE_SHRINK_H
#define SERIATIM_REFERENCE_SHRINK_H

#include "reference/sample.h"

/* Does this well-formed, validated sample still show the fault? */
typedef bool shrink_test(const struct sample *sample, void *context);

/* Takes away threads, channels, blocks, critical sections and events, and makes variables and locks
 * the same, while the sample stays well formed and shows the fault; until nothing more can go. */
void shrink(struct sample *sample, shrink_test *shows_fault, void *context);

#endif
