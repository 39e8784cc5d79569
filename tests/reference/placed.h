/* A sample as a deferred recording has it: emitted (emitter.h), written, and put in order
 * (trace/late/placing.h). */
#ifndef SERIATIM_REFERENCE_PLACED_H
#define SERIATIM_REFERENCE_PLACED_H

#include "reference/sample.h"

/* Aborts if the file cannot be written or read. The events of the sample must be numbered from 1.
 * origins[i]: the number in the sample of event i of the result; of an end that came to be known
 * late, that of its begin. */
void placed_sample(const struct sample *sample, uint64_t seed, struct sample *result,
                   uint64_t origins[SAMPLE_EVENTS]);

#endif
