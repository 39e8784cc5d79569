/* Finds which accesses of a small trace race, by brute force and directly from the definition in
 * check/races/races.h, and whether the analysis says the same. */
#ifndef SERIATIM_REFERENCE_RACING_H
#define SERIATIM_REFERENCE_RACING_H

#include "reference/sample.h"

/* Sets of events have bit i for event number i + 1, that is for events[i]. */
struct racing {
    uint64_t with[SAMPLE_EVENTS]; /* with[i]: the earlier events that event i races with */
};

void racing_check(struct racing *racing, const struct sample *sample);
void racing_print(FILE *file, const struct racing *racing, const struct sample *sample);

/* Makes some of the accesses atomic: all of a variable, some of it, or none. */
void racing_mark_atomic(struct sample *sample, uint64_t seed);

/* Feeds the sample to the analysis in batches, whose sizes `batches` decides, and to the analysis
 * of the dependences in a report. Variables share numbers (lives.h) as `sharing` decides, unless it
 * is 0. True if both agree with the reference about each access and each
 * conflict; otherwise `why` (of `size` bytes) holds a sentence. */
bool racing_compare(const struct sample *sample, uint64_t batches, uint64_t sharing, char *why,
                    size_t size);

/* How many accesses were compared, how many of them race, and how many are atomic. */
struct racing_tally {
    uint64_t accesses, races, atomic, conflicts;
};
extern struct racing_tally racing_tally;

#endif
