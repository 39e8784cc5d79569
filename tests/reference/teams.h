/* Channels of teams, as OpenMP has them: a thread lets others begin, and waits for all of them.
 * What they order holds in every schedule, although no thread need both send and receive. */
#ifndef SERIATIM_REFERENCE_TEAMS_H
#define SERIATIM_REFERENCE_TEAMS_H

#include "reference/generate.h"

/* Gives the barriers of a sample to teams, and leaves out some of their sends and receives. False:
 * it has no barrier, and is as it was. */
bool teams_add(struct sample *sample, struct chance *chance);

#endif
