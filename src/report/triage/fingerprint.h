/* By what a finding is known again: the same in another run of the program, in another build of it,
 * on another machine and after other lines of its sources have changed; another for another
 * finding.
 *
 * It is a hash of what was cut and by what: the name of the block and of its file without the
 * folders, and for the dependence that leads out of the block and for the one that leads back, what
 * kind they are, on what, and between which operations in which functions. Numbers of events, lines
 * and threads, addresses and indices of arrays are not in it. Where functions are not known, the
 * files of the events stand for them. */
#ifndef SERIATIM_REPORT_TRIAGE_FINGERPRINT_H
#define SERIATIM_REPORT_TRIAGE_FINGERPRINT_H

#include "report/report.h"

enum { ST_FINGERPRINT_SIZE = 33 };

/* 32 hexadecimal digits and a zero. */
struct st_fingerprint {
    char text[ST_FINGERPRINT_SIZE];
};

struct st_fingerprint st_fingerprint(const struct st_report *report,
                                     const struct st_violation *violation);

/* The same for a block that could be cut: one that was cut in the same way has the same. Where no
 * dependence is known, all events that the finding rests on count. */
struct st_fingerprint st_predicted_fingerprint(const struct st_report *report,
                                               const struct st_predicted_block *block);

/* Of a finding that is nothing but its steps, in their order: a race, or threads in a deadlock. */
struct st_fingerprint st_steps_fingerprint(const struct st_report *report,
                                           const struct st_place *steps, size_t count);

/* Of the cycle, wherever it is said to begin. There must be one. */
struct st_fingerprint st_cycle_fingerprint(const struct st_report *report,
                                           const struct st_findings *findings);

#endif
