/* What came of a run, compared with learning runs.
 *
 * What differs between two learning runs of the same schedule, such as process ids and times, says
 * nothing; nor does the order of lines, which threads may print as they come. */
#ifndef SERIATIM_HUNT_CONTROLLED_OUTCOME_H
#define SERIATIM_HUNT_CONTROLLED_OUTCOME_H

#include "finding/observation.h"
#include "hunt/controlled/controlled_run.h"

struct st_lines {
    char **list;
    size_t count;
};

/* What is known of a stream of output. Invariant: masked.list[i] is line i with a byte 1 in place
 * of each word that varies. */
struct st_expected_text {
    bool comparable; /* the learning runs differ in words only */
    bool varies;     /* they do differ */
    struct st_lines lines, masked;
};

struct st_expected {
    struct st_expected_text output, errors, client;
    int status, client_status;
    bool failed;    /* the default schedule itself fails */
    uint64_t bound; /* that we set on the points of a run, far above what is usual; 0: none */
};

void st_expected_learn(struct st_expected *expected, const struct st_controlled_run *one,
                       const struct st_controlled_run *other);
void st_expected_free(struct st_expected *expected);

struct st_harm {
    enum st_outcome outcome;
    const char *signal;     /* a constant */
    char *message;          /* what the program said when it failed, or NULL */
    char *printed, *wanted; /* the first line that differs; or NULL */
    bool by_client;         /* it is the status or the output of the client */
};

struct st_harm st_find_harm(const struct st_expected *expected,
                            const struct st_controlled_run *run);
void st_harm_free(struct st_harm *harm);

/* "SIGSEGV" of the status 139; NULL: no signal. */
const char *st_status_signal(int status);

#endif
