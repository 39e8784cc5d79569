/* How a hunt came to see a finding, what came of it, and failures that are findings of their own.
 *
 * All texts are owned by somebody else; NULL stands for what is not known. */
#ifndef SERIATIM_FINDING_OBSERVATION_H
#define SERIATIM_FINDING_OBSERVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What came of a run, compared with runs of the default schedule: the worse, the later. */
enum st_outcome {
    ST_OUTCOME_SAME,
    ST_OUTCOME_OUTPUT, /* it printed something else */
    ST_OUTCOME_STATUS, /* it ended with another status */
    ST_OUTCOME_HANG,   /* it ran in vain for ever */
    ST_OUTCOME_DEADLOCK,
    ST_OUTCOME_ASSERT, /* an assertion failed */
    ST_OUTCOME_CRASH,  /* a signal ended it */
    ST_OUTCOME_COUNT
};
const char *st_outcome_name(enum st_outcome outcome); /* "same", "output", ... */
enum st_outcome st_outcome_find(const char *name);    /* ST_OUTCOME_COUNT: no such one */

/* What a thread did until another one went on. `does` is "stops", "runs" or "goes on"; of `until`
 * and `awaited` src/hunt/controlled/course.h says more. With `more`, so many steps are left out,
 * which repeat those before if they are `alike`, and the rest is empty. */
struct st_course_step {
    uint64_t more;
    bool alike;
    const char *thread, *does, *function, *loc, *until, *awaited;
    const char *const *blocks; /* ends with NULL */
};

struct st_observation {
    uint64_t run, seed, preemptions;
    uint64_t seen_in; /* so many runs */
    const char *strategy, *schedule, *replayed;
    bool minimised;
    enum st_outcome outcome;
    const char *signal;             /* that ended it: "SIGSEGV" */
    const char *message;            /* that it printed when it failed */
    const char *printed, *expected; /* the first line that differs; NULL: there is none */
    uint64_t status, expected_status;
    bool client; /* status and output are those of the client, not of the program */
    const struct st_course_step *course;
    size_t course_count;
};

/* A thread that could not go on. */
struct st_stuck_thread {
    const char *thread, *awaited, *object, *owner, *function, *loc;
};

struct st_failure {
    struct st_observation observation; /* its outcome is what kind of failure it is */
    const char *fingerprint;
    const char *thread, *function, *loc; /* where it was, or had last been seen */
    bool exact;                          /* it was there when it failed */
    uint64_t place;                      /* the same as a location of the symbols; 0: none */
    const struct st_stuck_thread *stuck;
    size_t stuck_count;
};

/* What a prediction became under control. Lists of texts end with NULL. */
enum st_confirmation { ST_UNCONFIRMED, ST_CONFIRMED, ST_IMPOSSIBLE, ST_CONFIRMATIONS };
struct st_tried_step {
    const char *thread, *op, *function, *loc;
};
struct st_tried_prediction {
    const char *kind;  /* "cut", "deadlock" */
    const char *block; /* NULL: of a deadlock */
    const char *pattern, *verdict, *thread, *loc;
    const char *const *engines, *const *variables;
    uint64_t depth, begin;
    const struct st_tried_step *steps; /* that would have to happen in this order */
    size_t step_count;
    enum st_confirmation state;
    uint64_t tries;
    bool placed;                    /* the program came by where it would happen */
    uint64_t run;                   /* that confirmed it; 0: none */
    const char *schedule, *outcome; /* of what confirmed it */
};
const char *st_confirmation_name(enum st_confirmation state); /* "not confirmed", ... */

struct st_hunt_facts {
    uint64_t runs, points, switches, seed;
    uint64_t loose;         /* runs that may not be repeatable */
    uint64_t other_outputs; /* runs that printed something else although nothing was cut */
    bool exhausted;         /* all schedules of the systematic search were tried */
    uint64_t bound;         /* of preemptions in it */
    bool interrupted;
    const struct st_observation *cycle; /* of the cycle, where no block was cut; or NULL */
    const struct st_failure *failures;
    size_t failure_count;
    const struct st_tried_prediction *predictions;
    size_t prediction_count;
};

#endif
