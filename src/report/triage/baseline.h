/* The findings of earlier results, to tell new ones from those that were there before. */
#ifndef SERIATIM_REPORT_TRIAGE_BASELINE_H
#define SERIATIM_REPORT_TRIAGE_BASELINE_H

#include "base/names.h"
#include "report/triage/fingerprint.h"

/* Invariant: blocks[i] is the name of the block that the fingerprint with number i is about. */
struct st_baseline {
    struct st_names fingerprints;
    char **blocks;
    size_t block_capacity;
    char **files;
    size_t file_count, file_capacity;
};

void st_baseline_init(struct st_baseline *baseline);

/* What is all zero may be released, too; and it is, afterwards. */
void st_baseline_free(struct st_baseline *baseline);

/* Adds the findings of a result that was saved as JSON: text[0 .. length), behind which is a zero
 * byte. */
int st_baseline_add(struct st_baseline *baseline, const char *name, const char *text, size_t length,
                    struct st_error *error);

bool st_baseline_has(const struct st_baseline *baseline, const struct st_fingerprint *fingerprint);

#endif
