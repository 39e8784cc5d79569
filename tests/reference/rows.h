/* Rows of variables that are always used one directly after the other, as the words of a buffer
 * that is copied as a whole (predict/model/contention.h). */
#ifndef SERIATIM_REFERENCE_ROWS_H
#define SERIATIM_REFERENCE_ROWS_H

#include "reference/generate.h"

/* Makes each access to a variable three or four, to variables of their own; now and then another
 * thread comes between two of them, or one is missing. The sample has at most `limit` events then.
 * False: it has no variable for which that is possible, and is as it was. */
bool rows_add(struct sample *sample, struct chance *chance, size_t limit);

#endif
