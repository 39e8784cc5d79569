/* Tracks, step by step, which accesses of a schedule come after the block. So the path that
 * violates a block is found while the schedule is built.
 *
 * An access of another thread is tainted if a path of conflicts and thread order leads to it from
 * the block. The block is violated when it makes an access that conflicts with a tainted one. More
 * taint never prevents anything from being executed. */
#ifndef SERIATIM_PREDICT_TAS_TAINT_H
#define SERIATIM_PREDICT_TAS_TAINT_H

#include "predict/tas/window_steps.h"

enum { TAINT_WRITE = 1, TAINT_READ = 2, BLOCK_WRITE = 4, BLOCK_READ = 8 };

struct tas_taint {
    uint8_t *threads;   /* by actor: is its thread tainted? */
    uint8_t *variables; /* by variable: the kinds of access seen */
};

/* What a step changes, so that it can be undone. */
struct tas_stain {
    uint8_t thread, variable;
};

/* Is the thread tainted whose next step this is? */
static inline bool tas_is_tainted(const struct tas_taint *taint, const struct tas_step *step,
                                  uint32_t actor) {
    return taint->threads[actor] && !step->starts;
}

void tas_taint_init(struct tas_taint *taint, const struct tas_program *program);
void tas_taint_free(struct tas_taint *taint);

/* Takes a step of the actor that is an access. `broken`: it does not see its couple, and an update
 * does not write. Returns true if the step violates the block. */
bool tas_taint_step(struct tas_taint *taint, const struct tas_program *program,
                    const struct tas_step *step, uint32_t actor, bool broken,
                    struct tas_stain *before);
void tas_taint_undo(struct tas_taint *taint, const struct tas_step *step, uint32_t actor,
                    struct tas_stain before);

#endif
