/* Runs of a program under control, several at a time, each with a watcher in a process of its own.
 *
 * A run gets a plan and leaves a log (stream/control.h), its output, and what its watcher found
 * (run_description.h). */
#ifndef SERIATIM_HUNT_CONTROLLED_CONTROLLED_RUN_H
#define SERIATIM_HUNT_CONTROLLED_CONTROLLED_RUN_H

#include "base/error.h"
#include "hunt/controlled/client.h"
#include "hunt/controlled/run_plan.h"
#include "hunt/controlled/run_description.h"
#include "hunt/controlled/hunted.h"

#include <sys/types.h>

/* What a run printed, up to some limit. */
struct st_printed {
    char *text;
    size_t length;
    bool cut_off; /* there was more */
};

enum st_run_stop {
    ST_STOP_NONE,
    ST_STOP_TIME,    /* the run took too long, and we ended it */
    ST_STOP_CLIENT,  /* the client had ended, so we ended the program */
    ST_STOP_REQUEST, /* somebody does not want to wait any longer */
};

/* Invariant: `log` is part of `area`. */
struct st_controlled_run {
    uint64_t number; /* of the run, from 1; 0: not one of the hunt */
    struct st_run_plan plan;
    bool in_full;     /* describe all findings, also those that are known */
    bool keys_only;   /* describe none */
    bool attended;    /* the program has our standard output and error */
    bool interactive; /* and our standard input */
    bool recorded;    /* instead of checked: what it foreshadows is described */
    /* What came of it. */
    struct st_area area;
    const struct st_control_log *log;
    struct st_description described;
    struct st_printed output, errors, client_printed;
    enum st_run_stop stop;
    int status;      /* of the program, as a shell has it */
    bool controlled; /* the program came to the area */
    double seconds;
    /* While it runs. */
    pid_t watcher;
    struct st_client client;
    double started, told_to_end;
    bool done;
};

void st_controlled_run_init(struct st_controlled_run *run);
void st_controlled_run_free(struct st_controlled_run *run);

/* Does all of them, `jobs` at a time. `known` may be NULL: the keys of findings that need no
 * description. `stopped` is looked at from time to time: then what runs is ended. -1 with an error
 * when one could not be started or watched. */
int st_do_runs(const struct st_hunted *subject, struct st_controlled_run *const *runs, size_t count,
               size_t jobs, const struct st_keys *known, bool (*stopped)(void *context),
               void *context, struct st_error *error);

/* The same in this process, whoever else there is (dealt_runs.h). */
int st_do_runs_here(const struct st_hunted *subject, struct st_controlled_run *const *runs,
                    size_t count, size_t jobs, const struct st_keys *known,
                    bool (*stopped)(void *context), void *context, struct st_error *error);

/* A name for a file of a run, for free(): unique among the runs at the same time. */
char *st_run_file(const struct st_hunted *subject, const struct st_controlled_run *run,
                  const char *kind);

/* Has the program come to its end by itself, or by its own fault? */
bool st_run_ended(const struct st_controlled_run *run);

#endif
