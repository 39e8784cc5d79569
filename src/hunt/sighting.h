/* Runs in which something was found: how to do them again, and what came of them. */
#ifndef SERIATIM_HUNT_SIGHTING_H
#define SERIATIM_HUNT_SIGHTING_H

#include "hunt/controlled/outcome.h"

/* What hunts find. */
enum st_found_kind { ST_FOUND_VIOLATION, ST_FOUND_CYCLE, ST_FOUND_FAILURE };

/* A run. Invariant: `json` is its description, and `replay` does it again. */
struct st_sighting {
    uint64_t run, seed;
    enum st_control_strategy strategy;
    struct st_run_plan replay;
    struct st_harm harm;
    int status;
    json_t *json;
    bool loose; /* it may not be repeatable */
};

void st_sighting_take(struct st_sighting *sighting, const struct st_controlled_run *run,
                      const struct st_harm *harm);
void st_sighting_free(struct st_sighting *sighting);

/* Is the outcome a finding of its own? `expected` is what the default schedule leads to. */
bool st_is_failure(const struct st_expected *expected, const struct st_controlled_run *run,
                   const struct st_harm *harm);

/* The same failure in the same place has the same key. */
uint64_t st_failure_key(const struct st_controlled_run *run, const struct st_harm *harm);

/* Does the run show what was found, with the same outcome? */
struct st_target {
    enum st_found_kind kind;
    uint64_t key;
    enum st_outcome outcome;
};
bool st_shows(const struct st_controlled_run *run, const struct st_expected *expected,
              const struct st_target *target);

/* ---- doing it again ---- */

/* With how little it still happens. */
struct st_replayed {
    struct st_run_plan plan;       /* the smallest that was found */
    struct st_controlled_run last; /* a run by it, in full */
    unsigned good, tried;          /* so many of so many runs of it showed the same */
    bool minimised;                /* no deviation can be left out */
};

struct st_replaying {
    const struct st_hunted *subject;
    const struct st_expected *expected;
    size_t jobs;
    unsigned most_tests, repeats;
    double deadline; /* of the monotonic clock: after it, one replay must do; 0: none */
    bool (*stopped)(void *context);
    void *context;
};

/* Tries to leave out deviations, then repeats what is left. -1 with an error when the program can
 * no longer be run. Release *result in any case. */
int st_replay_smaller(const struct st_replaying *replaying, const struct st_run_plan *plan,
                      const struct st_target *target, bool minimise, struct st_replayed *result,
                      struct st_error *error);
void st_replayed_free(struct st_replayed *result);

#endif
