/* Does an engine say the same about a sample as the reference? */
#ifndef SERIATIM_REFERENCE_COMPARE_H
#define SERIATIM_REFERENCE_COMPARE_H

#include "check/engine.h"
#include "reference/reference.h"

enum { COMPARE_TEXT = 256 };

/* Runs the engine on the sample, once in one batch and once in small batches, whose sizes
 * `batches` decides, and compares what an engine of that name promises (see the table in
 * compare.c). Variables share numbers (lives.h) as `sharing` decides, unless it is 0. True if all
 * agrees; otherwise `why` (of COMPARE_TEXT bytes) holds a sentence. */
bool compare_engine(const struct st_engine *engine, const struct sample *sample,
                    const struct reference *reference, uint64_t batches, uint64_t sharing,
                    char *why);

/* Runs witness with deferred accesses (deferred.h), and compares the same. */
bool compare_deferred(const struct sample *sample, const struct reference *reference, uint64_t seed,
                      char *why);

/* Of all paths that compare_engine has seen: are they short? */
struct compare_paths {
    uint64_t count, edges, shortest; /* shortest: edges of the shortest possible ones */
    uint64_t longer;                 /* paths that are longer than necessary */
};
extern struct compare_paths compare_paths;

/* Do the definition of AeroDrome's report and the paper's algorithm agree with each other? */
bool compare_algorithm1(const struct sample *sample, const struct reference *reference, char *why);

/* Runs the engine in one batch and prints what it found. */
void compare_print_findings(FILE *file, const struct st_engine *engine, const struct sample *sample,
                            uint64_t sharing);

#endif
