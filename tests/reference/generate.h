/* Random small traces: the same seed gives the same trace on every machine. */
#ifndef SERIATIM_REFERENCE_GENERATE_H
#define SERIATIM_REFERENCE_GENERATE_H

#include "reference/sample.h"

/* splitmix64: small, and good enough to choose between a few things. */
struct chance {
    uint64_t state;
};

uint64_t chance_next(struct chance *chance);
uint32_t chance_below(struct chance *chance, uint32_t limit); /* 0 .. limit - 1 */
bool chance_percent(struct chance *chance, unsigned percent);

/* What a trace was made to be. This makes a verdict likely, not certain. */
enum kind {
    KIND_FREE,        /* accesses, locks and blocks without any discipline */
    KIND_GUARDED,     /* each access holds its variable's lock, which is released at once */
    KIND_TWO_PHASE,   /* blocks release nothing before they acquired everything */
    KIND_FORK_JOIN,   /* trees of threads, including children without events */
    KIND_SHORT,       /* many threads with few events, most of which nobody joins */
    KIND_RING,        /* a planted cycle of transactions that goes back in time */
    KIND_BROKEN_RING, /* the same with one edge removed */
    KIND_COUNT
};

const char *kind_name(enum kind kind);

/* Fills the sample with a well-formed, validated trace. */
enum kind generate(struct sample *sample, uint64_t seed);

/* The same with events lost, repeated and swapped, and then repaired by validation, so that
 * engines meet dropped events and events after a join. */
enum kind generate_damaged(struct sample *sample, uint64_t seed);

#endif
