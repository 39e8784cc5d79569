/* By what a finding is recognised: the same in another run of the program, in another build of it,
 * on another machine and after other lines of its sources have changed; another for another
 * finding.
 *
 * It is a hash of the block's gap (struct st_block_gap): the name of the block and of its file
 * without the folders, and the text of the two lines of the gap. It takes no part in it who came in
 * between, and neither do numbers of events, lines and threads, addresses and indices of arrays.
 * Where the text is not known, how far below the block's first line the two are stands for it
 * (`by_line` is always made from that); and where lines are not known, what was done there. */
#ifndef SERIATIM_REPORT_TRIAGE_FINGERPRINT_H
#define SERIATIM_REPORT_TRIAGE_FINGERPRINT_H

#include "report/report.h"

struct st_fingerprint st_fingerprint(const struct st_report *report,
                                     const struct st_violation *violation);

/* The same for a block that could be cut: one that was cut in the same gap has the same. */
struct st_fingerprint st_predicted_fingerprint(const struct st_report *report,
                                               const struct st_predicted_block *block);

/* For report/triage/gaps.h: the hash of a block, and of a text that stands for its gap; and what a
 * text has for a step without a line. */
struct st_fingerprint st_gap_fingerprint(const struct st_report *report, uint32_t block,
                                         uint64_t begin_loc, const char *key);
void st_put_stable_step(FILE *file, const struct st_report *report, const struct st_place *place);

/* Of a finding that is nothing but its steps, in their order: a race, or threads in a deadlock. */
struct st_fingerprint st_steps_fingerprint(const struct st_report *report,
                                           const struct st_place *steps, size_t count);

/* Of the cycle, wherever it is said to begin. There must be one. */
struct st_fingerprint st_cycle_fingerprint(const struct st_report *report,
                                           const struct st_findings *findings);

#endif
