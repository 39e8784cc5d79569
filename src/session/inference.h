/* How often each block ran and was cut, over several traces, with an example of each cut block.
 *
 * Traces number their names each in its own way. The tally has numbers of its own, for the names of
 * blocks and for whatever its examples speak of, so that nothing of a trace is needed once it is
 * closed. */
#ifndef SERIATIM_SESSION_INFERENCE_H
#define SERIATIM_SESSION_INFERENCE_H

#include "finding/finding.h"
#include "trace/trace.h"

#include <stdio.h>

struct tally_block {
    uint64_t executed, violated;
    const char *trace;           /* of the example; NULL while there is none */
    struct st_violation example; /* in numbers of the tally; its closing edge stands for the path */
};

struct tally_trace {
    const char *path; /* as the user named it */
    uint64_t events;
    bool cut;
};

/* Invariant: no name is empty, and blocks[i] belongs to the name with number i. */
struct tally {
    struct st_names names;
    struct tally_block *blocks;
    size_t block_capacity;
    struct st_symbols symbols;  /* of the examples */
    struct tally_block unnamed; /* without example */
    struct tally_trace *traces;
    size_t trace_count, trace_capacity;
};

void tally_init(struct tally *tally);
void tally_free(struct tally *tally);

/* Adds what an engine found in a trace that was read to its end. The path outlives the tally. */
void tally_add(struct tally *tally, const char *path, const struct st_trace *trace,
               const struct st_findings *findings);

/* As a specification of the blocks that were never cut, with the others in comments; and as JSON,
 * the contract "seriatim-infer/1". */
void tally_write_spec(const struct tally *tally, FILE *file);
void tally_write_json(const struct tally *tally, FILE *file);

#endif
