/* Variables that share numbers, one after the other, as in a recording of a program that frees
 * memory: an engine that forgets each one at the end of its life must find the same. */
#ifndef SERIATIM_REFERENCE_LIVES_H
#define SERIATIM_REFERENCE_LIVES_H

#include "finding/finding.h"
#include "reference/sample.h"

/* Gives the sample more variables: from some event on, accesses to one go to a new one. Most
 * variables of a sample would otherwise be in use from its first events to its last. */
void lives_cut(struct sample *sample, uint64_t seed);

/* The events with variables that share numbers, and which numbers end before each event (bit by
 * number). */
struct lives {
    struct st_event events[SAMPLE_EVENTS];
    uint64_t ended[SAMPLE_EVENTS];
    uint64_t shared; /* how often a number got another variable */
};

/* `events` are those of the sample, as they are to be fed. The seed decides which variables share
 * a number and when exactly each life ends; 0: none does. */
void lives_share(struct lives *lives, const struct sample *sample, const struct st_event *events,
                 uint64_t seed);

/* An event of a finding, with the variable that the sample has there. */
void lives_restore(const struct lives *lives, const struct sample *sample, struct st_place *place);
void lives_restore_findings(const struct lives *lives, const struct sample *sample,
                            struct st_findings *findings);

#endif
