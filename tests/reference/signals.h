/* Hand-overs in small traces. A channel has a giver if its first use is a send, by a thread that
 * sends to it once. Who receives takes that signal, if nobody else sends but the giver and itself,
 * and nobody but the giver sends before it receives. All other uses of channels that are no
 * barriers mean nothing.
 *
 * Which schedules count: each thread runs a prefix of its steps, and one that takes a signal waits
 * until anybody has sent to the channel. A send by the giver is a write, and a receive is a read,
 * of a variable that stands for the channel. All such runs must be conflict-serializable, and
 * serial orders need not obey locks: only data counts. By brute force, over all runs. */
#ifndef SERIATIM_REFERENCE_SIGNALS_H
#define SERIATIM_REFERENCE_SIGNALS_H

#include "reference/atomicity.h"
#include "reference/generate.h"

/* Adds hand-overs to a sample whose channels are barriers, and other uses of the same channels,
 * so that some are none. False if the result makes no sense. */
bool signals_add(struct sample *sample, struct chance *chance);

/* Does anybody take one? */
bool signals_are_there(const struct sample *sample);

/* Fills in `units`, `decided`, `deadlock` and `data_conflict`. */
void signals_check(struct atomicity *atomicity, const struct sample *sample, size_t most);

#endif
