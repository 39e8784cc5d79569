/* Velodrome as a part of other engines: DoubleChecker replays suspicious transactions on it. */
#ifndef SERIATIM_CHECK_VELODROME_H
#define SERIATIM_CHECK_VELODROME_H

#include "check/engine.h"

extern const struct st_engine st_velodrome;

enum st_blame {
    ST_BLAME_INCREASING, /* Velodrome: a block that closes an increasing cycle */
    ST_BLAME_CLOSING,    /* DoubleChecker: whatever block closes a cycle, and all that do */
};

/* State for the functions of st_velodrome with another rule of blame. */
void *st_velodrome_create(struct st_findings *findings, enum st_blame blame);

/* The next events in trace order. Transactions may be left out as a whole. An event ST_FORGET says
 * that a variable is forgotten. */
void st_velodrome_replay(void *state, const struct st_place *places, size_t count);

#endif
