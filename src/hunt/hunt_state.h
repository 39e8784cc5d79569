/* What a hunt knows while it goes on. For hunt*.c. */
#ifndef SERIATIM_HUNT_HUNT_STATE_H
#define SERIATIM_HUNT_HUNT_STATE_H

#include "hunt/hunt.h"
#include "hunt/suspects.h"

/* A cause: something that was found in one run or more. Invariant: `sighting` is the index of the
 * run that shows the worst of it, the first of those. */
struct st_cause {
    enum st_found_kind kind;
    uint64_t key;
    size_t sighting;
    uint64_t seen_in;
    bool doubtful; /* see run_description.h */
    json_t *shown; /* of a violation: its entry in a report */
    char *block;   /* its name, "" */
    size_t replay; /* index in `replays` + 1; 0: it was not done again */
};

/* A run that was done again, for one cause or more. */
struct st_replay_kept {
    struct st_replayed result;
    char *schedule; /* the file; NULL: it could not be written */
    size_t sighting;
    enum st_outcome outcome;
};

struct st_hunt {
    const struct st_hunt_options *options;
    struct st_hunted subject; /* with scratch files of its own */
    char *scratch;
    const char **with_agent; /* the words that start a Java program; or NULL */
    pid_t cleaner;           /* of that; 0: none */
    int alive;               /* the end of a pipe: as long as somebody has it, the folder is used */
    char *input;             /* the copy of standard input, or NULL */
    const char *no_input;    /* why there is none although it may be needed, or NULL */
    char *kept_input;        /* the same beside the schedules, once there is one */
    struct st_knowledge knowledge;
    struct st_expected expected;
    struct st_keys known;
    struct st_sighting *sightings;
    size_t sighting_count, sighting_capacity;
    struct st_cause *causes;
    size_t cause_count, cause_capacity;
    struct st_replay_kept *replays;
    size_t replay_count, replay_capacity;
    json_t *base;   /* the report of the first run */
    json_t *places; /* of that run: run_description.h */
    struct st_suspects suspects;
    size_t causes_compared; /* with them */
    uint64_t runs, points, switches, events, loose, other_outputs;
    uint64_t cut;     /* violated blocks, in all runs */
    uint64_t endless; /* runs that were ended, since they took too long */
    double started,
        confirm_by; /* of the monotonic clock; what was found is done again until then */
    bool exhausted, interrupted;
    bool unsaved; /* a schedule could not be written */
    struct st_error why_unsaved;
    uint32_t bound;
};

/* One that has not done anything yet; NULL with an error. */
struct st_hunt *st_hunt_new(const struct st_hunt_options *options, struct st_error *error);

/* hunt_learning.c: the first runs, in which nothing is tried. -1 with an error, also if the program
 * cannot be controlled. */
int st_hunt_learn(struct st_hunt *hunt, struct st_error *error);

/* Can the program be controlled, by its first run? -1 with the reason. */
int st_hunt_check(const struct st_hunt *hunt, const struct st_controlled_run *run,
                  struct st_error *error);

/* Is there a finding? */
bool st_hunt_has_found(const struct st_hunt *hunt);

/* Counts a run, and keeps what it shows. */
void st_hunt_note(struct st_hunt *hunt, const struct st_controlled_run *run,
                  const struct st_harm *harm);
/* The same, and finds out what harm it did. */
void st_hunt_note_run(struct st_hunt *hunt, const struct st_controlled_run *run);

/* hunt_predictions.c: takes the predictions that there are, or makes some from a run that is
 * recorded. -1 with an error when they are not for this program. */
int st_hunt_foresee(struct st_hunt *hunt, struct st_error *error);

/* Plans the run for a prediction, if it is the turn of one; NULL: it is not. */
struct st_suspect *st_hunt_try_prediction(struct st_hunt *hunt, struct st_controlled_run *run);

/* Which predictions are confirmed by what was found since it was asked last? Whether what is
 * doubtful counts is known at the end. */
void st_hunt_compare(struct st_hunt *hunt, bool doubtful_too);

/* What became of them, for a result: an array. */
json_t *st_hunt_tried(const struct st_hunt *hunt);

/* hunt_report.c: does again what was found, and writes the schedules. */
int st_hunt_confirm(struct st_hunt *hunt, struct st_error *error);

double st_hunt_clock(void); /* seconds */
/* Since it began. */
double st_hunt_seconds(const struct st_hunt *hunt);

void st_hunt_show(const struct st_hunt *hunt, const char *doing);
void st_hunt_warn(const struct st_hunt *hunt, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool st_hunt_is_stopped(void *hunt);

#endif
