/* Which blocks to speak of first: those whose violation is most surprising.
 *
 * A block that is nearly always atomic and was cut once was most likely meant to be atomic; one
 * that is cut in every other run was most likely not. And the innermost block that was cut says
 * most about where: what is around it is cut as a consequence. */
#ifndef SERIATIM_REPORT_TRIAGE_RANK_H
#define SERIATIM_REPORT_TRIAGE_RANK_H

#include "report/report.h"

/* The blocks of one name. */
struct st_block_row {
    uint32_t block;      /* ST_NO_NAME: all blocks without one */
    const char *name;    /* "" without one */
    const char *program; /* where several were run, or NULL */
    uint64_t executed, violated;
    uint32_t depth; /* the smallest at which one was violated */
};

/* A row for each name that the trace has, the violated ones first: smaller share of violated ones,
 * then deeper, then more often executed, then by name. Those that were never violated follow, the
 * most often executed first, then by name. Release with free(). */
struct st_block_row *st_rank_blocks(const struct st_report *report,
                                    const struct st_findings *findings, size_t *count);

/* The same for what an analysis says of other schedules: `violated` is how many are reported. */
struct st_block_row *st_rank_predicted(const struct st_report *report,
                                       const struct st_prediction *prediction, size_t *count);

#endif
