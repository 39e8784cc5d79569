/* Critical sections that overlap without being nested, as those of std::scoped_lock, which releases
 * its locks in the order in which it took them, and those of a walk hand over hand. */
#ifndef SERIATIM_REFERENCE_OVERLAPS_H
#define SERIATIM_REFERENCE_OVERLAPS_H

#include "reference/generate.h"

/* Moves releases to earlier places and acquires to later ones, so that each lock is held for a
 * shorter time, and the trace stays one. False: no two sections overlap then. */
bool overlaps_add(struct sample *sample, struct chance *chance);

#endif
