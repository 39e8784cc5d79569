/* What programs that compare random traces have in common: their command line, the loop over
 * seeds, and a message with the seed when they crash or hang. */
#ifndef SERIATIM_REFERENCE_PROGRAM_H
#define SERIATIM_REFERENCE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* The current trace, and what is running on it. */
extern volatile uint64_t program_seed;
extern const char *volatile program_part;

/* From now on a crash, or the end of patience, prints both. */
void program_watch(void);

/* Patience ends after so many seconds of processor time from now on, unless it is extended. */
void program_be_patient_for(int seconds);

/* The options that all of them have. */
struct program {
    const char *name;
    const char *usage;    /* its options, for the usage message */
    uint64_t seed, count; /* trace number i comes from the seed `seed` + i */
    bool forever, verbose;
};

/* An additional option of one program: a flag, or an option with a value. */
struct program_option {
    const char *name;
    bool *flag; /* becomes true; NULL: a value follows */
    const char **value;
    bool (*is_valid)(const char *value);
    const char *needs; /* what the value must be: "the name of an engine" */
};

/* Reads the command line; the last of the options has no name. False if something is wrong with
 * it, after a message; the status is then 2. */
bool program_read(struct program *program, const struct program_option *options, int argc,
                  char **argv);

/* Calls check for each seed, until it returns false. True if it never did. */
bool program_run(const struct program *program, bool (*check)(void *context, uint64_t seed),
                 void *context);

/* From a monotonic clock. */
double program_seconds(void);

#endif
