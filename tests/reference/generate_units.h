/* Random small traces for analyses of other schedules. Locks are nested and taken in one order, so
 * that most samples cannot get stuck, and there are so few events that all interleavings can be
 * visited.
 * The same seed gives the same trace on every machine. */
#ifndef SERIATIM_REFERENCE_GENERATE_UNITS_H
#define SERIATIM_REFERENCE_GENERATE_UNITS_H

#include "reference/sample.h"

/* What a trace was made to be. */
enum unit_kind {
    UNITS_PAIR,        /* two transactions and nothing else */
    UNITS_TWO_THREADS, /* several transactions on two threads, nothing outside blocks */
    UNITS_MANY,        /* transactions on three or four threads, nothing outside blocks */
    UNITS_RING,      /* each thread shares one variable with the one before and one with the next */
    UNITS_SECTIONS,  /* also accesses and critical sections outside blocks and around them */
    UNITS_FORK_JOIN, /* the same with threads that come and go */
    UNITS_BARRIER,   /* the same with barriers */
    UNITS_LARGE,     /* as many events as the reference can handle */
    UNITS_KINDS
};

const char *unit_kind_name(enum unit_kind kind);

/* Fills the sample with a well-formed, validated and tidy trace (units.h). Some interleaving may
 * still get stuck: at a join or a barrier, or because the trace ends with a lock held. */
enum unit_kind generate_units(struct sample *sample, uint64_t seed);

#endif
