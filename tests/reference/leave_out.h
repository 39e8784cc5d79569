/* What recordings leave out (docs/recordings.md), as a filter over a small trace: written from the
 * definition, and not from the runtime, which decides access by access. */
#ifndef SERIATIM_REFERENCE_LEAVE_OUT_H
#define SERIATIM_REFERENCE_LEAVE_OUT_H

#include "reference/sample.h"

enum leave_out_rule {
    LEAVE_OUT_SUFFICIENT,  /* reads without which all predictions are the same */
    LEAVE_OUT_REPETITIONS, /* too much: all repetitions between two other events of the thread */
    LEAVE_OUT_READS        /* too much: all reads but two, whatever else was read in between */
};

/* The events that are left out of the sample: bit i for events[i]. */
uint64_t leave_out(const struct sample *sample, enum leave_out_rule rule);

#endif
