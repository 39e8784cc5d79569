/* What `refine` found, as tables and a figure like those of the RegionTrack paper, and as JSON. */
#ifndef SERIATIM_CLI_COMPARE_REFINE_TABLES_H
#define SERIATIM_CLI_COMPARE_REFINE_TABLES_H

#include "report/sheet/sheet.h"
#include "session/compare/refinement.h"

enum refine_layout {
    REFINE_SUMMARY,   /* a row for each engine: Tables 2 and 3 */
    REFINE_ROUNDS,    /* a row for each round, what each engine reports: Figures 8 and 9 */
    REFINE_FUNCTIONS, /* a row for each name: Figure 10 */
    REFINE_LAYOUTS
};

extern const char *const refine_layout_words[REFINE_LAYOUTS + 1];

/* Release it with st_sheet_free. */
struct st_sheet refine_table(const struct st_refinement *refinement, enum refine_layout layout);

/* Dynamic violations so far, by round: a line for each engine. Or, for the functions: how far the
 * engines are off the mark for each, in percent of RegionTrack's dynamic violations, the smallest
 * first; what RegionTrack does not report is left out. */
void refine_svg(const struct st_refinement *refinement, enum refine_layout layout, FILE *file);

void refine_json(const struct st_refinement *refinement, FILE *file);

#endif
