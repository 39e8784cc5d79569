/* Random small traces in which threads contend for few variables and locks, so that other
 * schedules matter: critical sections around, inside and across blocks, nested locks, threads that
 * come and go, barriers, waits on conditions, and read-modify-writes. */
#ifndef SERIATIM_REFERENCE_AVP_GENERATE_H
#define SERIATIM_REFERENCE_AVP_GENERATE_H

#include "reference/generate.h"

/* At most `limit` events. The same seed gives the same trace. */
void avp_generate(struct sample *sample, uint64_t seed, size_t limit);

/* The same with more threads, most of which are created after another one was joined. */
void avp_generate_lives(struct sample *sample, uint64_t seed, size_t limit);

/* Threads that walk through variables with a lock each, hand over hand, in blocks. */
void avp_generate_walks(struct sample *sample, uint64_t seed, size_t limit);

/* Gives values to most of its accesses. Few are different, and some are wrong. */
void avp_generate_values(struct sample *sample, uint64_t seed);

#endif
