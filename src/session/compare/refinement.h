/* Iterative refinement, as the papers do it: an engine checks by a specification, the names that it
 * reports are taken out of the specification, and so on, until nothing new is reported for some
 * rounds. Several engines go side by side, each with its own specification, over the same traces.
 *
 *     st_refinement_init(&refinement, engines, count, start, settled);
 *     while (!st_refinement_is_over(&refinement))
 *         st_refinement_advance(&refinement, paths, path_count, &source, relation, &error);
 *     st_refinement_free(&refinement);
 *
 * On one trace, an exact engine ends where st_inference is after one pass. */
#ifndef SERIATIM_SESSION_COMPARE_REFINEMENT_H
#define SERIATIM_SESSION_COMPARE_REFINEMENT_H

#include "check/engine.h"
#include "session/trace_input.h"

/* All methods but main and what threads start with, in C and in Java. */
extern const char st_refinement_usual_start[];

struct st_refinement_round {
    uint64_t fresh;   /* names that were reported for the first time */
    uint64_t dynamic; /* blocks that were reported */
};

/* What one engine has reported so far. */
struct st_refiner {
    const struct st_engine *engine;
    bool *refuted;     /* by name: is it out of the specification? */
    uint64_t *dynamic; /* by name: blocks that were reported, over all rounds */
    size_t refuted_capacity, dynamic_capacity;
    struct st_refinement_round *rounds;
    size_t round_count, round_capacity;
    uint64_t quiet; /* rounds since the last new name */
};

struct st_refinement {
    const char *start; /* the specification to start with, as text */
    uint64_t settled;  /* so many rounds without a new name end it */
    struct st_names names;
    uint64_t *executed; /* by name: blocks that count, in the round that had most of them */
    size_t executed_capacity;
    uint64_t *now; /* scratch: in this round */
    size_t now_capacity;
    struct st_refiner *refiners;
    size_t count;
};

/* The start must outlive it. Each engine must name blocks. */
void st_refinement_init(struct st_refinement *refinement, const struct st_engine *const *engines,
                        size_t count, const char *start, uint64_t settled);
void st_refinement_free(struct st_refinement *refinement);

/* The next round, over these traces, for the engines that are not done. Of `source`, all but path
 * and specification counts. */
int st_refinement_advance(struct st_refinement *refinement, const char *const *paths, size_t count,
                          const struct st_trace_source *source, enum st_relation relation,
                          struct st_error *error);

bool st_refiner_is_done(const struct st_refinement *refinement, const struct st_refiner *refiner);
bool st_refinement_is_over(const struct st_refinement *refinement);

/* How many names it has reported, and how many blocks, over all rounds. */
uint64_t st_refiner_distinct(const struct st_refiner *refiner);
uint64_t st_refiner_dynamic(const struct st_refiner *refiner);
bool st_refiner_refutes(const struct st_refiner *refiner, uint32_t name);

/* What of it was reported for a name, over all rounds. */
uint64_t st_refiner_dynamic_of(const struct st_refiner *refiner, uint32_t name);

/* The specification that is left: a line for each name that ran and was never reported. */
void st_refinement_write_spec(const struct st_refinement *refinement,
                              const struct st_refiner *refiner, FILE *file);

#endif
