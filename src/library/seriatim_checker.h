/* The checker, as other parts of the library see it. */
#ifndef SERIATIM_LIBRARY_SERIATIM_CHECKER_H
#define SERIATIM_LIBRARY_SERIATIM_CHECKER_H

#include "check/engine.h"
#include "library/intake.h"
#include "trace/relation.h"

struct seriatim_checker {
    const struct st_engine *engine;
    void *state;
    struct st_findings findings;
    struct st_intake intake;
    enum st_relation relation;
    struct st_channels lock_channels; /* by number */
    seriatim_violation_callback callback;
    void *context;

    /* What was handed out last. */
    seriatim_violation violation;
    seriatim_edge *edges;
    size_t edges_capacity;
};

#endif
