/* What is true of a small trace, by brute force and directly from the definitions: happens-before,
 * transactions, verdict, first bad event, violated blocks, and where AeroDrome must report.
 *
 * It is written to be obviously correct, not fast. Engines are compared with it, so it shares
 * neither ideas nor code with them. */
#ifndef SERIATIM_REFERENCE_REFERENCE_H
#define SERIATIM_REFERENCE_REFERENCE_H

#include "finding/finding.h"
#include "reference/sample.h"

/* A block instance at any nesting depth. Event numbers are 1-based. */
struct reference_block {
    uint32_t thread, depth;
    unsigned begin, end;  /* end is 0 while the block is open */
    unsigned violated_at; /* the first event that proves the violation, or 0 */
};

/* Sets of events have bit i for event number i + 1, that is for events[i]. */
struct reference {
    size_t count;
    uint64_t before[SAMPLE_EVENTS];      /* before[i]: the events that happen before event i */
    uint64_t after[SAMPLE_EVENTS];       /* after[i]: the events that event i happens before */
    uint64_t transaction[SAMPLE_EVENTS]; /* transaction[i]: all events of the one that i is in */
    size_t block_count;
    struct reference_block blocks[SAMPLE_EVENTS]; /* in order of begin */
    bool serializable;
    unsigned first_bad; /* 0 when serializable */

    /* The event at which AeroDrome reports: the first prefix in which, with every completed
     * transaction collapsed to one node, some block T has a path begin(T) ~> e ~> f with e outside
     * T and f in T; the last event if only the end of the trace completes the cycle; or 0. */
    unsigned aerodrome;
};

/* The sample must be well formed and validated. */
void reference_check(struct reference *reference, const struct sample *sample);

/* Does `to`, the later event, depend directly on `from`, an event of another thread, by a
 * dependence of this kind? */
bool reference_depends(const struct st_event *from, const struct st_event *to,
                       enum st_edge_kind kind);

/* And does that count in the relation of their sample? */
bool reference_counts(const struct sample *sample, const struct st_event *from,
                      const struct st_event *to, enum st_edge_kind kind);

void reference_print(FILE *file, const struct reference *reference);

#endif
