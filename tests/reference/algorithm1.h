/* Algorithm 1 of the AeroDrome paper (Mathur and Viswanathan, ASPLOS 2020), line by line,
 * including its sweeps over all variables and locks: a second opinion on where AeroDrome reports.
 *
 * We add channels, which the paper does not have, and two corrections without which its verdict is
 * wrong: the join of a child without events is skipped, and at the end of the trace END runs for
 * every open block, in order of threads. */
#ifndef SERIATIM_REFERENCE_ALGORITHM1_H
#define SERIATIM_REFERENCE_ALGORITHM1_H

#include "reference/sample.h"

/* The number of the event at which it first declares a violation, or 0. If it does so at the end
 * of the trace, that of the last event. */
unsigned algorithm1_report(const struct sample *sample);

/* The same without the two corrections, and with whole clocks compared: as it is printed. */
unsigned algorithm1_as_printed(const struct sample *sample);

#endif
