/* Hunting from the command line: what `hunt` and `predict --confirm` have in common. */
#ifndef SERIATIM_CLI_HUNTING_H
#define SERIATIM_CLI_HUNTING_H

#include "base/output.h"
#include "cli/report_output.h"
#include "hunt/hunt.h"

/* How the result is written. */
struct hunting {
    const struct common_values *common;
    const struct filter_values *filters;
    uint64_t limit;
    unsigned format;
    bool proofs_count; /* so does a prediction with a proof, even if no run has shown it */
    bool undecided;    /* something was not decided before: then nothing found is no all-clear */
};

/* The options of a hunt that all of them have: as many jobs as there are processors, progress on
 * the terminal, Ctrl-C ends it. */
struct st_hunt_options usual_hunt(const struct hunting *hunting, const char *command,
                                  const char *const *words, const char *spec);

/* Hunts, and writes the result to the output, which it finishes. */
enum status hunt_and_write(const struct hunting *hunting, const struct st_hunt_options *options,
                           const struct st_filters *filters, struct st_output *output);

#endif
