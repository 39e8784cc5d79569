/* Hunting: runs a program again and again under control, until blocks are really cut or the program
 * fails, and says how to make that happen again.
 *
 * Runs are planned in rounds whose size depends on nothing but how many came before, and what they
 * show is taken in the order of their numbers. So the result is the same for a seed, however many
 * run side by side. */
#ifndef SERIATIM_HUNT_HUNT_H
#define SERIATIM_HUNT_HUNT_H

#include "hunt/portfolio.h"
#include "hunt/sighting.h"

enum { ST_LEARNING_RUNS = 2 };

struct st_hunt_progress {
    uint64_t runs, points, findings;
    const char *doing; /* a strategy, "learning", "minimising" */
};

/* Predictions that were made from a trace. */
struct st_hunt_predictions {
    const char *trace;    /* the file */
    const json_t *list;   /* hunt/foreseen/foresee.h */
    const json_t *blocks; /* names of the blocks of the trace */
};

struct st_hunt_options {
    struct st_hunted subject;
    uint64_t runs, seed;
    double seconds;
    size_t jobs, choice; /* ST_CHOICE_... */
    uint64_t limit;      /* so many violated blocks are kept; 0: all */
    bool until_first;
    const struct st_hunt_predictions *predictions; /* from a trace; NULL: those of a run of our own,
                                                    * if the choice asks for any */
    uint64_t tries;   /* with ST_STRATEGY_STEPS, each prediction is tried so often; 0: no limit */
    const char *keep; /* where schedules go */
    bool takes_input; /* runs get a copy of what comes on our standard input */
    bool (*stopped)(void *context);
    void (*show)(void *context, const struct st_hunt_progress *progress);
    void (*warn)(void *context, const char *sentence);
    void *context;
};

struct st_hunt;

/* Does it. NULL with an error when the program cannot be hunted. Release with st_hunt_free. */
struct st_hunt *st_hunt(const struct st_hunt_options *options, struct st_error *error);

/* On a rank that does runs for rank 0: does not return, unless that is not possible. */
void st_hunt_serve(const struct st_hunt_options *options, struct st_error *error);
void st_hunt_free(struct st_hunt *hunt);

/* Why a schedule could not be written; NULL: all of them were. */
const struct st_error *st_hunt_unsaved(const struct st_hunt *hunt);

/* The result as JSON (seriatim-hunt/1), without stories; st_report_load reads it. Release with
 * free(). */
char *st_hunt_result(const struct st_hunt *hunt);

/* The same for a replay: the object of `run`, with what a hunt adds. */
char *st_replay_result(const struct st_hunt *hunt);

#endif
