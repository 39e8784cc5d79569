/* Finds the outermost blocks of a small trace that some almost-view-preserving run violates, by
 * brute force and directly from the definition in predict/tas/tas.h: all runs, event by event. It
 * shares neither ideas nor code with the searches of src/predict, which are compared with it. */
#ifndef SERIATIM_REFERENCE_AVP_H
#define SERIATIM_REFERENCE_AVP_H

#include "reference/sample.h"

struct avp_block {
    uint32_t thread;
    unsigned begin, end;  /* event numbers; end is 0 while the block is open */
    unsigned first, last; /* its accesses have event numbers from `first` to `last` */
    bool violated;
    uint64_t on_paths; /* by avp_paths: all events, including the block's, on a path of some run
                        * that violates the block; bit i for event number i + 1 */
};

struct avp {
    size_t block_count;
    struct avp_block blocks[SAMPLE_EVENTS]; /* outermost ones, in order of begin */
    uint64_t states;                        /* or runs that were visited */
    bool gave_up;                           /* there are more states than `limit` */
};

/* Finds which blocks are violated. The sample must be well formed and validated. */
void avp_check(struct avp *avp, const struct sample *sample, uint64_t limit);

/* Calls `visit` for each run that cannot be continued, with its event numbers, until it returns
 * false. */
void avp_runs(const struct sample *sample,
              bool (*visit)(void *context, const unsigned *run, size_t length), void *context);

/* Finds the same from the runs themselves, without any notion of a state, and also which events
 * are on paths. For very small samples; gives up after `limit` runs. */
void avp_paths(struct avp *avp, const struct sample *sample, uint64_t limit);

void avp_print(FILE *file, const struct avp *avp);

#endif
