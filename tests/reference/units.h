/* A small trace as the analyses of other schedules see it (Wang and Stoller, PPoPP 2006 and TSE
 * 2006, section 2 of both): transactions, and what may run when. Written directly from the
 * definitions, and not from src/predict.
 *
 * A transaction is an outermost block, or a part of one: forks, joins and barriers split it and
 * are in no transaction. Any other event outside blocks is a unit of its own. Begins and ends,
 * re-entrant acquires and their releases, and channels that are not barriers do nothing. */
#ifndef SERIATIM_REFERENCE_UNITS_H
#define SERIATIM_REFERENCE_UNITS_H

#include "reference/sample.h"

/* Sets of events have bit i for events[i], as in struct reference. */
struct units {
    size_t count;   /* events of the sample */
    uint64_t steps; /* the events that do something; the rest of this structure is about them */

    /* before[i]: the steps that come before step i in every interleaving, by definition and not
     * because of locks. */
    uint64_t before[SAMPLE_EVENTS];

    size_t release[SAMPLE_EVENTS]; /* of an acquire: where its release is, or `count` */

    size_t transaction_count;
    unsigned transaction[SAMPLE_EVENTS]; /* from 1; 0 for steps that are in none */
    uint64_t members[SAMPLE_EVENTS + 1]; /* members[n]: the steps of transaction n */
};

/* The sample must be well formed and validated. */
void units_find(struct units *units, const struct sample *sample);

/* Can step i run when the steps in `done`, and no others, have run? */
bool units_ready(const struct units *units, const struct sample *sample, uint64_t done, size_t i);

/* The same if any number of threads may hold a lock. */
bool units_ready_without_locks(const struct units *units, uint64_t done, size_t i);

/* Is a channel a barrier? It is if its events come in rounds: sends of two or more threads, then a
 * receive by each of them, which is the thread's next event after its send, begins and ends of
 * blocks aside. The last round may lack receives. Those of teams are, however they are used: a
 * receive comes after the sends before it, up to the receive before those. */
bool units_is_barrier(const struct sample *sample, uint32_t channel);

/* Two transactions of different threads and nothing else: what some theorems are about. */
bool units_are_a_pair(const struct units *units, const struct sample *sample);

/* Does the sample satisfy the assumptions of the papers, as to blocks and locks? Each thread closes
 * first what it opened last. Blocks may be open and locks held at the end. */
bool units_are_nested(const struct sample *sample);

/* That, and all channels are barriers. */
bool units_are_tidy(const struct sample *sample);

#endif
