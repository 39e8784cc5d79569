/* The findings of earlier results, against which new ones are recognised. */
#ifndef SERIATIM_REPORT_TRIAGE_BASELINE_H
#define SERIATIM_REPORT_TRIAGE_BASELINE_H

#include "base/names.h"
#include "report/triage/fingerprint.h"

/* A finding is in it if either of its two fingerprints is (struct st_block_gap): the text of its
 * lines may have been edited, or lines above them in its block.
 *
 * Invariant: blocks[i] is the name of the block that the fingerprint with number i is about, and
 * lines[i] is its second fingerprint, or "". */
struct st_baseline {
    struct st_names fingerprints, by_line;
    char **blocks;
    struct st_fingerprint *lines;
    size_t block_capacity, line_capacity;
    char **files;
    size_t file_count, file_capacity;
};

void st_baseline_init(struct st_baseline *baseline);

/* What is all zero may be released, too; and it is, afterwards. */
void st_baseline_free(struct st_baseline *baseline);

/* Adds the findings of a saved result; `name` is that of its file. */
void st_baseline_add(struct st_baseline *baseline, const char *name,
                     const struct st_report *report);

/* `by_line` is the second fingerprint, or NULL: it has none. */
bool st_baseline_has(const struct st_baseline *baseline, const struct st_fingerprint *fingerprint,
                     const struct st_fingerprint *by_line);

#endif
