/* What a hunt adds to a saved result. */
#ifndef SERIATIM_REPORT_LOAD_LOAD_HUNT_H
#define SERIATIM_REPORT_LOAD_LOAD_HUNT_H

#include "report/load/loading.h"

/* All zero is empty. */
struct st_loaded_hunt {
    struct st_hunt_facts facts;
    struct st_observation *observations; /* of the violations, in their order; then of the cycle */
    void **owned;                        /* all memory that these point to */
    size_t owned_count, owned_capacity;
};

/* Reads it; violations get their observations. What is wrong is kept by the fields. */
void st_load_hunt(struct st_loading *loading, const json_t *root, struct st_violation *violations,
                  size_t violation_count, struct st_loaded_hunt *hunt);
void st_loaded_hunt_free(struct st_loaded_hunt *hunt);

#endif
