/* Which violations are told together, and which first.
 *
 * One event can cut several blocks of its thread, one inside the other. They are cut by the same
 * work of the same threads, so only the innermost is told in full. And what was cut in the same
 * place of the code again and again, by work in the same places, is told once, with a count. */
#ifndef SERIATIM_REPORT_TRIAGE_GROUPS_H
#define SERIATIM_REPORT_TRIAGE_GROUPS_H

#include "report/story/calls.h"
#include "report/triage/rank.h"
#include "report/triage/triage.h"

struct st_paragraph {
    const struct st_violation *violation; /* the first of them */
    size_t count;                         /* how many are like it, itself included */
    const uint32_t *around; /* names of blocks that were cut with one of them, each name once */
    size_t around_count;
};

struct st_paragraphs {
    struct st_paragraph *items; /* in the order of their blocks' rank, then of their events */
    size_t count;
    uint32_t *names; /* behind `around` */
};

/* From the violations of a result that are kept and in this state. `rows` are the blocks in the
 * order of their rank. The violations must outlive the paragraphs. Places are the same when the
 * lines are that are told of them. */
struct st_paragraphs st_paragraphs_make(const struct st_report *report,
                                        const struct st_result *result, enum st_state state,
                                        const struct st_block_row *rows, size_t row_count);
void st_paragraphs_free(struct st_paragraphs *paragraphs);

/* The lines at which a step is told: its own, or with `around` all that led there from the calls
 * around it. Places that are told alike have the same text. */
void st_put_lines(FILE *file, const struct st_report *report, uint64_t loc,
                  const struct st_calls *around);

#endif
