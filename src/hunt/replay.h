/* Replaying: does again what a schedule says.
 *
 * If the program was built anew since then, its clocks and addresses may be others. Then a run of
 * the default schedule shows where its code is now, and deviations are found by function, line and
 * count. */
#ifndef SERIATIM_HUNT_REPLAY_H
#define SERIATIM_HUNT_REPLAY_H

#include "hunt/hunt.h"
#include "hunt/saved_schedule.h"

/* `options` has what a hunt needs; its subject is set from the schedule, but for what concerns the
 * command: words, if the program is another one, and `seconds`. */
struct st_replay {
    struct st_hunt_options options;
    struct st_saved_schedule schedule;
    struct st_hunt *hunt; /* with one run in it */
    const char *rebuilt;  /* a module that was built anew, or NULL: found by clock */
    bool diverged;        /* the program did not do what the schedule says */
    char *diverged_at;    /* where: a sentence */
    bool same;            /* what was expected came */
    bool cut_off;         /* it printed more than was kept and shown */
    enum st_outcome outcome;
    int status; /* of the program */
};

/* Reads the schedule. `words` may be NULL: those of the schedule, in its folder. */
int st_replay_open(struct st_replay *replay, const char *path, const char *const *words,
                   struct st_error *error);
void st_replay_close(struct st_replay *replay);

/* Runs it, with our standard output and error, or shows there in the end what it printed; -1 with
 * an error. */
int st_replay_run(struct st_replay *replay, struct st_error *error);

/* Leaves out deviations as long as the same comes of it, and writes the schedule anew. The
 * numbers are those before and after. */
int st_replay_minimise(struct st_replay *replay, const char *path, uint32_t *before,
                       uint32_t *after, struct st_error *error);

/* Runs the program in gdb, which stops where the block is cut. */
int st_replay_debug(struct st_replay *replay, struct st_error *error);

#endif
