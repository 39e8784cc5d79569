/* What programs that compare random traces have in common: their command line, going from seed to
 * seed, and saying at which one they crash or hang. */
#ifndef SERIATIM_REFERENCE_PROGRAM_H
#define SERIATIM_REFERENCE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* The trace that is being looked at, and by whom. */
extern volatile uint64_t program_seed;
extern const char *volatile program_part;

/* From now on a crash, or an end of patience, says both. */
void program_watch(void);

/* Patience ends after so many seconds of processor time from now on, unless it is extended. */
void program_be_patient_for(int seconds);

/* What all of them can be told. */
struct program {
    const char *name;
    const char *usage;    /* its options, as its user is shown them */
    uint64_t seed, count; /* trace number i comes from the seed `seed` + i */
    bool forever, verbose;
};

/* What one of them can be told besides: a flag, or an option with a value. */
struct program_option {
    const char *name;
    bool *flag; /* becomes true; NULL: a value follows */
    const char **value;
    bool (*is_valid)(const char *value);
    const char *needs; /* what the value must be: "the name of an engine" */
};

/* Reads the command line; the last of the options has no name. False, when something is wrong with
 * it: that was said, and the status is 2. */
bool program_read(struct program *program, const struct program_option *options, int argc,
                  char **argv);

/* Calls check for each seed, until it says that something is wrong. True: it never did. */
bool program_run(const struct program *program, bool (*check)(void *context, uint64_t seed),
                 void *context);

/* Of a clock that is never set. */
double program_seconds(void);

#endif
