/* Which blocks were never violated, over several traces, and an example of each that was.
 *
 * One pass over each trace is enough. Whether a block was violated does not depend on which other
 * blocks there are. So an engine that looks at every depth finds in one pass what the papers find
 * by checking the trace repeatedly, each time without the blocks refuted so far.
 *
 * Each trace numbers its names in its own way. The inference uses its own numbers, for the names
 * of blocks and for everything its examples mention, so it needs nothing from a trace that is
 * closed. */
#ifndef SERIATIM_SESSION_INFERENCE_H
#define SERIATIM_SESSION_INFERENCE_H

#include "session/block_counts.h"
#include "session/trace_input.h"

struct st_inferred_block {
    const char *name; /* set by st_inference_rank */
    struct st_block_counts counts;
    const char *trace;           /* of the example; NULL while there is none */
    struct st_violation example; /* in numbers of the inference; its closing edge stands for the
                                    path */
};

struct st_inferred_trace {
    const char *path; /* as the user named it */
    uint64_t events;
    bool truncated;
    enum st_relation relation; /* that it was checked by */
    bool unusual;              /* that is not the usual one for such a trace */
};

/* Invariant: no name is empty, and blocks[i] belongs to the name with number i. */
struct st_inference {
    struct st_names names;
    struct st_inferred_block *blocks;
    size_t block_capacity;
    struct st_symbols symbols;        /* of the examples */
    struct st_inferred_block unnamed; /* without example */
    struct st_inferred_trace *traces;
    size_t trace_count, trace_capacity;
};

void st_inference_init(struct st_inference *inference);
void st_inference_free(struct st_inference *inference);

/* Reads a trace to its end and adds what was found in it, by the relation that was `given` or that
 * is usual for it. The path must outlive the inference. On -1 nothing was added. */
int st_inference_read(struct st_inference *inference, const char *path, struct st_reading *reading,
                      enum st_relation given, struct st_error *error);

/* Pointers to the named blocks, in the order of st_block_counts_compare: first the `*atomic` that
 * were never violated, then the others. Release with free(). */
const struct st_inferred_block **st_inference_rank(struct st_inference *inference, size_t *atomic);

#endif
