/* Where blocks let go and where they came back (struct st_block_gap).
 *
 * A block that is no step lets go of what it shares at one of its lines, and comes back to it at
 * another. Those two lines are what somebody has to repair: who came in between, with what and how
 * often, differs from run to run. So findings with the same gap are one finding.
 *
 * Both are lines of the block's own function, from which others may have been called. An access
 * under locks stands for its critical section, whatever it accessed there: its line is where the
 * first of the locks that the block took itself was acquired. Of a section around both accesses
 * that says nothing, unless there is no other.
 *
 * A block that took no lock for either access has a single gap, which is all of it: wherever it was
 * cut, what is missing is a lock, and at which of its lines others came is a matter of chance. */
#ifndef SERIATIM_REPORT_TRIAGE_GAPS_H
#define SERIATIM_REPORT_TRIAGE_GAPS_H

#include "report/report.h"

/* Finds the gaps of all violations that are kept, or of all blocks that are reported, and have
 * none. The locations must be those of the report's symbols. */
void st_find_gaps(const struct st_report *report, struct st_findings *findings);
void st_find_predicted_gaps(const struct st_report *report, struct st_predictions *predictions);

/* The gap of one of them, without the text of its lines; release with st_block_gap_free. */
struct st_block_gap *st_make_gap(const struct st_report *report,
                                 const struct st_violation *violation);

/* The gaps of findings that are a copy with violations of its own. */
void st_free_gaps(struct st_findings *findings);

#endif
