/* Random small traces in which threads contend for few variables and locks, so that other
 * schedules matter: critical sections around, inside and across blocks, nested locks, threads that
 * come and go, barriers, waits on conditions, and read-modify-writes. */
#ifndef SERIATIM_REFERENCE_AVP_GENERATE_H
#define SERIATIM_REFERENCE_AVP_GENERATE_H

#include "reference/generate.h"

/* At most `limit` events. The same seed gives the same trace. */
void avp_generate(struct sample *sample, uint64_t seed, size_t limit);

/* Gives values to most of its accesses. Few are different, and some are wrong. */
void avp_generate_values(struct sample *sample, uint64_t seed);

#endif
