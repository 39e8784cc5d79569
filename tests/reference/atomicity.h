/* Is every interleaving of a small trace equivalent to a serial one? By brute force, and straight
 * from the definitions of Wang and Stoller (PPoPP 2006 and TSE 2006, section 2 of both).
 *
 * An interleaving is any order of all steps (units.h) that keeps the order of each thread, fork
 * before the child, the child before join, all arrivals at a barrier before the departures, and in
 * which no lock is held by two threads. It is serial if the steps of each transaction are next to
 * each other. Locks still hold, so a transaction cannot run while another thread holds a lock that
 * it needs. Two interleavings are
 *
 *   - conflict-equivalent if all conflicting accesses (same variable, different threads, not both
 *     reads) are in the same order in both;
 *   - view-equivalent if each read reads from the same write in both, or from none in both, and
 * each variable's last write is the same in both.
 *
 * If memory is fresh (fresh_memory.h), only interleavings count in which nobody accesses it without
 * knowing of it.
 *
 * If only data counts, a serial interleaving need not obey locks: it is no run, but an order in
 * which the transactions could be thought of.
 *
 * It is written to be obviously correct: it goes through all interleavings, and its only trick is
 * to remember where the search has been. */
#ifndef SERIATIM_REFERENCE_ATOMICITY_H
#define SERIATIM_REFERENCE_ATOMICITY_H

#include "reference/units.h"

/* What is known for one notion of equivalence. */
struct atomicity_verdict {
    bool atomic;
    bool contended;                 /* there are interleavings that are not equivalent */
    size_t length;                  /* of the example; 0 when atomic */
    uint8_t example[SAMPLE_EVENTS]; /* an interleaving like no serial one: indices of events */
};

struct atomicity {
    /* False if the search would have taken too long, or the sample has too many accesses. Then
     * nothing else here has a meaning, except `units`. */
    bool decided;
    bool deadlock; /* some interleaving gets stuck; the verdicts are about those that do not */
    struct atomicity_verdict conflict, view;
    struct atomicity_verdict data_conflict, data_view; /* if only data counts */
    struct units units;
};

enum { ATOMICITY_STATES = 200000 }; /* where the search gives up by default */

/* The sample must be well formed and validated. `most` limits how many states one search visits. */
void atomicity_check(struct atomicity *atomicity, const struct sample *sample, size_t most);

/* The same for `units` that are filled in, and the rest of which is zero. */
void atomicity_check_units(struct atomicity *atomicity, const struct sample *sample, size_t most);

/* Fills in `units`, `deadlock`, and `decided`: whether that much could be decided. */
void atomicity_find_deadlock(struct atomicity *atomicity, const struct sample *sample, size_t most);

/* "T1|w(x1)|3" in the order of the example, a line each. */
void atomicity_print(FILE *file, const struct atomicity *atomicity, const struct sample *sample);

#endif
