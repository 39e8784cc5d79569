/* What becomes of findings: some are new, some are known from a baseline, and some are
 * suppressed. Only new ones are reported in full, and only they are a reason for a build to fail.
 */
#ifndef SERIATIM_REPORT_TRIAGE_TRIAGE_H
#define SERIATIM_REPORT_TRIAGE_TRIAGE_H

#include "report/triage/fingerprint.h"

enum st_state { ST_NEW, ST_KNOWN, ST_SUPPRESSED, ST_STATES };
const char *st_state_name(enum st_state state); /* "new", "known", "suppressed" */

struct st_mark {
    enum st_state state;
    size_t line;      /* ST_SUPPRESSED: the index of the first line that matches */
    bool in_baseline; /* also of what is suppressed */
};

/* Of one result, or one prediction. */
struct st_marks {
    struct st_mark *violations; /* of each that is kept; of each block that is listed */
    struct st_mark cycle;       /* where no block was violated */
    uint64_t counts[ST_STATES]; /* of violated blocks, kept or not */
    uint64_t unjudged;          /* those of which nothing is known any more: they count as new */
};

/* A line of a file of suppressions. A finding counts for each line that matches it. */
struct st_suppressing_line {
    char *file;
    uint64_t line;
    char *reason;
    uint64_t matched;
};

/* A finding of the baseline that was not found again. */
struct st_gone {
    struct st_fingerprint fingerprint;
    char *block; /* "" for a cycle, or a block without a name */
};

/* All zero is empty: no file was given. Findings are counted by their fingerprints here, each once.
 */
struct st_triage {
    struct st_marks *marks; /* of each result, or each prediction */
    size_t result_count;
    bool suppresses; /* files of suppressions were given, empty ones perhaps */
    struct st_suppressing_line *lines;
    size_t line_count;
    char **baselines; /* the files */
    size_t baseline_count;
    uint64_t fresh, known; /* with baselines: not in one, in one */
    struct st_gone *gone;
    size_t gone_count;
};

void st_triage_free(struct st_triage *triage);

/* Gives the report a triage, and results of its own with at most `limit` violations each (0: all):
 * new ones rather than known ones and those rather than suppressed ones; among these, the names of
 * blocks share the places. `suppressions` and `baseline` may each be NULL. What the report had must
 * outlive the result, and the result outlives the report. */
struct st_triaged;
struct st_suppressions;
struct st_baseline;
struct st_triaged *st_triage_findings(struct st_report *report,
                                      const struct st_suppressions *suppressions,
                                      const struct st_baseline *baseline, size_t limit);
void st_triaged_free(struct st_triaged *triaged);

/* Of a violation that is kept, and of the cycle; new without a triage. */
struct st_mark st_violation_mark(const struct st_report *report, const struct st_result *result,
                                 size_t index);
struct st_mark st_cycle_mark(const struct st_report *report, const struct st_result *result);

/* How many violated blocks count as new: of those that are not kept, it may not be known. */
uint64_t st_new_violated(const struct st_report *report, const struct st_result *result);

/* The same for the blocks that a prediction lists; those that are not reported count as new. */
struct st_mark st_predicted_mark(const struct st_report *report,
                                 const struct st_prediction *prediction, size_t index);
uint64_t st_new_reported(const struct st_report *report, const struct st_prediction *prediction);

/* Is the trace not serializable although no block was violated? That is a finding of its own. */
bool st_result_has_cycle(const struct st_result *result);

/* Was something found, or predicted, that is new? */
bool st_report_found(const struct st_report *report);

/* Did an engine or an analysis come to no verdict? */
bool st_report_undecided(const struct st_report *report);

#endif
